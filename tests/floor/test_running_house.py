"""A running house: manual mode, stopping, alerts, storage faults and new rulebooks."""

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from roundhouse import rulebooks
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
from roundhouse.people.names import Severity
from roundhouse.rules.names import Pocket, PositionId, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decision import BETTING
from roundhouse.table.names import PLAY_MONEY, Phase, RequestId, RoundNumber, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord
from roundhouse.table.view import view_of
from tests.support.faulty_store import Fault
from tests.support.running_house import TABLE, TIMEOUT_SECONDS, OneTableHouse, configured


class RecordingSubscriber:
    """A subscriber that stores the frames it receives."""

    def __init__(self) -> None:
        self.frames: list[str] = []

    def send(self, frame: str) -> None:
        self.frames.append(frame)

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        self.frames.append(change.frame(public))

    def feed_failed(self) -> None:
        pass


def test_configured_limits_apply_when_a_table_is_opened(
    tmp_path: Path,
) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            state = running.table.table.state
            assert (state.phase, state.limits.seat.min) == (Phase.IDLE, 500)
            assert (await running.ask(c.CloseTable)).ok
        async with OneTableHouse(configured(tmp_path, min_cents=700)) as running:
            assert running.table.table.state.phase is Phase.CLOSED, "a table closed by people is opened by people"
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.table.state.limits.seat.min == 700
            assert running.alerts() == []
        async with OneTableHouse(configured(tmp_path, min_cents=900)) as running:
            assert running.table.table.state.limits.seat.min == 700, "an open table keeps its limits"
            assert "next opening" in await running.alert("limits")

    asyncio.run(night())


def test_a_house_cannot_change_its_currency_or_become_play_money(tmp_path: Path) -> None:
    def config_in(currency: str) -> Configuration:
        found = configured(tmp_path)
        house = msgspec.structs.replace(found.plan.house, currency=currency)
        return dataclasses.replace(found, plan=msgspec.structs.replace(found.plan, house=house))

    async def night() -> None:
        async with OneTableHouse(config_in("SGD")) as running:
            assert running.house.house.currency == "SGD"
        async with OneTableHouse(config_in("SGD")) as running:
            changed = [x.event for x in running.house.house.entries() if isinstance(x.event, SettingChanged)]
            assert [(one.setting, one.was) for one in changed] == [("house.toml", "")], "recorded only when it changes"
            assert '"currency":"SGD"' in changed[0].now
        for currency, message in (
            (PLAY_MONEY, r"real money \(SGD\); choose another folder"),
            ("MYR", "contains SGD, not MYR"),
        ):
            store = SqliteStore(config_in(currency).journal)
            with pytest.raises(CannotOpen, match=message):
                RunningHouse(config_in(currency), store, key_for(store.path, store))
            store.close()

    asyncio.run(night())


def test_a_void_round_shows_every_stake_as_returned() -> None:
    slips = {SeatId("1"): {PositionId("red"): 500}, SeatId("2"): {PositionId("red"): 7}}
    void = past_round(RoundRecord(RoundNumber(3), None, slips, {}), None, True)
    assert {id: (seat.staked, seat.returned) for id, seat in void.seats.items()} == {"1": (500, 500), "2": (7, 7)}
    settled = past_round(RoundRecord(RoundNumber(3), Pocket("1"), slips, {SeatId("1"): 1000}), None, True)
    assert {id: seat.returned for id, seat in settled.seats.items()} == {"1": 1000, "2": 0}


def test_a_hand_back_without_a_wheel_returns_to_manual_mode(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.state.mode_reason)
            assert "no wheel" in running.table.table.state.mode_reason
            assert "no wheel" in await running.alert("manual_mode")

    asyncio.run(night())


def test_a_configuration_without_automatic_enters_manual_mode(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 2)
        async with OneTableHouse(configured(tmp_path, "simulated:200")) as running:
            await running.until(lambda: not running.table.table.state.automatic)
            assert "configuration" in running.table.table.state.mode_reason
            # After a hand-back the dealer deals again.
            rounds = running.table.table.state.meters.rounds
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.state.meters.rounds > rounds)

    asyncio.run(night())


