"""Reports compared with figures worked out by hand, at the boundaries of shifts, days and clock changes."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from roundhouse.office.backup import back_up
from roundhouse.office.export import Export
from roundhouse.office.figures import percent
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.report import GroupBy, ReportQuery, ReportRow, report
from roundhouse.table.names import Millis, TableId
from tests.support.clocked_table import TABLE, ClockedTable
from tests.support.command_line import Calling
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin


def cells(lines: list[ReportRow], *names: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(line, name) for name in names) for line in lines]


def test_the_report_of_a_day_matches_the_figures_worked_out_by_hand(day: Path) -> None:
    """Rounds of the day: 1 (outcome 17), 2 (8, corrected to 9), 3 (00, later void) and 5 (36)."""
    result = report(day, ReportQuery())
    roulette, sands = result.lines
    # Handle: 3,500 + 2,000 + 600. Paid: 18,000 + 4,000 in round 1, 0 in round 2 and 1,200 in round 5.
    assert cells([roulette], "rounds", "handle", "paid", "win", "hold") == [(3, 6_100, 23_200, -17_100, "-171/61")]
    assert roulette.hold_percent == "-280.33"
    assert cells([roulette], "bought", "drop", "tickets_in", "tickets_out") == [(150_000, 150_000, 0, 203_100)]
    assert cells([roulette], "voids", "corrections", "shortfall", "late_bets") == [(2, 1, 36_000, 2)]
    assert cells([sands], "rounds", "voids", "drop", "tickets_in", "hold") == [(0, 1, 171_500, 151_500, None)]
    assert cells([result.total], "handle", "drop", "voids") == [(6_100, 321_500, 3)]


def test_the_report_by_seat_matches_the_figures_worked_out_by_hand(day: Path) -> None:
    lines = report(day, ReportQuery(GroupBy.SEAT)).lines
    found = cells(lines, "table", "seat", "rounds", "handle", "paid", "voids", "corrections", "shortfall", "late_bets")
    assert found == [
        (ROULETTE, "a", 2, 2_500, 18_000, 0, 1, 36_000, 1),
        (ROULETTE, "b", 3, 3_600, 5_200, 2, 1, 0, 1),
        (SANDS, "x", 0, 0, 0, 1, 0, 0, 0),
    ]


def query(by: GroupBy = GroupBy.TABLE, **more: Any) -> ReportQuery:
    """Build a query in the time zone of Singapore, which the tables of these tests use."""
    return ReportQuery(by, **{"zone": "Asia/Singapore", **more})


@pytest.fixture
def night(tmp_path: Path) -> Iterator[ClockedTable]:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00")
    yield night
    night.close()


def by_shift(night: ClockedTable, **more: object) -> list[tuple[object, ...]]:
    lines = report(night.house.path, query(GroupBy.SHIFT, **more)).lines
    return cells(lines, "day", "shift", "rounds", "handle", "win")


def test_a_round_at_the_start_time_belongs_to_the_new_shift(night: ClockedTable) -> None:
    night.round("2026-11-15T05:59:59", "17", red=100)
    night.round("2026-11-15T06:00:00", "17", red=200)
    night.round("2026-11-15T13:59:59", "17", red=400)
    night.round("2026-11-15T14:00:00", "17", red=800)
    night.round("2026-11-16T05:59:59", "17", red=1_600)
    night.round("2026-11-16T06:00:00", "17", red=3_200)
    assert by_shift(night) == [
        (date(2026, 11, 14), "22:00", 1, 100, 100),
        (date(2026, 11, 15), "06:00", 2, 600, 600),
        (date(2026, 11, 15), "14:00", 1, 800, 800),
        (date(2026, 11, 15), "22:00", 1, 1_600, 1_600),
        (date(2026, 11, 16), "06:00", 1, 3_200, 3_200),
    ]
    days = cells(report(night.house.path, query(GroupBy.DAY)).lines, "day", "handle")
    assert days == [(date(2026, 11, 14), 100), (date(2026, 11, 15), 3_000), (date(2026, 11, 16), 3_200)]
    calendar_days = cells(report(night.house.path, query(GroupBy.DAY, shifts="00:00")).lines, "day", "handle")
    assert calendar_days == [(date(2026, 11, 15), 1_500), (date(2026, 11, 16), 4_800)]


def test_from_and_to_cover_whole_gaming_days(night: ClockedTable) -> None:
    for hour, chips in (("15T05:59:59", 100), ("15T06:00:00", 200), ("16T05:59:59", 400), ("16T06:00:00", 800)):
        night.round(f"2026-11-{hour}", "17", red=chips)

    def handle(first: int | None, last: int | None) -> int:
        days = [date(2026, 11, n) if n else None for n in (first, last)]
        return report(night.house.path, query(first=days[0], last=days[1])).total.handle

    assert handle(None, None) == 1_500
    assert handle(15, 15) == 600
    assert handle(15, None) == 1_400
    assert handle(None, 15) == 700
    assert handle(None, 14) == 100
    assert handle(16, 20) == 800
    assert handle(17, None) == handle(None, 13) == 0


def test_a_correction_counts_in_the_shift_in_which_it_was_made(night: ClockedTable) -> None:
    night.round("2026-11-15T13:00:00", "8", straight_8=1_000)
    before = by_shift(night)
    night.at("2026-11-15T15:00:00")
    night.house.do(TABLE, {"by": "pit_supervisor", "do": "correct_result", "round": 1, "outcome": "9", **TWO_PERSONS})
    night.at("2026-11-15T23:00:00")
    night.house.do(
        TABLE, {"by": "pit_manager", "do": "declare", "irregularity": "ball_broke", "rounds": [1], **TWO_PERSONS}
    )
    first, second, third = (n for n in by_shift(night) if n[0] == date(2026, 11, 15))
    assert first == before[-1] == (date(2026, 11, 15), "06:00", 1, 1_000, -35_000)
    assert second == (date(2026, 11, 15), "14:00", 0, 0, 36_000)
    # The round is void: its stake is subtracted from the handle, so it no longer counts in the total.
    assert third == (date(2026, 11, 15), "22:00", -1, -1_000, -1_000)
    lines = report(night.house.path, query(GroupBy.SHIFT)).lines
    assert [line.hold for line in lines if line.shift != "06:00"] == [None] * 3
    assert cells([report(night.house.path, query()).total], "rounds", "handle", "paid", "voids", "corrections") == [
        (0, 0, 0, 1, 1)
    ]


def test_a_shortfall_that_is_reversed_cancels_out(night: ClockedTable) -> None:
    """The winnings were cashed out before the correction. A second correction restores the first result."""
    night.round("2026-11-15T13:00:00", "8", straight_8=1_000)
    night.house.do(TABLE, {"by": "cashier", "do": "cash_out", "seat": "a"})
    for hour, outcome in (("15", "9"), ("23", "8")):
        night.at(f"2026-11-15T{hour}:00:00")
        night.house.do(
            TABLE, {"by": "pit_supervisor", "do": "correct_result", "round": 1, "outcome": outcome, **TWO_PERSONS}
        )
    lines = report(night.house.path, query(GroupBy.SHIFT, first=date(2026, 11, 15))).lines
    assert cells(lines, "shift", "shortfall", "win", "corrections") == [
        ("06:00", 0, -35_000, 0),
        ("14:00", 36_000, 36_000, 1),
        ("22:00", -36_000, -36_000, 1),
    ]
    seats = report(night.house.path, query(GroupBy.SEAT)).lines
    assert cells(seats, "shortfall", "win", "corrections") == [(0, -35_000, 2)]


def test_a_correction_before_settlement_counts_as_a_correction(night: ClockedTable) -> None:
    night.at("2026-11-15T13:00:00")
    night.house.do(TABLE, {"do": "open_bets"}, bets("a", red=100), *spin("18")[:4])
    night.house.do(TABLE, {"do": "register_result", "outcome": "17"})
    night.house.do(TABLE, {"by": "pit_supervisor", "do": "correct_result", "round": 1, "outcome": "18", **TWO_PERSONS})
    night.house.do(TABLE, {"do": "confirm_result"})
    total = report(night.house.path, ReportQuery()).total
    assert cells([total], "rounds", "handle", "paid", "corrections") == [(1, 100, 200, 1)]
    assert total.corrections == night.house.writers[TABLE].table.state.meters.corrections


def test_a_shift_is_not_repeated_when_clocks_are_set_back(tmp_path: Path) -> None:
    """In Berlin on 25 October 2026, 03:00 becomes 02:00. A shift that began at 02:30 does not begin again."""
    night = ClockedTable(tmp_path / "house.db", "2026-10-24T20:00:00", "Europe/Berlin")
    night.round("2026-10-25T02:15:00", "17", red=100)
    night.round("2026-10-25T02:45:00", "17", red=200)
    night.round("2026-10-25T02:15:00", "17", fold=1, red=400)
    night.round("2026-10-25T10:00:00", "17", red=800)
    found = by_shift(night, zone="Europe/Berlin", shifts="02:30,10:00")
    night.close()
    assert found == [
        (date(2026, 10, 24), "10:00", 1, 100, 100),
        (date(2026, 10, 25), "02:30", 2, 600, 600),
        (date(2026, 10, 25), "10:00", 1, 800, 800),
    ]


def test_shifts_have_no_gap_when_clocks_are_set_forward() -> None:
    """In Berlin on 29 March 2026, 02:00 becomes 03:00. Every instant is in exactly one shift."""
    calendar = Calendar("Europe/Berlin", "01:00,02:30,03:00,12:00")
    start = calendar.begins(date(2026, 3, 28))
    shifts = [calendar.shift(Millis(at)) for at in range(start, start + 72 * 3_600_000, 600_000)]
    for before, after in pairwise(shifts):
        assert before == after or before.end == after.first
    assert calendar.ends(date(2026, 3, 29)) - calendar.begins(date(2026, 3, 29)) == 23 * 3_600_000


def test_a_report_can_be_made_while_a_table_is_running(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "house.db")
    house.open(TABLE, "rws-double-zero")
    house.do(TABLE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"})
    house.do(TABLE, bets("a", red=1000), *spin("0"))
    assert report(tmp_path, ReportQuery()).total.win == 1_000
    house.do(TABLE, {"do": "close_table"})
    assert report(tmp_path, ReportQuery()).heads[0].entries == house.writers[TABLE].version
    house.close()


LOCKED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        print("locked")
"""
"""A script that prints "locked" if another process holds SQLite's shared lock on the file."""


