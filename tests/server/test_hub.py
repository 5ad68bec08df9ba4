"""The hub: whoever follows it is always where its snapshot is, and hears of nothing that is not durable."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.client.view import Change, View
from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Notice, WheelReliability, WheelStatus
from roundhouse.floor.audience import seat_event
from roundhouse.floor.clock import SteppingClock
from roundhouse.floor.feed import OWN_KEPT, PUBLIC_KEPT, TableFeed
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.seal import Key
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.view import view_of
from roundhouse.wheel.protocol import Code, GameNumber, State
from roundhouse.wire.messages import ChangeMessage, OwnChange, SnapshotMessage
from roundhouse.wire.requests import decode_command
from roundhouse.wire.tables import NumberedAnswer, TableFacts
from tests.floor.held_store import House, buy
from tests.journal.memory_store import MemoryStore

T = TableId("t")
FACTS = TableFacts("House", "SGD", (), (), None)
SEATS = tuple(SeatId(seat) for seat in "abc")
OWN_GAMES = ("single-zero", "big-six-54")
GAMES = (*rulebooks.SHIPPED, *(str(Path(__file__).parents[1] / "rulebooks" / f"{name}.toml") for name in OWN_GAMES))


class Follower:
    """A client's view of a hub. Some frames never reach it; when it notices it asks for what it missed."""

    def __init__(self, hub: TableFeed, seat: SeatId | None, staff: bool, loses: float, dice: Random) -> None:
        self.hub, self.seat, self.staff = hub, seat, staff
        self.view = View()
        self.asked: set[str] = set()
        self.frames = self.gaps = 0
        self.events: list[AnyEvent] = []
        """Of its own seat, as they were told."""
        self._loses, self._dice = loses, dice
        self._show()
        hub.rooms.join(self, seat, staff)

    def _show(self) -> None:
        self.view.shown(msgspec.json.decode(self.hub.snapshot(self.seat, self.staff), type=SnapshotMessage))

    def hear(self, frame: str) -> None:
        self.frames += 1
        if self._dice.random() >= self._loses:
            self._take(self.view.changed(msgspec.json.decode(frame, type=ChangeMessage)))

    def awaits(self, request: RequestId) -> bool:
        return request in self.asked

    def lost(self) -> None:
        raise AssertionError("a bug of ours")

    def answered(self, answer: Answer) -> None:
        """As a socket does it: the answer carries the change where the hub says so."""
        change = self.hub.numbered(RequestId(str(answer.id)), self)
        self.asked.discard(str(answer.id))
        if change is not None:
            said = msgspec.json.encode(
                NumberedAnswer(
                    answer.id, answer.ok, answer.version, answer.events, own=change.n, credits=change.credits,
                    bets=change.bets,
                )
            )  # fmt: skip
            self._take(self.view.answered(msgspec.json.decode(said, type=NumberedAnswer)))

    def _take(self, heard: tuple[list[Change], bool]) -> None:
        news, gap = heard
        self.events += [event for change in news if isinstance(change, OwnChange) for event in change.events]
        if gap:
            self.gaps += 1
            self.catch_up()

    def catch_up(self) -> None:
        view = self.view
        missed = self.hub.missed(self.seat, self.staff, view.epoch, view.public, view.own)
        if missed is None:
            self._show()
        for frame in missed or ():
            gaps = self.gaps
            self._take(view.changed(msgspec.json.decode(frame, type=ChangeMessage)))
            assert self.gaps == gaps, "what was missed has no gap"


def writer_of(game: Game) -> TableWriter:
    store = MemoryStore()
    store.add_table(T, game.hash)
    return TableWriter(store, T, game, Key(bytes(32)), SteppingClock(Millis(1_700_000_000_000)))


