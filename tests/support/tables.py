"""Playing at a real table: requests as lines of JSON, a real store on disk, a clock that steps.

After every request the money is added up again from the postings of the events that were answered, and a
refusal is held to have changed nothing. Nothing here knows what the table ought to answer.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, decode
from roundhouse.journal.seal import key_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table.apply import apply
from roundhouse.table.events import AnyEvent
from roundhouse.table.ledger import balances, imbalance, postings
from roundhouse.table.names import RoundNumber, TableId
from roundhouse.table.state import RoundRecord, Table, TableState
from roundhouse.wire.requests import decode_command
from tests.support.clauses import shows
from tests.support.clocks import START
from tests.support.writers import open_writer

shelf = cache(rulebooks.find_with_content)

Json = dict[str, Any]
"""A request or an answer, as JSON has it."""

WHO = {
    "dealer": "take_over hand_back open_table close_table open_bets close_bets start_spin observe_spin ball_at_rest"
    " register_result confirm_result declare call_no_spin refer",
    "player": "take_seat place_bets place_package withdraw_bets undo clear repeat double cash_out redeem_ticket",
    "cashier": "buy_credits",
    "pit_supervisor": "correct_result",
    "shift_manager": "decide resume_table show",
}
USUALLY = {word: position for position, words in WHO.items() for word in words.split()}
"""By whom a request comes when a test does not say."""

TERMINALS = {
    "rws-double-zero": "rapid-a",
    "rws-triple-zero": "rapid-a",
    "mbs-sands": "table",
    "mbs-electronic-double-zero": "racetrack",
    "rws-money-wheel": "table",
}
GAMES = tuple(TERMINALS)
SPUN_FIRST = ("mbs-sands",)
"""Where bets close while the ball is rotating."""


def decoded(answer: Answer) -> Json:
    said: Json = json.loads(msgspec.json.encode(answer))
    return said


def chips(bets: dict[str, int]) -> list[Json]:
    return [{"position": position, "cents": cents} for position, cents in bets.items()]


class Play:
    """One table in front of a test."""

    def __init__(self, path: Path, game: str, table: str = "t1", *, beside: "Play | None" = None) -> None:
        self.path, self.name, self.id = path, game, TableId(table)
        self.game, self._content = shelf(game)
        self.clock: SteppingClock = beside.clock if beside else SteppingClock(START)
        self.store: SqliteStore = beside.store if beside else SqliteStore(path)
        self._counter = count(1)
        self.events: list[Json] = []
        """All that happened, as it was answered."""
        self._posted: dict[str, int] = {}
        self.writer = self._writer()

    def _writer(self) -> TableWriter:
        return open_writer(self.store, self.id, self.game, self._content, key=key_of(self.path), clock=self.clock)

    def reopen(self) -> list[Json]:
        """Pull the plug, and what recovery did when the table was opened again."""
        self.store.close()
        self.store = SqliteStore(self.path)
        return self.resume()

    def resume(self) -> list[Json]:
        """A new writer, on the store as it is."""
        self.writer = self._writer()
        recovered: list[Json] = [msgspec.to_builtins(event, str_keys=True) for event in self.writer.recovered]
        self._take(recovered)
        self.audit()
        return recovered

    def request(self, do: str, by: str = "", **fields: Any) -> Json:
        if isinstance(fields.get("bets"), dict):
            fields["bets"] = chips(fields["bets"])
        return {"id": f"r{next(self._counter)}", "by": by or USUALLY[do], "do": do, **fields}

    def send(self, *requests: Json) -> list[Json]:
        """A batch of requests, as they are, and its answers."""
        understood = [decode_command(json.dumps(request).encode()) for request in requests]
        before = self.remembered()
        answered = iter(self.writer.handle([request for request in understood if not isinstance(request, Answer)]))
        answers = [decoded(line if isinstance(line, Answer) else next(answered)) for line in understood]
        fresh = [answer for answer in answers if (answer.get("version") or 0) > before["version"]]
        for answer in {answer["id"]: answer for answer in fresh}.values():
            self._take(answer.get("events") or [])
        stopped_by_a_bug = self.phase == "stopped" != before["phase"]
        if not stopped_by_a_bug and not any(answer["ok"] or answer.get("events") for answer in answers):
            self.unchanged(before)
        self.audit()
        return answers

    def _take(self, events: list[Json]) -> None:
        self.events += events
        for event in events:
            moved = postings(msgspec.convert(event, AnyEvent, strict=False, str_keys=True))
            assert sum(posting.cents for posting in moved) == 0, event
            for account, cents in moved:
                self._posted[account] = self._posted.get(account, 0) + cents

    def do(self, do: str, by: str = "", **fields: Any) -> Json:
        return self.send(self.request(do, by, **fields))[0]

    def ok(self, do: str, by: str = "", **fields: Any) -> list[Json]:
        """The events of a request that must be accepted."""
        answer = self.do(do, by, **fields)
        assert answer["ok"], (do, answer)
        events: list[Json] = answer["events"]
        return events

    def refused(self, do: str, by: str = "", **fields: Any) -> tuple[str, str | None]:
        """Refusal and clause of a request that must be refused; whatever the record says, no money has moved."""
        before = self.remembered()
        answer = self.do(do, by, **fields)
        assert not answer["ok"], (do, answer)
        self.unchanged(before, but=("late_bets",) if answer.get("events") else ())
        return answer["refusal"], answer.get("clause")

    def script(self, *lines: tuple[str, Json]) -> None:
        """Many requests in one batch, all of which must be accepted."""
        answers = self.send(*[self.request(do, fields.pop("by", ""), **fields) for do, fields in lines])
        assert all(answer["ok"] for answer in answers), [answer for answer in answers if not answer["ok"]]

    def remembered(self) -> Json:
        memory: Json = json.loads(msgspec.json.encode(self.writer.table.state))
        return {"version": self.writer.version} | memory

    def unchanged(self, before: Json, but: tuple[str, ...] = ()) -> None:
        assert _quiet(before, but) == _quiet(self.remembered(), but)

    def audit(self) -> None:
        """Every account as the postings have it; nothing below zero; the table's own identity."""
        memory = self.writer.table.state
        if memory.phase == "stopped":
            return
        held = {account: cents for account, cents in balances(memory).items() if cents}
        assert held == {account: cents for account, cents in self._posted.items() if cents}
        assert sum(held.values()) == 0
        assert imbalance(memory) is None
        assert all(seat.credits >= 0 for seat in memory.seats.values())

    @property
    def phase(self) -> str:
        return self.writer.table.state.phase

    @property
    def number(self) -> int:
        return self.writer.table.state.round

    @property
    def state(self) -> Json:
        state: Json = self.do("show")["state"]
        return state

    def credits(self, *seats: str) -> list[int]:
        state = self.state
        return [state["seats"][seat]["credits"] for seat in seats]

    # A round, step by step.

    def open(self, *seats: str, credits: int = 100_000, **limits: Any) -> "Play":
        """An open table, with seats that have bought credits."""
        self.script(
            ("open_table", {"limits": limits} if limits else {}),
            *[line for seat in seats for line in self._sits_down(seat, credits)],
        )
        return self

    def _sits_down(self, seat: str, credits: int) -> Iterator[tuple[str, Json]]:
        yield "take_seat", {"seat": seat, "terminal": TERMINALS.get(self.name, "table")}
        yield "buy_credits", {"seat": seat, "cents": credits}

    def bet(self, **slips: dict[str, int]) -> "Play":
        """Bets opened and placed."""
        self.script(("open_bets", {}), *[("place_bets", {"seat": s, "bets": bets}) for s, bets in slips.items()])
        return self

    def spin(self) -> "Play":
        """Bets closed and the ball rotating, in the order of this game."""
        first, then = ("start_spin", "close_bets") if self.name in SPUN_FIRST else ("close_bets", "start_spin")
        self.script((first, {}), (then, {}))
        return self

    def rest(self, outcome: str, registered: str | None = None) -> "Play":
        self.script(("ball_at_rest", {"outcome": outcome}), ("register_result", {"outcome": registered or outcome}))
        return self

    def round(self, outcome: str, **slips: dict[str, int]) -> int:
        """A whole round, and its number."""
        self.bet(**slips).spin().rest(outcome).ok("confirm_result")
        return self.number

    @contextmanager
    def same_money(self) -> Iterator[None]:
        """Nothing that happens inside changes what any account holds."""
        before = self.state["accounts"]
        yield
        assert self.state["accounts"] == before


