"""Exports for other systems: the meters of every table and seat, and a resumable stream of significant events.

Events are in the order of time. An export ends with a position, the last entry read of each chain; the next export
resumes after it, so that each event is exported once.
"""

import heapq
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from msgspec import Struct

from roundhouse.audit.house import currency_of
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.entry import Seq
from roundhouse.office.cage_records import cage_events, tickets_of
from roundhouse.office.calendars import calendar_of, choose_tables
from roundhouse.office.disagreements import disagreements_of
from roundhouse.office.figures import Figures, count, count_seats
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.records import HOUSE, Progress, Records
from roundhouse.office.significant_events import (
    DEFAULT_THRESHOLDS,
    Significant,
    Thresholds,
    house_event,
    table_events,
)
from roundhouse.rules.errors import UserError
from roundhouse.table import events as e
from roundhouse.table.ledger import postings
from roundhouse.table.names import LAYOUT, TABLE_NAME, Account, Millis, SeatId, TableId, TicketId, masked, seat_account

_PLACE = re.compile(rf"(@?{TABLE_NAME.pattern})=([0-9]{{1,18}})")

Places = dict[TableId, Seq]


class NoSuchPosition(UserError):
    """The position is malformed, or refers to an entry that the journal does not have."""


class ExportPosition(Struct, frozen=True, tag_field="export", tag="position.v1"):
    """The last line of an export of events: the position from which to resume."""

    next: str


class MetersRow(Struct, frozen=True, tag_field="export", tag="meters.v1"):
    """Meters of a table or of one of its seats, since the table was first opened. Amounts are in minor units."""

    table: TableId
    """The table."""
    seat: SeatId | None
    """Seat of the meters. None for the whole table."""
    seq: Seq
    """Number of the last entry that the meters include."""
    at: Millis | None
    """Time of that entry."""
    rounds: int
    """Rounds settled, less rounds made void after they were settled, plus void rounds that were reinstated."""
    handle: int
    """Stakes of those rounds."""
    paid: int
    """Amount that those rounds returned, stakes of winning bets included."""
    win: int
    """Handle less paid."""
    bought: int
    """Cash for credits."""
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
    credits: int
    """Credits of the seat, or of all seats of the table."""
    on_layout: int
    """Stakes on the layout."""


class TicketsRow(Struct, frozen=True, tag_field="export", tag="ticket.v1"):
    """A ticket that is not redeemed. Its number is shown to its holder only."""

    ticket: str
    """The last four digits of the number."""
    table: TableId
    seq: Seq
    """Number of the entry that issued the ticket."""
    at: Millis
    seat: SeatId
    """Seat that was cashed out. Empty for a ticket that the cage sold."""
    cents: int
    expires: Millis
    expired: bool
    """Whether the ticket was not claimed in time."""