class Night:
    """Requests by chance, most of them sensible, in batches of any size."""

    def __init__(self, game: Game, seed: int) -> None:
        self.dice = Random(seed)
        self.game, self.keeper = game, writer_of(game)
        self.count = 0
        self.terminal = next(iter(game.terminals))
        self.positions = [position.id for position in game.terminals[self.terminal].layout.positions]
        self.irregularities = list(game.rulebook.irregularities)
        self.ask("dealer", "open_table")
        for seat in SEATS:
            self.ask("player", "take_seat", seat=seat, terminal=self.terminal)
            self.ask("cashier", "buy_credits", seat=seat, cents=1_000_000)

    def command(self, by: str, do: str, **fields: object) -> Any:
        self.count += 1
        return decode_command(msgspec.json.encode({"id": f"r{self.count}", "by": by, "do": do, **fields}))

    def ask(self, by: str, do: str, **fields: object) -> None:
        assert self.keeper.handle([self.command(by, do, **fields)])[0].ok

    def any(self) -> Any:
        dice, seat = self.dice, self.dice.choice(SEATS)
        outcome = dice.choice(self.game.wheel.pockets)
        round = max(1, self.keeper.table.state.round - dice.randrange(4))
        bets = [{"position": dice.choice(self.positions), "cents": dice.randrange(100, 900)}]
        dealing: list[tuple[str, str, dict[str, Any]]] = [
            ("dealer", do, {}) for do in ("open_bets", "close_bets", "start_spin", "confirm_result") * 2
        ]
        choices: list[tuple[str, str, dict[str, Any]]] = [
            *dealing,
            *(("player", "place_bets", {"seat": seat, "bets": bets}) for _ in range(8)),
            *(("player", do, {"seat": seat}) for do in ("undo", "clear", "repeat", "double", "cash_out")),
            ("cashier", "buy_credits", {"seat": seat, "cents": 5000}),
            ("dealer", "ball_at_rest", {"outcome": outcome}),
            ("dealer", "register_result", {"outcome": self.keeper.table.state.wheel_outcome or outcome}),
            ("pit_manager", "declare", {"irregularity": dice.choice(self.irregularities)}),
            ("dealer", "call_no_spin", {}),
            ("pit_manager", "correct_result", {"round": round, "outcome": outcome}),
            ("dealer", "refer", {"round": round, "question": "?"}),
            ("shift_manager", "decide", {"round": round, "ruling": "void", "reason": "because"}),
            ("shift_manager", "decide", {"round": round, "ruling": "stand", "reason": "because"}),
            ("dealer", "hand_back", {}),
            ("dealer", "take_over", {"reason": "I will"}),
            ("dealer", "close_table", {"last_rounds": 3}),
            ("dealer", "open_table", {}),
        ]
        by, do, fields = dice.choice(choices)
        return self.command(by, do, **fields)

    def news(self) -> Notice:
        dice = self.dice
        state = dice.choice(list(State))
        choices: list[Notice] = [
            BetsCloseAt(RoundNumber(1), dice.random() * 20, None),
            DealerWaiting(dice.choice(["the ball", ""])),
            WheelStatus(state, GameNumber("1"), Code("17"), (), Direction.CLOCKWISE, 150),
            WheelReliability(dice.choice([True, False]), True, dice.choice(["", "no answer"])),
        ]
        return dice.choice(choices)


@pytest.mark.parametrize("name", GAMES, ids=lambda name: Path(name).stem)
def test_whoever_follows_is_where_the_snapshot_is(name: str) -> None:
    asyncio.run(_follow(name))


async def _follow(name: str) -> None:
    night = Night(rulebooks.find(name), seed=5)
    dice, keeper = night.dice, night.keeper
    hub = TableFeed(keeper, FACTS, "epoch", lambda: Millis(0))
    happened: list[AnyEvent] = []

    def landed(entries: Sequence[Entry]) -> None:
        happened.extend(event for entry in entries for event in entry.events)
        hub.landed(entries)

    keeper.on_committed = landed
    losing = [(seat, False, loses) for seat in (*SEATS, None) for loses in (0.0, 0.3)]
    followers = [Follower(hub, seat, staff, loses, dice) for seat, staff, loses in (*losing, (None, True, 0.2))]
    for _ in range(400):
        batch = [night.any() for _ in range(dice.choice([1, 1, 1, 2, 5]))]
        asking: dict[str | None, Follower] = {}
        for command in batch:
            # A terminal asks for its own seat; some ask by another way, and are told like everybody.
            at = [one for one in followers if one.seat is not None and one.seat == getattr(command, "seat", "")]
            if at and dice.random() < 0.8:
                asking[command.id] = dice.choice(at)
                asking[command.id].asked.add(command.id)
        for answer in keeper.handle(batch):
            if answer.id in asking:
                asking[answer.id].answered(answer)
        if dice.random() < 0.1:
            hub.heard(night.news())
        assert hub.standing.whole() == view_of(keeper.table), "what is durable is all there is, here"
    for follower in followers:
        follower.catch_up()
        whole = msgspec.json.decode(hub.snapshot(follower.seat, follower.staff), type=SnapshotMessage)
        view, own = follower.view, whole.snapshot.own
        assert (view.public, view.own) == (whole.public, whole.own)
        # The version counts all entries; what is nobody's business is no public change.
        assert view.table is not None
        assert msgspec.structs.replace(view.table, version=whole.snapshot.table.version) == whole.snapshot.table
        if own is not None and follower.seat is not None:
            assert (view.credits, view.bets) == (own.credits, own.bets)
            # Whoever missed nothing for good has heard all that happened to his seat, once, in its order.
            parts = [part for event in happened if (part := seat_event(event, follower.seat)) is not None]
            assert follower.events == parts
    assert keeper.table.state.round > 5
    assert all(follower.gaps for follower in followers if follower._loses)
    assert not any(follower.gaps for follower in followers if not follower._loses)


