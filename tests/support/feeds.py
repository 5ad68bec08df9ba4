"""Clients that follow a table feed, and random requests and notices that change the table."""

from pathlib import Path
from random import Random
from typing import Any

import msgspec

from roundhouse import rulebooks
from roundhouse.client.view import Change, View
from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Notice, WheelReliability, WheelStatus
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.opening import feed_of
from roundhouse.floor.subscribers import SeatChange
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer
from roundhouse.journal.store import Store
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.rulebook import Spun
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId
from roundhouse.wheel.protocol import Code, GameNumber, State
from roundhouse.wire.messages import ChangeMessage, OwnChange, SnapshotMessage
from roundhouse.wire.tables import NumberedAnswer, TableFacts
from tests.support.memory_store import MemoryStore
from tests.support.writers import command, open_writer

T = TableId("t")
FACTS = TableFacts("House", "SGD", (), (), None)
SEATS = tuple(SeatId(seat) for seat in "abc")
LATE = SeatId("d")
"""A seat that is taken during the night."""
OWN_GAMES = ("single-zero", "big-six-54")
GAMES = (*rulebooks.SHIPPED, *(str(Path(__file__).parents[1] / "rulebooks" / f"{name}.toml") for name in OWN_GAMES))


def feed_of_writer(writer: TableWriter, store: Store) -> TableFeed:
    return feed_of(writer, store, writer.table.game, FACTS, "epoch", lambda: Millis(0))


class Follower:
    """A client of a feed. It loses some frames, and requests the missed changes when it notices a gap."""

    def __init__(self, feed: TableFeed, seat: SeatId | None, staff: bool, loss_rate: float, dice: Random) -> None:
        self.feed, self.seat, self.staff = feed, seat, staff
        self.view = View()
        self.asked: set[str] = set()
        self.frames = self.gaps = 0
        self.events: list[AnyEvent] = []
        """Events received for the follower's seat."""
        self.loss_rate, self._dice = loss_rate, dice
        self._held: SeatChange | None = None
        self._load_snapshot()
        feed.subscribers.join(self, seat, staff)

    def _load_snapshot(self) -> None:
        self.view.apply_snapshot(msgspec.json.decode(self.feed.snapshot(self.seat, self.staff), type=SnapshotMessage))

    def send(self, frame: str) -> None:
        self.frames += 1
        if self._dice.random() >= self.loss_rate:
            self._apply(self.view.apply_change(msgspec.json.decode(frame, type=ChangeMessage)))

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        if change.request not in self.asked:
            self.send(change.frame(public))
            return
        self._held = change
        if public is not None:
            self.send(f'{{"public":{public}}}')

    def feed_failed(self) -> None:
        raise AssertionError("the feed failed")

    def handle_answer(self, answer: Answer) -> None:
        """Apply an answer as a socket sends it, with the change that its request caused."""
        self.asked.discard(str(answer.id))
        held = self._held
        if held is None or held.request != answer.id:
            return
        self._held, own = None, held.own
        assert held.version == answer.version
        message = msgspec.json.encode(
            NumberedAnswer(
                answer.id, answer.ok, answer.version, answer.events, own=own.n, credits=own.credits, bets=own.bets,
                undoable=own.undoable, repeatable=own.repeatable, interrupted=own.interrupted,
            )
        )  # fmt: skip
        self._apply(self.view.apply_answer(msgspec.json.decode(message, type=NumberedAnswer)))

    def _apply(self, received: tuple[list[Change], bool]) -> None:
        changes, gap = received
        self.events += [event for change in changes if isinstance(change, OwnChange) for event in change.events]
        if gap:
            self.gaps += 1
            self.catch_up()

    def catch_up(self) -> None:
        view = self.view
        missed = self.feed.missed(self.seat, self.staff, view.epoch, view.public, view.own)
        if missed is None:
            self._load_snapshot()
        for frame in missed or ():
            gaps = self.gaps
            self._apply(view.apply_change(msgspec.json.decode(frame, type=ChangeMessage)))
            assert self.gaps == gaps, "the missed frames have a gap"


ANN, BEN = {"who": "ann"}, {"who": "ben"}
TWO = {"who": "ann", "second": "ben"}
SPUN = {"ball": "clockwise", "wheel": "anticlockwise"}
COLOURS = ("yellow", "orange", "pink")


IN_FORCE = Millis(1_800_000_000_000)
"""An instant at which all rulebooks of these tests are in force."""


