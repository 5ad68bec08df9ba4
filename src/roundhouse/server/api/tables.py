"""Routes of one table: public state, seats, past rounds and requests. Also draws the QR codes of tickets.

The QR route draws every well-formed ticket number without a lookup, so it cannot be used to find valid tickets.
"""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from roundhouse.audit.explain import RoundStory
from roundhouse.drawing.charts import draw_ticket
from roundhouse.floor.access import TableAccess
from roundhouse.floor.permissions import permissions_of
from roundhouse.floor.projection import TableProjection
from roundhouse.journal.entry import Answer
from roundhouse.server import history
from roundhouse.server.api.office import JOURNAL_COST, from_journal
from roundhouse.server.auth import (
    ASKS_TABLE,
    AT_TABLE,
    OF_TABLE,
    PUBLIC,
    TERMINAL_OR_STAFF,
    Anonymous,
    Caller,
    StaffCaller,
    TerminalCaller,
    deny,
    rights_at,
)
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.jobs import CapsuleJob
from roundhouse.server.requests import submit
from roundhouse.server.routing import SVG, Request, Response, Returns, Routes
from roundhouse.table.names import RoundNumber, SeatId, TableId, TicketNumber
from roundhouse.table.permissions import Permissions
from roundhouse.wire import tables as w
from roundhouse.wire.problems import STATUS, ErrorCode, status_of
from roundhouse.wire.requests import AnyTableRequest

routes = Routes(tag="tables")
_TABLE = "/api/tables/{table}"
_ROUND = "/api/tables/{table}/rounds/{round}"
_NO_SUCH = (ErrorCode.NO_SUCH_THING,)
TABLE_COST = 10
"""Cost of a read of a whole table in the rate limit. It blocks the event loop as long as several bets do."""

AnyRound = Annotated[RoundNumber, Meta(ge=1, le=2**53)]


class TablePath(Struct, frozen=True):
    table: TableId


class SeatPath(TablePath, frozen=True):
    seat: SeatId


class RoundPath(TablePath, frozen=True):
    round: AnyRound


class TicketPath(Struct, frozen=True):
    ticket: Annotated[TicketNumber, Meta(pattern="^[0-9]{20}$")]


class RoundsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    before: AnyRound | None = None
    """Only rounds before this one. Default: from the latest."""
    count: Annotated[int, Meta(ge=1, le=history.MAX_ROUNDS)] = 20


@routes.get("/api/tables", access=PUBLIC, cost=TABLE_COST)
async def tables(request: Request) -> w.Tables:
    """List the public state of every table."""
    found = request.service.floor.tables.values()
    return w.Tables(tuple(projection_of(table).public_table() for table in found))


@routes.get(_TABLE, access=PUBLIC, problems=_NO_SUCH, cost=TABLE_COST)
async def table(request: Request[TablePath]) -> w.PublicTable:
    """Return the public state of a table."""
    return projection_of(find_table(request.service, request.path.table)).public_table()


@routes.get(f"{_TABLE}/state", access=OF_TABLE, problems=_NO_SUCH, cost=TABLE_COST)
async def state(request: Request[TablePath]) -> w.TableWithPermissions:
    """Return the complete state of a table, with seats, accounts, meters and the caller's allowed commands."""
    found = find_table(request.service, request.path.table)
    return w.TableWithPermissions(**asdict(projection_of(found).view()), allowed=_allowed(found, request.caller))


@routes.get(f"{_TABLE}/seats/{{seat}}", access=AT_TABLE, problems=_NO_SUCH, cost=TABLE_COST)
async def seat(request: Request[SeatPath]) -> w.SeatWithPermissions:
    """Return a seat's credits and bets, and the caller's allowed commands. A terminal may read only its own seat."""
    found = find_table(request.service, request.path.table)
    caller = request.caller
    if isinstance(caller, TerminalCaller) and caller.terminal.seat != request.path.seat:
        raise HttpRefusal(
            ErrorCode.NOT_AUTHORISED, f"this terminal may read only its own seat '{caller.terminal.seat}'"
        )
    seat = projection_of(found).own_seat(request.path.seat)
    if seat is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"seat '{request.path.seat}' is not taken")
    return w.SeatWithPermissions(**asdict(seat), allowed=_allowed(found, caller))


@routes.get(f"{_TABLE}/rounds", access=PUBLIC, problems=_NO_SUCH, cost=TABLE_COST)
async def rounds(request: Request[TablePath, RoundsQuery]) -> w.History:
    """List past rounds, latest first, with stakes and returns of the seats that the caller may see."""
    found, query = find_table(request.service, request.path.table), request.query
    last = projection_of(found).state.round
    caller = request.caller
    first = _first_visible_round(request.service, caller, last)
    seat = caller.terminal.seat if isinstance(caller, TerminalCaller) and caller.terminal.table == found.id else None
    return await request.service.run_in_thread(
        history.history,
        request.service.floor.journal,
        found.id,
        RoundNumber(min(last, query.before - 1) if query.before is not None else last),
        query.count,
        seat,
        isinstance(caller, StaffCaller) and sees_all_seats(caller, found.id),
        RoundNumber(first),
    )


