"""Tables over HTTP: what everybody sees, what a seat sees, the past, and requests as ``roundhouse deal`` takes them.

Tickets on a screen: a number drawn as a code. Any number of the right form is drawn, and none is looked up.

So that whoever tries numbers here learns nothing; whether a ticket is worth something is asked of a table.
"""

from typing import Annotated

from msgspec import Meta, Struct

from roundhouse.audit.explain import RoundStory
from roundhouse.drawing.charts import draw_ticket
from roundhouse.floor.projection import TableProjection
from roundhouse.floor.table import TableAccess
from roundhouse.journal.entry import Answer
from roundhouse.server import history
from roundhouse.server.api.office import JOURNAL_COST, from_journal
from roundhouse.server.auth import (
    ANYBODY,
    ASKS_TABLE,
    AT_TABLE,
    OF_TABLE,
    TERMINAL_OR_STAFF,
    Anonymous,
    Caller,
    StaffCaller,
    TerminalCaller,
    deny,
)
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.jobs import CapsuleJob
from roundhouse.server.requests import submit
from roundhouse.server.routing import SVG, Request, Response, Returns, Routes
from roundhouse.table.names import RoundNumber, SeatId, TableId, TicketNumber
from roundhouse.table.view import TableView
from roundhouse.wire import tables as w
from roundhouse.wire.problems import STATUS, ErrorCode, status_of
from roundhouse.wire.requests import AnyTableRequest

routes = Routes(tag="tables")
_TABLE = "/api/tables/{table}"
_ROUND = "/api/tables/{table}/rounds/{round}"
_NO_SUCH = (ErrorCode.NO_SUCH_THING,)
WHOLE = 10
"""What it costs to look at all of a table: with many seats as much as many bets, and the table does nothing else."""

Number = Annotated[RoundNumber, Meta(ge=1, le=2**53)]


class TablePath(Struct, frozen=True):
    table: TableId


class SeatPath(TablePath, frozen=True):
    seat: SeatId


class RoundPath(TablePath, frozen=True):
    round: Number


class TicketPath(Struct, frozen=True):
    ticket: Annotated[TicketNumber, Meta(pattern="^[0-9]{20}$")]


class RoundsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    before: Number | None = None
    """Only rounds before this one."""
    count: Annotated[int, Meta(ge=1, le=history.MAX_ROUNDS)] = 20


@routes.get("/api/tables", access=ANYBODY, cost=WHOLE)
async def tables(asking: Request) -> w.Tables:
    """Every table as everybody sees it."""
    found = asking.service.floor.tables.values()
    return w.Tables(tuple(shown(table).public_table() for table in found))


@routes.get(_TABLE, access=ANYBODY, problems=_NO_SUCH, cost=WHOLE)
async def table(asking: Request[TablePath]) -> w.PublicTable:
    """A table as everybody sees it."""
    return shown(open_table(asking.service, asking.path.table)).public_table()


@routes.get(f"{_TABLE}/state", access=OF_TABLE, problems=_NO_SUCH, cost=WHOLE)
async def state(asking: Request[TablePath]) -> TableView:
    """All of a table: seats, accounts, meters."""
    return shown(open_table(asking.service, asking.path.table)).view()


@routes.get(f"{_TABLE}/seats/{{seat}}", access=AT_TABLE, problems=_NO_SUCH, cost=WHOLE)
async def seat(asking: Request[SeatPath]) -> w.OwnSeat:
    """A seat's own credits and bets."""
    found = open_table(asking.service, asking.path.table)
    caller = asking.caller
    if isinstance(caller, TerminalCaller) and caller.terminal.seat != asking.path.seat:
        raise HttpRefusal(ErrorCode.NOT_AUTHORISED, "this terminal is another seat")
    own = shown(found).own_seat(asking.path.seat)
    if own is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, "nobody has taken this seat")
    return own


@routes.get(f"{_TABLE}/rounds", access=ANYBODY, problems=_NO_SUCH, cost=WHOLE)
async def rounds(asking: Request[TablePath, RoundsQuery]) -> w.History:
    """Past rounds, the last one first, with the money of those whom one may see."""
    found, which = open_table(asking.service, asking.path.table), asking.query
    last = shown(found).state.round
    caller = asking.caller
    first = _first_to_recall(asking.service, caller, last)
    own = caller.terminal.seat if isinstance(caller, TerminalCaller) and caller.terminal.table == found.id else None
    return await asking.service.run_in_thread(
        history.history,
        asking.service.floor.journal,
        found.id,
        RoundNumber(min(last, which.before - 1) if which.before is not None else last),
        which.count,
        own,
        isinstance(caller, StaffCaller) and sees_all_of(caller, found.id),
        RoundNumber(first),
    )


