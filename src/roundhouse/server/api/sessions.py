"""Coming in and going out: logging in, the console's lock, enrolling a terminal, sitting down as a guest."""

import asyncio
from typing import Any

from roundhouse.house.sessions import Session
from roundhouse.house.terminals import TerminalKey
from roundhouse.server.auth import (
    ANYBODY,
    LOGGED_IN,
    SOMEBODY,
    STAFF,
    AtTerminal,
    Caller,
    Kind,
    Nobody,
    Staff,
    clear_cookie,
    csrf_of_key,
    set_cookie,
    through_a_proxy,
)
from roundhouse.server.routing import Asking, Gives, Method, Reply, Route, unless_refused
from roundhouse.wire import people as w
from roundhouse.wire.problems import Problem

_LOGS_IN = (Problem.WRONG_NAME_OR_PASSWORD, Problem.ACCOUNT_IS_LOCKED, Problem.NO_SUCH_THING, Problem.REFUSED)
_ENROLS = (Problem.NO_SUCH_THING, Problem.REFUSED, Problem.NOT_AUTHORISED)


async def me(asking: Asking[None, None, None]) -> Reply:
    return Reply(_me(asking.caller))


async def log_in(asking: Asking[None, None, w.LogIn]) -> Reply:
    service, said = asking.service, asking.body
    made = unless_refused(
        await service.with_password(
            service.house.log_in, said.name, said.password, said.console, service.clock(), asking.address
        )
    )
    who = _me(Staff(made.session, by_cookie=not said.program))
    return _admitted(asking, Kind.PERSON, made.token, who, said.program)


async def log_out(asking: Asking[None, None, None]) -> Reply:
    service, caller = asking.service, asking.caller
    if isinstance(caller, Staff):
        unless_refused(await asyncio.to_thread(service.house.log_out, caller.session, service.clock()))
    # A terminal that forgets its key in the browser is still enrolled; the pit revokes it.
    kind = Kind.PERSON if isinstance(caller, Staff) else Kind.TERMINAL
    return Reply(w.Done(), headers=(("set-cookie", clear_cookie(kind, service.settings.tls)),))


async def touch(asking: Asking[None, None, None]) -> Reply:
    """Whatever changes something counts as somebody at the console; so does this, for those who only look."""
    return Reply(_me(asking.caller))


async def lock(asking: Asking[None, None, None]) -> Reply:
    service = asking.service
    unless_refused(await asyncio.to_thread(service.house.lock_console, session_of(asking), service.clock()))
    return Reply(w.Done())


async def unlock(asking: Asking[None, None, w.Unlock]) -> Reply:
    service = asking.service
    session = unless_refused(
        await service.with_password(
            service.house.unlock, session_of(asking), asking.body.password, service.clock(), asking.address
        )
    )
    return Reply(_me(Staff(session, isinstance(asking.caller, Staff) and asking.caller.by_cookie)))


async def change_password(asking: Asking[None, None, w.ChangePassword]) -> Reply:
    service, session, said = asking.service, session_of(asking), asking.body
    unless_refused(
        await service.with_password(
            service.house.set_password, session, session.person, said.password, service.clock(), said.current
        )
    )
    return Reply(w.Done())


async def enrol(asking: Asking[None, None, w.Enrol]) -> Reply:
    service = asking.service
    made = unless_refused(
        await asyncio.to_thread(service.house.enrol, asking.body.code, service.clock(), asking.address)
    )
    return _seated(asking, made, asking.body.program)


async def be_guest(asking: Asking[None, None, w.BeGuest]) -> Reply:
    service, said = asking.service, asking.body
    # Whoever comes through a proxy on this machine does not come from this machine.
    address = f"{asking.address} by proxy" if through_a_proxy(asking.headers) else asking.address
    made = unless_refused(
        await asyncio.to_thread(service.house.guest, said.table, said.terminal, address, service.clock())
    )
    return _seated(asking, made, said.program)


def _seated(asking: Asking[Any, Any, Any], made: TerminalKey, program: bool) -> Reply:
    caller = AtTerminal(made.terminal, csrf_of_key(made.key), not program)
    return _admitted(asking, Kind.TERMINAL, made.key, _me(caller), program)


def _admitted(asking: Asking[Any, Any, Any], kind: Kind, token: str, who: w.Me, program: bool) -> Reply:
    """A program gets its token in the answer; a browser gets a cookie, out of reach of its scripts."""
    if program:
        return Reply(w.Admitted(who, token))
    return Reply(w.Admitted(who), headers=(("set-cookie", set_cookie(kind, token, asking.service.settings.tls)),))


def session_of(asking: Asking[Any, Any, Any]) -> Session:
    assert isinstance(asking.caller, Staff), "the declaration lets in staff alone"
    return asking.caller.session


def _me(caller: Caller) -> w.Me:
    match caller:
        case Nobody():
            return w.Me("nobody")
        case AtTerminal(terminal=one):
            mine = w.MyTerminal(one.number, one.table, one.seat, one.terminal, one.bill_acceptor, one.guest)
            return w.Me("terminal", caller.csrf, terminal=mine)
        case Staff(session=session):
            return w.Me(
                "person",
                session.csrf,
                session.person,
                session.name,
                session.roles,
                session.console,
                session.locked,
            )


def _post(path: str, handler: Any, about: str, who: Any, gives: Any, takes: Any = None, **more: Any) -> Route:
    return Route(Method.POST, path, handler, about, who, (Gives(gives),), takes, tag="entering", **more)


ROUTES = (
    Route(Method.GET, "/api/me", me, "Who one is to this house.", ANYBODY, (Gives(w.Me),), tag="entering"),
    _post("/api/log-in", log_in, "Log in.", ANYBODY, w.Admitted, w.LogIn, problems=_LOGS_IN, knocks=True),
    _post("/api/log-out", log_out, "Log out; a terminal's browser forgets its key.", SOMEBODY, w.Done),
    _post("/api/touch", touch, "Somebody is at the console: it does not lock itself.", STAFF, w.Me),
    _post("/api/lock", lock, "Lock the console, because one leaves it.", STAFF, w.Done, problems=(Problem.REFUSED,)),
    _post(
        "/api/unlock",
        unlock,
        "Unlock the console by one's password.",
        LOGGED_IN,
        w.Me,
        w.Unlock,
        problems=_LOGS_IN,
        knocks=True,
    ),
    _post(
        "/api/password",
        change_password,
        "Change one's own password.",
        STAFF,
        w.Done,
        w.ChangePassword,
        problems=(Problem.REFUSED, Problem.WRONG_NAME_OR_PASSWORD),
        knocks=True,
    ),
    _post(
        "/api/enrol", enrol, "Enrol a terminal by a code.", ANYBODY, w.Admitted, w.Enrol, problems=_ENROLS, knocks=True
    ),
    _post(
        "/api/guest", be_guest, "Sit down as a guest.", ANYBODY, w.Admitted, w.BeGuest, problems=_ENROLS, knocks=True
    ),
)