def test_a_resumed_table_also_follows_the_configured_manual_mode(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 1)
            running.table.writer._stop("internal error", [])
        async with OneTableHouse(configured(tmp_path, "simulated:200")) as running:
            assert running.table.table.state.phase is Phase.STOPPED
            two = {"who": "ann", "second": "ben"}
            assert (await running.ask(c.ResumeTable, StaffPosition.SHIFT_MANAGER, reason="found", **two)).ok
            await running.until(lambda: not running.table.table.state.automatic)
            assert "configuration" in running.table.table.state.mode_reason

    asyncio.run(night())


def test_a_hand_back_wakes_the_waiting_dealer(tmp_path: Path) -> None:
    """People take over with bets open and the wheel sends no new status. The hand-back alone continues the round."""

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            state = running.table.table.state
            fields = running.table.projection.public_fields
            await running.until(lambda: state.phase is Phase.BETS_OPEN and fields().deadline)
            assert (await running.ask(c.TakeOver, reason="tea", who="anna")).ok
            # Longer than the betting time, so the dealer notices at the closing time that the table is manual.
            await asyncio.sleep(1.0)
            assert state.phase is Phase.BETS_OPEN
            assert fields().deadline is None, "no countdown while people deal"
            assert running.alerts() == [], "a decision by people raises no alert"
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: state.meters.rounds)

    asyncio.run(night())


def test_requests_with_reserved_ids_are_refused_and_the_dealer_continues(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
            for ahead in range(50):
                for pattern in ("auto:{}:0", "house:{}:people"):
                    id = RequestId(pattern.format(running.table.projection.version + ahead))
                    answer = await running.table.ask(c.Undo(id=id, by=StaffPosition.PLAYER, seat=SeatId("1")))
                    assert (answer.refusal, "reserved for programs" in str(answer.reason)) == (
                        Refusal.NOT_AUTHORISED,
                        True,
                    )
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds >= rounds + 2)
            assert running.alerts() == []

    asyncio.run(night())


def test_an_unstaffed_house_returns_to_automatic_mode_at_the_next_start(
    tmp_path: Path,
) -> None:
    staffed = configured(tmp_path, "simulated:200", automatic=True)

    async def night() -> None:
        async with OneTableHouse(staffed) as running:
            await running.until(lambda: running.table.table.state.meters.rounds)
            assert (await running.ask(c.TakeOver, reason="the wheel is unclear")).ok
        async with OneTableHouse(staffed) as running:
            await asyncio.sleep(0.2)
            assert not running.table.table.state.automatic, "a staffed house stays in manual mode"
        async with OneTableHouse(dataclasses.replace(staffed, guests=Guests.LOOPBACK)) as running:
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds > rounds)

    asyncio.run(night())


def test_a_stopping_house_finishes_its_rounds_and_opens_no_others(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, game="mbs-electronic-double-zero")) as running:
            assert (await running.ask(c.OpenBets)).ok
            finishing = asyncio.create_task(running.house.finish_rounds(TIMEOUT_SECONDS))
            await asyncio.sleep(0)
            assert not finishing.done()
            for command in (c.CloseBets, c.StartSpin):
                assert (await running.ask(command)).ok
            assert (await running.ask(c.CallNoSpin, reason="a coin")).ok
            await finishing
            assert await running.table.refer_unfinished() is None
            refused = await running.ask(c.OpenBets)
            assert (refused.refusal, refused.reason) == (Refusal.TABLE_IS_CLOSED, "the house is stopping")

    asyncio.run(night())


