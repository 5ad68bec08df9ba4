"""Entries that a running house records on its own: alerts for the pit and expired sessions."""

import asyncio
import time
from pathlib import Path

import pytest

from roundhouse.dealer.loop import WheelReliability
from roundhouse.floor.alerts import CANNOT_WRITE, describe_interruption
from roundhouse.house.sessions import LogIn
from roundhouse.journal.entry import Entry, Seq
from roundhouse.people.names import IDLE_LIFE, MAX_PAST_ALERTS, PersonId, Role
from roundhouse.rules.names import Clause, IrregularityId, Pocket
from roundhouse.table.decision import IN_ROUND, Facts
from roundhouse.table.events import BallRested, InterruptionRecovered, ManualModeEntered
from roundhouse.table.names import Millis, Phase, RoundNumber
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


def interruption(phase: Phase) -> str:
    event = InterruptionRecovered(
        RoundNumber(29), phase, IrregularityId("interrupted_without_outcome"), Clause("5.1.2")
    )
    return describe_interruption(event)


def test_an_interruption_is_described_in_plain_words() -> None:
    text = "round 29 was interrupted while bets were open; clause 5.1.2 applies"
    assert interruption(Phase.BETS_OPEN) == text


@pytest.mark.parametrize("phase", IN_ROUND)
def test_the_description_of_an_interruption_contains_no_identifier(phase: Phase) -> None:
    assert "_" not in interruption(phase)
    assert "in the phase" not in interruption(phase)


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
