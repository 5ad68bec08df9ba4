"""Identifies callers and checks their access: tokens and cookies, CSRF, hosts and origins, access per route.

A browser sends cookies with any request, so a request that changes data by cookie also needs a CSRF token. These checks
decide only which routes a caller may use. The house and the table check every request again.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Final, NamedTuple, assert_never
from urllib.parse import urlsplit

from starlette.requests import cookie_parser

from roundhouse.floor.permissions import Rights, rights_of
from roundhouse.house.house import House
from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.events import HouseEvent
from roundhouse.people.names import AT_A_CONSOLE, PIT, Role
from roundhouse.people.rights import READERS, RIGHTS
from roundhouse.table.names import Millis, TableId
from roundhouse.wire.problems import ErrorCode


@dataclass(frozen=True)
class Anonymous:
    """A caller without a known token."""


@dataclass(frozen=True)
class TerminalCaller:
    terminal: EnrolledTerminal
    csrf: str
    by_cookie: bool
    """True for a cookie, which needs a CSRF token; false for a key in the ``Authorization`` header."""


@dataclass(frozen=True)
class StaffCaller:
    session: Session
    by_cookie: bool

    @property
    def csrf(self) -> str:
        return self.session.csrf


Authenticated = TerminalCaller | StaffCaller
Caller = Anonymous | Authenticated


def identity_of(caller: Caller) -> Session | EnrolledTerminal | None:
    """Return the session or terminal of a caller, or None for an anonymous one."""
    match caller:
        case Anonymous():
            return None
        case TerminalCaller(terminal=terminal):
            return terminal
        case StaffCaller(session=session):
            return session


def rights_at(table: TableId, caller: Caller) -> Rights | None:
    """Return the properties of a caller that its permissions at a table depend on; None for an anonymous caller."""
    identity = identity_of(caller)
    return rights_of(identity, table) if identity is not None else None


def log_name(caller: Caller) -> str:
    """Return a name of the caller for the log. It contains no secret."""
    match caller:
        case Anonymous():
            return "nobody"
        case TerminalCaller(terminal=terminal):
            return f"terminal {terminal.table}/{terminal.seat}"
        case StaffCaller(session=session):
            return f"person {session.person}"


CSRF_HEADER = "x-csrf-token"
MAX_TOKEN = 512
"""Maximum length of a token, in characters. Longer ones are ignored."""


class TokenKind(StrEnum):
    """Owner of a token: a person's session or a terminal."""

    PERSON = "session"
    TERMINAL = "terminal"


class Credential(NamedTuple):
    """A token that a request contains."""

    token: str
    by_cookie: bool
    kind: TokenKind | None
    """None for a token in the ``Authorization`` header, which may belong to a person or a terminal."""


def cookie_name(kind: TokenKind, tls: bool) -> str:
    """Return the name of a cookie. Browsers refuse a ``__Host-`` cookie from another host or over plain HTTP."""
    return f"__Host-roundhouse-{kind}" if tls else f"roundhouse-{kind}"


