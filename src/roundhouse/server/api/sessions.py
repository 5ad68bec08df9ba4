"""Routes for logging in and out, locking a console, enrolling a terminal and playing as a guest."""

from typing import Any

from msgspec.structs import replace

from roundhouse.house.session import Session
from roundhouse.house.terminals import TerminalKey
from roundhouse.people.rights import allowed
from roundhouse.server.attention import attention
from roundhouse.server.auth import (
    AUTHENTICATED,
    LOGGED_IN,
    PUBLIC,
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


@routes.get("/api/me", access=PUBLIC)
async def me(request: Request) -> w.CurrentUser:
    """Return the caller as the server identifies it."""
    return _me(request, request.caller)


@routes.post("/api/log-in", access=PUBLIC, problems=_LOGS_IN, counts_as_login=True)
async def log_in(request: Request[None, None, w.LogIn]) -> Response[w.LoggedIn]:
    """Log in as staff."""
    service, body = request.service, request.body
    created = raise_refusal(
        await service.house.sessions.log_in(body.name, body.password, body.console, service.clock(), request.address)
    )
    user = _me(request, StaffCaller(created.session, by_cookie=not body.program))
    return _logged_in(request, TokenKind.PERSON, created.token, user, body.program)


@routes.post("/api/log-out", access=AUTHENTICATED)
async def log_out(request: Request) -> Response[w.Ok]:
    """Log out and delete the cookie."""
    service, caller = request.service, request.caller
    if isinstance(caller, StaffCaller):
        raise_refusal(await service.house.sessions.log_out(caller.session, service.clock()))
    # Deleting the cookie does not revoke a terminal's key; the pit does that.
    kind = TokenKind.PERSON if isinstance(caller, StaffCaller) else TokenKind.TERMINAL
    return Response(w.Ok(), headers=(("set-cookie", clear_cookie(kind, service.settings.tls)),))


@routes.post("/api/touch", access=STAFF)
async def touch(request: Request) -> w.CurrentUser:
    """Restart the timeout after which an idle console locks.

    Every request that changes data also restarts the timeout. A screen that only reads uses this route while a person
    is at the console.
    """
    return _me(request, request.caller)


@routes.post("/api/lock", access=STAFF, problems=(ErrorCode.REFUSED,))
async def lock(request: Request) -> w.Ok:
    """Lock the caller's console."""
    service = request.service
    raise_refusal(await service.house.sessions.lock_console(session_of(request), service.clock()))
    return w.Ok()


@routes.post("/api/unlock", access=LOGGED_IN, problems=_LOGS_IN, counts_as_login=True)
async def unlock(request: Request[None, None, w.Unlock]) -> w.CurrentUser:
    """Unlock the caller's console by password."""
    service = request.service
    session = raise_refusal(
        await service.house.sessions.unlock(
            session_of(request), request.body.password, service.clock(), request.address
        )
    )
    return _me(request, StaffCaller(session, isinstance(request.caller, StaffCaller) and request.caller.by_cookie))


@routes.post(
    "/api/password", access=STAFF, problems=(ErrorCode.REFUSED, ErrorCode.WRONG_NAME_OR_PASSWORD), counts_as_login=True
)
async def change_password(request: Request[None, None, w.ChangePassword]) -> w.Ok:
    """Change the caller's own password."""
    service, session, body = request.service, session_of(request), request.body
    raise_refusal(
        await service.house.staff.set_password(session, session.person, body.password, service.clock(), body.current)
    )
    return w.Ok()


@routes.post("/api/enrol", access=PUBLIC, problems=_ENROLS, counts_as_login=True)
async def enrol(request: Request[None, None, w.Enrol]) -> Response[w.LoggedIn]:
    """Enrol a terminal with a code from the pit."""
    service = request.service
    key = raise_refusal(await service.house.terminals.enrol(request.body.code, service.clock(), request.address))
    return _seated(request, key, request.body.program)


@routes.post("/api/guest", access=PUBLIC, problems=_ENROLS, counts_as_login=True)
async def be_guest(request: Request[None, None, w.GuestLogin]) -> Response[w.LoggedIn]:
    """Take a seat as a guest, if the house admits guests."""
    service, body = request.service, request.body
    # A request through a proxy on this machine must not count as a request from this machine.
    address = f"{request.address} by proxy" if through_a_proxy(request.headers) else request.address
    key = raise_refusal(await service.house.terminals.guest(body.table, body.terminal, address, service.clock()))
    return _seated(request, key, body.program)


def _seated(request: Request[Any, Any, Any], key: TerminalKey, program: bool) -> Response[w.LoggedIn]:
    caller = TerminalCaller(key.terminal, csrf_of_key(key.key), not program)
    return _logged_in(request, TokenKind.TERMINAL, key.key, _me(request, caller), program)


def _logged_in(
    request: Request[Any, Any, Any], kind: TokenKind, token: str, user: w.CurrentUser, program: bool
) -> Response[w.LoggedIn]:
    """Send the token in the body to a program, or in an HttpOnly cookie to a browser."""
    if program:
        return Response(w.LoggedIn(user, token))
    return Response(w.LoggedIn(user), headers=(("set-cookie", set_cookie(kind, token, request.service.settings.tls)),))


def session_of(request: Request[Any, Any, Any]) -> Session:
    """Return the session of a staff caller. Only for routes whose access is limited to staff."""
    assert isinstance(request.caller, StaffCaller), "a route that needs a session must declare access for staff"
    return request.caller.session


def _me(request: Request[Any, Any, Any], caller: Caller) -> w.CurrentUser:
    """Describe the caller, with the time zone and the currency that screens show."""
    house = request.service.house.config.plan.house
    user = replace(_user(caller), time_zone=house.time_zone, currency=house.currency)
    return replace(user, attention=attention(request.service)) if user.locked and user.everywhere else user


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
