"""Staff: people, positions, appointments, passwords and locks. A person is never removed.

Changes are requested by a session, or by the engineer at the command line.
"""

from collections.abc import Callable, Mapping
from typing import Final

from roundhouse.house.draft import Draft, Step
from roundhouse.house.passwords import PasswordHashing
from roundhouse.house.session import Session
from roundhouse.house.sessions import RIGHTS_REFUSALS, Sessions, acting_as, ending_sessions, record_refusal
from roundhouse.house.writer import HouseWriter
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import ENGINEER, HOUSE, Actor, ActorKind
from roundhouse.people.names import PASSWORD, AlertId, AppointmentId, HouseRefused, PersonId, Role
from roundhouse.people.rights import rank_of
from roundhouse.people.state import Appointment, HouseState, Person, hash_of
from roundhouse.table.names import Millis

Requester = Session | None
"""The session that requests a change; ``None`` for the engineer."""
STAFF_CHANGED: Final = "staff"
"""Code of the alert that a person changed the account of another."""
_Steps = Callable[[HouseState], list[Step]]


class StaffDirectory:
    def __init__(self, writer: HouseWriter, sessions: Sessions, hashing: PasswordHashing) -> None:
        self._writer, self._sessions, self._hashing = writer, sessions, hashing

    def people(self) -> Mapping[PersonId, Person]:
        return self._writer.state.people

    def appointments(self) -> Mapping[AppointmentId, Appointment]:
        return self._writer.state.appointments

    def roles(self, person: PersonId, at: Millis) -> tuple[Role, ...]:
        """Return the positions of a person at a time, including appointments."""
        return self._writer.state.roles(person, at)

    async def add(
        self, requester: Requester, person: PersonId, name: str, positions: tuple[Role, ...], password: str, at: Millis
    ) -> HouseRefused | None:
        """Add a person with an initial password, which the person should change. Hashing the password is slow."""
        event = e.PersonAdded(person, name, positions)
        if refused := await self._refusal(requester, event, at) or self._fault_of(person, password):
            return refused
        verifier = await self._hashing.verifier(password)
        password_set, secret = e.PasswordSet(person, hash_of(verifier)), Credential(PASSWORD, person, verifier)
        by = _actor(requester, password_set)
        told = f"{name} ({person}) was added as {', '.join(positions)}"
        return await self._change(requester, event, at, lambda _: [(by, password_set)], secret, (person, told))

    async def set_positions(
        self, requester: Requester, person: PersonId, positions: tuple[Role, ...], at: Millis
    ) -> HouseRefused | None:
        """Set the positions of a person. An empty tuple means that the person has left; all the sessions then end."""
        more: _Steps = lambda state: [] if positions else ending_sessions(state, person)  # noqa: E731
        told = f"positions of {person} were changed to {', '.join(positions) or 'none'}"
        return await self._change(requester, e.PositionsSet(person, positions), at, more, told=(person, told))

    async def appoint(
        self, requester: Requester, person: PersonId, position: Role, begins: Millis, until: Millis, at: Millis
    ) -> AppointmentId | HouseRefused:
        def decide(draft: Draft) -> AppointmentId | HouseRefused:
            appointment = AppointmentId(draft.state.fresh("a"))
            event = e.Appointed(appointment, person, position, begins, until)
            more = _telling(draft.state, requester, person, f"{person} was appointed {position}")
            return record_for(self._sessions, draft, requester, event, at, more) or appointment

        return await self._writer.record(decide)

    async def end_appointment(
        self, requester: Requester, appointment: AppointmentId, at: Millis
    ) -> HouseRefused | None:
        return await self._change(requester, e.AppointmentEnded(appointment), at)

    async def set_password(
        self, requester: Requester, person: PersonId, password: str, at: Millis, current: str | None = None
    ) -> HouseRefused | None:
        """Set a password, and end all other sessions of the person.

        People who set their own password must give the ``current`` one, because a console may be left unlocked.
        """
        event = e.PasswordSet(person)
        if refused := await self._refusal(requester, event, at) or self._fault_of(person, password):
            return refused
        if requester is not None and requester.person == person:
            return await self._set_own_password(requester, password, current or "", at)
        verifier = await self._hashing.verifier(password)
        event, secret = e.PasswordSet(person, hash_of(verifier)), Credential(PASSWORD, person, verifier)
        but = requester.id if requester else None
        more: _Steps = lambda state: ending_sessions(state, person, but)  # noqa: E731
        return await self._change(requester, event, at, more, secret, (person, f"password of {person} was set"))

    async def _set_own_password(self, session: Session, password: str, current: str, at: Millis) -> HouseRefused | None:
        person = session.person
        pair = (person, session.id)
        if refused := self._sessions.too_soon(pair, at):
            return refused
        check = await self._sessions.check_password(person, current)
        if not check.agrees:
            self._sessions.note_failure(pair, at)
            return await self._writer.record(
                lambda draft: self._sessions.record_failure(draft, person, at, None, session.id)
            )
        verifier = await self._hashing.verifier(password)
        event, secret = e.PasswordSet(person, hash_of(verifier)), Credential(PASSWORD, person, verifier)

        def decide(draft: Draft) -> HouseRefused | None:
            now = self._sessions.may_act(session, at, draft.state)
            if isinstance(now, HouseRefused):
                return now
            more = ending_sessions(draft.state, person, session.id)
            by = Actor(ActorKind.PERSON, person)
            return draft.record(at, [(by, event), *more], [secret])

        return await self._writer.record(decide)

    async def lock(self, requester: Requester, person: PersonId, reason: str, at: Millis) -> HouseRefused | None:
        event = e.PersonLocked(person, reason, rank=rank_of(_actor(requester, e.PersonLocked(person, reason))))
        return await self._change(requester, event, at, lambda state: ending_sessions(state, person))

    async def unlock(self, requester: Requester, person: PersonId, at: Millis) -> HouseRefused | None:
        refused = await self._change(requester, e.PersonUnlocked(person), at)
        if refused is None:
            self._sessions.forget_failures(person)
        return refused

    async def _change(
        self,
        requester: Requester,
        event: e.AnyHouseEvent,
        at: Millis,
        more: _Steps = lambda _: [],
        secret: Credential | None = None,
        told: tuple[PersonId, str] | None = None,
    ) -> HouseRefused | None:
        """Record a change. ``told`` is what the pit is told about a person, unless the engineer makes the change."""

        def decide(draft: Draft) -> HouseRefused | None:
            steps = more(draft.state)
            if told is not None:
                steps += _telling(draft.state, requester, *told)
            return record_for(self._sessions, draft, requester, event, at, steps, secret)

        return await self._writer.record(decide)

    def _fault_of(self, person: PersonId, password: str) -> HouseRefused | None:
        return self._hashing.passwords.fault_of(person, password)

    async def _refusal(self, requester: Requester, event: e.AnyHouseEvent, at: Millis) -> HouseRefused | None:
        """Return the refusal of an event, if any. Called first, so that no password is hashed in vain."""

        def decide(draft: Draft) -> HouseRefused | None:
            if requester is None:
                return draft.refusal_of(at, ENGINEER, event)
            now = self._sessions.may_act(requester, at, draft.state)
            if isinstance(now, HouseRefused):
                return now
            by = acting_as(now, event)
            if isinstance(event, e.PasswordSet) and event.person == now.person:
                by = Actor(ActorKind.PERSON, now.person)
            refused = draft.refusal_of(at, by, event)
            if refused is not None and refused.refusal in RIGHTS_REFUSALS:
                record_refusal(draft, Actor(ActorKind.PERSON, now.person), event, refused, at)
            return refused

        return await self._writer.record(decide)


def _telling(state: HouseState, requester: Requester, person: PersonId, told: str) -> list[Step]:
    """Tell the pit that a person changed the account of another, because two people are needed for some acts."""
    if requester is None:
        return []
    alert = AlertId(state.fresh("n"))
    return [(HOUSE, e.AlertRaised(alert, STAFF_CHANGED, f"{told}, by {requester.person}", person=person))]


def _actor(requester: Requester, event: e.AnyHouseEvent) -> Actor:
    return ENGINEER if requester is None else acting_as(requester, event)


def record_for(
    sessions: Sessions,
    draft: Draft,
    requester: Requester,
    event: e.AnyHouseEvent,
    at: Millis,
    more: list[Step] | None = None,
    secret: Credential | None = None,
) -> HouseRefused | None:
    """Record an event on behalf of a session or of the engineer."""
    if requester is None:
        return draft.record(at, [(ENGINEER, event), *(more or ())], [secret] if secret else [])
    return sessions.record_as(draft, requester, event, at, more or (), secret)
