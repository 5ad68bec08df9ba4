"""Types for a guest who leaves a seat and claims later what its bets have won."""

from msgspec import Struct

from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, TicketId


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    have: tuple[str, ...] = ()
    """Tickets of earlier claims that the browser has stored. Their seats are forgotten."""


class ClaimedTicket(Struct, frozen=True):
    ticket: TicketId
    """The number of the ticket, as its holder presents it."""
    cents: Cents
    expires: Millis


class Claimed(Struct, frozen=True):
    """Credits and bets at the seats that a browser has left."""

    tickets: tuple[ClaimedTicket, ...]
    waiting_cents: int
    """Bets on layouts whose rounds have not ended."""
