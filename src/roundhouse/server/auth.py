"""Who is at the other end: nobody we know, a terminal at its seat, or staff with the positions of this moment.

Cookies and tokens: how a browser or a program shows who it is, and that it means what it sends.

A cookie is sent by the browser whether its user means it or not; so whatever changes something must also bring
a token that only our own page can know. A program sends its key itself and needs none.

From what a request shows to who sent it. A token that is not known makes nobody; it is never an error by itself.

Where a request comes from: the host it names, the page that sent it, the address it came by.

A browser tells the truth about the page it shows, whatever that page wants; a program may say anything, and
gets nothing by it.

Who may ask for a route: nobody in particular, a terminal, staff of a table, the pit, the auditor.

This is the first of two locks. The house and the table have their own, and ask again.
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
    pass


@dataclass(frozen=True)
class TerminalCaller:
    terminal: EnrolledTerminal
    csrf: str
    by_cookie: bool


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
    """The session or the terminal of a caller, as the house knows it."""
    match caller:
        case Anonymous():
            return None
        case TerminalCaller(terminal=terminal):
            return terminal
        case StaffCaller(session=session):
            return session


def named(caller: Caller) -> str:
    """For the log: who it was, and no secret."""
    match caller:
        case Anonymous():
            return "nobody"
        case TerminalCaller(terminal=terminal):
            return f"terminal {terminal.table}/{terminal.seat}"
        case StaffCaller(session=session):
            return f"person {session.person}"


CSRF_HEADER = "x-csrf-token"
MAX_TOKEN = 512
"""No token of ours is longer; what is longer is not looked up."""


class TokenKind(StrEnum):
    """Whose token it is."""

    PERSON = "session"
    TERMINAL = "terminal"


class Credential(NamedTuple):
    """What a request shows of who sent it."""

    token: str
    by_cookie: bool
    kind: TokenKind | None
    """Nothing for a program's key, which may be of either kind."""


def cookie_name(kind: TokenKind, tls: bool) -> str:
    """With the prefix browsers keep such a cookie from being set by another host or over plain http."""
    return f"__Host-roundhouse-{kind}" if tls else f"roundhouse-{kind}"


def credentials(headers: Mapping[str, str], tls: bool) -> list[Credential]:
    """Every token of a request, in the order in which they count. A key in a header goes before any cookie."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme:
        return [Credential(token.strip(), False, None)] if scheme.lower() == "bearer" and _fits(token.strip()) else []
    cookies = cookie_parser(headers.get("cookie", "")[: 16 * MAX_TOKEN])
    found = [(kind, cookies.get(cookie_name(kind, tls), "")) for kind in (TokenKind.PERSON, TokenKind.TERMINAL)]
    return [Credential(token, True, kind) for kind, token in found if _fits(token)]


def set_cookie(kind: TokenKind, token: str, tls: bool) -> str:
    """For the session of the browser, out of reach of scripts, sent to this house's own pages only."""
    age = "; Max-Age=31536000" if kind is TokenKind.TERMINAL else ""
    return f"{cookie_name(kind, tls)}={token}; Path=/; HttpOnly; SameSite=Strict{age}{'; Secure' if tls else ''}"


def clear_cookie(kind: TokenKind, tls: bool) -> str:
    return f"{cookie_name(kind, tls)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{'; Secure' if tls else ''}"


def csrf_of_key(key: str) -> str:
    """The token that goes with a terminal's key: whoever lacks the key cannot make it."""
    return hashlib.sha256(b"csrf\0" + key.encode()).hexdigest()


def csrf_matches(headers: Mapping[str, str], csrf: str) -> bool:
    return hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), csrf.encode())


def _fits(token: str) -> bool:
    return 0 < len(token) <= MAX_TOKEN and token.isascii()


def identify(house: House, headers: Mapping[str, str], tls: bool, now: Millis) -> Caller:
    """The first token that is known counts: a key in a header, else staff's cookie, else a terminal's."""
    for one in credentials(headers, tls):
        if (caller := _whose(house, one, now)) is not None:
            return caller
    return Anonymous()


