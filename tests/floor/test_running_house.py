"""A running house from the inside: what its tables, its watch and its checks do when something is not right."""

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.config.demo import PLAY_MONEY
from roundhouse.config.loading import Configuration
from roundhouse.config.schema import Guests
from roundhouse.floor.audience import past_round
from roundhouse.floor.batch import Rounds
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.opening import CannotOpen, key_for
from roundhouse.floor.subscribers import SeatChange
from roundhouse.journal.entry import Entry
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged
from roundhouse.people.events import SettingChanged
from roundhouse.rules.names import Pocket, PositionId, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decision import BETTING
from roundhouse.table.names import Phase, RequestId, RoundNumber, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord
from roundhouse.table.view import view_of
from tests.support.faulty_store import Fault
from tests.support.running_house import TABLE, TIMEOUT_SECONDS, OneTableHouse, configured


class Hearing:
    """Somebody who watches a hub."""

    def __init__(self) -> None:
        self.frames: list[str] = []

    def send(self, frame: str) -> None:
        self.frames.append(frame)

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        self.frames.append(change.frame(public))

    def feed_failed(self) -> None:
        pass


def test_a_table_is_opened_the_first_time_and_then_by_people_with_the_limits_of_the_configuration(
    tmp_path: Path,
) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            memory = running.table.table.state
            assert (memory.phase, memory.limits.seat.min) == (Phase.IDLE, 500)
            assert (await running.ask(c.CloseTable)).ok
        async with OneTableHouse(configured(tmp_path, min_cents=700)) as running:
            assert running.table.table.state.phase is Phase.CLOSED, "what people have closed they open"
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.table.state.limits.seat.min == 700
            assert running.alerts() == []
        async with OneTableHouse(configured(tmp_path, min_cents=900)) as running:
            assert running.table.table.state.limits.seat.min == 700, "it is open, and stays as it was opened"
            assert "next opening" in await running.alert("limits")

    asyncio.run(night())


def test_play_money_never_becomes_real_money_nor_one_currency_another(tmp_path: Path) -> None:
    def of(currency: str) -> Configuration:
        found = configured(tmp_path)
        house = msgspec.structs.replace(found.plan.house, currency=currency)
        return dataclasses.replace(found, plan=msgspec.structs.replace(found.plan, house=house))

    async def night() -> None:
        async with OneTableHouse(of("SGD")) as running:
            assert running.house.house.currency == "SGD"
        async with OneTableHouse(of("SGD")) as running:
            changed = [x.event for x in running.house.house.entries() if isinstance(x.event, SettingChanged)]
            assert [(one.setting, one.was) for one in changed] == [("house.toml", "")], "and only when it has changed"
            assert '"currency":"SGD"' in changed[0].now
        for currency, words in (
            (PLAY_MONEY, r"real money \(SGD\); name another folder"),
            ("MYR", "of SGD, not of MYR"),
        ):
            store = SqliteStore(of(currency).journal)
            with pytest.raises(CannotOpen, match=words):
                RunningHouse(of(currency), store, key_for(store.path, store))
            store.close()

    asyncio.run(night())


def test_a_void_round_gave_every_stake_back_and_says_so() -> None:
    slips = {SeatId("1"): {PositionId("red"): 500}, SeatId("2"): {PositionId("red"): 7}}
    void = past_round(RoundRecord(RoundNumber(3), None, slips, {}), None, True)
    assert {id: (seat.staked, seat.returned) for id, seat in void.seats.items()} == {"1": (500, 500), "2": (7, 7)}
    settled = past_round(RoundRecord(RoundNumber(3), Pocket("1"), slips, {SeatId("1"): 1000}), None, True)
    assert {id: seat.returned for id, seat in settled.seats.items()} == {"1": 1000, "2": 0}


def test_without_a_wheel_nobody_can_leave_the_table_to_the_automatic_dealer(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.state.mode_reason)
            assert "no wheel" in running.table.table.state.mode_reason
            assert "no wheel" in await running.alert("manual_mode")

    asyncio.run(night())