def test_a_full_disk_raises_one_alert_that_is_cleared_when_there_is_space_again(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.store.fault = Fault.NOT_WRITTEN
            answer = await running.ask(c.OpenBets)
            assert (answer.refusal, answer.reason) == (Refusal.JOURNAL_UNAVAILABLE, "the disk is full")
            assert running.house.tables[TABLE].running is False
            await asyncio.sleep(1.2)
            assert running.alerts() == [], "the alert cannot be written yet"
            running.store.fault = Fault.NONE
            assert (await running.ask(c.OpenBets)).ok
            assert running.house.tables[TABLE].running is True
            house = running.house.house
            await running.until(house.past_alerts)
            (past,) = house.past_alerts().values()
            assert (past.alert.about, past.alert.severity, past.by) == ("journal", Severity.CRITICAL, None)
            assert "cannot write to the journal" in past.alert.text
            assert running.alerts() == []

    asyncio.run(night())


def test_a_journal_damaged_while_running_stops_the_table_and_refuses_all_requests(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:50", automatic=True)) as running:
            await running.until(lambda: running.table.table.state.phase is Phase.BETS_OPEN)
            running.store.fault, running.store.error = (
                Fault.NOT_WRITTEN,
                JournalDamaged("entry 7 is not what was written"),
            )
            requests = [asyncio.create_task(running.ask(c.OpenBets)) for _ in range(5)]
            answers = [await one for one in requests]
            assert {(answer.ok, answer.refusal) for answer in answers} == {(False, Refusal.JOURNAL_UNAVAILABLE)}
            assert not running.table.running
            running.store.fault = Fault.NONE
            assert running.table.projection.public_table().phase is Phase.STOPPED
            assert (await running.ask(c.OpenBets)).refusal is Refusal.JOURNAL_UNAVAILABLE
            assert "entry 7" in await running.alert("journal")

    asyncio.run(night())


class Faulty(RecordingSubscriber):
    """A subscriber with a bug."""

    def send(self, frame: str) -> None:
        raise ZeroDivisionError


def test_the_feed_receives_every_entry_in_order_and_its_bug_stops_no_table(tmp_path: Path) -> None:
    async def night() -> None:
        running = OneTableHouse(configured(tmp_path, "simulated:200", automatic=True))
        table, entries = running.table, list[Entry]()
        on_committed = table.queue.on_committed

        def record(committed: Sequence[Entry], rounds: Rounds) -> None:
            entries.extend(committed)
            on_committed(committed, rounds)

        table.queue.on_committed = record
        async with running:
            await running.until(lambda: table.table.state.meters.rounds >= 2)
            assert (await running.ask(c.TakeSeat, StaffPosition.PLAYER, seat="1", terminal="rapid-a")).ok
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


def test_a_new_rulebook_applies_from_the_next_opening(tmp_path: Path) -> None:
    content = rulebooks.find_with_content("rws-double-zero")[1].decode()
    file = tmp_path / "double-zero.toml"
    file.write_text(content)
    configuration = configured(tmp_path, "simulated:200", True, game="double-zero.toml")
    first = configuration.games[TABLE].game.hash

    async def night() -> None:
        async with OneTableHouse(configuration) as running:
            await running.until(lambda: running.table.table.state.meters.rounds >= 1)
        file.write_text(content + "\n# a later edition\n")
        later = configured(tmp_path, "simulated:200", True, game="double-zero.toml")
        assert later.games[TABLE].game.hash != first
        async with OneTableHouse(later) as running:
            assert running.table.game.hash == first
            feed, subscriber = running.table.feed, RecordingSubscriber()
            feed.subscribers.join(subscriber, None, staff=False)
            assert (await running.ask(c.CloseTable)).ok
            await running.until(lambda: running.table.table.state.phase is Phase.CLOSED)
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.game.hash == later.games[TABLE].game.hash
            rounds = running.table.table.state.meters.rounds
            await running.until(lambda: running.table.table.state.meters.rounds >= rounds + 2)
            assert not feed.failed
            assert feed.projection.public_table().rulebook == later.games[TABLE].game.hash
            (snapshot,) = [frame for frame in subscriber.frames if frame.startswith('{"snapshot"')]
            assert later.games[TABLE].game.hash in snapshot

    asyncio.run(night())


def test_the_deadline_is_shown_only_while_bets_are_open(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path, "simulated:20", automatic=True)) as running:
            await running.until(lambda: running.table.projection.public_fields().deadline)
            state = running.table.table.state
            assert state.phase is Phase.BETS_OPEN
            await running.until(lambda: state.phase not in BETTING)
            assert running.table.projection.public_fields().deadline is None
            assert running.table.projection.public_fields().wheel is not None

    asyncio.run(night())
