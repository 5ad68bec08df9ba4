"""Random nights of disputes and decisions: the figures counted from events equal the meters of the table."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.explain import story_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.round_evidence import from_journal
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.entry import decode
from roundhouse.journal.seal import read_key
from roundhouse.office.export import Export
from roundhouse.office.figures import Figures, count, count_seats
from roundhouse.office.report import GroupBy, ReportQuery, report
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId
from tests.support.disputes import MANAGER, PIT
from tests.support.forgery import query
from tests.support.journals import ROULETTE, TWO_PERSONS, JournalHouse, seat, spin

OUTCOMES = ("1", "2", "17", "18", "0", "00")
POSITIONS = ("red", "black", "low", "high", "straight:17", "straight:0")
GAMES = {"rws-double-zero": "rapid-a", "mbs-electronic-double-zero": "racetrack", "mbs-sands": "table"}
NEW = (
    e.OutcomeRead,
    e.ReadingAmended,
    e.RoundsSkipped,
    e.TerminalsInterrupted,
    e.RoundReinstated,
    e.RoundCorrected,
    e.RoundReversed,
    e.SeatDecided,
    e.StakeReturned,
    e.InterruptionRecovered,
)


class Night:
    """A table at which people do whatever comes to their minds."""

    def __init__(self, path: Path, game: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.game = game
        self.house = JournalHouse(path)
        self.house.open(ROULETTE, game)
        self.house.do(ROULETTE, {"do": "open_table"})
        for name in ("a", "b"):
            self.house.do(ROULETTE, *seat(name, GAMES[game], 20_000))

    @property
    def state(self) -> Any:
        return self.house.writers[ROULETTE].table.state

    def ask(self, *requests: dict[str, Any]) -> None:
        for request in requests:
            self.house.ask(ROULETTE, request)

    def seat(self) -> str:
        return self.random.choice(("a", "b"))

    def bet(self) -> dict[str, Any]:
        chips = [{"position": self.random.choice(POSITIONS), "cents": 100 * self.random.randint(1, 9)}]
        return {"by": "player", "do": "place_bets", "seat": self.seat(), "bets": chips}

    def decision(self) -> dict[str, Any]:
        number = self.random.randint(max(1, self.state.round - 2), self.state.round + 1)
        asked = {"do": "decide", "round": number, "ruling": self.random.choice(("void", "settle", "settle", "stand"))}
        asked |= {"reason": "seen", "outcome": self.random.choice(OUTCOMES), **MANAGER}
        if asked["ruling"] != "settle":
            asked["outcome"] = None
        return asked | ({"seat": self.seat()} if self.random.random() < 0.5 else {})

    def act(self) -> None:
        """Do one or more acts, in an order that often ends a round."""
        draw, number, outcome = self.random.random(), self.state.round, self.random.choice(OUTCOMES)
        past = self.random.randint(1, max(1, number))
        if draw < 0.4:
            self.ask({"do": "open_bets"}, self.bet(), self.bet(), self.bet())
            acts = spin(outcome)
            order = [acts[1], acts[0], *acts[2:]] if self.game == "mbs-sands" else acts
            self.ask(*order[: self.random.randint(1, 12)])
        elif draw < 0.5:
            other = {"do": "ball_at_rest", "outcome": outcome, "by": "pit_supervisor", "who": "farid"}
            self.ask(other, {"do": "amend_reading", "outcome": outcome, "by": "dealer"})
            self.ask({"do": "correct_result", "round": number, "outcome": outcome, **PIT}, {"do": "confirm_result"})
        elif draw < 0.6:
            rounds = sorted({past, number, max(1, number - 1)})
            self.ask({"do": "declare", "irregularity": "ball_broke", "rounds": rounds, **PIT})
        elif draw < 0.7:
            self.ask({"do": "correct_result", "round": past, "outcome": outcome, **PIT})
        elif draw < 0.8:
            cut = {"do": "declare", "irregularity": "terminals_interrupted", "seats": [self.seat()]}
            self.ask({**cut, "by": "pit_supervisor"})
        elif draw < 0.83:
            self.interrupt(outcome)
        elif draw < 0.86:
            self.ask({"by": "cashier", "do": "cash_out", "seat": self.seat()})
            self.ask({"by": "cashier", "do": "buy_credits", "seat": self.seat(), "cents": 5_000})
        else:
            self.ask({"by": "pit_manager", "do": "refer", "round": past, "question": "What now?"})
            for _ in range(self.random.randint(1, 4)):
                self.ask(self.decision())

    def interrupt(self, outcome: str) -> None:
        """Restart the software without an orderly stop, and answer what the wheel shows."""
        self.house.close()
        again = JournalHouse(self.house.path, self.house.clock, self.house._requests)
        again.open(ROULETTE, self.game)
        self.house = again
        shows = {"do": "ball_at_rest", "outcome": outcome, "by": "dealer", **TWO_PERSONS}
        none = {"do": "declare", "irregularity": "interrupted_without_outcome", "by": "dealer", **TWO_PERSONS}
        self.ask(self.random.choice((shows, none)))


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Night]:
    """Nine nights, three of each game."""
    found = []
    for number, game in enumerate(list(GAMES) * 3):
        night = Night(tmp_path_factory.mktemp("night") / "house.db", game, number)
        for _ in range(120):
            night.act()
        night.house.close()
        found.append(night)
    return found


def test_the_nights_contain_every_new_kind_of_event(nights: list[Night]) -> None:
    seen: Counter[type[e.AnyEvent]] = Counter()
    for night in nights:
        for (body,) in query(night.house.path, "SELECT body FROM entries"):
            seen.update(map(type, decode(body).events))
    assert [kind.__name__ for kind in NEW if not seen[kind]] == []


def test_the_journal_of_each_night_verifies(nights: list[Night]) -> None:
    for night in nights:
        verify_journal(night.house.path, read_key(night.house.path))


def test_figures_counted_from_events_equal_the_meters(nights: list[Night]) -> None:
    for night in nights:
        state, total, seats = night.state, Figures(), dict[SeatId, Figures]()

        def figures_of(seat: SeatId, seats: dict[SeatId, Figures] = seats) -> Figures:
            return seats.setdefault(seat, Figures())

        for (body,) in query(night.house.path, "SELECT body FROM entries ORDER BY seq"):
            for event in decode(body).events:
                count(event, total)
                count_seats(event, figures_of)
        meters = msgspec.to_builtins(state.meters)
        counted = {name: getattr(total, name) for name in meters}
        assert counted == meters, night.game
        assert (total.win, total.shortfall) == (state.house, -state.shortfall)
        for id, own in state.seats.items():
            assert (seats[id].handle, seats[id].paid) == (own.handle, own.paid)
            assert seats[id].shortfall == own.shortfall


def test_reports_and_exported_meters_have_the_same_figures(nights: list[Night]) -> None:
    for night in nights:
        state = night.state
        (line,) = report(night.house.path, ReportQuery(GroupBy.TABLE)).lines
        assert (line.handle, line.paid, line.rounds) == (
            state.meters.handle,
            state.meters.paid,
            state.meters.rounds,
        )
        with Export(night.house.path) as journal:
            rows = {row.seat: row for row in journal.meters()}
        for id, own in state.seats.items():
            assert (rows[id].credits, rows[id].on_layout) == (own.credits, own.on_layout)
        assert rows[None].win == state.house


def test_every_story_computes_the_recorded_amounts(nights: list[Night]) -> None:
    for night in nights:
        file = JournalFile(night.house.path)
        for number in range(1, night.state.round + 1):
            told = story_of(from_journal(file, ROULETTE, RoundNumber(number)))
            assert [verdict.disagrees for verdict in told.verdicts if verdict.disagrees] == [], (night.game, number)
        file.close()