def test_people_deal_where_the_configuration_says_so_from_now_on(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 2)
        async with OneTableHouse(configured(tmp_path, "simulated:200")) as running:
            await running.until(lambda: not running.table.table.state.automatic)
            assert "configuration" in running.table.table.state.mode_reason
            # And handed back it is dealt again.
            rounds = running.table.table.state.meters.rounds
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.state.meters.rounds > rounds)

    asyncio.run(night())


def test_they_do_so_too_when_a_table_goes_on_that_had_stopped(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 1)
            running.table.writer._stop("a bug of ours", [])
        async with OneTableHouse(configured(tmp_path, "simulated:200")) as running:
            assert running.table.table.state.phase is Phase.STOPPED
            assert (await running.ask(c.ResumeTable, StaffPosition.SHIFT_MANAGER, reason="found")).ok
            await running.until(lambda: not running.table.table.state.automatic)
            assert "configuration" in running.table.table.state.mode_reason

    asyncio.run(night())


def test_what_people_ask_wakes_the_dealer(tmp_path: Path) -> None:
    """Taken over with bets open, the wheel stands still and tells nothing new; handed back, the round is dealt on."""

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            memory = running.table.table.state
            shown = running.table.projection.public_fields
            await running.until(lambda: memory.phase is Phase.BETS_OPEN and shown().deadline)
            assert (await running.ask(c.TakeOver, reason="tea", who="anna")).ok
            # Long enough for the dealer to see, at the closing it was waiting for, that nobody asks it any more.
            await asyncio.sleep(1.0)
            assert memory.phase is Phase.BETS_OPEN
            assert running.alerts() == [], "what people decide is no alert"
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: memory.meters.rounds)

    asyncio.run(night())


def test_nobody_can_stop_the_dealer_by_using_up_the_names_of_its_requests(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
            for ahead in range(50):
                for word in ("auto:{}:0", "house:{}:people"):
                    id = RequestId(word.format(running.table.projection.version + ahead))
                    answer = await running.table.ask(c.Undo(id=id, by=StaffPosition.PLAYER, seat=SeatId("1")))
                    assert (answer.refusal, "reserved for the house" in str(answer.reason)) == (
                        Refusal.NOT_UNDERSTOOD,
                        True,
                    )
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds >= rounds + 2)
            assert running.alerts() == []

    asyncio.run(night())


def test_where_nobody_is_to_hand_it_back_a_table_left_to_people_is_dealt_again_at_the_next_start(
    tmp_path: Path,
) -> None:
    staffed = configured(tmp_path, "simulated:200", automatic=True)

    async def night() -> None:
        async with OneTableHouse(staffed) as running:
            await running.until(lambda: running.table.table.state.meters.rounds)
            assert (await running.ask(c.TakeOver, reason="the wheel cannot tell")).ok
        async with OneTableHouse(staffed) as running:
            await asyncio.sleep(0.2)
            assert not running.table.table.state.automatic, "that is for people to say"
        async with OneTableHouse(dataclasses.replace(staffed, guests=Guests.LOOPBACK)) as running:
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds > rounds)

    asyncio.run(night())


def test_a_house_that_stops_opens_no_more_rounds_and_deals_the_last_one(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, game="mbs-electronic-double-zero")) as running:
            assert (await running.ask(c.OpenBets)).ok
            finishing = asyncio.create_task(running.house.finish_rounds(TIMEOUT_SECONDS))
            await asyncio.sleep(0)
            assert not finishing.done()
            assert running.table.left_open() is not None
            assert (await running.ask(c.CallNoSpin)).ok
            await finishing
            assert running.table.left_open() is None
            refused = await running.ask(c.OpenBets)
            assert (refused.refusal, refused.reason) == (Refusal.TABLE_IS_CLOSED, "the house is stopping")

    asyncio.run(night())


