"""A report: what a house's tables did, by table, day, shift or seat, read off the journal in one view of it.

An event belongs to the shift in which it happened. A round that is corrected in a later shift changes that later
shift, and never a report that was printed before.
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
    first: date | None = None
    """The first gaming day of the report, and the last; without them, from the beginning and to now."""
    last: date | None = None
    zone: str | None = None
    """The zone and the shifts of the report; without them, those that the house recorded."""
    shifts: str | None = None


class ReportRow(Struct, frozen=True):
    """Amounts in cents; ``hold`` is a fraction in lowest terms."""

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
    """How far each table went when it was read."""


Key = tuple[TableId, date | None, str | None, SeatId | None]


def report(path: Path, question: ReportQuery, progress: Progress = lambda entries: None) -> Report:
    """The report on a journal, or on the house whose folder is named."""
    records = Records(path)
    try:
        return report_of(records, question, progress)
    finally:
        records.close()


def report_of(records: Records, question: ReportQuery, progress: Progress = lambda entries: None) -> Report:
    calendar = calendar_of(records, question.zone, question.shifts)
    if question.first and question.last and question.first > question.last:
        raise NoSuchTime(f"a report from {question.first} to {question.last} would end before it begins")
    tables = chosen(records.playing_tables(), question.table)
    total, lines = Figures(), []
    for table in tables:
        of_table, groups = _count(records, table, question, calendar, progress)
        total.add(of_table)
        lines += [_line(key, figures) for key, figures in groups.items()]
    if question.by in (GroupBy.DAY, GroupBy.SHIFT):
        # People read a day's tables beside each other.
        begins = {word: place for place, word in enumerate(calendar.shifts)}
        lines.sort(key=lambda line: (line.day, begins.get(line.shift or "", 0), line.table))
    heads = [records.head(table) for table in tables]
    whole = _line((None, None, None, None), total)
    return Report(question.by, calendar.zone, calendar.shifts, question.first, question.last, lines, whole, heads)


def calendar_of(file: JournalFile, zone: str | None = None, shifts: str | None = None) -> Calendar:
    """By the zone and the shifts that are given, or the house's; where the journal is of no house, by the default."""
    house = times_of(file)
    if zone is None:
        zone = house.time_zone if house is not None else ZONE
    if shifts is None:
        shifts = ",".join(house.shifts) if house is not None else SHIFTS
    return Calendar(zone, shifts)


def chosen(tables: Sequence[TableId], name: TableId | None) -> Sequence[TableId]:
    if name is None or name in tables:
        return tables if name is None else [name]
    raise NoSuchTable(f"the journal has no table '{name}'; it has {', '.join(tables) or 'none'}")


def _count(
    records: Records, table: TableId, question: ReportQuery, calendar: Calendar, progress: Progress
) -> tuple[Figures, dict[Key, Figures]]:
    """A table's figures, and the same in groups."""
    first = records.first_from(table, calendar.begins(question.first)) if question.first else Seq(1)
    until = calendar.ends(question.last) if question.last else None
    by, groups = question.by, dict[Key, Figures]()
    if by is GroupBy.TABLE:
        groups[table, None, None, None] = Figures()

    def of(key: Key) -> Figures:
        if (figures := groups.get(key)) is None:
            figures = groups[key] = Figures()
        return figures

    whole = Figures()
    for entry in records.happened(table, first, until, progress):
        for event in entry.events:
            match by:
                case GroupBy.TABLE:
                    count(event, of((table, None, None, None)))
                case GroupBy.DAY:
                    count(event, of((table, calendar.shift(entry.at).day, None, None)))
                case GroupBy.SHIFT:
                    shift = calendar.shift(entry.at)
                    count(event, of((table, shift.day, shift.begins, None)))
                case GroupBy.SEAT:
                    count(event, whole)
                    count_seats(event, lambda seat: of((table, None, None, seat)))
    if by is not GroupBy.SEAT:
        for figures in groups.values():
            whole.add(figures)
    return whole, groups


def _line(key: tuple[TableId | None, date | None, str | None, SeatId | None], of: Figures) -> ReportRow:
    table, day, shift, seat = key
    return ReportRow(
        table=table,
        day=day,
        shift=shift,
        seat=seat,
        rounds=of.rounds,
        handle=of.handle,
        paid=of.paid,
        win=of.win,
        hold=str(of.hold) if of.hold is not None else None,
        hold_percent=percent(of.hold) if of.hold is not None else None,
        bought=of.bought,
        tickets_in=of.tickets_in,
        drop=of.drop,
        tickets_out=of.tickets_out,
        voids=of.voids,
        corrections=of.corrections,
        shortfall=of.shortfall,
        late_bets=of.late_bets,
    )