@routes.get(_ROUND, access=AT_TABLE, problems=_NO_SUCH, cost=10)
async def recall(request: Request[RoundPath]) -> RoundStory:
    """Explain what happened in a round, with the clauses that applied."""
    found, number, caller = find_table(request.service, request.path.table), request.path.round, request.caller
    last = projection_of(found).state.round
    first = _first_visible_round(request.service, caller, last)
    if number < first:
        raise HttpRefusal(
            ErrorCode.NO_SUCH_THING, f"a terminal can recall rounds from {first}; ask the pit for older ones"
        )
    seat = caller.terminal.seat if isinstance(caller, TerminalCaller) else None
    service = request.service
    story = None
    if number <= last:
        story = await service.run_in_thread(
            history.recall, service.floor.journal, found.id, number, seat, service.rulebook_cache
        )
    if story is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    return story


@routes.get(
    f"{_ROUND}/capsule",
    access=OF_TABLE,
    returns=(Returns(about="The capsule file."),),
    problems=(ErrorCode.NO_SUCH_THING, ErrorCode.DOES_NOT_VERIFY),
    cost=JOURNAL_COST,
)
async def capsule(request: Request[RoundPath]) -> Response[bytes]:
    """Download the capsule of a round: a file that 'roundhouse audit verify' checks without the journal."""
    found, number = find_table(request.service, request.path.table), request.path.round
    if number > projection_of(found).state.round:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    name = f"{found.id}-{number}.capsule.json"
    await request.service.floor.sign_now()
    content = await from_journal(request, CapsuleJob(str(request.service.floor.journal), found.id, number))
    return Response(content, headers=(("content-disposition", f'attachment; filename="{name}"'),))


@routes.post(
    f"{_TABLE}/requests",
    access=ASKS_TABLE,
    returns=(
        Returns(Answer, about="Accepted and committed."),
        Returns(w.HouseAnswer, 202, about="Proposed; a second person must approve it."),
        Returns((Answer, w.HouseAnswer), 409, about="Refused by the table or the house."),
        Returns((Answer, w.HouseAnswer), 403, about="Not allowed in this position."),
        Returns(w.HouseAnswer, 401, about="The session has ended."),
        Returns(w.HouseAnswer, 404, about="The request names something that does not exist."),
        Returns(Answer, 400, about="The request is malformed."),
        Returns(Answer, 503, about="The journal is unavailable; the request had no effect."),
    ),
    problems=_NO_SUCH,
)
async def ask_table(request: Request[TablePath, None, AnyTableRequest]) -> Response[Answer | w.HouseAnswer]:
    """Send a request to a table, in the format of 'roundhouse deal'. The position follows from the caller."""
    found, caller = find_table(request.service, request.path.table), request.caller
    assert not isinstance(caller, Anonymous), "the route's access excludes anonymous callers"
    answer = await submit(request.service, found, caller, request.body)
    if answer.refusal is None:
        return Response(answer)
    proposed = isinstance(answer, w.HouseAnswer) and answer.proposal
    status = 202 if proposed else status_of(answer.refusal)
    if status in (STATUS[ErrorCode.NOT_AUTHORISED], STATUS[ErrorCode.TOO_MANY_REQUESTS]):
        operation = str(request.body.__struct_config__.tag)
        await request.service.note_refusal(operation, answer.refusal.value, caller, request.address)
    if status == STATUS[ErrorCode.TOO_MANY_REQUESTS]:
        raise HttpRefusal(answer.refusal, answer.reason)
    return Response(answer, status)


def find_table(service: ServerContext, id: TableId) -> TableAccess:
    if (found := service.floor.tables.get(id)) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"there is no table '{id}'")
    return found


def projection_of(table: TableAccess) -> TableProjection:
    """Return the projection of a table. Refuses if its feed has failed, because the projection is then out of date."""
    if table.feed.failed:
        raise HttpRefusal(ErrorCode.JOURNAL_UNAVAILABLE, f"table '{table.id}' cannot be read; its feed has failed")
    return table.projection


def _allowed(table: TableAccess, caller: Caller) -> Permissions:
    """Return the commands that the caller may send to a table now, as the caller's socket reports them."""
    rights, projection = rights_at(table.id, caller), projection_of(table)
    assert rights is not None, "the route's access excludes anonymous callers"
    return permissions_of(projection.table, projection.has_dealer, rights)


def sees_all_seats(caller: StaffCaller, table: TableId) -> bool:
    """Return whether the caller may see the money of all seats. A Dealer or Cashier of another table may not."""
    return deny(OF_TABLE, caller, table) is None


def _first_visible_round(service: ServerContext, caller: Caller, last: int) -> int:
    return max(1, last - service.settings.terminal_rounds + 1) if isinstance(caller, TerminalCaller) else 1


@routes.get("/api/tickets/{ticket}/qr.svg", access=TERMINAL_OR_STAFF, media=SVG)
async def code_of_ticket(request: Request[TicketPath]) -> Response[bytes]:
    """Draw a ticket number as a QR code. The number is not looked up."""
    return Response(draw_ticket(request.path.ticket).encode())