def test_a_full_disk_is_seen_and_told_once_there_is_room_again(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.store.fault = Fault.NOT_WRITTEN
            answer = await running.ask(c.OpenBets)
            assert (answer.refusal, answer.reason) == (Refusal.JOURNAL_UNAVAILABLE, "the disk is full")
            assert running.house.tables[TABLE].running is False
            await asyncio.sleep(1.2)
            assert running.alerts() == [], "there is nowhere to write it"
            running.store.fault = Fault.NONE
            assert (await running.ask(c.OpenBets)).ok
            assert running.house.tables[TABLE].running is True
            assert "cannot write to the journal" in await running.alert("journal")

    asyncio.run(night())


def test_a_journal_that_is_damaged_meanwhile_answers_everybody_and_the_table_stands_still(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:50", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
            running.store.fault, running.store.error = (
                Fault.NOT_WRITTEN,
                JournalDamaged("entry 7 is not what was written"),
            )
            asked = [asyncio.create_task(running.ask(c.OpenBets)) for _ in range(5)]
            answers = [await one for one in asked]
            assert {(answer.ok, answer.refusal) for answer in answers} == {(False, Refusal.JOURNAL_UNAVAILABLE)}
            assert not running.table.running
            running.store.fault = Fault.NONE
            assert running.table.projection.public_table().phase is Phase.STOPPED
            assert (await running.ask(c.OpenBets)).refusal is Refusal.JOURNAL_UNAVAILABLE
            assert "entry 7" in await running.alert("journal")

    asyncio.run(night())


class Faulty(Hearing):
    """A subscriber with a bug."""

    def send(self, frame: str) -> None:
        raise ZeroDivisionError


def test_the_feed_hears_every_entry_once_and_in_order_and_a_bug_in_it_cannot_stop_the_table(tmp_path: Path) -> None:
    async def night() -> None:
        running = OneTableHouse(configured(tmp_path, "simulated:200", automatic=True))
        table, entries = running.table, list[Entry]()
        landed = table.queue.on_committed

        def record(committed: Sequence[Entry], rounds: Rounds) -> None:
            entries.extend(committed)
            landed(committed, rounds)

        table.queue.on_committed = record
        async with running:
            await running.until(lambda: table.table.state.meters.rounds >= 2)
            assert (await running.ask(c.TakeSeat, StaffPosition.PLAYER, seat="1", terminal="table")).ok
            assert [entry.seq for entry in entries] == [*range(1, len(entries) + 1)]
            assert len(entries) == table.projection.version == table.version
            assert table.projection.view() == view_of(table.table)
            reliability = table.projection.reliability
            assert reliability is not None
            assert reliability.connected
            table.feed.subscribers.join(Faulty(), None, staff=False)
            rounds = table.table.state.meters.rounds
            await running.until(lambda: table.table.state.meters.rounds >= rounds + 2)
            assert table.feed.failed

    asyncio.run(night())


def test_a_new_rulebook_counts_from_the_next_opening_and_the_dealer_deals_by_it(tmp_path: Path) -> None:
    content = rulebooks.find_with_content("mbs-sands")[1].decode()
    file = tmp_path / "sands.toml"
    file.write_text(content)
    configuration = configured(tmp_path, "simulated:200", True, game="sands.toml")
    first = configuration.games[TABLE].game.hash

    async def night() -> None:
        async with OneTableHouse(configuration) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 1)
        file.write_text(content + "\n# a later edition\n")
        later = configured(tmp_path, "simulated:200", True, game="sands.toml")
        assert later.games[TABLE].game.hash != first
        async with OneTableHouse(later) as running:
            assert running.table.game.hash == first
            feed, hearing = running.table.feed, Hearing()
            feed.subscribers.join(hearing, None, staff=False)
            assert (await running.ask(c.CloseTable)).ok
            await running.until(lambda: running.table.table.state.phase is Phase.CLOSED)
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.game.hash == later.games[TABLE].game.hash
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds >= rounds + 2)
            assert not feed.failed
            assert feed.projection.public_table().rulebook == later.games[TABLE].game.hash
            (anew,) = [frame for frame in hearing.frames if frame.startswith('{"snapshot"')]
            assert later.games[TABLE].game.hash in anew

    asyncio.run(night())


def test_a_deadline_is_shown_while_bets_are_open_and_then_none_is(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:20", automatic=True)) as running:
            await running.until(lambda: running.table.projection.public_fields().deadline)
            memory = running.table.table.state
            assert memory.phase is Phase.BETS_OPEN
            await running.until(lambda: memory.phase not in BETTING)
            assert running.table.projection.public_fields().deadline is None
            assert running.table.projection.public_fields().wheel is not None

    asyncio.run(night())
