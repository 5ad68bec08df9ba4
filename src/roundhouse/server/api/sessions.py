"""Coming in and going out: logging in, the console's lock, enrolling a terminal, sitting down as a guest."""

import asyncio
from typing import Any

from roundhouse.house.sessions import Session
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
from roundhouse.server.routing import Method, Request, Response, Returns, Route, raise_refusal
from roundhouse.wire import people as w
from roundhouse.wire.problems import ErrorCode

_LOGS_IN = (ErrorCode.WRONG_NAME_OR_PASSWORD, ErrorCode.ACCOUNT_IS_LOCKED, ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED)
_ENROLS = (ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED, ErrorCode.NOT_AUTHORISED)


async def me(asking: Request[None, None, None]) -> Response:
    return Response(_me(asking.caller))


async def log_in(asking: Request[None, None, w.LogIn]) -> Response:
    service, said = asking.service, asking.body
    made = raise_refusal(
        await service.hash_password(
            service.house.log_in, said.name, said.password, said.console, service.clock(), asking.address
        )
    )
    who = _me(StaffCaller(made.session, by_cookie=not said.program))
    return _admitted(asking, TokenKind.PERSON, made.token, who, said.program)


async def log_out(asking: Request[None, None, None]) -> Response:
    service, caller = asking.service, asking.caller
    if isinstance(caller, StaffCaller):
        raise_refusal(await asyncio.to_thread(service.house.log_out, caller.session, service.clock()))
    # A terminal that forgets its key in the browser is still enrolled; the pit revokes it.
    kind = TokenKind.PERSON if isinstance(caller, StaffCaller) else TokenKind.TERMINAL
    return Response(w.Ok(), headers=(("set-cookie", clear_cookie(kind, service.settings.tls)),))


async def touch(asking: Request[None, None, None]) -> Response:
    """Whatever changes something counts as somebody at the console; so does this, for those who only look."""
    return Response(_me(asking.caller))


async def lock(asking: Request[None, None, None]) -> Response:
    service = asking.service
    raise_refusal(await asyncio.to_thread(service.house.lock_console, session_of(asking), service.clock()))
    return Response(w.Ok())


async def unlock(asking: Request[None, None, w.Unlock]) -> Response:
    service = asking.service
    session = raise_refusal(
        await service.hash_password(
            service.house.unlock, session_of(asking), asking.body.password, service.clock(), asking.address
        )
    )
    return Response(_me(StaffCaller(session, isinstance(asking.caller, StaffCaller) and asking.caller.by_cookie)))


async def change_password(asking: Request[None, None, w.ChangePassword]) -> Response:
    service, session, said = asking.service, session_of(asking), asking.body
    raise_refusal(
        await service.hash_password(
            service.house.set_password, session, session.person, said.password, service.clock(), said.current
        )
    )
    return Response(w.Ok())


async def enrol(asking: Request[None, None, w.Enrol]) -> Response:
    service = asking.service
    made = raise_refusal(
        await asyncio.to_thread(service.house.enrol, asking.body.code, service.clock(), asking.address)
    )
    return _seated(asking, made, asking.body.program)


async def be_guest(asking: Request[None, None, w.GuestLogin]) -> Response:
    service, said = asking.service, asking.body
    # Whoever comes through a proxy on this machine does not come from this machine.
    address = f"{asking.address} by proxy" if through_a_proxy(asking.headers) else asking.address
    made = raise_refusal(
        await asyncio.to_thread(service.house.guest, said.table, said.terminal, address, service.clock())
    )
    return _seated(asking, made, said.program)


def _seated(asking: Request[Any, Any, Any], made: TerminalKey, program: bool) -> Response:
    caller = TerminalCaller(made.terminal, csrf_of_key(made.key), not program)
    return _admitted(asking, TokenKind.TERMINAL, made.key, _me(caller), program)


def _admitted(
    asking: Request[Any, Any, Any], kind: TokenKind, token: str, who: w.CurrentUser, program: bool
) -> Response:
    """A program gets its token in the answer; a browser gets a cookie, out of reach of its scripts."""
    if program:
        return Response(w.LoggedIn(who, token))
    return Response(w.LoggedIn(who), headers=(("set-cookie", set_cookie(kind, token, asking.service.settings.tls)),))


def session_of(asking: Request[Any, Any, Any]) -> Session:
    assert isinstance(asking.caller, StaffCaller), "the declaration lets in staff alone"
    return asking.caller.session


def _me(caller: Caller) -> w.CurrentUser:
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


def _post(path: str, handler: Any, about: str, who: Any, gives: Any, takes: Any = None, **more: Any) -> Route:
    return Route(Method.POST, path, handler, about, who, (Returns(gives),), takes, tag="entering", **more)


ROUTES = (
    Route(Method.GET, "/api/me", me, "Who one is to this house.", ANYBODY, (Returns(w.CurrentUser),), tag="entering"),
    _post("/api/log-in", log_in, "Log in.", ANYBODY, w.LoggedIn, w.LogIn, problems=_LOGS_IN, counts_as_login=True),
    _post("/api/log-out", log_out, "Log out; a terminal's browser forgets its key.", AUTHENTICATED, w.Ok),
    _post("/api/touch", touch, "Somebody is at the console: it does not lock itself.", STAFF, w.CurrentUser),
    _post("/api/lock", lock, "Lock the console, because one leaves it.", STAFF, w.Ok, problems=(ErrorCode.REFUSED,)),
    _post(
        "/api/unlock",
        unlock,
        "Unlock the console by one's password.",
        LOGGED_IN,
        w.CurrentUser,
        w.Unlock,
        problems=_LOGS_IN,
        counts_as_login=True,
    ),
    _post(
        "/api/password",
        change_password,
        "Change one's own password.",
        STAFF,
        w.Ok,
        w.ChangePassword,
        problems=(ErrorCode.REFUSED, ErrorCode.WRONG_NAME_OR_PASSWORD),
        counts_as_login=True,
    ),
    _post(
        "/api/enrol",
        enrol,
        "Enrol a terminal by a code.",
        ANYBODY,
        w.LoggedIn,
        w.Enrol,
        problems=_ENROLS,
        counts_as_login=True,
    ),
    _post(
        "/api/guest",
        be_guest,
        "Sit down as a guest.",
        ANYBODY,
        w.LoggedIn,
        w.GuestLogin,
        problems=_ENROLS,
        counts_as_login=True,
    ),
)