def credentials(headers: Mapping[str, str], tls: bool) -> list[Credential]:
    """List the tokens of a request in order of precedence. With an ``Authorization`` header, cookies are ignored."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme:
        valid = scheme.lower() == "bearer" and _is_well_formed(token.strip())
        return [Credential(token.strip(), False, None)] if valid else []
    cookies = cookie_parser(headers.get("cookie", "")[: 16 * MAX_TOKEN])
    found = [(kind, cookies.get(cookie_name(kind, tls), "")) for kind in (TokenKind.PERSON, TokenKind.TERMINAL)]
    return [Credential(token, True, kind) for kind, token in found if _is_well_formed(token)]


def set_cookie(kind: TokenKind, token: str, tls: bool) -> str:
    """Return the ``Set-Cookie`` value of a token. Scripts cannot read the cookie, and other sites cannot send it."""
    age = "; Max-Age=31536000" if kind is TokenKind.TERMINAL else ""
    return f"{cookie_name(kind, tls)}={token}; Path=/; HttpOnly; SameSite=Strict{age}{'; Secure' if tls else ''}"


def clear_cookie(kind: TokenKind, tls: bool) -> str:
    return f"{cookie_name(kind, tls)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{'; Secure' if tls else ''}"


def csrf_of_key(key: str) -> str:
    """Derive the CSRF token of a terminal from its secret key."""
    return hashlib.sha256(b"csrf\0" + key.encode()).hexdigest()


def csrf_matches(headers: Mapping[str, str], csrf: str) -> bool:
    return hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), csrf.encode())


def _is_well_formed(token: str) -> bool:
    return 0 < len(token) <= MAX_TOKEN and token.isascii()


def identify(house: House, headers: Mapping[str, str], tls: bool, now: Millis) -> Caller:
    """Identify the caller by the first known token: the header's key, the staff cookie or the terminal cookie.

    An unknown token yields an anonymous caller, not an error.
    """
    for credential in credentials(headers, tls):
        if (caller := _owner_of(house, credential, now)) is not None:
            return caller
    return Anonymous()


def _owner_of(house: House, credential: Credential, now: Millis) -> Caller | None:
    kind, token, by_cookie = credential.kind, credential.token, credential.by_cookie
    if kind in (None, TokenKind.PERSON) and (session := house.sessions.find(token, now)) is not None:
        return StaffCaller(session, by_cookie)
    if kind in (None, TokenKind.TERMINAL) and (terminal := house.terminals.find(token)) is not None:
        return TerminalCaller(terminal, csrf_of_key(token), by_cookie)
    return None


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def known_host(headers: Mapping[str, str], hosts: tuple[str, ...]) -> bool:
    """Return whether the ``Host`` header is one of ``hosts``. An empty tuple accepts any host."""
    return not hosts or _host_name(headers.get("host", "")) in hosts


def same_origin(headers: Mapping[str, str], origins: tuple[str, ...] = ()) -> bool:
    """Return whether the request comes from the server's own page, a page of ``origins``, or a program without a page.

    Browsers set the headers that are checked, and a page cannot forge them. A program can, but gains no access by it.
    """
    origin = headers.get("origin")
    if origin is not None and origin.lower() in origins:
        return True
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    if origin is None:
        return True
    try:
        # The scheme is not compared, because a server behind a proxy does not know it.
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        # A malformed origin, such as an unclosed bracket, is not our own.
        return False


def through_a_proxy(headers: Mapping[str, str]) -> bool:
    return any(name in headers for name in _FORWARDED)


def is_local(address: str, headers: Mapping[str, str]) -> bool:
    """Return whether the request comes directly from this machine, not through a proxy on it."""
    if through_a_proxy(headers):
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    """Return a host in lower case without its port.

    >>> _host_name("Localhost:8000"), _host_name("[::1]:8000"), _host_name("house.example")
    ('localhost', '[::1]', 'house.example')
    """
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


class TerminalScope(StrEnum):
    """The terminals that may use a route of a table."""

    NONE = "none"
    OWN_TABLE = "own_table"
    ALL = "all"


@dataclass(frozen=True)
class Access:
    """The callers that may use a route."""

    description: str
    """Text for the reference pages and for refusal messages."""
    public: bool = False
    """Whether anonymous callers may use it."""
    terminals: TerminalScope = TerminalScope.NONE
    roles: frozenset[Role] = frozenset()
    while_locked: bool = False
    """Whether a locked console may use it."""


_ALL = frozenset(Role)
_AUDITOR = frozenset({Role.AUDITOR})

PUBLIC: Final = Access("any caller", public=True, terminals=TerminalScope.ALL, roles=_ALL, while_locked=True)
AUTHENTICATED: Final = Access(
    "staff or a terminal, also while locked", terminals=TerminalScope.ALL, roles=_ALL, while_locked=True
)
LOGGED_IN: Final = Access("staff, also while locked", roles=_ALL, while_locked=True)
STAFF: Final = Access("staff", roles=_ALL)
AT_TABLE: Final = Access("a terminal or staff of the table", terminals=TerminalScope.OWN_TABLE, roles=_ALL)
TERMINAL_OR_STAFF: Final = Access("a terminal or staff", terminals=TerminalScope.ALL, roles=_ALL)
OF_TABLE: Final = Access("staff of the table", roles=_ALL)
ASKS_TABLE: Final = Access(
    "a terminal or staff of the table, except the auditor", terminals=TerminalScope.OWN_TABLE, roles=_ALL - _AUDITOR
)
PIT_OR_AUDITOR: Final = Access("the pit, or the auditor", roles=READERS)
THE_PIT: Final = Access("the pit", roles=PIT)


def access_for(event: type[HouseEvent]) -> Access:
    """Return the access to a route that causes an event: all positions that may cause this event."""
    roles = RIGHTS[event].positions
    return Access(" or ".join(role.value for role in Role if role in roles), roles=roles)


def deny(access: Access, caller: Caller, table: TableId | None) -> ErrorCode | None:
    """Return the error if the caller has no access, or None. ``table`` is None for routes without a table."""
    match caller:
        case Anonymous():
            return None if access.public else ErrorCode.NOT_LOGGED_IN
        case TerminalCaller():
            if access.terminals is TerminalScope.ALL or (
                access.terminals is TerminalScope.OWN_TABLE and caller.terminal.table == table
            ):
                return None
            return ErrorCode.NOT_AUTHORISED
        case StaffCaller():
            if caller.session.locked and not access.while_locked:
                return ErrorCode.CONSOLE_IS_LOCKED
            allowed = access.while_locked or any(
                _is_valid_at(role, caller, table) for role in caller.session.roles if role in access.roles
            )
            return None if allowed else ErrorCode.NOT_AUTHORISED
        case _:
            assert_never(caller)


def _is_valid_at(role: Role, caller: StaffCaller, table: TableId | None) -> bool:
    """Return whether a role is valid at a table. Dealers and Cashiers work only at the table of their console."""
    return role not in AT_A_CONSOLE or table is None or caller.session.console == table


def deny_socket(caller: Caller, table: TableId, pit: bool) -> ErrorCode | None:
    """Return the error if the caller may not subscribe to a table, or None.

    A locked console may stay connected. It receives no messages until it is unlocked.
    """
    if isinstance(caller, Anonymous):
        return ErrorCode.NOT_LOGGED_IN if pit else None
    problem = deny(PIT_OR_AUDITOR if pit else AT_TABLE, caller, table)
    return None if problem is ErrorCode.CONSOLE_IS_LOCKED else problem
