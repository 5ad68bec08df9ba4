"""Exports for other systems: the meters of every table and seat, and significant events as one resumable stream.

Lines of one stream are in the order of time. A position says, for every chain, up to which entry it was read: given
back later, it brings what has been added since, once each, and nothing else.
"""

import heapq
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.office.figures import Figures, count, count_seats
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.records import HOUSE, Progress, Records
from roundhouse.office.report import calendar_of, chosen
from roundhouse.office.significant_events import USUAL, Significant, Thresholds, of_house, of_table
from roundhouse.rules.errors import UserError
from roundhouse.table import events as e
from roundhouse.table.ledger import postings
from roundhouse.table.names import LAYOUT, TABLE_NAME, Account, Millis, SeatId, TableId, seat_account

_PLACE = re.compile(rf"(@?{TABLE_NAME.pattern})=([0-9]{{1,18}})")

Places = dict[TableId, Seq]


class NoSuchPosition(UserError):
    """A position that no export of this journal can have given."""


class ExportPosition(Struct, frozen=True, tag_field="export", tag="position.v1"):
    """The last line of a stream of events."""

    next: str


class MetersRow(Struct, frozen=True, tag_field="export", tag="meters.v1"):
    """All that a table, or one of its seats, has counted since it was first opened. Amounts in cents."""

    table: TableId
    seat: SeatId | None
    seq: Seq
    """The entry up to which it was counted."""
    at: Millis | None
    rounds: int
    handle: int
    paid: int
    win: int
    bought: int
    tickets_in: int
    drop: int
    tickets_out: int
    voids: int
    corrections: int
    shortfall: int
    late_bets: int
    credits: int
    """What the seat can play with, or all seats of the table."""
    on_layout: int


class Export:
    """A journal in one view of it, to be read from."""

    def __init__(self, path: Path, table: TableId | None = None, progress: Progress = lambda entries: None) -> None:
        self._records = Records(path)
        self._progress = progress
        try:
            self._chains = chosen(self._records.chains(), table)
            self._heads = {head.table: head for head in map(self._records.head, self._chains)}
        except BaseException:
            self._records.close()
            raise

    def __enter__(self) -> "Export":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._records.close()

    def calendar(self, zone: str | None = None) -> Calendar:
        """That of the house, or by the zone that is given."""
        return calendar_of(self._records, zone)

    def meters(self) -> Iterator[MetersRow]:
        """For each table its own meters, then those of its seats."""
        for table in self._chains:
            if table != HOUSE:
                yield from self._meters(table)

    def _meters(self, table: TableId) -> Iterator[MetersRow]:
        whole, seats, accounts = Figures(), dict[SeatId, Figures](), dict[Account, int]()

        def of(seat: SeatId) -> Figures:
            return seats.setdefault(seat, Figures())

        for entry in self._records.happened(table, Seq(1), None, self._progress):
            for event in entry.events:
                count(event, whole)
                count_seats(event, of)
                for account, cents in postings(event):
                    accounts[account] = accounts.get(account, 0) + cents
                _note_stakes(event, accounts)
        credits = {seat: accounts.get(seat_account(seat), 0) for seat in seats}
        yield self._line(table, None, whole, sum(credits.values()), accounts.get(LAYOUT, 0))
        for seat in sorted(seats):
            yield self._line(table, seat, seats[seat], credits[seat], accounts.get(_stake(seat), 0))

    def _line(self, table: TableId, seat: SeatId | None, of: Figures, credits: int, on_layout: int) -> MetersRow:
        head = self._heads[table]
        counted = {name: getattr(of, name) for name in of.__struct_fields__}
        return MetersRow(
            table=table,
            seat=seat,
            seq=head.entries,
            at=head.at,
            win=of.win,
            drop=of.drop,
            credits=credits,
            on_layout=on_layout,
            **counted,
        )

    def events(self, since: str | None = None, thresholds: Thresholds = USUAL) -> Iterator[Significant]:
        """What is significant after a position, in the order of time."""
        places = self._places(since)
        streams = [self._of_chain(table, places.get(table, Seq(0)), thresholds) for table in self._chains]
        return heapq.merge(*streams, key=lambda one: (one.at, one.table, one.seq))

    def _of_chain(self, table: TableId, after: Seq, thresholds: Thresholds) -> Iterator[Significant]:
        first = Seq(after + 1)
        if table == HOUSE:
            yield from map(of_house, self._records.of_the_house(first))
            return
        for entry in self._records.happened(table, first, None, self._progress):
            yield from of_table(table, entry, thresholds)

    def position(self, since: str | None = None) -> str:
        """Where a stream of this view ends; chains that were not asked for stay where they were."""
        places = self._places(since) | {head.table: head.entries for head in self._heads.values()}
        return ",".join(f"{table}={seq}" for table, seq in sorted(places.items()))

    def _places(self, since: str | None) -> Places:
        if not since:
            return {}
        if since.isascii() and since.isdigit() and len(since) <= 18:
            if len(self._chains) != 1:
                words = "a position is a number where one table is asked for with --table"
                raise NoSuchPosition(f"{words}; else it is what an export ended with, like {self.position()}")
            places = {self._chains[0]: Seq(int(since))}
        else:
            found = [_PLACE.fullmatch(word) for word in since.split(",")]
            places = {TableId(one[1]): Seq(int(one[2])) for one in found if one is not None}
            if None in found or len(places) != len(found):
                raise NoSuchPosition(f"'{since}' is no position; an export ends with one, like {self.position()}")
        self._check(places)
        return places

    def _check(self, places: Places) -> None:
        """A position ahead of the journal is of another one: an older copy must not pass for the newer."""
        for table, seq in places.items():
            if (there := self._records.head(table).entries) < seq:
                raise NoSuchPosition(f"table '{table}' has {there} entries, the position is after entry {seq}")


def _stake(seat: SeatId) -> Account:
    return Account(f"stake:{seat}")


def _note_stakes(event: e.AnyEvent, accounts: dict[Account, int]) -> None:
    """What each seat has on the layout; the account of the layout has it of all seats together."""
    match event:
        case e.BetsPlaced(seat, bets):
            accounts[_stake(seat)] = accounts.get(_stake(seat), 0) + sum(bets.values())
        case e.BetsWithdrawn(seat, bets):
            accounts[_stake(seat)] = accounts.get(_stake(seat), 0) - sum(bets.values())
        case e.RoundSettled() | e.RoundVoided():
            for seat in event.seats:
                accounts[_stake(seat)] = 0
