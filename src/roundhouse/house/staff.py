"""Staff: who is added, in which positions, who acts for whom and how long, who is locked. Nobody is ever removed.

A change comes from a session, or from the engineer at the machine's command line.
"""

from roundhouse.house.sessions import NO_RIGHT, Session, Sessions
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import ENGINEER, Actor, ActorKind
from roundhouse.people.names import PASSWORD, AppointmentId, PersonId, Refused, Role
from roundhouse.people.state import Appointment, Person
from roundhouse.table.names import Millis

Asking = Session | None
"""Somebody with a session; nothing is the engineer."""


class StaffDirectory(Sessions):
    def _change(
        self,
        asking: Asking,
        event: e.AnyHouseEvent,
        at: Millis,
        more: list[tuple[Actor, e.AnyHouseEvent]] | None = None,
        secret: Credential | None = None,
    ) -> Refused | None:
        if asking is None:
            return self.chain.record(at, [(ENGINEER, event), *(more or ())], [secret] if secret else [])
        return self.record_as(asking, event, at, more or (), secret)

    def _refusal(self, asking: Asking, event: e.AnyHouseEvent, at: Millis) -> Refused | None:
        """Why it would be refused: asked before a password is looked at, which takes long."""
        with self.chain.lock:
            if asking is None:
                return self.chain.refusal_of(at, ENGINEER, event)
            now = self.current(asking, at)
            if isinstance(now, Refused):
                return now
            by = self.acting_as(now, event)
            if isinstance(event, e.PasswordSet) and event.person == now.person:
                by = Actor(ActorKind.PERSON, now.person)
            refused = self.chain.refusal_of(at, by, event)
            if refused is not None and refused.refusal in NO_RIGHT:
                self._record_refusal(Actor(ActorKind.PERSON, now.person), event, refused, at)
            return refused

    def add_person(
        self, asking: Asking, person: PersonId, name: str, positions: tuple[Role, ...], password: str, at: Millis
    ) -> Refused | None:
        """With a first password, which the person should change. Slow, like everything with a password."""
        event = e.PersonAdded(person, name, positions)
        if refused := self._refusal(asking, event, at) or self._passwords.fault_of(person, password):
            return refused
        secret = Credential(PASSWORD, person, self._passwords.verifier(password))
        with self.chain.lock:
            by = ENGINEER if asking is None else self.acting_as(asking, e.PasswordSet(person))
            more: list[tuple[Actor, e.AnyHouseEvent]] = [(by, e.PasswordSet(person))]
            return self._change(asking, event, at, more, secret)

    def set_positions(
        self, asking: Asking, person: PersonId, positions: tuple[Role, ...], at: Millis
    ) -> Refused | None:
        """With none, the person has left; his sessions end."""
        with self.chain.lock:
            more = [] if positions else self._ending_sessions(person)
            return self._change(asking, e.PositionsSet(person, positions), at, more)

    def appoint(
        self, asking: Asking, person: PersonId, position: Role, begins: Millis, until: Millis, at: Millis
    ) -> AppointmentId | Refused:
        with self.chain.lock:
            appointment = AppointmentId(self.chain.current().fresh("a"))
            event = e.Appointed(appointment, person, position, begins, until)
            return self._change(asking, event, at) or appointment

    def end_appointment(self, asking: Asking, appointment: AppointmentId, at: Millis) -> Refused | None:
        return self._change(asking, e.AppointmentEnded(appointment), at)

    def set_password(
        self, asking: Asking, person: PersonId, password: str, at: Millis, current: str | None = None
    ) -> Refused | None:
        """Another's, who has forgotten it; or one's own, for which the current one is needed: a console may be left
        unlocked. Every other session of that person ends."""
        event = e.PasswordSet(person)
        if refused := self._refusal(asking, event, at) or self._passwords.fault_of(person, password):
            return refused
        if asking is not None and asking.person == person and not self._looked_at(person, current or "")[1]:
            with self.chain.lock:
                return self._failed(person, at, None, asking.id)
        secret = Credential(PASSWORD, person, self._passwords.verifier(password))
        with self.chain.lock:
            more = self._ending_sessions(person, asking.id if asking else None)
            if asking is None or asking.person != person:
                return self._change(asking, event, at, more, secret)
            now = self.current(asking, at)
            if isinstance(now, Refused):
                return now
            return self.chain.record(at, [(Actor(ActorKind.PERSON, person), event), *more], [secret])

    def lock_person(self, asking: Asking, person: PersonId, reason: str, at: Millis) -> Refused | None:
        with self.chain.lock:
            return self._change(asking, e.PersonLocked(person, reason), at, self._ending_sessions(person))

    def unlock_person(self, asking: Asking, person: PersonId, at: Millis) -> Refused | None:
        return self._change(asking, e.PersonUnlocked(person), at)

    def people(self) -> dict[PersonId, Person]:
        with self.chain.lock:
            return dict(self.chain.current().people)

    def appointments(self) -> dict[AppointmentId, Appointment]:
        with self.chain.lock:
            return dict(self.chain.current().appointments)
