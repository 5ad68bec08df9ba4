"""Coming in and going out: logging in, the console's lock, enrolling a terminal, sitting down as a guest."""

from typing import Any

from msgspec.structs import replace

from roundhouse.house.session import Session
from roundhouse.house.terminals import TerminalKey
from roundhouse.people.rights import allowed
from roundhouse.server.auth import (
    ANYBODY,
    AUTHENTICATED,
    LOGGED_IN,
    STAFF,
    Anonymous,
    Caller,
    StaffCaller,
    TerminalCaller,
    TokenKind,
    clear_cookie,
    csrf_of_key,
    set_cookie,
    through_a_proxy,
)
from roundhouse.server.endpoint import raise_refusal
from roundhouse.server.routing import Request, Response, Routes
from roundhouse.wire import people as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="entering")
_LOGS_IN = (ErrorCode.WRONG_NAME_OR_PASSWORD, ErrorCode.ACCOUNT_IS_LOCKED, ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED)
_ENROLS = (ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED, ErrorCode.NOT_AUTHORISED)


@routes.get("/api/me", access=ANYBODY)
async def me(asking: Request) -> w.CurrentUser:
    """Who one is to this house."""
    return _me(asking, asking.caller)


@routes.post("/api/log-in", access=ANYBODY, problems=_LOGS_IN, counts_as_login=True)
async def log_in(asking: Request[None, None, w.LogIn]) -> Response[w.LoggedIn]:
    """Log in."""
    service, said = asking.service, asking.body
    made = raise_refusal(
        await service.house.sessions.log_in(said.name, said.password, said.console, service.clock(), asking.address)
    )
    who = _me(asking, StaffCaller(made.session, by_cookie=not said.program))
    return _admitted(asking, TokenKind.PERSON, made.token, who, said.program)


@routes.post("/api/log-out", access=AUTHENTICATED)
async def log_out(asking: Request) -> Response[w.Ok]:
    """Log out; a terminal's browser forgets its key."""
    service, caller = asking.service, asking.caller
    if isinstance(caller, StaffCaller):
        raise_refusal(await service.house.sessions.log_out(caller.session, service.clock()))
    # A terminal that forgets its key in the browser is still enrolled; the pit revokes it.
    kind = TokenKind.PERSON if isinstance(caller, StaffCaller) else TokenKind.TERMINAL
    return Response(w.Ok(), headers=(("set-cookie", clear_cookie(kind, service.settings.tls)),))


@routes.post("/api/touch", access=STAFF)
async def touch(asking: Request) -> w.CurrentUser:
    """Somebody is at the console: it does not lock itself.

    Whatever changes something counts as somebody at the console; so does this, for those who only look.
    """
    return _me(asking, asking.caller)


@routes.post("/api/lock", access=STAFF, problems=(ErrorCode.REFUSED,))
async def lock(asking: Request) -> w.Ok:
    """Lock the console, because one leaves it."""
    service = asking.service
    raise_refusal(await service.house.sessions.lock_console(session_of(asking), service.clock()))
    return w.Ok()


@routes.post("/api/unlock", access=LOGGED_IN, problems=_LOGS_IN, counts_as_login=True)
async def unlock(asking: Request[None, None, w.Unlock]) -> w.CurrentUser:
    """Unlock the console by one's password."""
    service = asking.service
    session = raise_refusal(
        await service.house.sessions.unlock(session_of(asking), asking.body.password, service.clock(), asking.address)
    )
    return _me(asking, StaffCaller(session, isinstance(asking.caller, StaffCaller) and asking.caller.by_cookie))


@routes.post(
    "/api/password", access=STAFF, problems=(ErrorCode.REFUSED, ErrorCode.WRONG_NAME_OR_PASSWORD), counts_as_login=True
)
async def change_password(asking: Request[None, None, w.ChangePassword]) -> w.Ok:
    """Change one's own password."""
    service, session, said = asking.service, session_of(asking), asking.body
    raise_refusal(
        await service.house.staff.set_password(session, session.person, said.password, service.clock(), said.current)
    )
    return w.Ok()


@routes.post("/api/enrol", access=ANYBODY, problems=_ENROLS, counts_as_login=True)
async def enrol(asking: Request[None, None, w.Enrol]) -> Response[w.LoggedIn]:
    """Enrol a terminal by a code."""
    service = asking.service
    made = raise_refusal(await service.house.terminals.enrol(asking.body.code, service.clock(), asking.address))
    return _seated(asking, made, asking.body.program)


@routes.post("/api/guest", access=ANYBODY, problems=_ENROLS, counts_as_login=True)
async def be_guest(asking: Request[None, None, w.GuestLogin]) -> Response[w.LoggedIn]:
    """Sit down as a guest."""
    service, said = asking.service, asking.body
    # Whoever comes through a proxy on this machine does not come from this machine.
    address = f"{asking.address} by proxy" if through_a_proxy(asking.headers) else asking.address
    made = raise_refusal(await service.house.terminals.guest(said.table, said.terminal, address, service.clock()))
    return _seated(asking, made, said.program)


def _seated(asking: Request[Any, Any, Any], made: TerminalKey, program: bool) -> Response[w.LoggedIn]:
    caller = TerminalCaller(made.terminal, csrf_of_key(made.key), not program)
    return _admitted(asking, TokenKind.TERMINAL, made.key, _me(asking, caller), program)


def _admitted(
    asking: Request[Any, Any, Any], kind: TokenKind, token: str, who: w.CurrentUser, program: bool
) -> Response[w.LoggedIn]:
    """A program gets its token in the answer; a browser gets a cookie, out of reach of its scripts."""
    if program:
        return Response(w.LoggedIn(who, token))
    return Response(w.LoggedIn(who), headers=(("set-cookie", set_cookie(kind, token, asking.service.settings.tls)),))


def session_of(asking: Request[Any, Any, Any]) -> Session:
    assert isinstance(asking.caller, StaffCaller), "the declaration lets in staff alone"
    return asking.caller.session


def _me(asking: Request[Any, Any, Any], caller: Caller) -> w.CurrentUser:
    """The caller, with the time zone of the house, in which screens show times."""
    return replace(_user(caller), time_zone=asking.service.house.config.plan.house.time_zone)


def _user(caller: Caller) -> w.CurrentUser:
    match caller:
        case Anonymous():
            return w.CurrentUser("nobody")
        case TerminalCaller(terminal=one):
            mine = w.CurrentTerminal(one.number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest)
            return w.CurrentUser("terminal", caller.csrf, terminal=mine)
        case StaffCaller(session=session):
            return w.CurrentUser(
                "person",
                session.csrf,
                session.person,
                session.name,
                session.roles,
                session.console,
                session.locked,
                everywhere=session.roles_everywhere,
                operations=tuple(sorted(allowed(session.roles))),
            )
