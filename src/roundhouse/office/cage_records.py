"""The cage in exports and reports: significant events, outstanding tickets, drawers and reported cash.

All events of the cage are significant except look-ups of tickets, because each moves cash or concerns a person.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from roundhouse.cage import events as e
from roundhouse.cage.entry import CageEntry
from roundhouse.cage.names import CAGE_CHAIN, CashDirection, DrawerId, ReportBasis
from roundhouse.journal.entry import Seq
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.records import ChainHead, Records
from roundhouse.office.significant_events import Significant
from roundhouse.table.names import Millis, PersonName, SeatId, TableId, TicketId, masked


class IssuedAtCage(Struct, frozen=True):
    """A ticket that the cage sold."""

    id: TicketId
    seq: Seq
    at: Millis
    cents: int
    expires: Millis


class DrawerShift(Struct, frozen=True):
    """A drawer from its opening to its closing, or until now. Amounts are in cents.

    ``closed_with`` is the float plus fills minus drops plus sales minus payments plus the variance.
    """

    drawer: DrawerId
    cashier: PersonName | None
    opened: Millis
    closed: Millis | None
    """None while the drawer is open."""
    float: int
    filled: int
    dropped: int
    sold: int
    sales: int
    """Number of sales."""
    paid: int
    payments: int
    """Number of payments."""
    expected: int
    """Cash that the drawer must contain."""
    closed_with: int | None
    variance: int | None
    seq: Seq
    """Number of the entry that opened the drawer."""


class ReportedCash(Struct, frozen=True):
    """A cash transaction that the house reports. Amounts are in cents."""

    seq: Seq
    at: Millis
    drawer: DrawerId
    who: PersonName | None
    direction: CashDirection
    cents: int
    total: int
    """The amount that reached the threshold."""
    basis: ReportBasis
    ticket: str
    """The last four digits of the ticket."""
    initials: str
    person: str
    """Digests of the customer, by which the reports about one customer can be told. Empty if no customer was named."""
    table: TableId | None
    seat: SeatId | None


class CageReport(Struct, frozen=True, tag_field="report", tag="cage.v1"):
    """Drawers and reported cash of a span of gaming days."""

    zone: str
    first: date | None
    last: date | None
    drawers: list[DrawerShift]
    reported: list[ReportedCash]
    voided: int
    """Sum of the tickets that were voided in the span."""
    head: ChainHead


def cage_report(path: Path, calendar: Calendar, first: date | None = None, last: date | None = None) -> CageReport:
    """Make a report from a journal. A drawer counts in the gaming day in which it was opened."""
    begin = calendar.begins(first) if first is not None else Millis(0)
    end = calendar.ends(last) if last is not None else None

    def inside(at: Millis) -> bool:
        return at >= begin and (end is None or at < end)

    records = Records(path)
    try:
        shifts: list[DrawerShift] = []
        reported: list[ReportedCash] = []
        opened: dict[DrawerId, int] = {}
        voided = 0
        for entry in records.cage_entries_from(Seq(1)):
            _count_drawers(entry, shifts, opened)
            if inside(entry.facts.at):
                reported += _reports(entry)
                voided += sum(event.cents for event in entry.events if isinstance(event, e.TicketVoided))
        kept = [shift for shift in shifts if inside(shift.opened)]
        return CageReport(calendar.zone, first, last, kept, reported, voided, records.head(CAGE_CHAIN))
    finally:
        records.close()


def _count_drawers(entry: CageEntry, shifts: list[DrawerShift], opened: dict[DrawerId, int]) -> None:
    """Add an entry to the shift of its drawer. ``opened`` has the places of the open drawers in ``shifts``."""
    for event in entry.events:
        if isinstance(event, e.DrawerOpened):
            opened[event.drawer] = len(shifts)
            cashier = _who(entry)
            seq, cents = Seq(entry.seq), event.cents
            shifts.append(
                DrawerShift(
                    event.drawer, cashier, entry.facts.at, None, cents, 0, 0, 0, 0, 0, 0, cents, None, None, seq
                )
            )
            continue
        place = opened.get(getattr(event, "drawer", DrawerId("")))
        if place is not None:
            shifts[place] = _with(shifts[place], event, entry.facts.at)
            if isinstance(event, e.DrawerClosed):
                del opened[event.drawer]


def _with(shift: DrawerShift, event: e.AnyCageEvent, at: Millis) -> DrawerShift:
    change = msgspec.structs.replace
    match event:
        case e.DrawerFilled(cents=cents):
            return change(shift, filled=shift.filled + cents, expected=shift.expected + cents)
        case e.DrawerDropped(cents=cents):
            return change(shift, dropped=shift.dropped + cents, expected=shift.expected - cents)
        case e.CreditsSold(cents=cents):
            return change(shift, sold=shift.sold + cents, sales=shift.sales + 1, expected=shift.expected + cents)
        case e.TicketPaid(cents=cents):
            return change(shift, paid=shift.paid + cents, payments=shift.payments + 1, expected=shift.expected - cents)
        case e.DrawerClosed(cents=cents, variance=variance):
            return change(shift, closed=at, closed_with=cents, variance=variance)
        case _:
            return shift


def _reports(entry: CageEntry) -> Iterator[ReportedCash]:
    for event in entry.events:
        if isinstance(event, e.CashReported):
            yield ReportedCash(
                Seq(entry.seq),
                entry.facts.at,
                event.drawer,
                _who(entry),
                event.direction,
                event.cents,
                event.total,
                event.basis,
                masked(event.ticket),
                event.initials,
                " ".join(event.keys),
                event.table,
                event.seat,
            )


def _who(entry: CageEntry) -> PersonName | None:
    return entry.request.who if entry.request is not None and isinstance(entry.request.who, str) else None


def cage_events(entry: CageEntry) -> Iterator[Significant]:
    """Yield the significant events of an entry. The kind is the name of the event; tickets show four digits."""
    request = entry.request
    by, second = (request.by, request.second) if request is not None else (None, None)
    for event in entry.events:
        if isinstance(event, e.TicketLookedUp):
            continue
        detail = msgspec.to_builtins(event)
        kind = str(detail.pop("event")).partition(".v")[0]
        if "ticket" in detail:
            detail["ticket"] = masked(detail["ticket"])
        cents = detail.pop("cents", None)
        named = second if isinstance(second, str) else None
        yield Significant(
            CAGE_CHAIN,
            Seq(entry.seq),
            entry.facts.at,
            kind,
            None,
            detail.pop("seat", None),
            cents,
            by,
            _who(entry),
            named,
            detail,
        )


def tickets_of(entries: Iterator[CageEntry]) -> tuple[list[IssuedAtCage], set[TicketId]]:
    """Return the tickets that the cage sold, and those that it paid or voided."""
    sold: list[IssuedAtCage] = []
    taken: set[TicketId] = set()
    for entry in entries:
        for event in entry.events:
            if isinstance(event, e.CreditsSold):
                issued = (event.ticket, Seq(entry.seq), entry.facts.at, event.cents, event.expires)
                sold.append(IssuedAtCage(*issued))
            elif isinstance(event, e.TicketPaid | e.TicketVoided):
                taken.add(event.ticket)
    return sold, taken