@routes.get(_ROUND, access=AT_TABLE, problems=_NO_SUCH, cost=10)
async def recall(asking: Request[RoundPath]) -> RoundStory:
    """What happened in a round and why, clause by clause."""
    found, number, caller = open_table(asking.service, asking.path.table), asking.path.round, asking.caller
    last = shown(found).state.round
    if number < _first_to_recall(asking.service, caller, last):
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, "a terminal does not recall rounds so long ago; ask the pit")
    own = caller.terminal.seat if isinstance(caller, TerminalCaller) else None
    service = asking.service
    story = None
    if number <= last:
        story = await service.run_in_thread(
            history.recall, service.floor.journal, found.id, number, own, service.rulebook_cache
        )
    if story is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    return story


@routes.get(
    f"{_ROUND}/capsule",
    access=OF_TABLE,
    returns=(Returns(about="A capsule."),),
    problems=(ErrorCode.NO_SUCH_THING, ErrorCode.DOES_NOT_VERIFY),
    cost=JOURNAL_COST,
)
async def capsule(asking: Request[RoundPath]) -> Response[bytes]:
    """The round in one file, which 'roundhouse verify' checks without the journal."""
    found, number = open_table(asking.service, asking.path.table), asking.path.round
    if number > shown(found).state.round:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    name = f"{found.id}-{number}.capsule.json"
    wanted = CapsuleJob(str(asking.service.floor.journal), found.id, number)
    content = await from_journal(asking, wanted)
    return Response(content, headers=(("content-disposition", f'attachment; filename="{name}"'),))


@routes.post(
    f"{_TABLE}/requests",
    access=ASKS_TABLE,
    returns=(
        Returns(Answer, about="The table's answer: durable."),
        Returns(w.HouseAnswer, 202, about="A second person must approve it."),
        Returns((Answer, w.HouseAnswer), 409, about="The table's answer: refused."),
        Returns((Answer, w.HouseAnswer), 403, about="Not for this position."),
        Returns(w.HouseAnswer, 401, about="Not logged in any more."),
        Returns(w.HouseAnswer, 404, about="The house has no such thing."),
        Returns(Answer, 400, about="Not understood."),
        Returns(Answer, 503, about="Nothing has happened."),
    ),
    problems=_NO_SUCH,
)
async def ask_table(asking: Request[TablePath, None, AnyTableRequest]) -> Response[Answer | w.HouseAnswer]:
    """A request as 'roundhouse deal' takes it; in which position is known from who asks."""
    found, caller = open_table(asking.service, asking.path.table), asking.caller
    assert not isinstance(caller, Anonymous), "the declaration lets nobody in"
    answer = await submit(asking.service, found, caller, asking.body)
    if answer.refusal is None:
        return Response(answer)
    proposed = isinstance(answer, w.HouseAnswer) and answer.proposal
    status = 202 if proposed else status_of(answer.refusal)
    if status == STATUS[ErrorCode.NOT_AUTHORISED]:
        what = str(asking.body.__struct_config__.tag)
        await asking.service.note_refusal(what, answer.refusal.value, caller, asking.address)
    return Response(answer, status)


def open_table(service: ServerContext, id: TableId) -> TableAccess:
    if (found := service.floor.tables.get(id)) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"there is no table '{id}'")
    return found


def shown(table: TableAccess) -> TableProjection:
    """The table as it is shown; a projection that a bug has left behind is not shown."""
    if table.feed.failed:
        raise HttpRefusal(ErrorCode.JOURNAL_UNAVAILABLE, "the table cannot be read now")
    return table.projection


def sees_all_of(caller: StaffCaller, table: TableId) -> bool:
    """Staff of a table see the money of all its seats; a Dealer or Cashier of another table does not."""
    return deny(OF_TABLE, caller, table) is None


def _first_to_recall(service: ServerContext, caller: Caller, last: int) -> int:
    return max(1, last - service.settings.terminal_rounds + 1) if isinstance(caller, TerminalCaller) else 1


@routes.get("/api/tickets/{ticket}/qr.svg", access=TERMINAL_OR_STAFF, media=SVG)
async def code_of_ticket(asking: Request[TicketPath]) -> Response[bytes]:
    """A ticket's number as a QR code; whether there is such a ticket is not looked up."""
    return Response(draw_ticket(asking.path.ticket).encode())
