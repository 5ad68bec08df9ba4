"""The feed of a table: subscribers reach the same state as a snapshot and receive only durable changes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting
from roundhouse.floor.audience import seat_event
from roundhouse.floor.batch import Rounds
from roundhouse.floor.feed import PUBLIC_BUFFER_SIZE, SEAT_BUFFER_SIZE
from roundhouse.floor.queue import TableQueue
from roundhouse.floor.subscribers import SeatChange
from roundhouse.journal.entry import Entry
from roundhouse.rules.game import Game
from roundhouse.rules.names import StaffPosition
from roundhouse.table.events import AnyEvent, CashedOut, TicketRedeemed
from roundhouse.table.names import RoundNumber, SeatId
from roundhouse.table.view import view_of
from roundhouse.wire.messages import SnapshotMessage
from tests.support.feeds import GAMES, SEATS, Follower, RandomRequests, feed_of_writer
from tests.support.two_tables import TwoTables, buy


@pytest.mark.parametrize("name", GAMES, ids=lambda name: Path(name).stem)
def test_a_follower_has_the_same_state_as_a_snapshot(name: str) -> None:
    asyncio.run(_follow(name))


async def _follow(name: str) -> None:
    night = RandomRequests(rulebooks.find(name), seed=5)
    dice, writer = night.dice, night.writer
    feed = feed_of_writer(writer, night.store)
    happened: list[AnyEvent] = []

    def record(entries: Sequence[Entry], rounds: Rounds) -> None:
        happened.extend(event for entry in entries for event in entry.events)
        feed.committed(entries, rounds)

    writer.on_committed = record
    losing = [(seat, False, loses) for seat in (*SEATS, None) for loses in (0.0, 0.3)]
    followers = [Follower(feed, seat, staff, loses, dice) for seat, staff, loses in (*losing, (None, True, 0.2))]
    for _ in range(800):
        batch = [night.any() for _ in range(dice.choice([1, 1, 1, 2, 5]))]
        requesters: dict[str | None, Follower] = {}
        for command in batch:
            # A terminal sends requests for its seat. Requests sent otherwise reach it as events only.
            seat = getattr(command, "seat", "") if command.by is StaffPosition.PLAYER else ""
            at_seat = [one for one in followers if one.seat is not None and one.seat == seat]
            if at_seat and dice.random() < 0.8:
                requesters[command.id] = dice.choice(at_seat)
                requesters[command.id].asked.add(command.id)
        for answer in writer.handle(batch):
            if answer.id in requesters:
                requesters[answer.id].handle_answer(answer)
        if dice.random() < 0.1:
            feed.apply_notice(night.notice())
        assert feed.projection.view() == view_of(writer.table), "all decided entries are durable in this test"
    for follower in followers:
        follower.catch_up()
        whole = msgspec.json.decode(feed.snapshot(follower.seat, follower.staff), type=SnapshotMessage)
        view, own = follower.view, whole.snapshot.own
        assert (view.public, view.own) == (whole.public, whole.own)
        # The version counts all entries, but private entries make no public change.
        assert view.table is not None
        assert msgspec.structs.replace(view.table, version=whole.snapshot.table.version) == whole.snapshot.table
        if own is not None and follower.seat is not None:
            assert (view.credits, view.bets) == (own.credits, own.bets)
            # After catching up, a follower has received every event of its seat once and in order.
            parts = [part for event in happened if (part := seat_event(event, follower.seat)) is not None]
            assert [*map(comparable, follower.events)] == [*map(comparable, parts)]
    assert writer.table.state.round > 5
    assert all(follower.gaps for follower in followers if follower.loss_rate)
    assert not any(follower.gaps for follower in followers if not follower.loss_rate)


def comparable(event: AnyEvent) -> object:
    """Return an event with the last four digits of its ticket. Only the answer to the holder shows the whole number."""
    match event:
        case CashedOut(seat, cents, ticket, expires):
            return "cash-out", seat, cents, ticket[-4:], expires
        case TicketRedeemed(seat, cents, ticket):
            return "redemption", seat, cents, ticket[-4:]
        case _:
            return event


def test_a_client_that_missed_too_many_changes_needs_a_snapshot() -> None:
    night = RandomRequests(rulebooks.find("rws-double-zero"), seed=1)
    feed = feed_of_writer(night.writer, night.store)
    night.writer.on_committed = feed.committed
    night.ask("dealer", "hand_back")
    night.ask("dealer", "open_bets")
    for n in range(max(PUBLIC_BUFFER_SIZE, SEAT_BUFFER_SIZE) + 1):
        night.ask("cashier", "buy_credits", seat=SEATS[0], cents=1)
        feed.apply_notice(BetsCloseAt(RoundNumber(1), n * 10.0, None))
    last = feed.public.last
    assert feed.missed(None, False, "epoch", last - PUBLIC_BUFFER_SIZE, 0) is not None
    assert feed.missed(None, False, "epoch", last - PUBLIC_BUFFER_SIZE - 1, 0) is None
    own = feed.seat_buffer(SEATS[0]).last
    frames = feed.missed(SEATS[0], False, "epoch", last, own - SEAT_BUFFER_SIZE)
    assert frames is not None
    assert len(frames) == SEAT_BUFFER_SIZE
    assert feed.missed(SEATS[0], False, "epoch", last, own - SEAT_BUFFER_SIZE - 1) is None
    assert feed.missed(None, True, "epoch", last, 0) is None, "no staff member was subscribed"


def test_the_public_frame_is_encoded_once_for_all_subscribers() -> None:
    night = RandomRequests(rulebooks.find("rws-double-zero"), seed=1)
    feed = feed_of_writer(night.writer, night.store)
    night.writer.on_committed = feed.committed
    received: list[str] = []

    class RecordingSubscriber:
        def send(self, frame: str) -> None:
            received.append(frame)

        def send_seat_change(self, change: SeatChange, public: str | None) -> None:
            received.append(change.frame(public))

        def feed_failed(self) -> None:
            raise AssertionError("the feed failed")

    for n in range(100):
        feed.subscribers.join(RecordingSubscriber(), SeatId(f"unused-{n}") if n % 2 else None, False)
    night.ask("dealer", "open_bets")
    assert len(received) == 100
    assert len({id(frame) for frame in received}) == 1


def test_events_are_published_only_after_they_are_durable(tmp_path: Path, games: dict[str, Game]) -> None:
    async def script() -> None:
        house = TwoTables(tmp_path / "j.db", games["rws-double-zero"])
        try:
            feed = feed_of_writer(house.one, house.store)
            queue = TableQueue(house.one, house.committer)
            queue.on_committed = feed.committed
            seat = next(iter(house.one.table.state.seats))
            follower = Follower(feed, seat, False, 0.0, Random(0))
            staff = Follower(feed, None, True, 0.0, Random(0))
            house.store.entered.clear()
            house.store.gate.clear()
            request = asyncio.create_task(queue.ask(buy("x")))
            await asyncio.to_thread(house.store.entered.wait, 20)
            assert house.one.table.state.seats[seat].credits == 500, "the writer has decided it but not committed it"
            before = feed.snapshot(seat, False), feed.snapshot(None, True), feed.projection.version
            assert b'"credits":0' in before[0].encode()
            assert '"credits":500' not in before[1]
            assert follower.frames == staff.frames == 0
            house.store.gate.set()
            assert (await request)[0].ok
            assert (follower.frames, follower.view.credits) == (1, 500)
            assert feed.projection.version == before[2] + 1
            # A batch that cannot be written is never published.
            house.store.failures = 1
            assert not (await queue.ask(buy("y")))[0].ok
            assert (follower.frames, feed.projection.version) == (1, before[2] + 1)
            assert '"credits":500' in feed.snapshot(seat, False)
        finally:
            house.close()

    asyncio.run(script())


def test_missed_changes_are_sent_with_the_values_of_their_time() -> None:
    night = RandomRequests(rulebooks.find("rws-double-zero"), seed=1)
    feed = feed_of_writer(night.writer, night.store)
    night.writer.on_committed = feed.committed
    night.ask("dealer", "open_bets")
    before = feed.seat_buffer(SEATS[0]).last
    for _ in range(3):
        night.ask("player", "place_bets", seat=SEATS[0], bets=[{"position": "red", "cents": 100}])
    frames = feed.missed(SEATS[0], False, "epoch", feed.public.last, before)
    assert frames is not None
    assert [msgspec.json.decode(frame)["own"]["bets"]["red"] for frame in frames] == [100, 200, 300]


def test_staff_who_join_again_receive_every_change_from_their_snapshot_on() -> None:
    night = RandomRequests(rulebooks.find("rws-double-zero"), seed=1)
    feed = feed_of_writer(night.writer, night.store)
    dice = Random(1)
    first = Follower(feed, None, True, 0.0, dice)
    feed.apply_notice(DealerWaiting("the ball"))
    feed.subscribers.leave(first, None, True)
    feed.apply_notice(DealerWaiting("a person"))
    second = Follower(feed, None, True, 0.0, dice)
    assert second.view.awaiting == "a person"
    feed.apply_notice(DealerWaiting("the ball"))
    assert second.view.awaiting == "the ball"