def _whose(house: House, one: Credential, now: Millis) -> Caller | None:
    if one.kind in (None, TokenKind.PERSON) and (session := house.sessions.find(one.token, now)) is not None:
        return StaffCaller(session, one.by_cookie)
    if one.kind in (None, TokenKind.TERMINAL) and (terminal := house.terminals.find(one.token)) is not None:
        return TerminalCaller(terminal, csrf_of_key(one.token), one.by_cookie)
    return None


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def known_host(headers: Mapping[str, str], hosts: tuple[str, ...]) -> bool:
    """Does the request name this house? An empty list of names takes any."""
    return not hosts or _name(headers.get("host", "")) in hosts


def same_origin(headers: Mapping[str, str], origins: tuple[str, ...] = ()) -> bool:
    """Was it sent by one of our own pages, by one that we were told of, or by no page at all?"""
    origin = headers.get("origin")
    if origin is not None and origin.lower() in origins:
        return True
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    if origin is None:
        return True
    # The scheme is not compared: behind a proxy only the browser knows it.
    return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""


def through_a_proxy(headers: Mapping[str, str]) -> bool:
    return any(name in headers for name in _FORWARDED)


def is_local(address: str, headers: Mapping[str, str]) -> bool:
    """From this very machine, and not through a proxy on it."""
    if through_a_proxy(headers):
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """A host's name without its port.

    >>> _name("Localhost:8000"), _name("[::1]:8000"), _name("house.example")
    ('localhost', '[::1]', 'house.example')
    """
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


class TerminalScope(StrEnum):
    """Which terminals may ask."""

    NONE = "none"
    OWN_TABLE = "own_table"
    ALL = "all"


@dataclass(frozen=True)
class Access:
    description: str
    anybody: bool = False
    terminals: TerminalScope = TerminalScope.NONE
    roles: frozenset[Role] = frozenset()
    while_locked: bool = False
    """Whether a console that has locked itself may still ask."""


_ALL = frozenset(Role)
_AUDITOR = frozenset({Role.AUDITOR})

ANYBODY: Final = Access("anybody", anybody=True, terminals=TerminalScope.ALL, roles=_ALL, while_locked=True)
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
    """Those in whose positions the house lets somebody cause such an event."""
    roles = RIGHTS[event].positions
    return Access(" or ".join(role.value for role in Role if role in roles), roles=roles)


def deny(who: Access, caller: Caller, table: TableId | None) -> ErrorCode | None:
    """Why this caller may not ask for it of that table, or nothing."""
    match caller:
        case Anonymous():
            return None if who.anybody else ErrorCode.NOT_LOGGED_IN
        case TerminalCaller():
            if who.terminals is TerminalScope.ALL or (
                who.terminals is TerminalScope.OWN_TABLE and caller.terminal.table == table
            ):
                return None
            return ErrorCode.NOT_AUTHORISED
        case StaffCaller():
            if caller.session.locked and not who.while_locked:
                return ErrorCode.CONSOLE_IS_LOCKED
            may = who.while_locked or any(
                _counts(role, caller, table) for role in caller.session.roles if role in who.roles
            )
            return None if may else ErrorCode.NOT_AUTHORISED
        case _:
            assert_never(caller)


def _counts(role: Role, caller: StaffCaller, table: TableId | None) -> bool:
    """A Dealer or Cashier works at the console of one table and at no other."""
    return role not in AT_A_CONSOLE or table is None or caller.session.console == table


def deny_socket(caller: Caller, table: TableId, pit: bool) -> ErrorCode | None:
    """Why somebody may not listen to a table, or nothing. A console that is locked may stay, and is told nothing."""
    if isinstance(caller, Anonymous):
        return ErrorCode.NOT_LOGGED_IN if pit else None
    problem = deny(PIT_OR_AUDITOR if pit else AT_TABLE, caller, table)
    return None if problem is ErrorCode.CONSOLE_IS_LOCKED else problem
