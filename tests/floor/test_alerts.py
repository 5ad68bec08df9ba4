"""Entries that a running house records on its own: alerts for the pit and expired sessions."""

import asyncio
import time
from pathlib import Path

import pytest

from roundhouse.dealer.attended import NOT_LAUNCHED
from roundhouse.dealer.loop import DealerWaiting, WheelReliability
from roundhouse.floor.alerts import CANNOT_WRITE, describe_interruption, disputes_of
from roundhouse.house.sessions import LogIn
from roundhouse.journal.entry import Entry, Seq
from roundhouse.people.names import IDLE_LIFE, MAX_PAST_ALERTS, PersonId, Role
from roundhouse.rules.names import Clause, IrregularityId, Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decision import IN_ROUND, Facts
from roundhouse.table.events import BallRested, InterruptionRecovered, ManualModeEntered
from roundhouse.table.evidence import Evidence, Reading, Source
from roundhouse.table.irregularities import interrupted_terminals
from roundhouse.table.lifecycle import question_after_restart
from roundhouse.table.names import HELD, Millis, PersonName, Phase, ReadBy, RoundNumber, SeatId
from roundhouse.table.state import TableState
from tests.support.faulty_store import Fault
from tests.support.houses import PASSWORD
from tests.support.running_house import TABLE, OneTableHouse, configured


