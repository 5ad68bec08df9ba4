"""The kinds of name and number that a table adds to those of the rules."""

import re
from enum import StrEnum
from typing import Final, NewType

TableId = NewType("TableId", str)
SeatId = NewType("SeatId", str)
RoundNumber = NewType("RoundNumber", int)
RequestId = NewType("RequestId", str)
PersonName = NewType("PersonName", str)
"""Who a person is to the house: the name of his account."""
TicketNumber = NewType("TicketNumber", str)
Account = NewType("Account", str)
Millis = NewType("Millis", int)
"""An instant, in milliseconds since 1970 in UTC."""

TABLE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
SEAT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")

TICKET_LIFE: Final = Millis(30 * 24 * 3600 * 1000)
"""How long a ticket can be redeemed after it was issued."""

DEALERS_IDS: Final = "auto:"
"""How the automatic dealer's request ids begin. Nobody else may use one up before it comes to it."""
HOUSES_IDS: Final = "house:"
"""How those of the house itself begin, where a server runs the table."""

HELD: Final = "held"
"""How an interruption names where a round stood on which wheel and console disagree; no phase of its own."""

LAYOUT: Final = Account("layout")
HOUSE: Final = Account("house")
CASHIER: Final = Account("cashier")
TICKETS: Final = Account("tickets")
SHORTFALL: Final = Account("shortfall")


MAX_REQUEST_ID: Final = 200


def is_request_id(word: str) -> bool:
    """Whether a request can go by this name: people must be able to read it in a journal."""
    return 0 < len(word) <= MAX_REQUEST_ID and word.isprintable()


def seat_account(seat: SeatId) -> Account:
    return Account(f"seat:{seat}")


class Phase(StrEnum):
    """Where the table stands. Bets and spin overlap where a rulebook closes bets while the ball rotates."""

    CLOSED = "closed"
    IDLE = "idle"
    BETS_OPEN = "bets_open"
    SPINNING_BETS_OPEN = "spinning_bets_open"
    BETS_CLOSED = "bets_closed"
    SPINNING = "spinning"
    AT_REST = "at_rest"
    REGISTERED = "registered"
    REFERRED = "referred"
    STOPPED = "stopped"


class ChipAction(StrEnum):
    """By which gesture chips were moved."""

    PLACED = "placed"
    PACKAGE = "package"
    REPEATED = "repeated"
    DOUBLED = "doubled"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    UNDONE = "undone"


class ReadBy(StrEnum):
    """Who read where the ball rests."""

    WHEEL = "wheel"
    DEALER = "dealer"


class Ruling(StrEnum):
    """What a decision can be, where the rules do not cover a matter."""

    VOID = "void"
    SETTLE = "settle"
    STAND = "stand"
