"""Events of the cage, as stored in its chain. Tags and fields never change their name or meaning."""

from roundhouse.cage.commands import Pieces
from roundhouse.cage.names import BarredId, CageTerms, CashDirection, DrawerId, PersonKey, ReportBasis, TicketStatus
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, SeatId, TableId, TicketId
from roundhouse.table.round_events import Event


class CageTermsSet(Event, frozen=True, tag="cage_terms_set.v1", gc=False):
    """The house started with these terms. They apply to every later command."""

    terms: CageTerms


class DrawerOpened(Event, frozen=True, tag="drawer_opened.v1", gc=False):
    drawer: DrawerId
    cents: Cents
    """Cash that the drawer got from the vault."""
    pieces: tuple[Pieces, ...] = ()


class DrawerFilled(Event, frozen=True, tag="drawer_filled.v1", gc=False):
    drawer: DrawerId
    cents: Cents


class DrawerDropped(Event, frozen=True, tag="drawer_dropped.v1", gc=False):
    """Cash went from a drawer to the vault."""

    drawer: DrawerId
    cents: Cents


class DrawerCounted(Event, frozen=True, tag="drawer_counted.v1", gc=False):
    drawer: DrawerId
    cents: Cents
    expected: Cents
    variance: Cents
    """Counted minus expected: negative if cash is missing."""
    pieces: tuple[Pieces, ...] = ()


class DrawerClosed(Event, frozen=True, tag="drawer_closed.v1", gc=False):
    """The counted cash went to the vault, and the variance was booked."""

    drawer: DrawerId
    cents: Cents
    variance: Cents


class CreditsSold(Event, frozen=True, tag="credits_sold.v1", gc=False):
    """A ticket was issued for cash. ``ticket`` is its id, which conceals the number."""

    drawer: DrawerId
    cents: Cents
    ticket: TicketId
    expires: Millis


class TicketPaid(Event, frozen=True, tag="ticket_paid.v1", gc=False):
    drawer: DrawerId
    cents: Cents
    ticket: TicketId


class TicketVoided(Event, frozen=True, tag="ticket_voided.v1", gc=False):
    """A ticket was voided; its amount is the house's."""

    cents: Cents
    ticket: TicketId
    was: TicketStatus
    reason: str


class TicketLookedUp(Event, frozen=True, tag="ticket_looked_up.v1", gc=False):
    ticket: TicketId
    status: TicketStatus
    cents: Cents = Cents(0)
    expires: Millis = Millis(0)
    table: TableId | None = None
    """Chain that issued the ticket: a table, or the cage."""
    seat: SeatId | None = None


class CashReported(Event, frozen=True, tag="cash_reported.v1", gc=False):
    """A cash transaction that the house reports, because an amount reached its threshold."""

    drawer: DrawerId
    direction: CashDirection
    cents: Cents
    total: Cents
    """The amount that reached the threshold."""
    basis: ReportBasis
    ticket: TicketId
    keys: tuple[PersonKey, ...] = ()
    initials: str = ""
    table: TableId | None = None
    seat: SeatId | None = None


class PersonBarred(Event, frozen=True, tag="person_barred.v1", gc=False):
    barred: BarredId
    keys: tuple[PersonKey, ...]
    initials: str
    reason: str


class PersonUnbarred(Event, frozen=True, tag="person_unbarred.v1", gc=False):
    barred: BarredId
    reason: str


class PersonChecked(Event, frozen=True, tag="person_checked.v1", gc=False):
    """A member of staff asked whether a person is barred. ``barred`` is the answer: an entry of the list, or none."""

    keys: tuple[PersonKey, ...]
    initials: str
    barred: BarredId | None = None


AnyCageEvent = (
    CageTermsSet
    | DrawerOpened
    | DrawerFilled
    | DrawerDropped
    | DrawerCounted
    | DrawerClosed
    | CreditsSold
    | TicketPaid
    | TicketVoided
    | TicketLookedUp
    | CashReported
    | PersonBarred
    | PersonUnbarred
    | PersonChecked
)
