"""Tables over HTTP: what everybody sees, what a seat sees, the past, and requests as ``roundhouse deal`` takes them."""

import asyncio
from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.journal.entry import Answer
from roundhouse.proof.story import Story
from roundhouse.rules.names import StaffPosition
from roundhouse.server.aside import WantCapsule
from roundhouse.server.callers import AtTerminal, Caller, Nobody, Staff
from roundhouse.server.floor import OpenTable
from roundhouse.server.http import recalling
from roundhouse.server.http.asking import Asking, Turned
from roundhouse.server.http.declaring import JSON, Gives, Method, Reply, Route
from roundhouse.server.http.office import from_journal
from roundhouse.server.http.refusing import problem_of, problem_of_table
from roundhouse.server.http.who import ANYBODY, ASKS_TABLE, AT_TABLE, OF_TABLE, turned_away
from roundhouse.server.putting import put
from roundhouse.server.service import Service
from roundhouse.server.showing import public_table, seat_shown
from roundhouse.server.wire import tables as w
from roundhouse.server.wire.problems import STATUS, Problem
from roundhouse.server.wire.requests import AnyAsked, Asked
from roundhouse.table.commands import Show
from roundhouse.table.names import RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.showing import Shown

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
    count: Annotated[int, Meta(ge=1, le=recalling.MOST_ROUNDS)] = 20


async def tables(asking: Asking[None, None, None]) -> Reply:
    found = asking.service.floor.tables.values()
    return Reply(w.Tables(tuple(await asyncio.gather(*map(shown_to_all, found)))))


async def table(asking: Asking[OfTable, None, None]) -> Reply:
    return Reply(await shown_to_all(open_table(asking.service, asking.names.table)))


async def state(asking: Asking[OfTable, None, None]) -> Reply:
    return Reply((await _show(open_table(asking.service, asking.names.table))).state)


async def seat(asking: Asking[OfSeat, None, None]) -> Reply:
    found = open_table(asking.service, asking.names.table)
    caller = asking.caller
    if isinstance(caller, AtTerminal) and caller.terminal.seat != asking.names.seat:
        raise Turned(Problem.NOT_AUTHORISED, "this terminal is another seat")
    answer = await _show(found)
    assert answer.state is not None
    own = seat_shown(found, answer.state, asking.names.seat)
    if own is None:
        raise Turned(Problem.NO_SUCH_THING, "nobody has taken this seat")
    return Reply(own)


async def rounds(asking: Asking[OfTable, Which, None]) -> Reply:
    found, which = open_table(asking.service, asking.names.table), asking.query
    last = (await shown_to_all(found)).round
    caller = asking.caller
    first = _first_to_recall(asking.service, caller, last)
    own = caller.terminal.seat if isinstance(caller, AtTerminal) and caller.terminal.table == found.id else None
    history = await asking.service.slowly(
        recalling.history,
        asking.service.floor.journal,
        found.id,
        RoundNumber(min(last, which.before - 1) if which.before is not None else last),
        which.count,
        own,
        isinstance(caller, Staff) and sees_all_of(caller, found.id),
        RoundNumber(first),
    )
    return Reply(history)