Tables = Callable[[str], Play]
"""Makes a table of the game with this name."""


def _quiet(side: Json, but: tuple[str, ...]) -> Json:
    """A memory without what a mere record of a request changes."""
    meters = {name: cents for name, cents in side["meters"].items() if name not in but}
    return {**{key: value for key, value in side.items() if key not in ("version", "at")}, "meters": meters}


def kinds(events: list[Json]) -> list[str]:
    return [event["event"].partition(".")[0] for event in events]


def the(kind: str, events: list[Json]) -> Json:
    """The one event of a kind."""
    [event] = [event for event in events if event["event"].startswith(kind + ".")]
    return event


STAFF = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")
EVERYBODY = ("player", "cashier", *STAFF)
BALL_GAMES = GAMES[:4]


def evens(game: str) -> str:
    """A bet that pays one to one."""
    return "symbol:1" if game == "rws-money-wheel" else "red"


def wins(game: str) -> str:
    """An outcome for which that bet wins."""
    return "1"


def loses(game: str) -> str:
    return "20" if game == "rws-money-wheel" else "2"


def each_game(clauses: dict[str, str] | None = None, *, of: tuple[str, ...] = GAMES) -> pytest.MarkDecorator:
    """Every game, or some, each with the clauses of its own document that the test shows."""
    only = of if clauses is None else tuple(game for game in of if game in clauses)
    return pytest.mark.parametrize(
        "game", [pytest.param(game, marks=shows(game, clauses or {}), id=game) for game in only]
    )


class Shelf:
    """Past rounds in memory, for replaying."""

    def __init__(self) -> None:
        self._rounds: dict[RoundNumber, RoundRecord] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._rounds.get(number)

    def keep(self, record: RoundRecord) -> None:
        self._rounds[record.number] = record


def replayed(play: Play) -> TableState:
    """The memory that the journal's events give, from the first one."""
    table = Table(play.game, TableState(), Shelf())
    for row in play.store.rows(play.id):
        entry = decode(row.body)
        for event in entry.events:
            apply(table, event, entry.facts.at)
    return table.state
