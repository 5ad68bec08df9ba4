"""Reports of handle, win, hold and drop by table, gaming day, shift, seat, Dealer, game or kind of bet.

An event counts in the shift in which it happened. A later correction therefore counts in the later shift, as an
adjustment, and never changes an earlier report. Theoretical win is compared with the final results instead.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

from msgspec import Struct

from roundhouse.office.calendars import NoSuchTable, calendar_of, choose_tables
from roundhouse.office.dealers import DealerName
from roundhouse.office.expectations import Band
from roundhouse.office.figures import percent
from roundhouse.office.gaming_days import Calendar, NoSuchTime
from roundhouse.office.periods import Period
from roundhouse.office.records import ChainHead, Progress, Records
from roundhouse.office.report_count import Group, GroupBy, GroupKey, ReportCount
from roundhouse.rules.names import BetType, GameId
from roundhouse.table.names import SeatId, TableId

__all__ = ["GroupBy", "NoSuchTable", "Report", "ReportQuery", "ReportRow", "report", "report_of"]


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
    """One row of a report. Amounts are whole minor units of the currency."""

    table: TableId | None
    """The table. Empty if the report is grouped by Dealer, game or kind of bet."""
    day: date | None
    """The gaming day, in a report by day or shift."""
    shift: str | None
    """Start time of the shift, in a report by shift."""
    seat: SeatId | None
    """The seat, in a report by seat."""
    rounds: int
    """Rounds settled, less rounds made void after they were settled, plus void rounds that were reinstated."""
    handle: int
    """Stakes of those rounds."""
    paid: int
    """Amount that those rounds returned, stakes of winning bets included."""
    win: int
    """Handle less paid."""
    hold: str | None
    """Win divided by handle, as an exact fraction. Empty where the handle is not above zero."""
    hold_percent: str | None
    """Hold in percent with two decimals. A tie rounds to the even digit."""
    bought: int
    """Cash for credits, less reversed purchases."""
    reversed: int
    """Purchases that were reversed."""
    tickets_in: int
    """Tickets redeemed."""
    drop: int
    """Cash for credits and tickets redeemed."""
    tickets_out: int
    """Credits cashed out to tickets."""
    voids: int
    """Rounds void, at once or after they were settled."""
    corrections: int
    """Results corrected by authority, within the round or after it."""
    shortfall: int
    """Amount that corrections could not take back from seats, less what was paid back later."""
    late_bets: int
    """Bets and withdrawals that came after closing and were refused."""
    dealer: DealerName | None
    """The Dealer, in a report by Dealer. Empty for credits and tickets, which belong to no round."""
    game: GameId | None
    """The game, in a report by game."""
    kind: BetType | None
    """The kind of bet, in a report by kind. Empty for figures that belong to no kind."""
    played: int
    """Rounds settled in this period, whatever happened to them later."""
    played_handle: int
    """Stakes of the rounds played."""
    played_win: int
    """Win of the rounds played, as they were settled."""
    adjustments: int
    """Changes of past rounds that were made in this period."""
    adjusted_handle: int
    """Change of the handle by these adjustments."""
    adjusted: int
    """Change of the win by these adjustments. Win is the win of the rounds played plus this."""
    theory_rounds: int
    """Rounds that ended in this period and are not void by their final result."""
    theory_handle: int
    """Stakes of those rounds that are not void."""
    theory_win: int
    """Actual win of those rounds by their final results, to compare with the theoretical win."""
    theoretical_win: str
    """Win that the exact odds of the bets placed lead to expect, as a fraction of a minor unit."""
    variance: str
    """Variance of the win of those bets, as a fraction of a squared minor unit."""
    theoretical: int
    """Theoretical win, rounded to a minor unit. A tie rounds to the even digit."""
    sigma: int
    """Standard deviation of the win, rounded to a minor unit."""
    z: str | None
    """Actual less theoretical win in standard deviations, with two decimals. Empty without bets."""
    band: Band | None
    """Narrowest band with the actual win: 1, 2 or 3 standard deviations, or 4 for outside. Empty without bets."""
    where: str
    """Query of ``GET /api/rounds`` for the rounds of this row. Add ``column`` for those of one figure."""


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
    currency: str
    """ISO 4217 code of the money. ``XXX`` is play money."""


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
    first = calendar.begins(query.first) if query.first else None
    period = Period(first, calendar.ends(query.last) if query.last else None)
    found = ReportCount(records, calendar, query.by, period)
    for table in tables:
        found.add_table(table, progress)
    link = _Links(calendar, query, period)
    rows = [_row(key, group, link.where(key)) for key, group in _sorted(found.groups, calendar, query.by)]
    total = _row(GroupKey(), found.total, link.where(GroupKey()))
    return Report(
        query.by,
        calendar.zone,
        calendar.shifts,
        query.first,
        query.last,
        rows,
        total,
        [records.head(table) for table in tables],
        records.currency(tables),
    )


def _sorted(groups: dict[GroupKey, Group], calendar: Calendar, by: GroupBy) -> Sequence[tuple[GroupKey, Group]]:
    found = list(groups.items())
    match by:
        case GroupBy.DAY | GroupBy.SHIFT:
            # Sort by day first, so that the tables of a day are next to each other.
            order = {shift: place for place, shift in enumerate(calendar.shifts)}
            return sorted(found, key=lambda one: (one[0].day, order.get(one[0].shift or "", 0), one[0].table))
        case GroupBy.DEALER | GroupBy.GAME | GroupBy.KIND:
            # Figures that belong to none come last.
            return sorted(
                found, key=lambda one: (one[0] == GroupKey(), one[0].dealer or one[0].game or one[0].kind or "")
            )
        case _:
            return found


class _Links:
    """Writes the queries that list the rounds of a row. Times in them have an offset, so they need no time zone."""

    def __init__(self, calendar: Calendar, query: ReportQuery, period: Period) -> None:
        self._calendar, self._query, self._period = calendar, query, period

    def where(self, key: GroupKey) -> str:
        period = self._period_of(key)
        ends = {name: self._calendar.format(at) for name, at in zip(("from", "to"), period) if at is not None}
        names: dict[str, str | None] = {"table": key.table or self._query.table, "seat": key.seat}
        names |= {"dealer": key.dealer, "game": key.game, "kind": key.kind}
        return urlencode({name: value for name, value in names.items() if value is not None} | ends)

    def _period_of(self, key: GroupKey) -> Period:
        if key.day is None:
            return self._period
        if key.shift is None:
            return Period(self._calendar.begins(key.day), self._calendar.ends(key.day))
        return Period(*self._calendar.shift_bounds(key.day, key.shift))


def _row(key: GroupKey, group: Group, where: str) -> ReportRow:
    figures, compared = group.figures, group.compared
    theory, band = compared.theory, compared.band
    return ReportRow(
        **key._asdict(),
        **{name: getattr(figures, name) for name in figures.__struct_fields__},
        win=figures.win,
        hold=str(figures.hold) if figures.hold is not None else None,
        hold_percent=percent(figures.hold) if figures.hold is not None else None,
        drop=figures.drop,
        played_win=figures.played_win,
        theory_rounds=compared.rounds,
        theory_handle=theory.staked,
        theory_win=compared.win,
        theoretical_win=str(theory.win),
        variance=str(theory.variance),
        theoretical=round(theory.win),
        sigma=compared.sigma,
        z=compared.z,
        band=band,
        where=where,
    )
