"""What every part of the house stands on: the chain, the configuration, the sessions of now.

Logging in, locking and unlocking a console, logging out. A password is looked at outside the lock: it takes long.

Tokens are 256 bits of chance; their digests are in memory only, so that a restart ends every session.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from roundhouse.config.loading import Configuration
from roundhouse.house.passwords import Passwords
from roundhouse.house.writer import HouseWriter, Step
from roundhouse.journal.store import Credential
from roundhouse.people import events as e
from roundhouse.people.events import HOUSE, Actor, ActorKind, AnyHouseEvent, RequestRefused
from roundhouse.people.names import (
    AT_A_CONSOLE,
    IDLE_LIFE,
    MAX_FAILURES,
    PASSWORD,
    SESSION_LIFE,
    AlertId,
    PersonId,
    Refusal,
    Refused,
    Role,
    SessionId,
)
from roundhouse.people.rights import RIGHTS
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, TableId

NO_RIGHT: Final = (Refusal.NOT_AUTHORISED, Refusal.ABOVE_ONESELF, Refusal.SAME_PERSON)


class Session(Struct, frozen=True):
    """Somebody who is logged in, as of the instant it was asked for."""

    id: SessionId
    person: PersonId
    name: str
    roles: tuple[Role, ...]
    """His positions and those that he acts in now, the highest first. None while he is locked."""
    console: TableId | None
    csrf: str
    locked: bool
    """The console waits for his password; nothing else is answered."""

    @property
    def positions(self) -> tuple[StaffPosition, ...]:
        return tuple(position for role in self.roles if (position := role.position) is not None)

    @property
    def auditor(self) -> bool:
        return Role.AUDITOR in self.roles

    @property
    def roles_everywhere(self) -> tuple[Role, ...]:
        """The roles that count at every table and at the pit's desk, and not at one console alone."""
        return tuple(role for role in self.roles if role not in AT_A_CONSOLE)

    def positions_at(self, table: TableId) -> tuple[StaffPosition, ...]:
        """The positions in which the person acts at a table; none for an auditor, who only looks."""
        roles = self.roles if self.console == table else self.roles_everywhere
        return tuple(position for role in roles if (position := role.position) is not None)


class LiveSession(Struct):
    """What is kept of a session in memory, and nowhere else: it ends with the process."""

    id: SessionId
    person: PersonId
    console: TableId | None
    csrf: str
    digest: bytes
    since: Millis
    touched: Millis

    def old(self, at: Millis) -> bool:
        return at - self.since >= SESSION_LIFE

    def idle(self, at: Millis) -> bool:
        return at - self.touched >= IDLE_LIFE


def digest(secret: str) -> bytes:
    """Enough for secrets of 256 bits, which nobody guesses."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def digest_matches(found: bytes, expected: bytes | None) -> bool:
    return expected is not None and hmac.compare_digest(found, expected)


def fresh_secret() -> str:
    return secrets.token_urlsafe(32)


class Part:
    def __init__(self, chain: HouseWriter, configuration: Configuration, passwords: Passwords) -> None:
        self.chain = chain
        self.configuration = configuration
        self._passwords = passwords
        self._live: dict[SessionId, LiveSession] = {}

    def _view(self, live: LiveSession, at: Millis) -> Session:
        state = self.chain.current()
        kept = state.sessions.get(live.id)
        locked = live.idle(at) or kept is None or kept.locked
        name = state.people[live.person].name
        roles = state.roles(live.person, self.chain.now(at))
        return Session(live.id, live.person, name, roles, live.console, live.csrf, locked)

    def current(self, session: Session, at: Millis) -> Session | Refused:
        """A session that may act, as it is now, whatever it was when somebody got hold of it."""
        live = self._live.get(session.id)
        if live is None or live.old(at) or live.id not in self.chain.current().sessions:
            return Refused(Refusal.NOT_LOGGED_IN)
        now = self._view(live, at)
        if now.locked:
            return Refused(Refusal.CONSOLE_IS_LOCKED, "unlock it with your password")
        return now if now.roles else Refused(Refusal.PERSON_IS_LOCKED, "a pit_manager or a higher position unlocks")

    def acting_as(self, session: Session, event: AnyHouseEvent) -> Actor:
        """In which of his positions somebody causes such an event: the highest that may, else his highest."""
        allowed = [role for role in session.roles if role in RIGHTS[type(event)].positions]
        position = next(iter([*allowed, *session.roles]), None)
        return Actor(ActorKind.PERSON, session.person, position)

    def record_as(
        self,
        session: Session,
        event: AnyHouseEvent,
        at: Millis,
        more: Sequence[Step] = (),
        secret: Credential | None = None,
    ) -> Refused | None:
        """An event in somebody's name. That he had no right to it is recorded as well."""
        with self.chain.lock:
            now = self.current(session, at)
            if isinstance(now, Refused):
                return now
            by = self.acting_as(now, event)
            refused = self.chain.record(at, [(by, event), *more], [secret] if secret else [])
            if refused is not None and refused.refusal in NO_RIGHT:
                self._record_refusal(Actor(ActorKind.PERSON, now.person), event, refused, at)
            return refused

    def _record_refusal(self, by: Actor, event: AnyHouseEvent, refused: Refused, at: Millis) -> None:
        what = str(type(event).__struct_config__.tag).partition(".")[0]
        self.chain.record(at, [(by, RequestRefused(what, refused.refusal))])


