"""The administration of people, appointments and terminals. The house decides and records; here it is only asked."""

import asyncio
from functools import partial
from typing import Any

from msgspec import Struct

from roundhouse.people import events as e
from roundhouse.people.names import APPOINTABLE, CODE_LIFE, RANK, AppointmentId, PersonId, Role, TerminalNumber
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, access_for
from roundhouse.server.routing import Method, Request, Response, Returns, Route, raise_refusal
from roundhouse.table.names import Millis
from roundhouse.wire import people as w
from roundhouse.wire.problems import ErrorCode


class OfPerson(Struct, frozen=True):
    person: PersonId


class OfAppointment(Struct, frozen=True):
    appointment: AppointmentId


class OfEnrolled(Struct, frozen=True):
    number: TerminalNumber


async def staff(asking: Request[None, None, None]) -> Response:
    house, now = asking.service.house, asking.service.clock()
    with house.chain.lock:
        state = house.chain.current()
        lines = tuple(
            w.PersonRow(id, one.name, one.positions, state.roles(id, now), one.locked, one.failures, one.has_password)
            for id, one in state.people.items()
        )
    roles = tuple(w.RoleRow(role, RANK[role], role in APPOINTABLE) for role in Role)
    return Response(w.Staff(lines, roles))


async def add_person(asking: Request[None, None, w.AddPerson]) -> Response:
    said = asking.body
    await _done(asking, "add_person", said.person, said.name, said.positions, said.password)
    return Response(w.Created(said.person), 201)


async def set_positions(asking: Request[OfPerson, None, w.SetPositions]) -> Response:
    return await _done(asking, "set_positions", asking.path.person, asking.body.positions)


async def set_password(asking: Request[OfPerson, None, w.SetPassword]) -> Response:
    return await _done(asking, "set_password", asking.path.person, asking.body.password)


async def lock_person(asking: Request[OfPerson, None, w.Reason]) -> Response:
    return await _done(asking, "lock_person", asking.path.person, asking.body.reason)


async def unlock_person(asking: Request[OfPerson, None, None]) -> Response:
    return await _done(asking, "unlock_person", asking.path.person)


async def appointments(asking: Request[None, None, None]) -> Response:
    lines = (
        w.AppointmentRow(id, one.person, one.position, one.begins, one.until, one.by)
        for id, one in asking.service.house.appointments().items()
    )
    return Response(w.Appointments(tuple(lines)))


async def appoint(asking: Request[None, None, w.Appoint]) -> Response:
    said, service = asking.body, asking.service
    made = await asyncio.to_thread(
        service.house.appoint, session_of(asking), said.person, said.position, said.begins, said.until, service.clock()
    )
    return Response(w.Created(raise_refusal(made)), 201)


async def end_appointment(asking: Request[OfAppointment, None, None]) -> Response:
    return await _done(asking, "end_appointment", asking.path.appointment)


async def terminals(asking: Request[None, None, None]) -> Response:
    lines = (
        w.TerminalRow(number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest, one.since)
        for number, one in asking.service.house.terminals().items()
    )
    return Response(w.Terminals(tuple(lines)))


async def offer_terminal(asking: Request[None, None, w.OfferTerminal]) -> Response:
    said, service = asking.body, asking.service
    now = service.clock()
    made = await asyncio.to_thread(service.house.enrol_code, session_of(asking), said.table, said.seat, now)
    return Response(w.Code(raise_refusal(made), Millis(now + CODE_LIFE)), 201)


async def revoke_terminal(asking: Request[OfEnrolled, None, w.Reason]) -> Response:
    return await _done(asking, "revoke", asking.path.number, asking.body.reason)


async def _done(asking: Request[Any, None, Any], what: str, *values: Any) -> Response:
    """One method of the house, in the name of who asks, in a thread: it is durable when it returns."""
    service = asking.service
    method = getattr(service.house, what)
    asked = partial(method, session_of(asking), *values, service.clock())
    raise_refusal(await service.hash_password(asked))
    return Response(w.Ok())


def _get(path: str, handler: Any, about: str, gives: Any) -> Route:
    return Route(Method.GET, path, handler, about, PIT_OR_AUDITOR, (Returns(gives),), tag="people")


def _change(
    method: Method, path: str, handler: Any, about: str, event: Any, takes: Any, names: Any, gives: Any = w.Ok
) -> Route:
    status = 201 if gives is not w.Ok else 200
    return Route(
        method,
        path,
        handler,
        about,
        access_for(event),
        (Returns(gives, status),),
        takes,
        names,
        problems=(ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED),
        tag="people",
    )


_PERSON = "/api/staff/{person}"

ROUTES = (
    _get("/api/staff", staff, "Everybody who works here, or did.", w.Staff),
    _change(Method.POST, "/api/staff", add_person, "Add a person.", e.PersonAdded, w.AddPerson, None, w.Created),
    _change(
        Method.PUT, f"{_PERSON}/positions", set_positions, "Give positions; none: he has left.", e.PositionsSet,
        w.SetPositions, OfPerson,
    ),
    _change(
        Method.PUT, f"{_PERSON}/password", set_password, "Give a new password to somebody who forgot his.",
        e.PasswordSet, w.SetPassword, OfPerson,
    ),
    _change(Method.POST, f"{_PERSON}/lock", lock_person, "Lock a person.", e.PersonLocked, w.Reason, OfPerson),
    _change(Method.POST, f"{_PERSON}/unlock", unlock_person, "Unlock a person.", e.PersonUnlocked, None, OfPerson),
    _get("/api/appointments", appointments, "Who acts in which position, and how long.", w.Appointments),
    _change(Method.POST, "/api/appointments", appoint, "Appoint a person.", e.Appointed, w.Appoint, None, w.Created),
    _change(
        Method.DELETE, "/api/appointments/{appointment}", end_appointment, "End an appointment.", e.AppointmentEnded,
        None, OfAppointment,
    ),
    _get("/api/terminals", terminals, "Every enrolled terminal.", w.Terminals),
    _change(
        Method.POST, "/api/terminals/codes", offer_terminal, "A code to enrol the terminal of a seat.",
        e.EnrolmentOffered, w.OfferTerminal, None, w.Code,
    ),
    _change(
        Method.POST, "/api/terminals/{number}/revoke", revoke_terminal, "A terminal's key opens nothing any more.",
        e.TerminalRevoked, w.Reason, OfEnrolled,
    ),
)  # fmt: skip
