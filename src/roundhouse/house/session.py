"""A log-in session and its secrets. Only digests of the secrets are stored, and only in memory."""

import hashlib
import hmac
import secrets

from msgspec import Struct

from roundhouse.people.names import AT_A_CONSOLE, IDLE_LIFE, SESSION_LIFE, PersonId, Role, SessionId
from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, TableId


class Session(Struct, frozen=True):
    """A logged-in person, with the rights at the time of the call."""

    id: SessionId
    person: PersonId
    name: str
    roles: tuple[Role, ...]
    """The person's positions and current appointments, the highest first. Empty while the person is locked."""
    console: TableId | None
    csrf: str
    locked: bool
    """Whether the console is locked. All requests are refused until the person enters the password."""

    @property
    def positions(self) -> tuple[StaffPosition, ...]:
        return tuple(position for role in self.roles if (position := role.position) is not None)

    @property
    def auditor(self) -> bool:
        return Role.AUDITOR in self.roles

    @property
    def roles_everywhere(self) -> tuple[Role, ...]:
        """The roles that apply at every table and in the pit, not only at one console."""
        return tuple(role for role in self.roles if role not in AT_A_CONSOLE)

    def positions_at(self, table: TableId) -> tuple[StaffPosition, ...]:
        """Return the positions in which the person may act at a table. An auditor has none."""
        roles = self.roles if self.console == table else self.roles_everywhere
        return tuple(position for role in roles if (position := role.position) is not None)


class LiveSession(Struct):
    """The part of a session that is kept only in memory. It is lost when the process ends."""

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
    """Hash a secret by SHA-256, which is sufficient for 256 random bits."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def digest_matches(found: bytes, expected: bytes | None) -> bool:
    return expected is not None and hmac.compare_digest(found, expected)


def fresh_secret() -> str:
    return secrets.token_urlsafe(32)
