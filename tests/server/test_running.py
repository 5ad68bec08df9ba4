"""A running house from the inside: what its tables, its watch and its checks do when something is not right."""

import asyncio
import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from roundhouse import rulebooks
from roundhouse.floor.news import News
from roundhouse.floor.opening import key_for
from roundhouse.house.configuration import Configuration, understand
from roundhouse.house.plan import Guests
from roundhouse.house.sessions import LogIn
from roundhouse.journal.entry import Answer, Entry
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable
from roundhouse.people import events as e
from roundhouse.people.names import IDLE_LIFE, PersonId, Role
from roundhouse.proof.software import self_check
from roundhouse.rules.names import StaffPosition
from roundhouse.server.hub import Hub
from roundhouse.server.hubs import Hubs
from roundhouse.server.running.checking import Checks, last_start
from roundhouse.server.running.house import RunningHouse
from roundhouse.server.running.table import RunningTable
from roundhouse.server.running.watch import Watch
from roundhouse.server.wire.operations import SelfCheck
from roundhouse.table import commands as c
from roundhouse.table.names import Millis, Phase, RequestId, SeatId, TableId
from roundhouse.table.refusals import Refusal
from tests.house.building import PASSWORD

TABLE = TableId("t")
DEALER = StaffPosition.DEALER
PATIENCE_SECONDS = 60
TOML = """
[house]
name = "H"
currency = "SGD"
data = "data"

[[tables]]
id = "t"
game = "{game}"
wheel = "{wheel}"
automatic = {automatic}

[tables.limits]
seat = {{ min = {least}, max = 90000 }}
"""


class FaultyStore(SqliteStore):
    """A disk that can be full, or broken, when a test wants it."""

    fault: Exception | None = None

    def commit(self, *batches: Batch) -> None:
        if self.fault is not None:
            raise self.fault
        super().commit(*batches)


def configured(
    tmp_path: Path, wheel: str = "none", automatic: bool = False, least: int = 500, game: str = "mbs-sands"
) -> Configuration:
    text = TOML.format(wheel=wheel, automatic=str(automatic).lower(), least=least, game=game)
    return understand(text.encode(), tmp_path / "house.toml")


class Hearing:
    """Somebody who watches a hub."""

    def __init__(self) -> None:
        self.frames: list[str] = []

    def hear(self, frame: str) -> None:
        self.frames.append(frame)

    def awaits(self, request: RequestId) -> bool:
        return False

    def lost(self) -> None:
        pass


