"""Counts the figures of a report, by group."""

from datetime import date
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from roundhouse.journal.entry import Seq
from roundhouse.journal.index import rounds_of
from roundhouse.office.dealers import DealerName
from roundhouse.office.expectations import Compared, RoundTheory
from roundhouse.office.figures import Figures, count, count_seats
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.kinds import kind_figures
from roundhouse.office.periods import Period
from roundhouse.office.records import EntryEvents, Progress, Records
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.names import BetType, GameId
from roundhouse.table import events as e
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId


class GroupBy(StrEnum):
    TABLE = "table"
    SHIFT = "shift"
    DAY = "day"
    SEAT = "seat"
    DEALER = "dealer"
    GAME = "game"
    KIND = "kind"


class GroupKey(NamedTuple):
    """Names of a row. A value is None if the report is not grouped by it, or if the figures belong to none."""

    table: TableId | None = None
    day: date | None = None
    shift: str | None = None
    seat: SeatId | None = None
    dealer: DealerName | None = None
    game: GameId | None = None
    kind: BetType | None = None


class Group(Struct):
    figures: Figures = field(default_factory=Figures)
    compared: Compared = field(default_factory=Compared)

    def add(self, other: "Group") -> None:
        self.figures.add(other.figures)
        self.compared.add(other.compared)


_NOT_BY_KIND = ("bought", "reversed", "tickets_in", "tickets_out", "corrections", "shortfall", "late_bets")
"""Figures that belong to no kind of bet."""


class ReportCount:
    """Reads the entries of a period, table by table."""

    def __init__(self, records: Records, calendar: Calendar, by: GroupBy, period: Period) -> None:
        self._records, self._calendar = records, calendar
        self._by, self._period = by, period
        self.groups: dict[GroupKey, Group] = {}
        self.total = Group()

    def add_table(self, table: TableId, progress: Progress) -> None:
        first, until = self._period
        begin = self._records.first_from(table, first) if first is not None else Seq(1)
        counting = _TableCount(self, TableRounds(self._records, table), begin)
        for entry in self._records.entries_from(table, begin, until, progress):
            counting.add(entry)
        if self._by is GroupBy.TABLE:
            self.group(GroupKey(table))
        if self._by is GroupBy.KIND:
            self._add_kinds(counting, begin)

    def group(self, key: GroupKey) -> Group:
        if (group := self.groups.get(key)) is None:
            group = self.groups[key] = Group()
        return group

    def _add_kinds(self, counting: "_TableCount", begin: Seq) -> None:
        rounds = counting.rounds
        for number in rounds.between(begin, self._records.head(rounds.table).entries):
            for kind, figures in kind_figures(rounds, number, self._period).items():
                self.group(GroupKey(kind=kind)).figures.add(figures)
        rest = Figures(**{name: getattr(counting.whole, name) for name in _NOT_BY_KIND})
        if rest != Figures():
            self.group(GroupKey()).figures.add(rest)


class _TableCount:
    """Counts the entries of one table."""

    def __init__(self, report: ReportCount, rounds: TableRounds, begin: Seq) -> None:
        self._report, self.rounds = report, rounds
        self._by = report._by
        self.whole = Figures()
        """Figures of the table in the period."""
        before = rounds.between(Seq(1), begin) if self._by in (GroupBy.DEALER, GroupBy.GAME) else []
        self._round = before[-1] if before else RoundNumber(0)
        """The round in progress, or the last one."""
        self._game = rounds.game_at(begin).id if self._by is GroupBy.GAME else None

    def add(self, entry: EntryEvents) -> None:
        for event in entry.events:
            if isinstance(event, e.BetsOpened):
                self._round = event.round
            elif isinstance(event, e.TableOpened):
                self._game = event.game
            self._count(entry.at, event)
            if isinstance(event, e.RoundSettled | e.RoundVoided):
                self._compare(entry.at, event)

    def _count(self, at: Millis, event: e.AnyEvent) -> None:
        report, table = self._report, self.rounds.table
        count(event, report.total.figures)
        match self._by:
            case GroupBy.SEAT:
                count_seats(event, lambda seat: report.group(GroupKey(table, seat=seat)).figures)
            case GroupBy.KIND:
                count(event, self.whole)
            case _:
                count(event, report.group(self._key(at, event)).figures)

    def _compare(self, at: Millis, event: e.RoundSettled | e.RoundVoided) -> None:
        """Add the theory of a round in the period in which it ended."""
        report, theory = self._report, RoundTheory(self.rounds, event.round)
        whole = theory.whole()
        report.total.compared.add(whole)
        match self._by:
            case GroupBy.SEAT:
                for seat, compared in theory.by_seat().items():
                    report.group(GroupKey(self.rounds.table, seat=seat)).compared.add(compared)
            case GroupBy.KIND:
                for kind, compared in theory.by_kind().items():
                    report.group(GroupKey(kind=kind)).compared.add(compared)
            case _:
                report.group(self._key(at, event)).compared.add(whole)

    def _key(self, at: Millis, event: e.AnyEvent) -> GroupKey:
        table = self.rounds.table
        match self._by:
            case GroupBy.DAY:
                return GroupKey(table, self._report._calendar.shift(at).day)
            case GroupBy.SHIFT:
                shift = self._report._calendar.shift(at)
                return GroupKey(table, shift.day, shift.begins)
            case GroupBy.DEALER:
                number = self._round_of(event)
                return GroupKey(dealer=self.rounds.dealer(number) if number else None)
            case GroupBy.GAME:
                number = self._round_of(event)
                return GroupKey(game=self.rounds.game(number).id if number else self._game)
            case _:
                return GroupKey(table)

    def _round_of(self, event: e.AnyEvent) -> RoundNumber | None:
        """Return the round to which an event counts, or None for credits and tickets."""
        if isinstance(event, e.LateBetRefused | e.LateWithdrawalRefused):
            return self._round or None
        return next(iter(rounds_of(event)), None) or None
