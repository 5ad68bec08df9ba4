"""Plays at a real table: requests as JSON, a store on disk, and a clock that steps.

After every request the accounts are compared with the postings of the answered events, and a refusal must leave
the state unchanged. The expected answers are up to the tests.
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
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.table.apply import apply
from roundhouse.table.decision import HouseTerms
from roundhouse.table.events import AnyEvent
from roundhouse.table.ledger import balances, imbalance, postings
from roundhouse.table.limits import Limits
from roundhouse.table.names import PLAY_MONEY, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, Table, TableState
from roundhouse.wire.requests import decode_command
from tests.support.clauses import shows
from tests.support.clocks import START
from tests.support.writers import open_writer

find_rulebook = cache(rulebooks.find_with_content)

Json = dict[str, Any]
"""A request, an answer or an event as JSON."""
NOBODY = object()
"""Leaves a field out of a request, such as a person who is added by default."""

REQUESTS_BY_POSITION = {
    "dealer": "take_over hand_back open_table close_table open_bets close_bets start_spin observe_spin ball_at_rest"
    " amend_reading register_result confirm_result declare call_no_spin refer issue_colour redeem_colour"
    " reverse_purchase take_table hand_table count_float fill credit drop_removed question_display attend_call",
    "player": "take_seat place_bets place_package withdraw_bets undo clear repeat double cash_out redeem_ticket"
    " request_cash_out dispute set_protection take_break acknowledge_check call_attendant",
    "cashier": "buy_credits",
    "pit_supervisor": "correct_result pause_seat resume_seat",
    "pit_manager": "change_limits allow_enrolment",
    "shift_manager": "decide resume_table show close_dispute",
}
DEFAULT_POSITION = {do: position for position, all in REQUESTS_BY_POSITION.items() for do in all.split()}
"""Default sender of each request."""
TWO = {"who": "ann", "second": "ben"}
"""Two different persons."""
DEFAULT_FIELDS: dict[str, Json] = {
    **dict.fromkeys(("allow_enrolment", "correct_result", "decide", "declare", "resume_table", "close_dispute"), TWO),
    **dict.fromkeys(("count_float", "fill", "credit", "drop_removed"), TWO),
    "take_table": {"who": "ann"},
    "hand_table": {"who": "ann"},
    "call_no_spin": {**TWO, "reason": "the ball was struck"},
}
"""Fields of requests for which a test gives no person. A test that names a person gives all persons itself."""
SPUN = {"revolutions": 14, "ball": "clockwise", "wheel": "anticlockwise"}
"""A valid spin."""

TERMINALS = {
    "rws-double-zero": "rapid-a",
    "rws-triple-zero": "rapid-a",
    "mbs-sands": "table",
    "mbs-electronic-double-zero": "racetrack",
    "rws-money-wheel": "table",
}
GAMES = tuple(TERMINALS)
SPUN_FIRST = ("mbs-sands",)
"""Games in which bets close while the ball is rotating."""
PLAY_TERMS = HouseTerms(Limits(), (Cents(10), Cents(50), Cents(100), Cents(500)), PLAY_MONEY)
"""Terms of a table of play money with wide limits and small chips."""


def decoded(answer: Answer) -> Json:
    found: Json = json.loads(msgspec.json.encode(answer))
    return found


def chips(bets: dict[str, int]) -> list[Json]:
    return [{"position": position, "cents": cents} for position, cents in bets.items()]


class Play:
    """One table on a store. If ``beside`` is given, the table shares the store and the clock of that table."""

    def __init__(self, path: Path, game: str, table: str = "t1", *, beside: "Play | None" = None) -> None:
        self.path, self.name, self.id = path, game, TableId(table)
        self.game, self._content = find_rulebook(game)
        self.clock: SteppingClock = beside.clock if beside else SteppingClock(START)
        self.store: SqliteStore = beside.store if beside else SqliteStore(path)
        self._counter = count(1)
        self.events: list[Json] = []
        """All events in the answers and all events of recoveries."""
        self._posted: dict[str, int] = {}
        self.terms = PLAY_TERMS
        self.writer = self._writer()

    def _writer(self) -> TableWriter:
        return open_writer(
            self.store, self.id, self.game, self._content, key=key_of(self.path), clock=self.clock, terms=self.terms
        )

    def by_first_procedure(self) -> "Play":
        """Let the table open as earlier versions did, which knew no terms of the house."""
        self.writer.facts.terms = None  # type: ignore[assignment]
        return self

    def reopen(self) -> list[Json]:
        """Close and reopen the store as after a power cut, and return the events of recovery."""
        self.store.close()
        self.store = SqliteStore(self.path)
        return self.resume()

    def resume(self) -> list[Json]:
        """Open a new writer on the open store, and return the events of recovery."""
        self.writer = self._writer()
        recovered: list[Json] = [msgspec.to_builtins(event, str_keys=True) for event in self.writer.recovered]
        self._record(recovered)
        self.audit()
        return recovered

    def request(self, do: str, by: str = "", **fields: Any) -> Json:
        if isinstance(fields.get("bets"), dict):
            fields["bets"] = chips(fields["bets"])
        defaults = DEFAULT_FIELDS.get(do, {})
        if "who" in fields or "second" in fields:
            defaults = {name: value for name, value in defaults.items() if name not in TWO}
        sender = {"id": f"r{next(self._counter)}", "by": by or DEFAULT_POSITION[do], "do": do}
        return {name: value for name, value in {**sender, **defaults, **fields}.items() if value is not NOBODY}

    def spun(self, **changed: Any) -> Json:
        """Return the fields of a report of a valid spin in this game."""
        fields = {**SPUN, **changed}
        return {
            name: value
            for name, value in fields.items()
            if self.name in BALL_GAMES or name in ("revolutions", *changed)
        }

    def send(self, *requests: Json) -> list[Json]:
        """Handle requests as one batch, and return their answers."""
        understood = [decode_command(json.dumps(request).encode()) for request in requests]
        before = self.state_json()
        answered = iter(self.writer.handle([request for request in understood if not isinstance(request, Answer)]))
        answers = [decoded(line if isinstance(line, Answer) else next(answered)) for line in understood]
        fresh = [answer for answer in answers if (answer.get("version") or 0) > before["version"]]
        for answer in {answer["id"]: answer for answer in fresh}.values():
            self._record(answer.get("events") or [])
        stopped_now = self.phase == "stopped" != before["phase"]
        if not stopped_now and not any(answer["ok"] or answer.get("events") for answer in answers):
            self.unchanged(before)
        self.audit()
        return answers

    def _record(self, events: list[Json]) -> None:
        self.events += events
        for event in events:
            moved = postings(msgspec.convert(event, AnyEvent, strict=False, str_keys=True))
            assert sum(posting.cents for posting in moved) == 0, event
            for account, cents in moved:
                self._posted[account] = self._posted.get(account, 0) + cents

    def do(self, do: str, by: str = "", **fields: Any) -> Json:
        return self.send(self.request(do, by, **fields))[0]

    def ok(self, do: str, by: str = "", **fields: Any) -> list[Json]:
        """Send a request that must be accepted, and return its events."""
        answer = self.do(do, by, **fields)
        assert answer["ok"], (do, answer)
        events: list[Json] = answer["events"]
        return events

    def refused(self, do: str, by: str = "", **fields: Any) -> tuple[str, str | None]:
        """Send a request that must be refused and change no money, and return the refusal and its clause."""
        before = self.state_json()
        answer = self.do(do, by, **fields)
        assert not answer["ok"], (do, answer)
        self.unchanged(before, but=("late_bets",) if answer.get("events") else ())
        return answer["refusal"], answer.get("clause")

    def script(self, *lines: tuple[str, Json]) -> None:
        """Send requests in one batch. All must be accepted."""
        answers = self.send(*[self.request(do, fields.pop("by", ""), **fields) for do, fields in lines])
        assert all(answer["ok"] for answer in answers), [answer for answer in answers if not answer["ok"]]

    def state_json(self) -> Json:
        state: Json = json.loads(msgspec.json.encode(self.writer.table.state))
        return {"version": self.writer.version} | state

    def unchanged(self, before: Json, but: tuple[str, ...] = ()) -> None:
        assert _comparable(before, but) == _comparable(self.state_json(), but)

    def audit(self) -> None:
        """Check that the accounts equal the postings and sum to zero, and that no seat has negative credits."""
        state = self.writer.table.state
        if state.phase == "stopped":
            return
        actual = {account: cents for account, cents in balances(state).items() if cents}
        assert actual == {account: cents for account, cents in self._posted.items() if cents}
        assert sum(actual.values()) == 0
        assert imbalance(state) is None
        assert all(seat.credits >= 0 for seat in state.seats.values())

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
        """Open the table and seat players with credits."""
        self.script(
            ("open_table", {"limits": limits} if limits else {}),
            *[line for seat in seats for line in self._seat_requests(seat, credits)],
        )
        return self

    def _seat_requests(self, seat: str, credits: int) -> Iterator[tuple[str, Json]]:
        yield "take_seat", {"seat": seat, "terminal": TERMINALS.get(self.name, "table")}
        yield "buy_credits", {"seat": seat, "cents": credits}

    def bet(self, **slips: dict[str, int]) -> "Play":
        """Open bets and place these."""
        self.script(("open_bets", {}), *[("place_bets", {"seat": s, "bets": bets}) for s, bets in slips.items()])
        return self

    def spin(self) -> "Play":
        """Close bets and start the spin, in the order of the game."""
        first, then = ("start_spin", "close_bets") if self.name in SPUN_FIRST else ("close_bets", "start_spin")
        self.script((first, {}), (then, {}))
        return self

    def rest(self, outcome: str, registered: str | None = None) -> "Play":
        """Report a valid spin, unless it is reported already, and the outcome."""
        evidence = self.writer.table.state.evidence
        if not evidence or not evidence.reports:
            self.ok("observe_spin", **self.spun())
        self.script(("ball_at_rest", {"outcome": outcome}), ("register_result", {"outcome": registered or outcome}))
        return self

    def round(self, outcome: str, **slips: dict[str, int]) -> int:
        """Play a whole round and return its number."""
        self.bet(**slips).spin().rest(outcome).ok("confirm_result")
        return self.number

    @contextmanager
    def same_money(self) -> Iterator[None]:
        """Assert that the block does not change any account."""
        before = self.state["accounts"]
        yield
        assert self.state["accounts"] == before


Tables = Callable[[str], Play]
"""A function that creates a table of the game with the given name."""


def _comparable(state: Json, but: tuple[str, ...]) -> Json:
    """Return a state without the fields that a refused request may change."""
    meters = {name: cents for name, cents in state["meters"].items() if name not in but}
    return {**{key: value for key, value in state.items() if key not in ("version", "at")}, "meters": meters}


def kinds(events: list[Json]) -> list[str]:
    return [event["event"].partition(".")[0] for event in events]


def the(kind: str, events: list[Json]) -> Json:
    """Return the only event of a kind."""
    [event] = [event for event in events if event["event"].startswith(kind + ".")]
    return event


STAFF = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")
EVERYBODY = ("player", "cashier", *STAFF)
BALL_GAMES = GAMES[:4]


def evens(game: str) -> str:
    """Return a position that pays one to one."""
    return "symbol:1" if game == "rws-money-wheel" else "red"


def wins(game: str) -> str:
    """Return an outcome for which ``evens`` wins."""
    return "1"


def loses(game: str) -> str:
    return "20" if game == "rws-money-wheel" else "2"


def each_game(clauses: dict[str, str] | None = None, *, of: tuple[str, ...] = GAMES) -> pytest.MarkDecorator:
    """Run a test for every game, or those in ``of``, and mark the clauses that it covers for each."""
    only = of if clauses is None else tuple(game for game in of if game in clauses)
    return pytest.mark.parametrize(
        "game", [pytest.param(game, marks=shows(game, clauses or {}), id=game) for game in only]
    )


class RoundMemory:
    """An archive of past rounds in memory, for replays."""

    def __init__(self) -> None:
        self._rounds: dict[RoundNumber, RoundRecord] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._rounds.get(number)

    def keep(self, record: RoundRecord) -> None:
        self._rounds[record.number] = record

    def game(self, rulebook: str) -> Game | None:
        return None


def replayed(play: Play) -> TableState:
    """Derive the state from all events of the journal."""
    table = Table(play.game, TableState(), RoundMemory())
    for row in play.store.rows(play.id):
        entry = decode(row.body)
        for event in entry.events:
            apply(table, event, entry.facts.at)
    return table.state