class Running:
    """One start of a house, in this loop."""

    def __init__(self, configuration: Configuration) -> None:
        configuration.data.mkdir(exist_ok=True)
        self.store = FaultyStore(configuration.journal)
        self.house = RunningHouse(configuration, self.store, key_for(configuration.journal, self.store))
        table = self.house.tables[TABLE]
        assert isinstance(table, RunningTable)
        self.table = table
        self._count = 0

    async def __aenter__(self) -> "Running":
        await self.house.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.store.fault = None
        await self.house.close("a test has ended")

    async def ask(self, make: Callable[..., c.AnyCommand], by: StaffPosition = DEALER, **fields: Any) -> Answer:
        self._count += 1
        id = RequestId(f"{self.table.version}:{self._count}")
        return await self.table.ask(make(id=id, by=by, **fields))

    async def until(self, stands: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not stands():
                await asyncio.sleep(0.005)

    def alerts(self) -> list[tuple[str, str]]:
        return [(alert.about, alert.text) for alert in self.house.house.alerts().values()]

    async def alert(self, about: str) -> str:
        await self.until(lambda: about in dict(self.alerts()))
        return dict(self.alerts())[about]


def test_a_table_is_opened_the_first_time_and_then_by_people_with_the_limits_of_the_configuration(
    tmp_path: Path,
) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            memory = running.table.table.memory
            assert (memory.phase, memory.limits.seat.min) == (Phase.IDLE, 500)
            assert (await running.ask(c.CloseTable)).ok
        async with Running(configured(tmp_path, least=700)) as running:
            assert running.table.table.memory.phase is Phase.CLOSED, "what people have closed they open"
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.table.memory.limits.seat.min == 700
            assert running.alerts() == []
        async with Running(configured(tmp_path, least=900)) as running:
            assert running.table.table.memory.limits.seat.min == 700, "it is open, and stays as it was opened"
            assert "next opening" in await running.alert("limits")

    asyncio.run(night())


def test_without_a_wheel_nobody_can_leave_the_table_to_the_automatic_dealer(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.memory.mode_reason)
            assert "no wheel" in running.table.table.memory.mode_reason
            assert "no wheel" in await running.alert("manual_mode")

    asyncio.run(night())


def test_people_deal_where_the_configuration_says_so_from_now_on(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.memory.meters.rounds >= 2)
        async with Running(configured(tmp_path, "simulated:200")) as running:
            await running.until(lambda: not running.table.table.memory.automatic)
            assert "configuration" in running.table.table.memory.mode_reason
            # And handed back it is dealt again.
            rounds = running.table.table.memory.meters.rounds
            assert (await running.ask(c.HandBack)).ok
            await running.until(lambda: running.table.table.memory.meters.rounds > rounds)

    asyncio.run(night())


def test_what_people_ask_wakes_the_dealer(tmp_path: Path) -> None:
    """Taken over with bets open, the wheel stands still and tells nothing new; handed back, the round is dealt on."""

    async def night() -> None:
        async with Running(configured(tmp_path, "simulated:200", automatic=True)) as running:
            memory = running.table.table.memory
            await running.until(lambda: memory.phase is Phase.BETS_OPEN and running.table.deadline)
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
        async with Running(configured(tmp_path, "simulated:200", automatic=True)) as running:
            await running.until(lambda: running.table.table.memory.phase is Phase.BETS_OPEN)
            for ahead in range(50):
                for word in ("auto:{}:0", "house:{}:people"):
                    id = RequestId(word.format(running.table.version + ahead))
                    answer = await running.table.ask(c.Undo(id=id, by=StaffPosition.PLAYER, seat=SeatId("1")))
                    assert (answer.refusal, "the house's own" in str(answer.reason)) == (Refusal.NOT_UNDERSTOOD, True)
            rounds = running.table.table.memory.meters.rounds
            await running.until(lambda: running.table.table.memory.meters.rounds >= rounds + 2)
            assert running.alerts() == []

    asyncio.run(night())


def test_where_nobody_is_to_hand_it_back_a_table_left_to_people_is_dealt_again_at_the_next_start(
    tmp_path: Path,
) -> None:
    staffed = configured(tmp_path, "simulated:200", automatic=True)

    async def night() -> None:
        async with Running(staffed) as running:
            await running.until(lambda: running.table.table.memory.meters.rounds)
            assert (await running.ask(c.TakeOver, reason="the wheel cannot tell")).ok
        async with Running(staffed) as running:
            await asyncio.sleep(0.2)
            assert not running.table.table.memory.automatic, "that is for people to say"
        async with Running(dataclasses.replace(staffed, guests=Guests.LOOPBACK)) as running:
            rounds = running.table.table.memory.meters.rounds
            await running.until(lambda: running.table.table.memory.meters.rounds > rounds)

    asyncio.run(night())


def test_a_house_that_stops_opens_no_more_rounds_and_deals_the_last_one(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path, game="mbs-electronic-double-zero")) as running:
            assert (await running.ask(c.OpenBets)).ok
            finishing = asyncio.create_task(running.house.finish_rounds(PATIENCE_SECONDS))
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
        async with Running(configured(tmp_path)) as running:
            running.store.fault = JournalUnavailable("the disk is full")
            answer = await running.ask(c.OpenBets)
            assert (answer.refusal, answer.reason) == (Refusal.JOURNAL_UNAVAILABLE, "the disk is full")
            assert running.house.tables[TABLE].running is False
            await asyncio.sleep(1.2)
            assert running.alerts() == [], "there is nowhere to write it"
            running.store.fault = None
            assert (await running.ask(c.OpenBets)).ok
            assert running.house.tables[TABLE].running is True
            assert "does not take" in await running.alert("journal")

    asyncio.run(night())


