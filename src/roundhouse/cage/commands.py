"""Commands to the cage. ``do`` names the command, as for a table.

Numbers of tickets and names of customers are replaced by keyed digests before a command is made of a request.
"""

from msgspec import UNSET, Struct, UnsetType

from roundhouse.cage.names import BarredId, DrawerId, PersonKey
from roundhouse.rules.names import Cents
from roundhouse.table.commands import Command
from roundhouse.table.names import TicketId


class Pieces(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Notes or coins of one value in a count."""

    cents: Cents
    pieces: int


class Customer(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A customer as the journal knows them: keyed digests of name and document, and initials for people to read."""

    keys: tuple[PersonKey, ...]
    initials: str = ""


class OpenDrawer(Command, frozen=True, tag="open_drawer", kw_only=True, gc=False):
    """Open a drawer with counted cash of the vault."""

    drawer: DrawerId
    cents: Cents
    pieces: tuple[Pieces, ...] | UnsetType = UNSET
    """The count by value of note or coin. Its sum must be ``cents``."""


class FillDrawer(Command, frozen=True, tag="fill_drawer", kw_only=True, gc=False):
    """Bring cash from the vault to an open drawer."""

    drawer: DrawerId
    cents: Cents


class DropDrawer(Command, frozen=True, tag="drop_drawer", kw_only=True, gc=False):
    """Bring cash from an open drawer to the vault."""

    drawer: DrawerId
    cents: Cents


class CountDrawer(Command, frozen=True, tag="count_drawer", kw_only=True, gc=False):
    """Count an open drawer. No money moves."""

    drawer: DrawerId
    cents: Cents
    pieces: tuple[Pieces, ...] | UnsetType = UNSET


class CloseDrawer(Command, frozen=True, tag="close_drawer", kw_only=True, gc=False):
    """Count a drawer, bring its cash to the vault, book the variance and close it."""

    drawer: DrawerId
    cents: Cents
    pieces: tuple[Pieces, ...] | UnsetType = UNSET


class SellCredits(Command, frozen=True, tag="sell_credits", kw_only=True, gc=False):
    """Sell credits for cash. The customer gets a ticket, which any terminal redeems."""

    drawer: DrawerId
    cents: Cents
    person: Customer | UnsetType = UNSET


class PayTicket(Command, frozen=True, tag="pay_ticket", kw_only=True, gc=False):
    """Pay a ticket in cash."""

    drawer: DrawerId
    ticket: TicketId
    person: Customer | UnsetType = UNSET


class LookUpTicket(Command, frozen=True, tag="look_up_ticket", kw_only=True, gc=False):
    """Look up a ticket. The look-up is on record."""

    ticket: TicketId


class VoidTicket(Command, frozen=True, tag="void_ticket", kw_only=True, gc=False):
    """Void a ticket, so that it cannot be redeemed. The house keeps its amount."""

    ticket: TicketId
    reason: str


class BarPerson(Command, frozen=True, tag="bar_person", kw_only=True, gc=False):
    """Put a person on the list of barred Players."""

    person: Customer
    reason: str


class UnbarPerson(Command, frozen=True, tag="unbar_person", kw_only=True, gc=False):
    """Take a person off the list of barred Players."""

    barred: BarredId
    reason: str


class CheckPerson(Command, frozen=True, tag="check_person", kw_only=True, gc=False):
    """Ask whether a person is barred. The question and its answer are on record."""

    person: Customer


AnyCageCommand = (
    OpenDrawer
    | FillDrawer
    | DropDrawer
    | CountDrawer
    | CloseDrawer
    | SellCredits
    | PayTicket
    | LookUpTicket
    | VoidTicket
    | BarPerson
    | UnbarPerson
    | CheckPerson
)
