"""Lists credits bought and tickets issued or redeemed at tables: what the figures of the drop are made of."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from roundhouse.audit.journal_file import decode_row
from roundhouse.journal.entry import Entry, Seq
from roundhouse.office.calendars import calendar_of, choose_tables
from roundhouse.office.periods import period_of
from roundhouse.office.records import Records
from roundhouse.office.round_rows import MAX_PAGE, PAGE
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import GameId
from roundhouse.table import events as e
from roundhouse.table.names import Millis, PersonName, SeatId, TableId, masked


class MovementKind(StrEnum):
    BOUGHT = "bought"
    """Cash for credits."""
    REVERSED = "reversed"
    """A purchase was reversed. Its amount is negative, but in a list of reversed purchases."""
    TICKET_IN = "ticket_in"
    """A ticket was redeemed."""
    TICKET_OUT = "ticket_out"
    """Credits were cashed out to a ticket."""


class MovementColumn(StrEnum):
    """Columns of a report whose figures are made of movements."""

    BOUGHT = "bought"
    REVERSED = "reversed"
    TICKETS_IN = "tickets_in"
    DROP = "drop"
    TICKETS_OUT = "tickets_out"


_KINDS = {
    MovementColumn.BOUGHT: (MovementKind.BOUGHT, MovementKind.REVERSED),
    MovementColumn.REVERSED: (MovementKind.REVERSED,),
    MovementColumn.TICKETS_IN: (MovementKind.TICKET_IN,),
    MovementColumn.DROP: (MovementKind.BOUGHT, MovementKind.REVERSED, MovementKind.TICKET_IN),
    MovementColumn.TICKETS_OUT: (MovementKind.TICKET_OUT,),
}


class MovementsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which movements to list. None leaves a filter out."""

    table: TableId | None = None
    seat: SeatId | None = None
    game: GameId | None = None
    """Game that was in play at the table."""
    first: str | None = field(default=None, name="from")
    """Begin of the period: a gaming day or a time."""
    last: str | None = field(default=None, name="to")
    """End of the period: the last gaming day, or the first time after it."""
    column: MovementColumn | None = None
    after: Annotated[str, Meta(max_length=100)] | None = None
    """``next`` of the page before."""
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = PAGE


class Movement(Struct, frozen=True):
    """Credits bought, or a ticket issued or redeemed."""

    table: TableId
    """The table."""
    entry: Seq
    """Entry of the table's chain."""
    at: Millis
    """When it happened."""
    kind: MovementKind
    """``bought``, ``reversed``, ``ticket_in`` or ``ticket_out``."""
    seat: SeatId
    """The seat."""
    amount: int
    """The amount of credits."""
    ticket: str | None
    """Last four digits of the ticket."""
    by: str | None
    """Position in which it was asked for."""
    who: PersonName | None
    """Person who asked for it, where the house knows it."""


class MovementList(Struct, frozen=True, tag_field="list", tag="movements.v1"):
    zone: str
    movements: list[Movement]
    next: str | None
    """Pass this as ``after`` for the next page. None on the last page."""


class NoSuchPlace(UserError):
    """The value of ``after`` is not the ``next`` of a page."""


def movements(path: Path, query: MovementsQuery, zone: str | None = None, shifts: str | None = None) -> MovementList:
    """List a page of movements, table by table, in the order of their entries."""
    records = Records(path)
    try:
        calendar = calendar_of(records, zone, shifts)
        after, following = _place(query.after), None
        found: list[Movement] = []
        for one in _all(records, query, zone, shifts, after):
            if len(found) == query.limit:
                following = f"{found[-1].entry}.{found[-1].table}"
                break
            found.append(one)
        return MovementList(calendar.zone, found, following)
    finally:
        records.close()


def _all(
    records: Records, query: MovementsQuery, zone: str | None, shifts: str | None, after: tuple[TableId, Seq] | None
) -> Iterator[Movement]:
    first, until = period_of(calendar_of(records, zone, shifts), query.first, query.last)
    kinds = _KINDS[query.column] if query.column is not None else tuple(MovementKind)
    for table in choose_tables(records.playing_tables(), query.table):
        if after is not None and table < after[0]:
            continue
        begin = records.first_from(table, first) if first is not None else Seq(1)
        end = Seq(records.first_from(table, until) - 1) if until is not None else records.head(table).entries
        if after is not None and table == after[0]:
            begin = max(begin, Seq(after[1] + 1))
        rounds = TableRounds(records, table) if query.game is not None else None
        for row in records.cage_entries(table, begin, end):
            entry = decode_row(row)
            if rounds is not None and rounds.game_at(row.seq).id != query.game:
                continue
            for one in _movements(table, entry):
                if one.kind in kinds and query.seat in (None, one.seat):
                    is_total = query.column is MovementColumn.REVERSED
                    yield replace(one, amount=-one.amount) if is_total else one


def _movements(table: TableId, entry: Entry) -> Iterator[Movement]:
    request = entry.request
    by, who = (request.by.value, request.who or None) if request is not None else (None, None)
    for event in entry.events:
        ticket: str | None = None
        match event:
            case e.CreditsBought():
                kind = MovementKind.BOUGHT
            case e.PurchaseReversed():
                kind = MovementKind.REVERSED
            case e.TicketRedeemed():
                kind, ticket = MovementKind.TICKET_IN, masked(event.ticket)
            case e.CashedOut():
                kind, ticket = MovementKind.TICKET_OUT, masked(event.ticket)
            case _:
                continue
        amount = -event.cents if kind is MovementKind.REVERSED else event.cents
        yield Movement(table, entry.seq, entry.facts.at, kind, event.seat, amount, ticket, by, who)


def _place(text: str | None) -> tuple[TableId, Seq] | None:
    if text is None:
        return None
    entry, _, table = text.partition(".")
    if not (entry.isdecimal() and len(entry) <= 18 and table):
        raise NoSuchPlace(f"'{text}' is not a page; give the 'next' of the page before")
    return TableId(table), Seq(int(entry))