def test_a_journal_that_is_damaged_meanwhile_answers_everybody_and_the_table_stands_still(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path, "simulated:50", automatic=True)) as running:
            await running.until(lambda: running.table.table.memory.phase is Phase.BETS_OPEN)
            running.store.fault = JournalDamaged("entry 7 is not what was written")
            asked = [asyncio.create_task(running.ask(c.OpenBets)) for _ in range(5)]
            answers = [await one for one in asked]
            assert {(answer.ok, answer.refusal) for answer in answers} == {(False, Refusal.JOURNAL_UNAVAILABLE)}
            assert not running.table.running
            running.store.fault = None
            shown = await running.ask(c.Show)
            assert shown.state is not None
            assert shown.state.phase is Phase.STOPPED
            assert (await running.ask(c.OpenBets)).refusal is Refusal.JOURNAL_UNAVAILABLE
            assert "entry 7" in await running.alert("journal")

    asyncio.run(night())


class Faulty:
    """A listener with a bug."""

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        raise ZeroDivisionError

    def news(self, table: TableId, news: News) -> None:
        raise ZeroDivisionError


class Recording:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.heard: list[News] = []

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        self.entries += entries

    def news(self, table: TableId, news: News) -> None:
        self.heard.append(news)


def test_who_listens_hears_every_entry_once_and_in_order_and_cannot_stop_the_table(tmp_path: Path) -> None:
    async def night() -> None:
        running = Running(configured(tmp_path, "simulated:200", automatic=True))
        recording = Recording()
        running.house.listen(recording)
        async with running:
            await running.until(lambda: running.table.table.memory.meters.rounds >= 2)
            assert (await running.ask(c.TakeSeat, StaffPosition.PLAYER, seat="1", terminal="table")).ok
            assert [entry.seq for entry in recording.entries] == [*range(1, len(recording.entries) + 1)]
            assert len(recording.entries) == running.table.version
            assert {type(news).__name__ for news in recording.heard} >= {"Closing", "WheelStands", "WheelReliable"}
            running.house.listen(Faulty())
            rounds = running.table.table.memory.meters.rounds
            await running.until(lambda: running.table.table.memory.meters.rounds >= rounds + 2)

    asyncio.run(night())


def test_a_new_rulebook_counts_from_the_next_opening_and_the_dealer_deals_by_it(tmp_path: Path) -> None:
    content = rulebooks.find_with_content("mbs-sands")[1].decode()
    file = tmp_path / "sands.toml"
    file.write_text(content)
    configuration = configured(tmp_path, "simulated:200", True, game="sands.toml")
    first = configuration.games[TABLE].game.hash

    async def night() -> None:
        async with Running(configuration) as running:
            await running.until(lambda: running.table.table.memory.meters.rounds >= 1)
        file.write_text(content + "\n# a later edition\n")
        later = configured(tmp_path, "simulated:200", True, game="sands.toml")
        assert later.games[TABLE].game.hash != first
        async with Running(later) as running:
            assert running.table.game.hash == first
            hub, hearing = Hub(running.table.keeper, running.table.facts, "epoch", lambda: Millis(0)), Hearing()
            running.house.listen(Hubs({TABLE: hub}))
            hub.rooms.join(hearing, None, staff=False)
            assert (await running.ask(c.CloseTable)).ok
            await running.until(lambda: running.table.table.memory.phase is Phase.CLOSED)
            assert (await running.ask(c.OpenTable)).ok
            assert running.table.game.hash == later.games[TABLE].game.hash
            rounds = running.table.table.memory.meters.rounds
            await running.until(lambda: running.table.table.memory.meters.rounds >= rounds + 2)
            assert not hub.failed
            assert hub.shown().rulebook == later.games[TABLE].game.hash
            (anew,) = [frame for frame in hearing.frames if frame.startswith('{"snapshot"')]
            assert later.games[TABLE].game.hash in anew

    asyncio.run(night())


def test_a_deadline_is_shown_while_bets_are_open_and_then_none_is(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path, "simulated:20", automatic=True)) as running:
            await running.until(lambda: running.table.deadline)
            memory = running.table.table.memory
            assert memory.phase is Phase.BETS_OPEN
            await running.until(lambda: memory.phase is not Phase.BETS_OPEN)
            assert running.table.deadline is None
            assert running.table.wheel is not None

    asyncio.run(night())