def test_whoever_missed_too_much_is_shown_the_whole() -> None:
    night = Night(rulebooks.find("rws-double-zero"), seed=1)
    hub = TableFeed(night.keeper, FACTS, "epoch", lambda: Millis(0))
    night.keeper.on_committed = hub.landed
    for n in range(max(PUBLIC_KEPT, OWN_KEPT) + 1):
        night.ask("cashier", "buy_credits", seat=SEATS[0], cents=1)
        hub.heard(BetsCloseAt(RoundNumber(n), n * 10.0, None))
    last = hub.public.last
    assert hub.missed(None, False, "epoch", last - PUBLIC_KEPT, 0) is not None
    assert hub.missed(None, False, "epoch", last - PUBLIC_KEPT - 1, 0) is None
    own = hub.own(SEATS[0]).last
    frames = hub.missed(SEATS[0], False, "epoch", last, own - OWN_KEPT)
    assert frames is not None
    assert len(frames) == OWN_KEPT
    assert hub.missed(SEATS[0], False, "epoch", last, own - OWN_KEPT - 1) is None
    assert hub.missed(None, True, "epoch", last, 0) is None, "nobody of the staff was there to hear it"


def test_the_public_part_is_encoded_once_for_everybody() -> None:
    night = Night(rulebooks.find("rws-double-zero"), seed=1)
    hub = TableFeed(night.keeper, FACTS, "epoch", lambda: Millis(0))
    night.keeper.on_committed = hub.landed
    heard: list[str] = []

    class Ear:
        def hear(self, frame: str) -> None:
            heard.append(frame)

        def awaits(self, request: RequestId) -> bool:
            return False

        def lost(self) -> None:
            raise AssertionError("a bug of ours")

    for n in range(100):
        hub.rooms.join(Ear(), SeatId(f"nobody-{n}") if n % 2 else None, False)
    night.ask("dealer", "open_bets")
    assert len(heard) == 100
    assert len({id(frame) for frame in heard}) == 1


def test_nothing_is_published_before_it_is_durable(tmp_path: Path, games: dict[str, Game]) -> None:
    async def script() -> None:
        house = House(tmp_path / "j.db", games["rws-double-zero"])
        try:
            hub = TableFeed(house.one, FACTS, "epoch", lambda: Millis(0))
            house.one.on_committed = hub.landed
            seat = next(iter(house.one.table.state.seats))
            follower = Follower(hub, seat, False, 0.0, Random(0))
            staff = Follower(hub, None, True, 0.0, Random(0))
            writer = TableWriter(house.one)
            house.store.entered.clear()
            house.store.gate.clear()
            asked = asyncio.create_task(writer.ask(buy("x")))
            await asyncio.to_thread(house.store.entered.wait, 20)
            assert house.one.table.state.seats[seat].credits == 500, "the keeper is ahead"
            before = hub.snapshot(seat, False), hub.snapshot(None, True), hub.version
            assert b'"credits":0' in before[0].encode()
            assert '"credits":500' not in before[1]
            assert follower.frames == staff.frames == 0
            house.store.gate.set()
            assert (await asked).ok
            assert (follower.frames, follower.view.credits) == (1, 500)
            assert hub.version == before[2] + 1
            # A batch that the disk does not take is never told of.
            house.store.failures = 1
            assert not (await writer.ask(buy("y"))).ok
            assert (follower.frames, hub.version) == (1, before[2] + 1)
            assert '"credits":500' in hub.snapshot(seat, False)
        finally:
            house.close()

    asyncio.run(script())


def test_what_was_missed_is_told_as_it_was_then() -> None:
    night = Night(rulebooks.find("rws-double-zero"), seed=1)
    hub = TableFeed(night.keeper, FACTS, "epoch", lambda: Millis(0))
    night.keeper.on_committed = hub.landed
    night.ask("dealer", "open_bets")
    before = hub.own(SEATS[0]).last
    for _ in range(3):
        night.ask("player", "place_bets", seat=SEATS[0], bets=[{"position": "red", "cents": 100}])
    frames = hub.missed(SEATS[0], False, "epoch", hub.public.last, before)
    assert frames is not None
    assert [msgspec.json.decode(frame)["own"]["bets"]["red"] for frame in frames] == [100, 200, 300]
