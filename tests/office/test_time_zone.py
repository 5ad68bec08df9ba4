"""The time zone of a house is recorded in its journal and used by every command that prints times."""

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

[tables.limits]
seat = {{ min = 100, max = 100000 }}
"""
AT = 1_700_000_000_250
"""2023-11-14 22:13:20.250 UTC, which is 17:13:20.250 in New York and the next day in Tokyo."""


class FixedClock(SystemClock):
    def time_ns(self) -> int:
        return AT * 1_000_000


def configured(folder: Path, zone: str) -> Configuration:
    return parse(TOML.format(zone=zone).encode(), folder / "house.toml")


def run(configuration: Configuration, play: bool) -> None:
    """Start and stop the house once. With ``play``, a round is opened and voided."""

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


def test_explain_prints_times_in_the_zone_of_the_house_and_names_it(journal: Path, call: Calling) -> None:
    status, out, _ = call("explain", str(journal), "--round", "1")
    assert status == 0
    assert "Steps (time zone America/New_York)" in out
    assert "2023-11-14 17:13:20.250" in out
    _, out, _ = call("explain", str(journal), "--round", "1", "--zone", "Asia/Tokyo")
    assert "Steps (time zone Asia/Tokyo)" in out
    assert "2023-11-15 07:13:20.250" in out


def test_the_json_of_explain_has_timestamps_and_a_format_number(journal: Path, call: Calling) -> None:
    story = call.json("explain", str(journal), "--round", "1")
    assert story["format"] == 2
    assert {step["at"] for step in story["steps"]} == {AT}


def test_an_unknown_time_zone_is_refused(journal: Path, call: Calling) -> None:
    for command in (("explain", "--round", "1"), ("report",), ("export", "--what", "events")):
        message = call.refused(command[0], str(journal), *command[1:], "--zone", "Atlantis")
        assert "there is no time zone 'Atlantis'" in message
        assert "''" in call.refused(command[0], str(journal), *command[1:], "--zone", "")


def test_a_report_uses_the_days_and_shifts_of_the_house(journal: Path, call: Calling) -> None:
    result = report(journal, ReportQuery(GroupBy.SHIFT))
    assert (result.zone, result.shifts) == ("America/New_York", ("04:00", "16:00"))
    document = call.json("report", str(journal), "--by", "day")
    assert (document["zone"], document["shifts"]) == ("America/New_York", ["04:00", "16:00"])
    _, out, _ = call("report", str(journal))
    assert "a gaming day begins at 04:00, America/New_York" in out
    assert "2023-11-14T17:13:20.250-05:00" in out
    document = call.json("report", str(journal), "--by", "day", "--zone", "Asia/Tokyo", "--shifts", "00:00")
    assert (document["zone"], document["shifts"]) == ("Asia/Tokyo", ["00:00"])


def test_the_printed_events_name_the_time_zone(journal: Path, call: Calling) -> None:
    _, out, _ = call("export", str(journal), "--what", "events")
    assert "Significant events (time zone America/New_York)" in out
    assert "2023-11-14T17:13:20.250-05:00" in out


def test_a_journal_without_a_house_is_shown_in_utc(day: Path, call: Calling) -> None:
    assert "a gaming day begins at 06:00, UTC" in call("report", str(day))[1]
    assert "(time zone UTC)" in call("explain", str(day), "--table", "roulette-1", "--round", "1")[1]
    assert "(time zone UTC)" in call("export", str(day), "--what", "events")[1]
    assert json.loads(call("report", str(day), "--json")[1])["zone"] == "UTC"


def test_the_zone_of_the_last_configuration_is_used(tmp_path: Path) -> None:
    for zone in ("America/New_York", "Asia/Tokyo", "Asia/Tokyo"):
        run(configuration := configured(tmp_path, zone), play=False)
    file = JournalFile(configuration.journal)
    assert times_of(file) == HouseTimes("Asia/Tokyo", ("04:00", "16:00"))
    file.close()
