"""The administration of people, appointments and terminals. The house decides and records; here it is only asked."""

import asyncio
from functools import partial
from typing import Any

from msgspec import Struct

from roundhouse.people import events as e
from roundhouse.people.names import CODE_LIFE, AppointmentId, PersonId, TerminalNumber
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, who_may_cause
from roundhouse.server.routing import Asking, Gives, Method, Reply, Route, unless_refused
from roundhouse.table.names import Millis
from roundhouse.wire import people as w
from roundhouse.wire.problems import Problem


class OfPerson(Struct, frozen=True):
    person: PersonId


class OfAppointment(Struct, frozen=True):
    appointment: AppointmentId


class OfEnrolled(Struct, frozen=True):
    number: TerminalNumber


async def staff(asking: Asking[None, None, None]) -> Reply:
    house, now = asking.service.house, asking.service.clock()
    with house.chain.lock:
        state = house.chain.current()
        lines = tuple(
            w.PersonLine(id, one.name, one.positions, state.roles(id, now), one.locked, one.failures, one.has_password)
            for id, one in state.people.items()
        )
    return Reply(w.Staff(lines))


async def add_person(asking: Asking[None, None, w.AddPerson]) -> Reply:
    said = asking.body
    await _done(asking, "add_person", said.person, said.name, said.positions, said.password)
    return Reply(w.Made(said.person), 201)


async def set_positions(asking: Asking[OfPerson, None, w.SetPositions]) -> Reply:
    return await _done(asking, "set_positions", asking.names.person, asking.body.positions)


async def set_password(asking: Asking[OfPerson, None, w.SetPassword]) -> Reply:
    return await _done(asking, "set_password", asking.names.person, asking.body.password)


async def lock_person(asking: Asking[OfPerson, None, w.Because]) -> Reply:
    return await _done(asking, "lock_person", asking.names.person, asking.body.reason)


async def unlock_person(asking: Asking[OfPerson, None, None]) -> Reply:
    return await _done(asking, "unlock_person", asking.names.person)


async def appointments(asking: Asking[None, None, None]) -> Reply:
    lines = (
        w.AppointmentLine(id, one.person, one.position, one.begins, one.until, one.by)
        for id, one in asking.service.house.appointments().items()
    )
    return Reply(w.Appointments(tuple(lines)))


async def appoint(asking: Asking[None, None, w.Appoint]) -> Reply:
    said, service = asking.body, asking.service
    made = await asyncio.to_thread(
        service.house.appoint, session_of(asking), said.person, said.position, said.begins, said.until, service.clock()
    )
    return Reply(w.Made(unless_refused(made)), 201)


async def end_appointment(asking: Asking[OfAppointment, None, None]) -> Reply:
    return await _done(asking, "end_appointment", asking.names.appointment)


async def terminals(asking: Asking[None, None, None]) -> Reply:
    lines = (
        w.TerminalLine(number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest, one.since)
        for number, one in asking.service.house.terminals().items()
    )
    return Reply(w.Terminals(tuple(lines)))


async def offer_terminal(asking: Asking[None, None, w.OfferTerminal]) -> Reply:
    said, service = asking.body, asking.service
    now = service.clock()
    made = await asyncio.to_thread(service.house.enrol_code, session_of(asking), said.table, said.seat, now)
    return Reply(w.Code(unless_refused(made), Millis(now + CODE_LIFE)), 201)


async def revoke_terminal(asking: Asking[OfEnrolled, None, w.Because]) -> Reply:
    return await _done(asking, "revoke", asking.names.number, asking.body.reason)


async def _done(asking: Asking[Any, None, Any], what: str, *values: Any) -> Reply:
    """One method of the house, in the name of who asks, in a thread: it is durable when it returns."""
    service = asking.service
    method = getattr(service.house, what)
    asked = partial(method, session_of(asking), *values, service.clock())
    unless_refused(await service.with_password(asked))
    return Reply(w.Done())


def _get(path: str, handler: Any, about: str, gives: Any) -> Route:
    return Route(Method.GET, path, handler, about, PIT_OR_AUDITOR, (Gives(gives),), tag="people")


def _change(
    method: Method, path: str, handler: Any, about: str, event: Any, takes: Any, names: Any, gives: Any = w.Done
) -> Route:
    status = 201 if gives is not w.Done else 200
    return Route(
        method,
        path,
        handler,
        about,
        who_may_cause(event),
        (Gives(gives, status),),
        takes,
        names,
        problems=(Problem.NO_SUCH_THING, Problem.REFUSED),
        tag="people",
    )


_PERSON = "/api/staff/{person}"

ROUTES = (
    _get("/api/staff", staff, "Everybody who works here, or did.", w.Staff),
    _change(Method.POST, "/api/staff", add_person, "Add a person.", e.PersonAdded, w.AddPerson, None, w.Made),
    _change(
        Method.PUT, f"{_PERSON}/positions", set_positions, "Give positions; none: he has left.", e.PositionsSet,
        w.SetPositions, OfPerson,
    ),
    _change(
        Method.PUT, f"{_PERSON}/password", set_password, "Give a new password to somebody who forgot his.",
        e.PasswordSet, w.SetPassword, OfPerson,
    ),
    _change(Method.POST, f"{_PERSON}/lock", lock_person, "Lock a person.", e.PersonLocked, w.Because, OfPerson),
    _change(Method.POST, f"{_PERSON}/unlock", unlock_person, "Unlock a person.", e.PersonUnlocked, None, OfPerson),
    _get("/api/appointments", appointments, "Who acts in which position, and how long.", w.Appointments),
    _change(Method.POST, "/api/appointments", appoint, "Appoint a person.", e.Appointed, w.Appoint, None, w.Made),
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
        e.TerminalRevoked, w.Because, OfEnrolled,
    ),
)  # fmt: skip