class RandomRequests:
    """Random requests and notices for one table. Most of the requests are valid."""

    def __init__(self, game: Game, seed: int) -> None:
        self.dice = Random(seed)
        self.game, self.store = game, MemoryStore()
        self.writer = open_writer(self.store, T, game, clock=SteppingClock(IN_FORCE))
        self.count = 0
        self.terminal = next(iter(game.terminals))
        self.positions = [position.id for position in game.terminals[self.terminal].layout.positions]
        self.irregularities = list(game.rulebook.irregularities)
        self.ask("dealer", "open_table")
        for seat in SEATS:
            self.ask("player", "take_seat", seat=seat, terminal=self.terminal)
            self.ask("cashier", "buy_credits", seat=seat, cents=1_000_000)

    def command(self, by: str, do: str, **fields: object) -> AnyCommand:
        self.count += 1
        return command(f"r{self.count}", by, do, **fields)

    def ask(self, by: str, do: str, **fields: object) -> None:
        answer = self.writer.handle([self.command(by, do, **fields)])[0]
        assert answer.ok, answer

    def any(self) -> AnyCommand:
        dice, seat = self.dice, self.dice.choice(SEATS)
        if dice.random() < 0.1:
            seat = LATE
        outcome = dice.choice(self.game.wheel.pockets)
        round = max(1, self.writer.table.state.round - dice.randrange(4))
        read = self.writer.table.state.wheel_outcome or outcome
        spun = SPUN if self.game.wheel.spun is Spun.BALL else {}
        settle = {"round": round, "ruling": "settle"}
        bets = [{"position": dice.choice(self.positions), "cents": dice.choice([100, 150, 200, 500, 800])}]
        dealing: list[tuple[str, str, dict[str, Any]]] = [
            ("dealer", do, {}) for do in ("open_bets", "close_bets", "start_spin", "confirm_result") * 2
        ]
        choices: list[tuple[str, str, dict[str, Any]]] = [
            *dealing,
            *(("player", "place_bets", {"seat": seat, "bets": bets}) for _ in range(8)),
            *(("player", do, {"seat": seat}) for do in ("undo", "clear", "repeat", "double", "cash_out")),
            ("cashier", "buy_credits", {"seat": seat, "cents": 5000}),
            ("dealer", "ball_at_rest", {"outcome": outcome, **ANN}),
            ("pit_manager", "ball_at_rest", {"outcome": read, **BEN}),
            ("dealer", "amend_reading", {"outcome": read, **ANN}),
            (
                "dealer",
                "observe_spin",
                {**spun, "revolutions": 7, **ANN},
            ),
            ("dealer", "observe_spin", {"revolutions": dice.choice([None, 2]), **ANN}),
            *(("dealer", "register_result", {"outcome": read}) for _ in range(3)),
            ("pit_manager", "declare", {"irregularity": dice.choice(self.irregularities), "seats": [seat], **TWO}),
            ("pit_manager", "declare", {"irregularity": "terminals_interrupted", "seats": [seat]}),
            ("dealer", "call_no_spin", {"reason": "a coin", **TWO}),
            ("pit_manager", "correct_result", {"round": round, "outcome": read, **TWO}),
            ("dealer", "refer", {"round": round, "question": "?"}),
            ("shift_manager", "decide", {"round": round, "ruling": "void", "reason": "because", **TWO}),
            ("shift_manager", "decide", {"round": round, "ruling": "void", "seat": seat, "reason": "because", **TWO}),
            *(("shift_manager", "decide", {"round": round, "ruling": "stand", "reason": "because"}) for _ in range(2)),
            ("shift_manager", "decide", {**settle, "outcome": outcome, "reason": "because", **TWO}),
            ("shift_manager", "resume_table", {"reason": "found", **TWO}),
            ("dealer", "issue_colour", {"seat": seat, "colour": dice.choice(COLOURS), "value_cents": 50}),
            ("dealer", "redeem_colour", {"seat": seat}),
            ("player", "take_seat", {"seat": LATE, "terminal": self.terminal}),
            ("player", "withdraw_bets", {"seat": seat, "bets": bets}),
            *(("dealer", "hand_back", {}) for _ in range(4)),
            ("dealer", "take_over", {"reason": "I will"}),
            ("dealer", "close_table", {"last_rounds": 3}),
            ("dealer", "open_table", {}),
        ]
        by, do, fields = dice.choice(choices)
        return self.command(by, do, **fields)

    def notice(self) -> Notice:
        dice = self.dice
        state = dice.choice(list(State))
        # Sometimes the previous round, or one that is not open yet.
        round = RoundNumber(self.writer.table.state.round + dice.choice([-1, 0, 0, 0, 1]))
        choices: list[Notice] = [
            BetsCloseAt(round, dice.random() * 20, None),
            DealerWaiting(dice.choice(["the ball", ""])),
            WheelStatus(state, GameNumber("1"), Code("17"), (), Direction.CLOCKWISE, 150),
            WheelReliability(dice.choice([True, False]), True, dice.choice(["", "no answer"])),
        ]
        return dice.choice(choices)
