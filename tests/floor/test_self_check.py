"""The software check of a running house, and the record of its starts and stops."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from roundhouse.audit.software import self_check
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.self_check import SoftwareCheck, last_start
from roundhouse.people import events as e
from roundhouse.wire.operations import SelfCheck
from tests.support.running_house import TABLE, OneTableHouse, configured


def test_software_that_changes_while_the_house_runs_raises_an_alert(tmp_path: Path) -> None:
    found = self_check()
    results: list[SelfCheck] = []

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            alerts = AlertQueue(running.house.house, running.house.clock)
            checks = SoftwareCheck(alerts, results.append, running.house.clock)
            checks.record(found)
            changed = replace(found, software="0" * 64)
            checks.record(changed)
            unsound = replace(found, ok=False, changed=["roundhouse/rules/odds.py"])
            checks.record(unsound)
            writing = asyncio.create_task(alerts.run([]))
            await alerts.wait_until_recorded()
            writing.cancel()
            texts = [text for about, text in running.alerts() if about == "self_check"]
            assert len(texts) == 2
            assert "changed while the house runs" in texts[0]
            assert "roundhouse/rules/odds.py" in texts[1]
            recorded = [
                entry.event for entry in running.house.house.entries() if isinstance(entry.event, e.SelfChecked)
            ]
            assert [event.agrees for event in recorded] == [True, True, False, False]
            assert {event.expected for event in recorded} == {found.software}

    asyncio.run(night())
    assert [check.agrees for check in results] == [True, False, False]
    assert {check.compared_with.value for check in results} == {found.compared_with.value}, (
        "no other comparison is claimed"
    )


def test_the_software_is_checked_repeatedly(tmp_path: Path) -> None:
    results: list[SelfCheck] = []

    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            daily = asyncio.create_task(
                SoftwareCheck(running.house.alerts, results.append, running.house.clock).daily(every_seconds=0.0)
            )
            await running.until(lambda: len(results) >= 2)
            daily.cancel()
            await running.house.alerts.wait_until_recorded()
            recorded = [
                entry.event for entry in running.house.house.entries() if isinstance(entry.event, e.SelfChecked)
            ]
            assert len(recorded) == 1 + len(results), "the check at the start and the repeated ones"

    asyncio.run(night())
    assert all(check.agrees for check in results)


def test_a_repeated_alert_about_the_same_table_is_recorded_once(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            for _ in range(1000):
                running.house.alerts.raise_alert("wheel", "the connection broke", TABLE)
            running.house.alerts.raise_alert("wheel", "the connection broke", None)
            running.house.alerts.replace_alert("wheel", "the connection broke", TABLE)
            for text in ("backup 1 failed", "backup 2 failed"):  # the same condition, and still one alert
                running.house.alerts.raise_alert("backup", text)
            running.house.alerts.raise_alert("referred", "Was it the eight?", TABLE)
            running.house.alerts.raise_alert("referred", "Was it the nine?", TABLE)
            await running.house.alerts.wait_until_recorded()
            assert [text for _, text in running.alerts()] == [
                "the connection broke",
                "the connection broke",
                "backup 1 failed",
                "Was it the eight?",
                "Was it the nine?",
            ]

    asyncio.run(night())


def test_changed_software_with_the_same_version_raises_an_alert(tmp_path: Path) -> None:
    async def night() -> None:
        async with OneTableHouse(configured(tmp_path)) as running:
            assert running.alerts() == []
        async with OneTableHouse(configured(tmp_path)) as running:
            assert running.alerts() == [], "the software is the same"
            before = last_start(running.store)
            assert before is not None
            checks = SoftwareCheck(running.house.alerts, lambda _: None, running.house.clock)
            checks.record(self_check())
            checks.compare_with_last_start(replace(before, software="f" * 64, version="0.0.1"))
            checks.compare_with_last_start(before)
            checks.compare_with_last_start(None)
            await running.house.alerts.wait_until_recorded()
            assert running.alerts() == []
            checks.compare_with_last_start(replace(before, software="f" * 64))
            assert "ffffffffffff" in await running.alert("self_check")

    asyncio.run(night())


@pytest.mark.parametrize("wheel", ["none", "simulated:100"])
def test_every_start_and_stop_is_recorded(tmp_path: Path, wheel: str) -> None:
    async def night() -> list[str]:
        for _ in range(2):
            async with OneTableHouse(configured(tmp_path, wheel)) as running:
                pass
        async with OneTableHouse(configured(tmp_path, wheel)) as running:
            return [type(entry.event).__name__ for entry in running.house.house.entries()]

    found = [name for name in asyncio.run(night()) if name in ("HouseStarted", "HouseStopped")]
    assert found == ["HouseStarted", "HouseStopped"] * 2 + ["HouseStarted"]
