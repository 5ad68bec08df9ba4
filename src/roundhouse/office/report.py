"""Reports of handle, win, hold and drop by table, gaming day, shift or seat.

An event counts in the shift in which it happened. A later correction therefore counts in the later shift, and never
changes an earlier report.
"""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from roundhouse.audit.house import times_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.entry import Seq
from roundhouse.office.figures import Figures, count, count_seats, percent
from roundhouse.office.gaming_days import SHIFTS, ZONE, Calendar, NoSuchTime
from roundhouse.office.records import ChainHead, Progress, Records
from roundhouse.rules.errors import UserError
from roundhouse.table.names import SeatId, TableId


class GroupBy(StrEnum):
    TABLE = "table"
    SHIFT = "shift"
    DAY = "day"
    SEAT = "seat"


class NoSuchTable(UserError):
    """The journal has no table of that name."""


class ReportQuery(Struct, frozen=True):
    by: GroupBy = GroupBy.TABLE
    table: TableId | None = None
    """Table to report. None reports all tables."""
    first: date | None = None
    """First gaming day. None starts with the first entry."""
    last: date | None = None
    """Last gaming day. None ends with the last entry."""
    zone: str | None = None
    """Time zone. None takes that of the house."""
    shifts: str | None = None
    """Start times of the shifts, separated by commas. None takes those of the house."""


class ReportRow(Struct, frozen=True):
    """One row of a report. Amounts are in cents, and ``hold`` is a fraction in lowest terms."""

    table: TableId | None
    day: date | None
    shift: str | None
    seat: SeatId | None
    rounds: int
    handle: int
    paid: int
    win: int
    hold: str | None
    hold_percent: str | None
    bought: int
    reversed: int
    tickets_in: int
    drop: int
    tickets_out: int
    voids: int
    corrections: int
    shortfall: int
    late_bets: int


class Report(Struct, frozen=True, tag_field="report", tag="report.v1"):
    by: GroupBy
    zone: str
    shifts: tuple[str, ...]
    first: date | None
    last: date | None
    lines: list[ReportRow]
    total: ReportRow
    heads: list[ChainHead]
    """The last entry of each table when it was read."""


Key = tuple[TableId, date | None, str | None, SeatId | None]
"""Table, gaming day, shift and seat of a row. A value is None if the report is not grouped by it."""


def report(path: Path, query: ReportQuery, progress: Progress = lambda entries: None) -> Report:
    """Make a report from a journal, or from the journal in a house's data folder."""
    records = Records(path)
    try:
        return report_of(records, query, progress)
    finally:
        records.close()


def report_of(records: Records, query: ReportQuery, progress: Progress = lambda entries: None) -> Report:
    calendar = calendar_of(records, query.zone, query.shifts)
    if query.first and query.last and query.first > query.last:
        raise NoSuchTime(f"the first day, {query.first}, is after the last day, {query.last}")
    tables = choose_tables(records.playing_tables(), query.table)
    total, rows = Figures(), []
    for table in tables:
        table_total, groups = _count(records, table, query, calendar, progress)
        total.add(table_total)
        rows += [_row(key, figures) for key, figures in groups.items()]
    if query.by in (GroupBy.DAY, GroupBy.SHIFT):
        # Sort by day first, so that the tables of a day are next to each other.
        order = {shift: place for place, shift in enumerate(calendar.shifts)}
        rows.sort(key=lambda row: (row.day, order.get(row.shift or "", 0), row.table))
    heads = [records.head(table) for table in tables]
    total_row = _row((None, None, None, None), total)
    return Report(query.by, calendar.zone, calendar.shifts, query.first, query.last, rows, total_row, heads)


def calendar_of(file: JournalFile, zone: str | None = None, shifts: str | None = None) -> Calendar:
    """Return a calendar. Zone and shifts that are not given come from the journal's house, else from the defaults."""
    house = times_of(file)
    if zone is None:
        zone = house.time_zone if house is not None else ZONE
    if shifts is None:
        shifts = ",".join(house.shifts) if house is not None else SHIFTS
    return Calendar(zone, shifts)


def choose_tables(tables: Sequence[TableId], name: TableId | None) -> Sequence[TableId]:
    if name is None or name in tables:
        return tables if name is None else [name]
    raise NoSuchTable(f"the journal has no table '{name}'; it has {', '.join(tables) or 'none'}")


def _count(
    records: Records, table: TableId, query: ReportQuery, calendar: Calendar, progress: Progress
) -> tuple[Figures, dict[Key, Figures]]:
    """Count the figures of a table, in total and by group."""
    first = records.first_from(table, calendar.begins(query.first)) if query.first else Seq(1)
    until = calendar.ends(query.last) if query.last else None
    by, groups = query.by, dict[Key, Figures]()
    if by is GroupBy.TABLE:
        groups[table, None, None, None] = Figures()

    def group(key: Key) -> Figures:
        if (figures := groups.get(key)) is None:
            figures = groups[key] = Figures()
        return figures

    total = Figures()
    for entry in records.entries_from(table, first, until, progress):
        for event in entry.events:
            match by:
                case GroupBy.TABLE:
                    count(event, group((table, None, None, None)))
                case GroupBy.DAY:
                    count(event, group((table, calendar.shift(entry.at).day, None, None)))
                case GroupBy.SHIFT:
                    shift = calendar.shift(entry.at)
                    count(event, group((table, shift.day, shift.begins, None)))
                case GroupBy.SEAT:
                    count(event, total)
                    count_seats(event, lambda seat: group((table, None, None, seat)))
    if by is not GroupBy.SEAT:
        for figures in groups.values():
            total.add(figures)
    return total, groups


def _row(key: tuple[TableId | None, date | None, str | None, SeatId | None], figures: Figures) -> ReportRow:
    table, day, shift, seat = key
    return ReportRow(
        table=table,
        day=day,
        shift=shift,
        seat=seat,
        rounds=figures.rounds,
        handle=figures.handle,
        paid=figures.paid,
        win=figures.win,
        hold=str(figures.hold) if figures.hold is not None else None,
        hold_percent=percent(figures.hold) if figures.hold is not None else None,
        bought=figures.bought,
        reversed=figures.reversed,
        tickets_in=figures.tickets_in,
        drop=figures.drop,
        tickets_out=figures.tickets_out,
        voids=figures.voids,
        corrections=figures.corrections,
        shortfall=figures.shortfall,
        late_bets=figures.late_bets,
    )