class Export:
    """A journal opened for an export. Later writes to the journal are not visible."""

    def __init__(self, path: Path, table: TableId | None = None, progress: Progress = lambda entries: None) -> None:
        self._records = Records(path)
        self._progress = progress
        try:
            self._chains = choose_tables(self._records.chains(), table)
            self._heads = {head.table: head for head in map(self._records.head, self._chains)}
            self.currency = currency_of(self._records)
            """Currency of the amounts; empty if none is on record."""
        except BaseException:
            self._records.close()
            raise

    def __enter__(self) -> "Export":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._records.close()

    def calendar(self, zone: str | None = None) -> Calendar:
        """Return a calendar with the given time zone, or that of the house."""
        return calendar_of(self._records, zone)

    def meters(self) -> Iterator[MetersRow]:
        """Yield the meters of each table, followed by those of its seats."""
        for table in self._chains:
            if table not in (HOUSE, CAGE_CHAIN):
                yield from self._meters(table)

    def _meters(self, table: TableId) -> Iterator[MetersRow]:
        total, seats, accounts = Figures(), dict[SeatId, Figures](), dict[Account, int]()

        def figures_of(seat: SeatId) -> Figures:
            return seats.setdefault(seat, Figures())

        for entry in self._records.entries_from(table, Seq(1), None, self._progress):
            for event in entry.events:
                count(event, total)
                count_seats(event, figures_of)
                for account, cents in postings(event):
                    accounts[account] = accounts.get(account, 0) + cents
                _track_stakes(event, accounts)
        credits = {seat: accounts.get(seat_account(seat), 0) for seat in seats}
        yield self._row(table, None, total, sum(credits.values()), accounts.get(LAYOUT, 0))
        for seat in sorted(seats):
            yield self._row(table, seat, seats[seat], credits[seat], accounts.get(_stake(seat), 0))

    def _row(self, table: TableId, seat: SeatId | None, figures: Figures, credits: int, on_layout: int) -> MetersRow:
        head = self._heads[table]
        counted = {name: getattr(figures, name) for name in MetersRow.__struct_fields__ if hasattr(figures, name)}
        return MetersRow(
            table=table,
            seat=seat,
            seq=head.entries,
            at=head.at,
            credits=credits,
            on_layout=on_layout,
            **counted,
        )

    def tickets(self, now: Millis) -> Iterator[TicketsRow]:
        """Yield the tickets that are not redeemed, in the order of their expiry. They are counted from events."""
        found: dict[TicketId, TicketsRow] = {}
        redeemed: set[TicketId] = set()
        for table in self._records.playing_tables():
            for entry in self._records.entries_from(table, Seq(1), None, self._progress):
                for event in entry.events:
                    if isinstance(event, e.CashedOut) and table in self._chains:
                        shown, expired = masked(event.ticket), event.expires < now
                        place = (shown, table, entry.seq, entry.at, event.seat)
                        found[event.ticket] = TicketsRow(*place, event.cents, event.expires, expired)
                    elif isinstance(event, e.TicketRedeemed):
                        redeemed.add(event.ticket)
        sold, taken = tickets_of(self._records.cage_entries_from(Seq(1)))
        redeemed |= taken
        for one in sold if CAGE_CHAIN in self._chains else ():
            place = (masked(one.id), CAGE_CHAIN, one.seq, one.at, SeatId(""))
            found[one.id] = TicketsRow(*place, one.cents, one.expires, one.expires < now)
        outstanding = (row for id, row in found.items() if id not in redeemed)
        yield from sorted(outstanding, key=lambda row: (row.expires, row.table, row.seq))

    def events(self, since: str | None = None, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Iterator[Significant]:
        """Yield significant events after a position, in the order of time."""
        places = self._places(since)
        streams = [self._chain_events(table, places.get(table, Seq(0)), thresholds) for table in self._chains]
        return heapq.merge(*streams, key=lambda event: (event.at, event.table, event.seq))

    def _chain_events(self, table: TableId, after: Seq, thresholds: Thresholds) -> Iterator[Significant]:
        first = Seq(after + 1)
        if table == HOUSE:
            yield from map(house_event, self._records.house_entries_from(first))
            return
        if table == CAGE_CHAIN:
            for moved in self._records.cage_entries_from(first):
                yield from cage_events(moved)
            return
        disagreements = disagreements_of(self._records, table)
        for entry in self._records.entries_from(table, first, None, self._progress):
            yield from table_events(table, entry, thresholds, disagreements)

    def position(self, since: str | None = None) -> str:
        """Return the position at the end of this export. Chains that were not exported keep the entry of ``since``."""
        places = self._places(since) | {head.table: head.entries for head in self._heads.values()}
        return ",".join(f"{table}={seq}" for table, seq in sorted(places.items()))

    def _places(self, since: str | None) -> Places:
        if not since:
            return {}
        if since.isascii() and since.isdigit() and len(since) <= 18:
            if len(self._chains) != 1:
                example = f"write the position that an export ended with, such as {self.position()}"
                raise NoSuchPosition(f"a number is a position only for one table, with --table; {example}")
            places = {self._chains[0]: Seq(int(since))}
        else:
            found = [_PLACE.fullmatch(part) for part in since.split(",")]
            places = {TableId(place[1]): Seq(int(place[2])) for place in found if place is not None}
            if None in found or len(places) != len(found):
                raise NoSuchPosition(f"'{since}' is not a position; an export ends with one, such as {self.position()}")
        self._check(places)
        return places

    def _check(self, places: Places) -> None:
        """Reject a position beyond the end of the journal, because it belongs to a newer copy or another journal."""
        for table, seq in places.items():
            if (entries := self._records.head(table).entries) < seq:
                raise NoSuchPosition(f"table '{table}' has {entries} entries, but the position is after entry {seq}")


def _stake(seat: SeatId) -> Account:
    return Account(f"stake:{seat}")


def _track_stakes(event: e.AnyEvent, accounts: dict[Account, int]) -> None:
    """Track the stakes of each seat on the layout. The table's postings have only the sum of all seats."""
    match event:
        case e.BetsPlaced(seat, bets):
            accounts[_stake(seat)] = accounts.get(_stake(seat), 0) + sum(bets.values())
        case e.BetsWithdrawn(seat, bets):
            accounts[_stake(seat)] = accounts.get(_stake(seat), 0) - sum(bets.values())
        case e.RoundSettled() | e.RoundVoided():
            for seat in event.seats:
                accounts[_stake(seat)] = 0
        case e.StakeReturned(seat=seat):
            accounts[_stake(seat)] = 0
