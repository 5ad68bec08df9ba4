"""What every part of the house stands on: the chain, the configuration, the sessions of now."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from roundhouse.house.chain import Chain, Step
from roundhouse.house.configuration import Configuration
from roundhouse.house.passwords import Passwords
from roundhouse.journal.store import Credential
from roundhouse.people.entry import By, Kind
from roundhouse.people.events import AnyHouseEvent, RequestRefused
from roundhouse.people.names import IDLE_LIFE, SESSION_LIFE, PersonId, Role, SessionId
from roundhouse.people.powers import POWERS
from roundhouse.people.refusals import Refusal, Refused
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


class Live(Struct):
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


def same(found: bytes, expected: bytes | None) -> bool:
    return expected is not None and hmac.compare_digest(found, expected)


def fresh_secret() -> str:
    return secrets.token_urlsafe(32)


class Part:
    def __init__(self, chain: Chain, configuration: Configuration, passwords: Passwords) -> None:
        self.chain = chain
        self.configuration = configuration
        self._passwords = passwords
        self._live: dict[SessionId, Live] = {}

    def _view(self, live: Live, at: Millis) -> Session:
        state = self.chain.current()
        kept = state.sessions.get(live.id)
        locked = live.idle(at) or kept is None or kept.locked
        name = state.people[live.person].name
        roles = state.roles(live.person, self.chain.now(at))
        return Session(live.id, live.person, name, roles, live.console, live.csrf, locked)

    def _now(self, session: Session, at: Millis) -> Session | Refused:
        """A session that may act, as it is now, whatever it was when somebody got hold of it."""
        live = self._live.get(session.id)
        if live is None or live.old(at) or live.id not in self.chain.current().sessions:
            return Refused(Refusal.NOT_LOGGED_IN)
        now = self._view(live, at)
        if now.locked:
            return Refused(Refusal.CONSOLE_IS_LOCKED, "unlock it with your password")
        return now if now.roles else Refused(Refusal.PERSON_IS_LOCKED, "a pit_manager or a higher position unlocks")

    def _by(self, session: Session, event: AnyHouseEvent) -> By:
        """In which of his positions somebody causes such an event: the highest that may, else his highest."""
        allowed = [role for role in session.roles if role in POWERS[type(event)].positions]
        position = next(iter([*allowed, *session.roles]), None)
        return By(Kind.PERSON, session.person, position)

    def _cause(
        self,
        session: Session,
        event: AnyHouseEvent,
        at: Millis,
        more: Sequence[Step] = (),
        secret: Credential | None = None,
    ) -> Refused | None:
        """An event in somebody's name. That he had no right to it is recorded as well."""
        with self.chain.lock:
            now = self._now(session, at)
            if isinstance(now, Refused):
                return now
            by = self._by(now, event)
            refused = self.chain.record(at, [(by, event), *more], [secret] if secret else [])
            if refused is not None and refused.refusal in NO_RIGHT:
                self._record_refusal(By(Kind.PERSON, now.person), event, refused, at)
            return refused

    def _record_refusal(self, by: By, event: AnyHouseEvent, refused: Refused, at: Millis) -> None:
        what = str(type(event).__struct_config__.tag).partition(".")[0]
        self.chain.record(at, [(by, RequestRefused(what, refused.refusal))])
