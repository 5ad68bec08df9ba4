"""Finds the play behind a ticket: the rounds from which its credits came, and those that they were bet in."""

from typing import NamedTuple

from roundhouse.audit.journal_file import decode_row
from roundhouse.journal.entry import Seq
from roundhouse.journal.index import seat_key
from roundhouse.journal.seal import Key
from roundhouse.journal.ticket_numbers import DIGITS, TicketNumbers
from roundhouse.office.records import Records
from roundhouse.office.round_rows import RoundsQuery
from roundhouse.rules.errors import UserError
from roundhouse.table import events as e
from roundhouse.table.names import SeatId, TableId, TicketId, TicketNumber, masked


class NoSuchTicket(UserError):
    """No ticket, or more than one, fits the digits."""


class TicketPlay(NamedTuple):
    """A seat's play between two moments at the cage."""

    table: TableId
    seat: SeatId
    first: Seq
    last: Seq


class TicketPlace(NamedTuple):
    """A ticket in the register: the entries that issued it and redeemed it."""

    id: TicketId
    table: TableId
    seq: Seq
    redeemed_table: TableId | None
    redeemed_seq: Seq | None

    @property
    def text(self) -> str:
        return f"{masked(self.id)} of {self.table}, entry {self.seq}"


def find_ticket(records: Records, number: TicketNumber, key: Key | None) -> TicketPlace:
    """Find a ticket by its full number, as its holder has it. This needs the key of the journal."""
    if len(number) != DIGITS or not number.isdecimal():
        raise NoSuchTicket(f"the number of a ticket has {DIGITS} digits")
    names = {TicketId(number)}
    if key is not None:
        names.add(TicketNumbers(key).id(number))
    found = next((place for place in _places(records) if place.id in names), None)
    if found is None:
        reason = (
            "" if key is not None else "; the key of the journal is missing, so that only its last digits can be used"
        )
        raise NoSuchTicket(f"this house has issued no ticket with this number{reason}")
    return found


def play_of_ticket(records: Records, query: RoundsQuery) -> list[TicketPlay]:
    """Return the play of the seat that cashed the ticket out, and of the seat that redeemed it."""
    digits = (query.ticket or "").lstrip("…")
    if len(digits) != 4 or not digits.isdecimal():
        raise NoSuchTicket("give the last four digits of the ticket")
    at = (query.table, query.entry)
    found = [
        place
        for place in _places(records)
        if place.id.endswith(digits)
        and (
            _fits(at, (place.table, place.seq))
            or (place.redeemed_table is not None and _fits(at, (place.redeemed_table, place.redeemed_seq)))
        )
    ]
    if not found:
        raise NoSuchTicket(f"no ticket ends with {digits} there")
    if len(found) > 1:
        several = "; ".join(place.text for place in found[:5])
        raise NoSuchTicket(f"{len(found)} tickets end with {digits}; name the table and the entry of one: {several}")
    place = found[0]
    plays = [_play(records, place.table, place.seq, before=True)]
    if place.redeemed_table is not None and place.redeemed_seq is not None:
        plays.append(_play(records, place.redeemed_table, place.redeemed_seq, before=False))
    return plays


def _fits(asked: tuple[TableId | None, Seq | None], place: tuple[TableId | None, Seq | None]) -> bool:
    return asked[0] in (None, place[0]) and asked[1] in (None, place[1])


def _places(records: Records) -> list[TicketPlace]:
    """Return the register of tickets. Before format 3 it names no entries, so that these cannot be found."""
    return [
        TicketPlace(row.id, row.table, row.seq, row.redeemed_table, row.redeemed_seq)
        for row in records.tickets()
        if row.table is not None and row.seq is not None
    ]


def _play(records: Records, table: TableId, seq: Seq, before: bool) -> TicketPlay:
    """Return the play of the seat at the cage in an entry: since its last cash-out, or until its next one."""
    (row,) = records.entries_between(table, seq, seq)
    seat = next(event.seat for event in decode_row(row).events if isinstance(event, e.CashedOut | e.TicketRedeemed))
    others = sorted(
        place.seq
        for place in _places(records)
        if place.table == table and (place.seq < seq if before else place.seq > seq)
    )
    for other in reversed(others) if before else others:
        (row,) = records.entries_between(table, other, other)
        if any(isinstance(event, e.CashedOut) and event.seat == seat for event in decode_row(row).events):
            return TicketPlay(table, seat, *((other, seq) if before else (seq, other)))
    if not before:
        return TicketPlay(table, seat, seq, records.head(table).entries)
    taken = records.entries_about(table, seat_key(seat))
    return TicketPlay(table, seat, taken[0].seq if taken else Seq(1), seq)
