"""Random nights over many shifts: the rows of every report add up exactly to the meters of the tables."""

from collections import Counter
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings

from roundhouse.office.export import Export
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.report import GroupBy, ReportQuery, ReportRow, report
from roundhouse.table.names import Millis
from tests.support.tables import Json, Play
from tests.table.test_properties import Rounds

_FIGURES = (
    "rounds",
    "handle",
    "paid",
    "bought",
    "tickets_in",
    "tickets_out",
    "voids",
    "corrections",
    "shortfall",
    "late_bets",
)
"""Figures that the table counts, too. Its state does not tell what was played from what was changed later."""
_HOUR = 3_600_000
_SEAT_FIELDS = {"handle": "handle", "paid": "paid", "bought": "bought", "shortfall": "shortfall"}
_SEAT_FIELDS |= {"tickets_in": "redeemed", "tickets_out": "cashed_out"}


def totals_by_table(lines: list[ReportRow]) -> dict[str, Counter[str]]:
    """Add up the report rows of each table."""
    tables: dict[str, Counter[str]] = {}
    for line in lines:
        assert line.table is not None
        tables.setdefault(line.table, Counter()).update({name: getattr(line, name) for name in _FIGURES})
    return tables


def meters_of(play: Play) -> Counter[str]:
    """Return the meters in the state of the table."""
    state = play.writer.table.state
    meters: dict[str, Any] = msgspec.to_builtins(state.meters)
    return Counter({**{name: meters[name] for name in _FIGURES if name in meters}, "shortfall": -state.shortfall})


class Nights(Rounds):
    def ask(self, n: int, do: str, fields: Json, by: str = "") -> bool:
        """Advance the clock regularly, so that a night covers many shifts."""
        if len(self.sent) % 5 == 0:
            self.plays[n].clock._now = Millis(self.plays[n].clock._now + _HOUR)
        return super().ask(n, do, fields, by)

    def teardown(self) -> None:
        if self.plays:
            self.compare_reports_with_meters()
        super().teardown()

    def compare_reports_with_meters(self) -> None:
        path = self.plays[0].path
        tables = {play.id: meters_of(play) for play in self.plays}
        for by in (GroupBy.TABLE, GroupBy.DAY, GroupBy.SHIFT):
            result = report(path, ReportQuery(by))
            assert totals_by_table(result.lines) == tables, by
            total = Counter({name: sum(of[name] for of in tables.values()) for name in _FIGURES})
            assert {name: getattr(result.total, name) for name in _FIGURES} == total, by
        self.compare_each_day(tables)
        self.compare_each_seat(tables)

    def compare_each_day(self, tables: dict[Any, Counter[str]]) -> None:
        """Check that the reports of single days together equal the report by day."""
        path, calendar = self.plays[0].path, Calendar()
        by_day = report(path, ReportQuery(GroupBy.DAY))
        days = sorted({line.day for line in by_day.lines if line.day is not None})
        single_days = [
            line for day in days for line in report(path, ReportQuery(GroupBy.DAY, first=day, last=day)).lines
        ]
        assert sorted(map(msgspec.to_builtins, single_days), key=str) == sorted(
            map(msgspec.to_builtins, by_day.lines), key=str
        )
        for line in report(path, ReportQuery(GroupBy.SHIFT)).lines:
            assert line.shift in calendar.shifts

    def compare_each_seat(self, tables: dict[Any, Counter[str]]) -> None:
        path = self.plays[0].path
        lines = {(line.table, line.seat): line for line in report(path, ReportQuery(GroupBy.SEAT)).lines}
        with Export(path) as journal:
            meters = {(line.table, line.seat): line for line in journal.meters()}
        for play in self.plays:
            state = play.writer.table.state
            for id, seat in state.seats.items():
                for ours, theirs in _SEAT_FIELDS.items():
                    assert getattr(lines[play.id, id], ours) == getattr(seat, theirs), (id, ours)
                assert (meters[play.id, id].credits, meters[play.id, id].on_layout) == (seat.credits, seat.on_layout)
            table = meters[play.id, None]
            assert Counter({name: getattr(table, name) for name in _FIGURES}) == tables[play.id]
            assert table.credits == sum(seat.credits for seat in state.seats.values())
            assert (table.on_layout, table.win, table.seq) == (state.layout, state.house, play.writer.version)


TestNights = Nights.TestCase
TestNights.settings = settings(suppress_health_check=list(HealthCheck), max_examples=25, stateful_step_count=40)
