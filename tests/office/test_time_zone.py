"""The time zone of a house: recorded in its journal, and used by every command that shows a time of it."""

import asyncio
import json
from pathlib import Path

import pytest

from roundhouse.audit.house import HouseTimes, times_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.config.loading import Configuration, parse
from roundhouse.floor.clock import SystemClock
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.opening import open_store
from roundhouse.office.report import GroupBy, ReportQuery, report
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.names import RequestId
from tests.support.command_line import Calling

TOML = """
[house]
name = "H"
currency = "USD"
data = "data"
time_zone = "{zone}"
shifts = ["04:00", "16:00"]

[[tables]]
id = "t"
game = "rws-double-zero"
"""
AT = 1_700_000_000_250
"""2023-11-14 22:13:20.250 UTC, 17:13:20.250 in New York, and the day after in Tokyo."""


class FixedClock(SystemClock):
    def time_ns(self) -> int:
        return AT * 1_000_000


def configured(folder: Path, zone: str) -> Configuration:
    return parse(TOML.format(zone=zone).encode(), folder / "house.toml")


def run(configuration: Configuration, play: bool) -> None:
    """One start of the house: a round is opened, closed by the pit, or nothing is played."""

    async def night() -> None:
        store, key = open_store(configuration.journal)
        running = RunningHouse(configuration, store, key, FixedClock())
        await running.start()
        if play:
            (table,) = running.running
            for command in (
                c.OpenBets(id=RequestId("1"), by=StaffPosition.DEALER),
                c.Declare(id=RequestId("2"), by=StaffPosition.PIT_MANAGER, irregularity="ball_broke", rounds=(1,)),  # type: ignore[arg-type]
            ):
                await table.ask(command)
        await running.close("a test has ended")

    asyncio.run(night())


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    configuration = configured(tmp_path, "America/New_York")
    run(configuration, play=True)
    return configuration.journal


def test_explain_shows_the_times_of_the_house_and_names_its_zone(journal: Path, call: Calling) -> None:
    status, out, _ = call("explain", str(journal), "--round", "1")
    assert status == 0
    assert "Steps (time zone America/New_York)" in out
    assert "2023-11-14 17:13:20.250" in out
    _, out, _ = call("explain", str(journal), "--round", "1", "--zone", "Asia/Tokyo")
    assert "Steps (time zone Asia/Tokyo)" in out
    assert "2023-11-15 07:13:20.250" in out


def test_a_story_for_programs_has_instants_and_its_format(journal: Path, call: Calling) -> None:
    story = call.json("explain", str(journal), "--round", "1")
    assert story["format"] == 2
    assert {step["at"] for step in story["steps"]} == {AT}


def test_a_zone_that_does_not_exist_is_refused(journal: Path, call: Calling) -> None:
    for command in (("explain", "--round", "1"), ("report",), ("export", "--what", "events")):
        words = call.refused(command[0], str(journal), *command[1:], "--zone", "Atlantis")
        assert "there is no time zone 'Atlantis'" in words
        assert "''" in call.refused(command[0], str(journal), *command[1:], "--zone", "")


def test_a_report_counts_by_the_days_and_shifts_of_the_house(journal: Path, call: Calling) -> None:
    made = report(journal, ReportQuery(GroupBy.SHIFT))
    assert (made.zone, made.shifts) == ("America/New_York", ("04:00", "16:00"))
    told = call.json("report", str(journal), "--by", "day")
    assert (told["zone"], told["shifts"]) == ("America/New_York", ["04:00", "16:00"])
    _, out, _ = call("report", str(journal))
    assert "a gaming day begins at 04:00, America/New_York" in out
    assert "2023-11-14T17:13:20.250-05:00" in out
    told = call.json("report", str(journal), "--by", "day", "--zone", "Asia/Tokyo", "--shifts", "00:00")
    assert (told["zone"], told["shifts"]) == ("Asia/Tokyo", ["00:00"])


def test_events_for_people_name_the_zone(journal: Path, call: Calling) -> None:
    _, out, _ = call("export", str(journal), "--what", "events")
    assert "Significant events (time zone America/New_York)" in out
    assert "2023-11-14T17:13:20.250-05:00" in out


def test_a_journal_of_no_house_is_told_in_utc_which_is_named(day: Path, call: Calling) -> None:
    assert "a gaming day begins at 06:00, UTC" in call("report", str(day))[1]
    assert "(time zone UTC)" in call("explain", str(day), "--table", "roulette-1", "--round", "1")[1]
    assert "(time zone UTC)" in call("export", str(day), "--what", "events")[1]
    assert json.loads(call("report", str(day), "--json")[1])["zone"] == "UTC"


def test_the_zone_of_the_last_configuration_counts(tmp_path: Path) -> None:
    for zone in ("America/New_York", "Asia/Tokyo", "Asia/Tokyo"):
        run(configuration := configured(tmp_path, zone), play=False)
    file = JournalFile(configuration.journal)
    assert times_of(file) == HouseTimes("Asia/Tokyo", ("04:00", "16:00"))
    file.close()
