"""Types and constants for the names and numbers of a table, in addition to those of ``rules``."""

import re
from enum import StrEnum
from typing import Final, NewType

from roundhouse.rules.currency import PLAY_MONEY as PLAY_MONEY

TableId = NewType("TableId", str)
SeatId = NewType("SeatId", str)
RoundNumber = NewType("RoundNumber", int)
DisputeNumber = NewType("DisputeNumber", int)
"""Number of a dispute at its table, from 1."""
RequestId = NewType("RequestId", str)
PersonName = NewType("PersonName", str)
"""Account name of a person in the house."""
TicketNumber = NewType("TicketNumber", str)
"""The 20 digits on a ticket. Anyone who knows them can redeem it, so only its holder gets to see them."""
TicketId = NewType("TicketId", str)
"""Name of a ticket in the journal: a keyed digest of its number, a dash, and the last four digits of the number.

Tickets of journals before format 3 are named by their number. In both cases the last four characters are the digits
that people may see.
"""
ChipColour = NewType("ChipColour", str)
"""Colour of the chips that are issued to one Player at one table."""
Account = NewType("Account", str)
Millis = NewType("Millis", int)
"""A time in milliseconds since 1970-01-01 UTC, or a duration in milliseconds."""

TABLE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
SEAT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")

TICKET_LIFE: Final = Millis(30 * 24 * 3600 * 1000)
"""Time for which a ticket can be redeemed after it was issued, unless the house has configured another."""

DEALER_ID_PREFIX: Final = "auto:"
"""Prefix of the automatic dealer's request ids. Clients may not use it, so that ids never collide."""
HOUSE_ID_PREFIX: Final = "house:"
"""Prefix of the request ids that the server itself uses."""

ENTRIES: Final = 1
"""The first procedure of a table: what the Dealer registers is the result."""
EVIDENCE: Final = 2
"""The current procedure: a result needs an attested spin, and readings that agree with the registered outcome."""


PLANNED_STOP: Final = "The house was stopped before the round had ended."
"""The question under which a stopping house refers a round in progress. Stored in journals: it never changes."""

HELD: Final = "held"
"""The ``phase`` of an ``InterruptionRecovered`` event if the readings of wheel and console disagree.

It is not a member of ``Phase``.
"""

LAYOUT: Final = Account("layout")
HOUSE: Final = Account("house")
CASHIER: Final = Account("cashier")
TICKETS: Final = Account("tickets")
SHORTFALL: Final = Account("shortfall")
GOODWILL: Final = Account("goodwill")


MAX_REQUEST_ID: Final = 200
"""Largest length of a request id, in characters."""


def is_request_id(text: str) -> bool:
    """Return whether a text is a valid request id. Ids must be printable, because people read them in journals."""
    return 0 < len(text) <= MAX_REQUEST_ID and text.isprintable()


def is_concealed(ticket: TicketId) -> bool:
    """Return whether a ticket is named by a keyed digest, and not by its number."""
    return "-" in ticket


def masked(ticket: TicketId | TicketNumber) -> str:
    """Return the last four digits of a ticket, as people other than its holder see them.

    >>> masked(TicketNumber("53702583510246436745"))
    '…6745'
    """
    return f"…{ticket[-4:]}" if ticket else ""


def seat_account(seat: SeatId) -> Account:
    return Account(f"seat:{seat}")


class Phase(StrEnum):
    """Phase of a table. ``SPINNING_BETS_OPEN`` occurs only if the rulebook closes bets while the ball rotates."""

    CLOSED = "closed"
    IDLE = "idle"
    BETS_OPEN = "bets_open"
    SPINNING_BETS_OPEN = "spinning_bets_open"
    BETS_CLOSED = "bets_closed"
    SPINNING = "spinning"
    AT_REST = "at_rest"
    REGISTERED = "registered"
    INTERRUPTED = "interrupted"
    """The server restarted during the round. The table waits for a report of what the wheel shows."""
    REFERRED = "referred"
    STOPPED = "stopped"


class ChipAction(StrEnum):
    """The player's action that moved chips."""

    PLACED = "placed"
    PACKAGE = "package"
    REPEATED = "repeated"
    DOUBLED = "doubled"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    UNDONE = "undone"


class ReadBy(StrEnum):
    """Source of an outcome: the wheel's sensor or the Dealer."""

    WHEEL = "wheel"
    DEALER = "dealer"


class Ruling(StrEnum):
    """Possible decisions on a matter that the rules do not cover."""

    VOID = "void"
    SETTLE = "settle"
    STAND = "stand"


class Contested(StrEnum):
    """The part of a round that a Player contests."""

    OUTCOME = "outcome"
    PAYMENT = "payment"
    BET = "bet"
    """A bet that was not taken, or stood elsewhere."""
    DISPLAY = "display"
    """Something that a display showed."""
    OTHER = "other"


class Count(StrEnum):
    """A count of the float."""

    OPENER = "opener"
    CLOSER = "closer"
