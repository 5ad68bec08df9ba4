"""Routes for the administration of people, appointments and terminals. The house decides and records the changes."""

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
async def staff(request: Request) -> w.Staff:
    """List all people, including those who have left, and all roles."""
    house, now = request.service.house, request.service.clock()
    people = tuple(
        w.PersonRow(id, one.name, one.positions, house.staff.roles(id, now), one.locked, one.failures, one.has_password)
        for id, one in house.staff.people().items()
    )
    roles = tuple(w.RoleRow(role, RANK[role], role in APPOINTABLE) for role in Role)
    return w.Staff(people, roles)


@routes.post("/api/staff", access=access_for(e.PersonAdded), status=201, problems=_HOUSE_PROBLEMS)
async def add_person(request: Request[None, None, w.AddPerson]) -> w.Created:
    """Add a person."""
    body, service, by = request.body, request.service, session_of(request)
    raise_refusal(
        await service.house.staff.add(by, body.person, body.name, body.positions, body.password, service.clock())
    )
    return w.Created(body.person)


@routes.put(f"{_PERSON}/positions", access=access_for(e.PositionsSet), problems=_HOUSE_PROBLEMS)
async def set_positions(request: Request[PersonPath, None, w.SetPositions]) -> w.Ok:
    """Set the positions of a person. An empty list marks a person who has left."""
    service, by = request.service, session_of(request)
    raise_refusal(
        await service.house.staff.set_positions(by, request.path.person, request.body.positions, service.clock())
    )
    return w.Ok()


@routes.put(f"{_PERSON}/password", access=access_for(e.PasswordSet), problems=_HOUSE_PROBLEMS)
async def set_password(request: Request[PersonPath, None, w.SetPassword]) -> w.Ok:
    """Set a new password for a person who forgot it."""
    service, by = request.service, session_of(request)
    raise_refusal(
        await service.house.staff.set_password(by, request.path.person, request.body.password, service.clock())
    )
    return w.Ok()


@routes.post(f"{_PERSON}/lock", access=access_for(e.PersonLocked), problems=_HOUSE_PROBLEMS)
async def lock_person(request: Request[PersonPath, None, w.Reason]) -> w.Ok:
    """Lock a person's account."""
    service, by = request.service, session_of(request)
    raise_refusal(await service.house.staff.lock(by, request.path.person, request.body.reason, service.clock()))
    return w.Ok()


@routes.post(f"{_PERSON}/unlock", access=access_for(e.PersonUnlocked), problems=_HOUSE_PROBLEMS)
async def unlock_person(request: Request[PersonPath]) -> w.Ok:
    """Unlock a person's account."""
    service, by = request.service, session_of(request)
    raise_refusal(await service.house.staff.unlock(by, request.path.person, service.clock()))
    return w.Ok()


@routes.get("/api/appointments", access=PIT_OR_AUDITOR)
async def appointments(request: Request) -> w.Appointments:
    """List appointments: people who act in a higher position for a limited time."""
    rows = (
        w.AppointmentRow(id, one.person, one.position, one.begins, one.until, one.by)
        for id, one in request.service.house.staff.appointments().items()
    )
    return w.Appointments(tuple(rows))


@routes.post("/api/appointments", access=access_for(e.Appointed), status=201, problems=_HOUSE_PROBLEMS)
async def appoint(request: Request[None, None, w.Appoint]) -> w.Created:
    """Appoint a person to a position for a limited time."""
    body, service = request.body, request.service
    appointment = await service.house.staff.appoint(
        session_of(request), body.person, body.position, body.begins, body.until, service.clock()
    )
    return w.Created(raise_refusal(appointment))


@routes.delete("/api/appointments/{appointment}", access=access_for(e.AppointmentEnded), problems=_HOUSE_PROBLEMS)
async def end_appointment(request: Request[AppointmentPath]) -> w.Ok:
    """End an appointment before its time."""
    service, by = request.service, session_of(request)
    raise_refusal(await service.house.staff.end_appointment(by, request.path.appointment, service.clock()))
    return w.Ok()


@routes.get("/api/terminals", access=PIT_OR_AUDITOR)
async def terminals(request: Request) -> w.Terminals:
    """List all enrolled terminals."""
    rows = (
        w.TerminalRow(number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest, one.since)
        for number, one in request.service.house.terminals.all().items()
    )
    return w.Terminals(tuple(rows))


@routes.post("/api/terminals/codes", access=access_for(e.EnrolmentOffered), status=201, problems=_HOUSE_PROBLEMS)
async def offer_terminal(request: Request[None, None, w.OfferTerminal]) -> w.Code:
    """Create a code to enrol the terminal of a seat."""
    body, service = request.body, request.service
    now = service.clock()
    code = await service.house.terminals.enrol_code(session_of(request), body.table, body.seat, now)
    return w.Code(raise_refusal(code), Millis(now + CODE_LIFE))


@routes.post("/api/terminals/{number}/revoke", access=access_for(e.TerminalRevoked), problems=_HOUSE_PROBLEMS)
async def revoke_terminal(request: Request[EnrolledPath, None, w.Reason]) -> w.Ok:
    """Revoke the key of a terminal."""
    service, by = request.service, session_of(request)
    raise_refusal(await service.house.terminals.revoke(by, request.path.number, request.body.reason, service.clock()))
    return w.Ok()