async def recall(asking: Asking[OfRound, None, None]) -> Reply:
    found, number, caller = open_table(asking.service, asking.names.table), asking.names.round, asking.caller
    last = (await shown_to_all(found)).round
    if number < _first_to_recall(asking.service, caller, last):
        raise Turned(Problem.NO_SUCH_THING, "a terminal does not recall rounds so long ago; ask the pit")
    own = caller.terminal.seat if isinstance(caller, AtTerminal) else None
    service = asking.service
    story = None
    if number <= last:
        story = await service.slowly(
            recalling.recall, service.floor.journal, found.id, number, own, service.rulebooks_read
        )
    if story is None:
        raise Turned(Problem.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    return Reply(story)


async def capsule(asking: Asking[OfRound, None, None]) -> Reply:
    found, number = open_table(asking.service, asking.names.table), asking.names.round
    if number > (await shown_to_all(found)).round:
        raise Turned(Problem.NO_SUCH_THING, f"table '{found.id}' has no round {number}")
    name = f"{found.id}-{number}.capsule.json"
    wanted = WantCapsule(str(asking.service.floor.journal), found.id, number)
    return await from_journal(asking, wanted, headers=(("content-disposition", f'attachment; filename="{name}"'),))


async def ask_table(asking: Asking[OfTable, None, Asked]) -> Reply:
    found, caller = open_table(asking.service, asking.names.table), asking.caller
    assert not isinstance(caller, Nobody), "the declaration lets nobody in"
    if asking.body.__struct_config__.tag == "show" and (waits := asking.service.wait(asking.address, WHOLE, False)):
        raise Turned(Problem.TOO_MANY_REQUESTS, f"ask again in {int(waits) + 1} seconds", wait=int(waits) + 1)
    answer = await put(asking.service, found, caller, asking.body)
    if isinstance(answer, w.HouseAnswer):
        status = 202 if answer.proposal else STATUS[problem_of(answer.refusal)]
        unauthorised = status == STATUS[Problem.NOT_AUTHORISED]
        word = answer.refusal.value
    else:
        problem = problem_of_table(answer.refusal) if answer.refusal is not None else None
        status = STATUS[problem] if problem is not None else 200
        unauthorised, word = problem is Problem.NOT_AUTHORISED, str(answer.refusal)
    if unauthorised:
        await asking.service.note_refusal(str(asking.body.__struct_config__.tag), word, caller, asking.address)
    return Reply(answer, status)


def open_table(service: Service, id: TableId) -> OpenTable:
    if (found := service.floor.tables.get(id)) is None:
        raise Turned(Problem.NO_SUCH_THING, f"there is no table '{id}'")
    return found


async def _show(table: OpenTable) -> Answer:
    """Asked of the table itself, so that only what is durable is shown."""
    answer = await table.ask(Show(id=RequestId("http"), by=StaffPosition.PLAYER))
    if answer.state is None:
        raise Turned(Problem.JOURNAL_UNAVAILABLE, "the table cannot be read now")
    return answer


async def shown_to_all(table: OpenTable) -> w.PublicTable:
    return public_table(table, await _show(table))


def sees_all_of(caller: Staff, table: TableId) -> bool:
    """Staff of a table see the money of all its seats; a Dealer or Cashier of another table does not."""
    return turned_away(OF_TABLE, caller, table) is None


def _first_to_recall(service: Service, caller: Caller, last: int) -> int:
    return max(1, last - service.settings.terminal_rounds + 1) if isinstance(caller, AtTerminal) else 1


def _get(path: str, handler: Any, about: str, who: Any, gives: Any, names: Any = OfTable, **more: Any) -> Route:
    problems = (Problem.NO_SUCH_THING, *more.pop("problems", ()))
    return Route(Method.GET, path, handler, about, who, (gives,), names=names, problems=problems, tag="tables", **more)


_TABLE = "/api/tables/{table}"
_ROUND = "/api/tables/{table}/rounds/{round}"

ROUTES = (
    Route(
        Method.GET,
        "/api/tables",
        tables,
        "Every table as everybody sees it.",
        ANYBODY,
        (Gives(w.Tables),),
        cost=WHOLE,
        tag="tables",
    ),
    _get(_TABLE, table, "A table as everybody sees it.", ANYBODY, Gives(w.PublicTable), cost=WHOLE),
    _get(f"{_TABLE}/state", state, "All of a table: seats, accounts, meters.", OF_TABLE, Gives(Shown), cost=WHOLE),
    _get(
        f"{_TABLE}/seats/{{seat}}",
        seat,
        "A seat's own credits and bets.",
        AT_TABLE,
        Gives(w.SeatShown),
        OfSeat,
        cost=WHOLE,
    ),
    _get(
        f"{_TABLE}/rounds",
        rounds,
        "Past rounds, the last one first, with the money of those whom one may see.",
        ANYBODY,
        Gives(w.History),
        query=Which,
        cost=WHOLE,
    ),
    _get(
        _ROUND, recall, "What happened in a round and why, clause by clause.", AT_TABLE, Gives(Story), OfRound, cost=10
    ),
    _get(
        f"{_ROUND}/capsule",
        capsule,
        "The round in one file, which 'roundhouse verify' checks without the journal.",
        OF_TABLE,
        Gives(None, media=JSON, about="A capsule."),
        OfRound,
        problems=(Problem.DOES_NOT_VERIFY,),
        cost=40,
    ),
    Route(
        Method.POST,
        f"{_TABLE}/requests",
        ask_table,
        "A request as 'roundhouse deal' takes it; in which position is known from who asks.",
        ASKS_TABLE,
        (
            Gives(Answer, about="The table's answer: durable."),
            Gives(w.HouseAnswer, 202, about="A second person must approve it."),
            Gives((Answer, w.HouseAnswer), 409, about="The table's answer: refused."),
            Gives((Answer, w.HouseAnswer), 403, about="Not for this position."),
            Gives(w.HouseAnswer, 401, about="Not logged in any more."),
            Gives(w.HouseAnswer, 404, about="The house has no such thing."),
            Gives(Answer, 400, about="Not understood."),
            Gives(Answer, 503, about="Nothing has happened."),
        ),
        takes=AnyAsked,
        names=OfTable,
        problems=(Problem.NO_SUCH_THING,),
        tag="tables",
    ),
)
