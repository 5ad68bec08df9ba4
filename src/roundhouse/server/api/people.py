"""The administration of people, appointments and terminals. The house decides and records; here it is only asked."""

from msgspec import Struct

from roundhouse.people import events as e
from roundhouse.people.names import APPOINTABLE, CODE_LIFE, RANK, AppointmentId, PersonId, Role, TerminalNumber
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, access_for
from roundhouse.server.endpoint import raise_refusal
from roundhouse.server.routing import Request, Routes
from roundhouse.table.names import Millis
from roundhouse.wire import people as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="people")
_PERSON = "/api/staff/{person}"
_HOUSE_PROBLEMS = (ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED)


class PersonPath(Struct, frozen=True):
    person: PersonId


class AppointmentPath(Struct, frozen=True):
    appointment: AppointmentId


class EnrolledPath(Struct, frozen=True):
    number: TerminalNumber


@routes.get("/api/staff", access=PIT_OR_AUDITOR)
async def staff(asking: Request) -> w.Staff:
    """Everybody who works here, or did."""
    house, now = asking.service.house, asking.service.clock()
    lines = tuple(
        w.PersonRow(id, one.name, one.positions, house.staff.roles(id, now), one.locked, one.failures, one.has_password)
        for id, one in house.staff.people().items()
    )
    roles = tuple(w.RoleRow(role, RANK[role], role in APPOINTABLE) for role in Role)
    return w.Staff(lines, roles)


@routes.post("/api/staff", access=access_for(e.PersonAdded), status=201, problems=_HOUSE_PROBLEMS)
async def add_person(asking: Request[None, None, w.AddPerson]) -> w.Created:
    """Add a person."""
    said, service, by = asking.body, asking.service, session_of(asking)
    raise_refusal(
        await service.house.staff.add(by, said.person, said.name, said.positions, said.password, service.clock())
    )
    return w.Created(said.person)


@routes.put(f"{_PERSON}/positions", access=access_for(e.PositionsSet), problems=_HOUSE_PROBLEMS)
async def set_positions(asking: Request[PersonPath, None, w.SetPositions]) -> w.Ok:
    """Give positions; none: he has left."""
    service, by = asking.service, session_of(asking)
    raise_refusal(
        await service.house.staff.set_positions(by, asking.path.person, asking.body.positions, service.clock())
    )
    return w.Ok()


@routes.put(f"{_PERSON}/password", access=access_for(e.PasswordSet), problems=_HOUSE_PROBLEMS)
async def set_password(asking: Request[PersonPath, None, w.SetPassword]) -> w.Ok:
    """Give a new password to somebody who forgot his."""
    service, by = asking.service, session_of(asking)
    raise_refusal(await service.house.staff.set_password(by, asking.path.person, asking.body.password, service.clock()))
    return w.Ok()


@routes.post(f"{_PERSON}/lock", access=access_for(e.PersonLocked), problems=_HOUSE_PROBLEMS)
async def lock_person(asking: Request[PersonPath, None, w.Reason]) -> w.Ok:
    """Lock a person."""
    service, by = asking.service, session_of(asking)
    raise_refusal(await service.house.staff.lock(by, asking.path.person, asking.body.reason, service.clock()))
    return w.Ok()


@routes.post(f"{_PERSON}/unlock", access=access_for(e.PersonUnlocked), problems=_HOUSE_PROBLEMS)
async def unlock_person(asking: Request[PersonPath]) -> w.Ok:
    """Unlock a person."""
    service, by = asking.service, session_of(asking)
    raise_refusal(await service.house.staff.unlock(by, asking.path.person, service.clock()))
    return w.Ok()


@routes.get("/api/appointments", access=PIT_OR_AUDITOR)
async def appointments(asking: Request) -> w.Appointments:
    """Who acts in which position, and how long."""
    lines = (
        w.AppointmentRow(id, one.person, one.position, one.begins, one.until, one.by)
        for id, one in asking.service.house.staff.appointments().items()
    )
    return w.Appointments(tuple(lines))


@routes.post("/api/appointments", access=access_for(e.Appointed), status=201, problems=_HOUSE_PROBLEMS)
async def appoint(asking: Request[None, None, w.Appoint]) -> w.Created:
    """Appoint a person."""
    said, service = asking.body, asking.service
    made = await service.house.staff.appoint(
        session_of(asking), said.person, said.position, said.begins, said.until, service.clock()
    )
    return w.Created(raise_refusal(made))


@routes.delete("/api/appointments/{appointment}", access=access_for(e.AppointmentEnded), problems=_HOUSE_PROBLEMS)
async def end_appointment(asking: Request[AppointmentPath]) -> w.Ok:
    """End an appointment."""
    service, by = asking.service, session_of(asking)
    raise_refusal(await service.house.staff.end_appointment(by, asking.path.appointment, service.clock()))
    return w.Ok()


@routes.get("/api/terminals", access=PIT_OR_AUDITOR)
async def terminals(asking: Request) -> w.Terminals:
    """Every enrolled terminal."""
    lines = (
        w.TerminalRow(number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest, one.since)
        for number, one in asking.service.house.terminals.all().items()
    )
    return w.Terminals(tuple(lines))


@routes.post("/api/terminals/codes", access=access_for(e.EnrolmentOffered), status=201, problems=_HOUSE_PROBLEMS)
async def offer_terminal(asking: Request[None, None, w.OfferTerminal]) -> w.Code:
    """A code to enrol the terminal of a seat."""
    said, service = asking.body, asking.service
    now = service.clock()
    made = await service.house.terminals.enrol_code(session_of(asking), said.table, said.seat, now)
    return w.Code(raise_refusal(made), Millis(now + CODE_LIFE))


@routes.post("/api/terminals/{number}/revoke", access=access_for(e.TerminalRevoked), problems=_HOUSE_PROBLEMS)
async def revoke_terminal(asking: Request[EnrolledPath, None, w.Reason]) -> w.Ok:
    """A terminal's key opens nothing any more."""
    service, by = asking.service, session_of(asking)
    raise_refusal(await service.house.terminals.revoke(by, asking.path.number, asking.body.reason, service.clock()))
    return w.Ok()