def test_software_that_changes_while_the_house_runs_is_told_to_the_pit(tmp_path: Path) -> None:
    found = self_check()
    shown: list[SelfCheck] = []

    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            watch = Watch(running.house.house)
            checks = Checks(watch, shown.append)
            checks.found(found)
            changed = replace(found, software="0" * 64)
            checks.found(changed)
            unsound = replace(found, ok=False, changed=["roundhouse/rules/odds.py"])
            checks.found(unsound)
            writing = asyncio.create_task(watch.run([]))
            await watch.written()
            writing.cancel()
            texts = [text for about, text in running.alerts() if about == "self_check"]
            assert len(texts) == 2
            assert "changed while the house runs" in texts[0]
            assert "roundhouse/rules/odds.py" in texts[1]
            noted = [entry.event for entry in running.house.house.entries() if isinstance(entry.event, e.SelfChecked)]
            assert [event.agrees for event in noted] == [True, True, False, False]
            assert {event.expected for event in noted} == {found.software}

    asyncio.run(night())
    assert [check.agrees for check in shown] == [True, False, False]


def test_the_same_words_about_the_same_table_are_told_once(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            for _ in range(1000):
                running.house.watch.tell("wheel", "the line broke", TABLE)
            running.house.watch.tell("wheel", "the line broke", None)
            running.house.watch.tell("wheel", "no answer", TABLE)
            await running.house.watch.written()
            assert [text for _, text in running.alerts()] == ["the line broke", "the line broke", "no answer"]

    asyncio.run(night())


def test_an_alert_that_is_too_long_or_says_nothing_reaches_the_pit_all_the_same(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            running.house.watch.tell("referred", "why? " * 2000, TABLE)
            running.house.watch.tell("stopped", " ", TABLE)
            await running.house.watch.written()
            assert [about for about, _ in running.alerts()] == ["referred", "stopped"]

    asyncio.run(night())


def test_what_the_clock_does_to_sessions_is_on_record_by_itself(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            house = running.house.house
            long_ago = Millis(time.time_ns() // 1_000_000 - IDLE_LIFE)
            role = (Role.PIT_MANAGER,)
            assert house.add_person(None, PersonId("anna"), "Anna", role, PASSWORD, long_ago) is None
            made = house.log_in("anna", PASSWORD, None, long_ago)
            assert isinstance(made, LogIn)
            await running.until(lambda: house.chain.state.sessions[made.session.id].locked)

    asyncio.run(night())


def test_software_that_is_not_that_of_the_last_start_is_told_unless_it_has_another_version(tmp_path: Path) -> None:
    async def night() -> None:
        async with Running(configured(tmp_path)) as running:
            assert running.alerts() == []
        async with Running(configured(tmp_path)) as running:
            assert running.alerts() == [], "it is the same"
            before = last_start(running.store)
            assert before is not None
            checks = Checks(running.house.watch, lambda _: None)
            checks.found(self_check())
            checks.compared(replace(before, software="f" * 64, version="0.0.1"))
            checks.compared(before)
            checks.compared(None)
            await running.house.watch.written()
            assert running.alerts() == []
            checks.compared(replace(before, software="f" * 64))
            assert "ffffffffffff" in await running.alert("self_check")

    asyncio.run(night())


@pytest.mark.parametrize("wheel", ["none", "simulated:100"])
def test_closed_twice_in_a_night_every_start_and_stop_is_on_record(tmp_path: Path, wheel: str) -> None:
    async def night() -> list[str]:
        for _ in range(2):
            async with Running(configured(tmp_path, wheel)) as running:
                pass
        async with Running(configured(tmp_path, wheel)) as running:
            return [type(entry.event).__name__ for entry in running.house.house.entries()]

    found = [name for name in asyncio.run(night()) if name in ("HouseStarted", "HouseStopped")]
    assert found == ["HouseStarted", "HouseStopped"] * 2 + ["HouseStarted"]