def test_reading_in_the_process_of_the_house_keeps_its_file_locks(tmp_path: Path) -> None:
    """POSIX drops all locks of a process on a file when it closes any descriptor of that file."""
    house = JournalHouse(tmp_path / "house.db")
    house.open(TABLE, "rws-double-zero")
    house.do(TABLE, {"do": "open_table"})

    def locked() -> str:
        command = [sys.executable, "-c", LOCKED, str(house.path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert locked() == "locked"
    report(tmp_path, ReportQuery())
    with Export(tmp_path) as journal:
        list(journal.events())
    back_up(tmp_path, tmp_path / "backup")
    assert locked() == "locked"
    house.close()
    assert locked() == ""


def test_the_table_option_limits_the_report_to_one_table(day: Path) -> None:
    result = report(day, ReportQuery(table=TableId(SANDS)))
    assert [line.table for line in result.lines] == [SANDS]
    assert result.total.handle == 0
    assert [head.table for head in result.heads] == [SANDS]


def test_a_table_without_rounds_has_a_row(tmp_path: Path) -> None:
    house = JournalHouse(tmp_path / "house.db")
    house.open(TABLE, "rws-double-zero")
    house.close()
    result = report(tmp_path, ReportQuery(first=date(2026, 1, 1)))
    assert cells(result.lines, "table", "rounds", "hold") == [(TABLE, 0, None)]
    assert (result.heads[0].entries, result.heads[0].at) == (0, None)


def test_verify_accepts_the_head_of_a_report(day: Path, call: Calling) -> None:
    (head, _) = report(day, ReportQuery()).heads
    assert call.json("verify", str(day), "--noted", head.hash)["verifies"] is True


def test_text_json_and_csv_show_the_same_figures(day: Path, tmp_path: Path, call: Calling) -> None:
    for by in GroupBy:
        document = call.json("report", str(day.parent), "--by", by.value)
        status, out, err = call("report", str(day.parent), "--by", by.value, "--csv")
        assert (status, err) == (0, "")
        rows = list(csv.DictReader(out.splitlines()))
        assert [{k: "" if v is None else str(v) for k, v in line.items()} for line in document["lines"]] == rows
        status, out, err = call("report", str(day), "--by", by.value)
        assert (status, err) == (0, "")
        for text in ("roulette-1", "sands-1", "-280.33", "64.00", "377.00", "-171.00", "2,031.00", "360.00"):
            assert text in out, (by, text)
    file = tmp_path / "report.csv"
    assert call("report", str(day), "-o", str(file))[0] == 0
    assert file.read_text().splitlines()[0].startswith("table,day,shift,seat,rounds,handle")
    file = tmp_path / "report.json"
    assert call("report", str(day), "-o", str(file))[0] == 0
    assert json.loads(file.read_text())["report"] == "report.v1"


def test_percentages_are_rounded_from_the_exact_fraction() -> None:
    assert percent(Fraction(1, 38)) == "2.63"
    assert percent(Fraction(1)) == "100.00"
    assert percent(Fraction(-1, 400)) == "-0.25"
    assert percent(Fraction(12345, 1_000_000)) == "1.23"
    assert percent(Fraction(12355, 1_000_000)) == "1.24"


def test_a_time_outside_the_calendar_is_reported(tmp_path: Path, call: Calling) -> None:
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00")
    night.clock.at = 999_999_999_999_999
    night.house.do(TABLE, {"do": "open_bets"})
    night.close()
    assert "outside the calendar" in call.refused("report", str(tmp_path), "--by", "day")
    assert call("report", str(tmp_path), "--by", "table")[0] == 0