def test_overlong_and_empty_alerts_still_reach_the_pit(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.raise_alert("referred", "why? " * 2000, TABLE)
            running.house.alerts.raise_alert("stopped", " ", TABLE)
            await running.house.alerts.wait_until_recorded()
            assert [about for about, _ in running.alerts()] == ["referred", "stopped"]

    asyncio.run(night())


def test_an_idle_session_is_locked_and_the_lock_is_recorded(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            house = running.house.house
            long_ago = Millis(time.time_ns() // 1_000_000 - IDLE_LIFE)
            role = (Role.PIT_MANAGER,)
            assert await house.staff.add(None, PersonId("anna"), "Anna", role, PASSWORD, long_ago) is None
            log_in = await house.sessions.log_in("anna", PASSWORD, None, long_ago)
            assert isinstance(log_in, LogIn)
            await running.until(lambda: house.writer.state.sessions[log_in.session.id].locked)

    asyncio.run(night())


@pytest.mark.parametrize(("on_line", "alerts"), [(False, ["no_ball"]), (True, []), (None, [])])
def test_an_outcome_without_a_ball_on_the_line_alerts_the_pit(
    tmp_path: Path, on_line: bool | None, alerts: list[str]
) -> None:
    """A table without a wheel has no line (``None``), so its readings need no alert."""
    rested = BallRested(RoundNumber(3), Pocket("17"), Clause("3.7"), reason="the line was unplugged")
    entry = Entry(Seq(9), Facts(Millis(1), ball_on_line=on_line), None, [rested])

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.report_event(TABLE, entry, rested)
            await running.house.alerts.wait_until_recorded()
            assert [about for about, _ in running.alerts()] == alerts
            assert all("17" in text and "the line was unplugged" in text for _, text in running.alerts())

    asyncio.run(night())


def interrupted(phase: str) -> InterruptionRecovered:
    return InterruptionRecovered(RoundNumber(29), phase, IrregularityId("interrupted_without_outcome"), Clause("5.1.2"))


def interruption(phase: str, referred: bool = False) -> str:
    return describe_interruption(interrupted(phase), referred)


def test_an_interruption_is_described_in_plain_words() -> None:
    text = "round 29 was interrupted while bets were open; clause 5.1.2 applies"
    assert interruption(Phase.BETS_OPEN) == text


@pytest.mark.parametrize("phase", IN_ROUND)
def test_the_description_of_an_interruption_contains_no_identifier(phase: Phase) -> None:
    assert "_" not in interruption(phase)
    assert "in the phase" not in interruption(phase)
    assert "_" not in question_after_restart(phase)


def test_readings_that_differ_name_the_wheel_and_not_a_program() -> None:
    dealer, wheel = Source(StaffPosition.DEALER, PersonName("dee")), Source(StaffPosition.SYSTEM)
    readings = [Reading(dealer, Pocket("5")), Reading(wheel, Pocket("20"), ReadBy.WHEEL)]
    state = TableState(phase=Phase.AT_REST, round=RoundNumber(3), evidence=Evidence(readings=readings))
    assert disputes_of(state).readings == "read 5 by dee, 20 by the wheel"


def test_one_interrupted_terminal_is_named_in_the_singular() -> None:
    assert interrupted_terminals([SeatId("1")]) == "terminal of seat 1 was interrupted"
    assert interrupted_terminals([SeatId("1"), SeatId("2")]) == "terminals of seats 1, 2 were interrupted"


def test_one_loss_of_a_wheel_is_one_alert_that_is_cleared_when_the_wheel_is_back(tmp_path: Path) -> None:
    lost, back = WheelReliability(False, False, "the line was closed"), WheelReliability(True, True, "")

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            table, house = running.table, running.house.house
            table._publish(lost)
            table._publish(WheelReliability(False, False, "cannot reach the wheel"))
            manual = ManualModeEntered("the line was closed")
            running.house.alerts.report_event(TABLE, Entry(Seq(9), Facts(Millis(1)), None, [manual]), manual)
            await running.house.alerts.wait_until_recorded()
            assert running.alerts() == [("wheel", "the line was closed")]
            table._publish(WheelReliability(False, False, ""))
            assert not running.house.alerts._queue, "a wheel that is not connected is not back"
            table._publish(back)
            await running.house.alerts.wait_until_recorded()
            assert running.alerts() == []
            table._publish(lost)
            await running.house.alerts.wait_until_recorded()
            assert running.alerts() == [("wheel", "the line was closed")], "a new loss is a new alert"
            assert len(house.past_alerts()) == 1

    asyncio.run(night())


def test_an_alert_of_the_last_run_is_cleared_and_not_raised_twice(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.raise_alert("referred", "as before", TABLE)
            running.house.alerts.raise_alert("journal", CANNOT_WRITE, TABLE)
            running.house.alerts.raise_alert("journal", "a snapshot was changed", TABLE)
            await running.house.alerts.wait_until_recorded()
        async with OneTableHouse(configured(tmp_path)) as running:
            running.house.alerts.raise_alert("referred", "as before", TABLE)
            await running.until(lambda: len(running.alerts()) == 2)
            assert running.alerts() == [("referred", "as before"), ("journal", "a snapshot was changed")]

    asyncio.run(night())


def test_the_house_remembers_a_bounded_number_of_past_alerts(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            house = running.house.house
            for number in range(MAX_PAST_ALERTS + 2):
                await house.alert("test", str(number), Millis(number))
                await house.clear_alerts("test", None, Millis(number))
            texts = [past.alert.text for past in house.past_alerts().values()]
            assert texts == [str(number) for number in range(2, MAX_PAST_ALERTS + 2)]

    asyncio.run(night())


@pytest.mark.parametrize("phase", [*IN_ROUND, HELD])
def test_the_description_says_that_a_round_is_referred_where_it_is(phase: str) -> None:
    text = interruption(phase, referred=True)
    assert text.endswith("; it is suspended and referred for a decision (clause 5.1.2)")
    assert "_" not in text
    assert "referred" not in interruption(phase)


@pytest.mark.parametrize(("game", "referred"), [("mbs-sands", True), ("rws-double-zero", False)])
def test_the_alert_after_a_power_cut_says_whether_the_round_is_referred(
    tmp_path: Path, game: str, referred: bool
) -> None:
    configuration = configured(tmp_path, game=game)

    async def night() -> None:
        running = OneTableHouse(configuration)
        await running.house.start()
        assert (await running.ask(c.OpenBets)).ok
        running.store.fault = Fault.NOT_WRITTEN
        assert await running.house.close("the disk is full") == []
        async with OneTableHouse(configuration) as running:
            text = await running.alert("interruption")
            assert text.startswith("round 1 was interrupted while bets were open; ")
            assert ("it is suspended and referred for a decision" in text) is referred
            assert ("report what the wheel shows" in text) is not referred
            assert running.table.state.phase is (Phase.REFERRED if referred else Phase.INTERRUPTED)

    asyncio.run(night())


def test_a_wheel_that_launches_no_ball_alerts_the_pit(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            assert (await running.ask(c.OpenBets)).ok
            running.table._publish(DealerWaiting("the wheel is not connected"))
            running.table._publish(DealerWaiting(NOT_LAUNCHED))
            await running.house.alerts.wait_until_recorded()
            assert running.alerts() == [("wheel", f"round 1: {NOT_LAUNCHED}")]

    asyncio.run(night())
