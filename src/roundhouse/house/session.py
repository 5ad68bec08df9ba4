"""A session: who is logged in, and the secrets that prove it. Only digests are kept, and only in memory."""

import hashlib
import hmac
import secrets

from msgspec import Struct

from roundhouse.people.names import AT_A_CONSOLE, IDLE_LIFE, SESSION_LIFE, PersonId, Role, SessionId
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, TableId


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
    last_used: Millis

    def is_expired(self, at: Millis) -> bool:
        return at - self.since >= SESSION_LIFE

    def is_idle(self, at: Millis) -> bool:
        return at - self.last_used >= IDLE_LIFE


def digest(secret: str) -> bytes:
    """Enough for secrets of 256 bits, which nobody guesses."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def digest_matches(found: bytes, expected: bytes | None) -> bool:
    return expected is not None and hmac.compare_digest(found, expected)


def fresh_secret() -> str:
    return secrets.token_urlsafe(32)
