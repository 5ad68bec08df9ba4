"""Tables over HTTP: what everybody sees, what a seat sees, the past, and requests as ``roundhouse deal`` takes them.

Tickets on a screen: a number drawn as a code. Any number of the right form is drawn, and none is looked up.

So that whoever tries numbers here learns nothing; whether a ticket is worth something is asked of a table.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.audit.explain import RoundStory
from roundhouse.drawing.charts import draw_ticket
from roundhouse.floor.projection import TableProjection
from roundhouse.floor.table import TableAccess
from roundhouse.journal.entry import Answer
from roundhouse.server import history
from roundhouse.server.api.office import from_journal
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
from roundhouse.server.jobs import CapsuleJob
from roundhouse.server.requests import submit
from roundhouse.server.routing import (
    JSON,
    HttpRefusal,
    Method,
    Request,
    Response,
    Returns,
    Route,
    problem_of,
    problem_of_table,
)
from roundhouse.table.names import RoundNumber, SeatId, TableId, TicketNumber
from roundhouse.table.view import TableView
from roundhouse.wire import tables as w
from roundhouse.wire.problems import STATUS, ErrorCode
from roundhouse.wire.requests import AnyTableRequest, TableRequest

WHOLE = 10
"""What it costs to look at all of a table: with many seats as much as many bets, and the table does nothing else."""

Number = Annotated[RoundNumber, Meta(ge=1, le=2**53)]


class OfTable(Struct, frozen=True):
    table: TableId


class OfSeat(OfTable, frozen=True):
    seat: SeatId


class OfRound(OfTable, frozen=True):
    round: Number


class Which(Struct, frozen=True, forbid_unknown_fields=True):
    before: Number | None = None
    """Only rounds before this one."""
    count: Annotated[int, Meta(ge=1, le=history.MAX_ROUNDS)] = 20


async def tables(asking: Request[None, None, None]) -> Response:
    found = asking.service.floor.tables.values()
    return Response(w.Tables(tuple(shown(table).public_table() for table in found)))


async def table(asking: Request[OfTable, None, None]) -> Response:
    return Response(shown(open_table(asking.service, asking.path.table)).public_table())


async def state(asking: Request[OfTable, None, None]) -> Response:
    return Response(shown(open_table(asking.service, asking.path.table)).view())


async def seat(asking: Request[OfSeat, None, None]) -> Response:
    found = open_table(asking.service, asking.path.table)
    caller = asking.caller
    if isinstance(caller, TerminalCaller) and caller.terminal.seat != asking.path.seat:
        raise HttpRefusal(ErrorCode.NOT_AUTHORISED, "this terminal is another seat")
    own = shown(found).own_seat(asking.path.seat)
    if own is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, "nobody has taken this seat")
    return Response(own)


async def rounds(asking: Request[OfTable, Which, None]) -> Response:
    found, which = open_table(asking.service, asking.path.table), asking.query
    last = shown(found).state.round
    caller = asking.caller
    first = _first_to_recall(asking.service, caller, last)
    own = caller.terminal.seat if isinstance(caller, TerminalCaller) and caller.terminal.table == found.id else None
    found_rounds = await asking.service.run_in_thread(
        history.history,
        asking.service.floor.journal,
        found.id,
        RoundNumber(min(last, which.before - 1) if which.before is not None else last),
        which.count,
        own,
        isinstance(caller, StaffCaller) and sees_all_of(caller, found.id),
        RoundNumber(first),
    )
    return Response(found_rounds)


async def recall(asking: Request[OfRound, None, None]) -> Response:
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
    return Response(story)


async def capsule(asking: Request[OfRound, None, None]) -> Response:
    found, number = open_table(asking.service, asking.path.table), asking.path.round
    if number > shown(found).state.round:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    name = f"{found.id}-{number}.capsule.json"
    wanted = CapsuleJob(str(asking.service.floor.journal), found.id, number)
    return await from_journal(asking, wanted, headers=(("content-disposition", f'attachment; filename="{name}"'),))


async def ask_table(asking: Request[OfTable, None, TableRequest]) -> Response:
    found, caller = open_table(asking.service, asking.path.table), asking.caller
    assert not isinstance(caller, Anonymous), "the declaration lets nobody in"
    answer = await submit(asking.service, found, caller, asking.body)
    if isinstance(answer, w.HouseAnswer):
        status = 202 if answer.proposal else STATUS[problem_of(answer.refusal)]
        unauthorised = status == STATUS[ErrorCode.NOT_AUTHORISED]
        word = answer.refusal.value
    else:
        problem = problem_of_table(answer.refusal) if answer.refusal is not None else None
        status = STATUS[problem] if problem is not None else 200
        unauthorised, word = problem is ErrorCode.NOT_AUTHORISED, str(answer.refusal)
    if unauthorised:
        await asking.service.note_refusal(str(asking.body.__struct_config__.tag), word, caller, asking.address)
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


def _get(path: str, handler: Any, about: str, who: Any, gives: Any, names: Any = OfTable, **more: Any) -> Route:
    problems = (ErrorCode.NO_SUCH_THING, *more.pop("problems", ()))
    return Route(
        Method.GET, path, handler, about, who, (gives,), path_type=names, problems=problems, tag="tables", **more
    )


_TABLE = "/api/tables/{table}"
_ROUND = "/api/tables/{table}/rounds/{round}"

ROUTES = (
    Route(
        Method.GET,
        "/api/tables",
        tables,
        "Every table as everybody sees it.",
        ANYBODY,
        (Returns(w.Tables),),
        cost=WHOLE,
        tag="tables",
    ),
    _get(_TABLE, table, "A table as everybody sees it.", ANYBODY, Returns(w.PublicTable), cost=WHOLE),
    _get(
        f"{_TABLE}/state", state, "All of a table: seats, accounts, meters.", OF_TABLE, Returns(TableView), cost=WHOLE
    ),
    _get(
        f"{_TABLE}/seats/{{seat}}",
        seat,
        "A seat's own credits and bets.",
        AT_TABLE,
        Returns(w.OwnSeat),
        OfSeat,
        cost=WHOLE,
    ),
    _get(
        f"{_TABLE}/rounds",
        rounds,
        "Past rounds, the last one first, with the money of those whom one may see.",
        ANYBODY,
        Returns(w.History),
        query=Which,
        cost=WHOLE,
    ),
    _get(
        _ROUND,
        recall,
        "What happened in a round and why, clause by clause.",
        AT_TABLE,
        Returns(RoundStory),
        OfRound,
        cost=10,
    ),
    _get(
        f"{_ROUND}/capsule",
        capsule,
        "The round in one file, which 'roundhouse verify' checks without the journal.",
        OF_TABLE,
        Returns(None, media=JSON, about="A capsule."),
        OfRound,
        problems=(ErrorCode.DOES_NOT_VERIFY,),
        cost=40,
    ),
    Route(
        Method.POST,
        f"{_TABLE}/requests",
        ask_table,
        "A request as 'roundhouse deal' takes it; in which position is known from who asks.",
        ASKS_TABLE,
        (
            Returns(Answer, about="The table's answer: durable."),
            Returns(w.HouseAnswer, 202, about="A second person must approve it."),
            Returns((Answer, w.HouseAnswer), 409, about="The table's answer: refused."),
            Returns((Answer, w.HouseAnswer), 403, about="Not for this position."),
            Returns(w.HouseAnswer, 401, about="Not logged in any more."),
            Returns(w.HouseAnswer, 404, about="The house has no such thing."),
            Returns(Answer, 400, about="Not understood."),
            Returns(Answer, 503, about="Nothing has happened."),
        ),
        body=AnyTableRequest,
        path_type=OfTable,
        problems=(ErrorCode.NO_SUCH_THING,),
        tag="tables",
    ),
)


_SVG = "image/svg+xml"


class OfTicket(Struct, frozen=True):
    ticket: Annotated[TicketNumber, Meta(pattern="^[0-9]{20}$")]


async def code_of_ticket(asking: Request[OfTicket, None, None]) -> Response:
    return Response(draw_ticket(asking.path.ticket).encode(), media=_SVG)


TICKET_ROUTES = (
    Route(
        Method.GET,
        "/api/tickets/{ticket}/qr.svg",
        code_of_ticket,
        "A ticket's number as a QR code; whether there is such a ticket is not looked up.",
        TERMINAL_OR_STAFF,
        (Returns(None, media=_SVG),),
        path_type=OfTicket,
        tag="tables",
    ),
)