# The same words whether or not the person is locked: who guesses on after a lock must not learn when he guessed right.
_WRONG = Refused(
    Refusal.WRONG_NAME_OR_PASSWORD,
    "the name or the password is wrong; after three failures in a row a pit_manager or above has to unlock",
)
_LOCKED = Refused(Refusal.PERSON_IS_LOCKED, "a pit_manager or a higher position unlocks")


class LogIn(Struct, frozen=True):
    """``token`` is shown this once."""

    token: str
    session: Session


class Sessions(Part):
    def log_in(
        self, name: str, password: str, console: TableId | None, at: Millis, address: str | None = None
    ) -> LogIn | Refused:
        """Takes some fifty milliseconds of one core on purpose: call it in a thread."""
        person = PersonId(name)
        verifier, agrees = self._looked_at(person, password)
        renewed = self._renewed(person, verifier, password) if agrees else []
        with self.chain.lock:
            if not self._still(person, verifier):
                # It was changed while we looked: what we know is about another one.
                return self.log_in(name, password, console, at, address)
            if not agrees:
                return self._failed(person, at, address)
            if refused := self._no_console(person, console, at):
                return self._refuse(person, refused, at, address)
            session = SessionId(self.chain.current().fresh("s"))
            event = e.LoggedIn(session, person, console, bool(renewed))
            by = Actor(ActorKind.PERSON, person, address=address)
            if refused := self.chain.record(at, [(by, event)], renewed):
                self._refuse(person, refused, at, address)
                return _WRONG if refused.refusal is Refusal.PERSON_IS_LOCKED else refused
            secret = fresh_secret()
            live = LiveSession(session, person, console, fresh_secret(), digest(secret), at, at)
            self._live[session] = live
            return LogIn(f"{session}.{secret}", self._view(live, at))

    def _looked_at(self, person: PersonId, password: str) -> tuple[bytes | None, bool]:
        """Outside the lock, because it takes long."""
        verifier = self.chain.verifiers.get((PASSWORD, person))
        return verifier, self._passwords.agrees(verifier, password)

    def _still(self, person: PersonId, verifier: bytes | None) -> bool:
        """Whether the password that was looked at is the one of now."""
        self.chain.current()
        return self.chain.verifiers.get((PASSWORD, person)) == verifier

    def _renewed(self, person: PersonId, verifier: bytes | None, password: str) -> list[Credential]:
        if verifier is None or not self._passwords.outdated(verifier):
            return []
        return [Credential(PASSWORD, person, self._passwords.verifier(password))]

    def _no_console(self, person: PersonId, console: TableId | None, at: Millis) -> Refused | None:
        if console is not None and console not in self.configuration.games:
            return Refused(Refusal.NO_SUCH_TABLE, f"there is no table '{console}'")
        roles = self.chain.current().roles(person, self.chain.now(at))
        if console is None and roles and all(role in AT_A_CONSOLE for role in roles):
            return Refused(Refusal.CONSOLE_NEEDED, "a dealer or cashier logs in at the console of a table")
        return None

    def _failed(self, person: PersonId, at: Millis, address: str | None, session: SessionId | None = None) -> Refused:
        """A wrong password. The third in a row locks the person, and the pit is told, in the same transaction."""
        found = self.chain.current().people.get(person)
        if found is None:
            self.chain.record(
                at, [(Actor(ActorKind.NOBODY, address=address), e.LogInFailed(_WRONG.refusal, session=session))]
            )
            return _WRONG
        if found.locked:
            # On record as what it is; but only who knows the password is told that there is such a person.
            self._refuse(person, _LOCKED, at, address, session)
            return _WRONG
        failures = found.failures + 1
        event = e.LogInFailed(_WRONG.refusal, person, failures, session)
        steps: list[tuple[Actor, e.AnyHouseEvent]] = [(Actor(ActorKind.NOBODY, address=address), event)]
        if failures >= MAX_FAILURES:
            why = f"{failures} failed log-ins"
            text = f"{found.name} ({person}) is locked after {why}"
            alert = AlertId(self.chain.current().fresh("n"))
            steps.append((HOUSE, e.PersonLocked(person, why)))
            steps.append((HOUSE, e.AlertRaised(alert, "lock_out", text, person=person)))
        self._must(self.chain.record(at, steps))
        return _WRONG

    def _refuse(
        self,
        person: PersonId,
        refused: Refused,
        at: Millis,
        address: str | None,
        session: SessionId | None = None,
    ) -> Refused:
        """Not let in, for another reason than a wrong password."""
        event = e.LogInFailed(refused.refusal, person, 0, session)
        self._must(self.chain.record(at, [(Actor(ActorKind.NOBODY, address=address), event)]))
        return refused

    @staticmethod
    def _must(refused: Refused | None) -> None:
        assert refused is None, f"what the house does by itself is admitted: {refused}"

    def session(self, token: str, at: Millis) -> Session | None:
        """Whoever has this token; looking does not count as touching."""
        id, _, secret = token.partition(".")
        with self.chain.lock:
            live = self._live.get(SessionId(id))
            if live is None or not digest_matches(digest(secret), live.digest):
                return None
            if live.old(at) or live.id not in self.chain.current().sessions:
                return None
            return self._view(live, at)

    def session_now(self, session: Session, at: Millis) -> Session | None:
        """The same session as it is now, for whoever holds on to one: a socket."""
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is None or live.old(at) or live.id not in self.chain.current().sessions:
                return None
            return self._view(live, at)

    def touch(self, session: Session, at: Millis) -> None:
        """Somebody is at the console. One that is locked is not unlocked by this."""
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is not None and not self._view(live, at).locked:
                live.touched = max(live.touched, at)

    def lock_console(self, session: Session, at: Millis) -> Refused | None:
        """At once, because somebody leaves it."""
        by = Actor(ActorKind.PERSON, session.person)
        return self.chain.record(at, [(by, e.ConsoleLocked(session.id, idle=False))])

    def unlock(self, session: Session, password: str, at: Millis, address: str | None = None) -> Session | Refused:
        """By the password of the person who left it, and to the same state. As slow as logging in."""
        verifier, agrees = self._looked_at(session.person, password)
        with self.chain.lock:
            live = self._live.get(session.id)
            if live is None or live.old(at) or live.id not in self.chain.current().sessions:
                return Refused(Refusal.NOT_LOGGED_IN)
            if not self._still(session.person, verifier):
                return self.unlock(session, password, at, address)
            if not agrees:
                return self._failed(session.person, at, address, session.id)
            by = Actor(ActorKind.PERSON, session.person, address=address)
            steps: list[tuple[Actor, e.AnyHouseEvent]] = [(by, e.ConsoleUnlocked(session.id))]
            if live.idle(at) and not self.chain.current().sessions[session.id].locked:
                # Nobody had looked at the clock yet: it has been locked all the same.
                steps.insert(0, (HOUSE, e.ConsoleLocked(session.id)))
            if refused := self.chain.record(at, steps):
                return self._refuse(session.person, refused, at, address, session.id)
            live.touched = at
            return self._view(live, at)

    def log_out(self, session: Session, at: Millis) -> Refused | None:
        with self.chain.lock:
            refused = self.chain.record(at, [(Actor(ActorKind.PERSON, session.person), e.LoggedOut(session.id))])
            self._live.pop(session.id, None)
            return refused

    def sweep(self, at: Millis) -> None:
        """What the clock brings: consoles that nobody touched are locked, sessions that are too old end."""
        with self.chain.lock:
            kept = self.chain.current().sessions
            steps: list[tuple[Actor, e.AnyHouseEvent]] = []
            for id, live in list(self._live.items()):
                if id not in kept:
                    del self._live[id]
                elif live.old(at):
                    steps.append((HOUSE, e.LoggedOut(id, e.EndedBy.AGE)))
                elif live.idle(at) and not kept[id].locked:
                    steps.append((HOUSE, e.ConsoleLocked(id)))
            if steps:
                self._must(self.chain.record(at, steps))

    def _ending_sessions(self, person: PersonId, but: SessionId | None = None) -> list[tuple[Actor, e.AnyHouseEvent]]:
        kept = self.chain.current().sessions
        return [
            (HOUSE, e.LoggedOut(id, e.EndedBy.LOCK)) for id, one in kept.items() if one.person == person and id != but
        ]
