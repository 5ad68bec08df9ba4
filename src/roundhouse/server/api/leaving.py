"""Routes for a guest who leaves a seat: a bet that wins later is kept for its owner.

The browser keeps the key of a seat that was left, in a cookie that scripts cannot read. When the round has ended, the
key claims the seat's credits as a ticket. The request id of a claim is fixed, so a claim that is sent again gets the
same ticket.
"""

from collections.abc import Mapping
from typing import Final

from starlette.requests import cookie_parser

from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.journal.entry import Answer
from roundhouse.rules.names import StaffPosition
from roundhouse.server.auth import (
    AUTHENTICATED,
    PUBLIC,
    TerminalCaller,
    TokenKind,
    clear_cookie,
    credentials,
)
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.requests import ask
from roundhouse.server.routing import Request, Response, Routes
from roundhouse.table.commands import CashOut
from roundhouse.table.events import CashedOut
from roundhouse.table.names import RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wire import leaving as w
from roundhouse.wire import people
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="entering")
_MOST: Final = 4
"""Most seats that a browser can have left with bets. The oldest is given up for a fifth."""


@routes.post("/api/leave", access=AUTHENTICATED, problems=(ErrorCode.NOT_AUTHORISED,))
async def leave(request: Request) -> Response[people.Ok]:
    """Leave a guest's seat. Its browser can claim later what its bets win."""
    service, caller = request.service, request.caller
    if not isinstance(caller, TerminalCaller) or not caller.terminal.guest:
        raise HttpRefusal(ErrorCode.NOT_AUTHORISED, "only a guest leaves a seat; the pit revokes other terminals")
    tls = service.settings.tls
    own = [one.token for one in credentials(request.headers, tls) if one.kind is TokenKind.TERMINAL]
    left = [key for key in _left(request.headers, tls) if key not in own]
    cookie = _cookie([*left, *own][-_MOST:], tls)
    return Response(
        people.Ok(), headers=(("set-cookie", clear_cookie(TokenKind.TERMINAL, tls)), ("set-cookie", cookie))
    )


@routes.post("/api/claim", access=PUBLIC)
async def claim(request: Request[None, None, w.Claim]) -> Response[w.Claimed]:
    """Claim the credits of the seats that this browser has left, as tickets."""
    service, tls = request.service, request.service.settings.tls
    tickets: list[CashedOut] = []
    waiting, kept = 0, []
    for key in _left(request.headers, tls):
        terminal = service.house.terminals.find(key)
        if terminal is None:
            continue
        in_play = _in_play(service, terminal)
        if in_play:
            waiting += in_play
            kept.append(key)
            continue
        answer = await _cash_out(service, terminal)
        if answer is None:
            kept.append(key)
            continue
        issued = [event for event in answer.events or () if isinstance(event, CashedOut)]
        # The key is kept until the browser says that it has the ticket: the same claim gives it again.
        fresh = [event for event in issued if event.ticket not in request.body.have]
        tickets += fresh
        if fresh or (not answer.ok and answer.refusal is not Refusal.NO_CREDITS):
            kept.append(key)
    found = tuple(w.ClaimedTicket(one.ticket, one.cents, one.expires) for one in tickets)
    return Response(w.Claimed(found, waiting), headers=(("set-cookie", _cookie(kept, tls)),))


def _in_play(service: ServerContext, terminal: EnrolledTerminal) -> int:
    table = service.floor.tables.get(terminal.table)
    seat = table.projection.state.seats.get(terminal.seat) if table is not None else None
    return seat.on_layout if seat is not None else 0


async def _cash_out(service: ServerContext, terminal: EnrolledTerminal) -> Answer | None:
    """Cash out a seat that was left. ``None`` if its table cannot answer now."""
    table = service.floor.tables.get(terminal.table)
    if table is None:
        return None
    id = RequestId(f"left-{terminal.number}")
    return await ask(service, table, CashOut(id=id, by=StaffPosition.PLAYER, seat=terminal.seat))


_NAME: Final = "roundhouse-left"


def _left(headers: Mapping[str, str], tls: bool) -> list[str]:
    """Return the keys of the seats that the browser has left, the oldest first."""
    name = f"__Host-{_NAME}" if tls else _NAME
    return [key for key in cookie_parser(headers.get("cookie", "")[:8192]).get(name, "").split("~") if key][:_MOST]


def _cookie(keys: list[str], tls: bool) -> str:
    name, age = f"__Host-{_NAME}" if tls else _NAME, 31536000 if keys else 0
    return f"{name}={'~'.join(keys)}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{'; Secure' if tls else ''}"
