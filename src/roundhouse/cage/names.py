"""Names, terms and refusal codes of the cage."""

import re
from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.names import TableId

CAGE_CHAIN: Final = TableId("@cage")
"""Id of the cage's hash chain. It cannot equal a table id, which begins with a letter or digit."""

DrawerId = NewType("DrawerId", str)
DRAWER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
PersonKey = NewType("PersonKey", str)
"""Keyed digest of a customer's name or document. It cannot be read without the house's key."""
BarredId = NewType("BarredId", str)
Day = NewType("Day", str)
"""Gaming day of the house, such as ``2026-11-18``. Sums of cash transactions begin at zero each day."""

MAX_CASH: Final = 10**12
"""Largest amount of one transaction or count, in cents."""
MAX_INITIALS: Final = 8
MAX_REASON: Final = 500

SUPERVISORS: Final = (
    StaffPosition.PIT_SUPERVISOR,
    StaffPosition.PIT_MANAGER,
    StaffPosition.SHIFT_MANAGER,
    StaffPosition.CASINO_MANAGER,
)
MANAGERS: Final = SUPERVISORS[1:]
SHIFT_MANAGERS: Final = SUPERVISORS[2:]


class CageTerms(Struct, frozen=True, omit_defaults=True):
    """The configuration of the cage. Amounts are in cents; zero stands for "no such bound"."""

    drawers: tuple[DrawerId, ...] = ()
    currency: str = ""
    second_person_from: Cents = Cents(0)
    """From this amount a payment, a sale or a movement of cash needs a second person."""
    maximum: Cents = Cents(0)
    """Above this amount a payment or a sale is refused."""
    report_from: Cents = Cents(0)
    """From this amount, single or summed in a day, cash transactions are reported."""
    variance_from: Cents = Cents(0)
    """From this variance the Shift Manager is alerted, and a drawer is closed with a second person only."""
    barred_list: bool = True


class TicketStatus(StrEnum):
    """State of a ticket that was looked up."""

    OUTSTANDING = "outstanding"
    REDEEMED = "redeemed"
    """Paid at the cage, redeemed at a table, or voided."""
    EXPIRED = "expired"
    DISPUTED = "disputed"
    """It may have been paid in the span that a restored journal has lost."""
    UNKNOWN = "unknown"


class CashDirection(StrEnum):
    """CashDirection of cash."""

    IN = "in"
    """The house received cash for credits."""
    OUT = "out"
    """The house paid a ticket in cash."""


class ReportBasis(StrEnum):
    """Why a cash transaction is reported: which amount reached the threshold of the house."""

    SINGLE = "single"
    """The transaction itself."""
    PERSON = "person"
    """The sum of the day's transactions in this direction of the person who was named."""
    SEAT = "seat"
    """The sum of the day's payments of tickets that one seat of a table issued."""


class CageRefusal(StrEnum):
    """Codes of refusals by the cage. Checked in this order; the first that applies is sent."""

    NOT_UNDERSTOOD = "not_understood"
    JOURNAL_UNAVAILABLE = "journal_unavailable"
    ID_IS_USED = "id_is_used"
    STATE_HAS_CHANGED = "state_has_changed"
    NOT_AUTHORISED = "not_authorised"
    # The drawer.
    NO_SUCH_DRAWER = "no_such_drawer"
    DRAWER_IS_OPEN = "drawer_is_open"
    DRAWER_IS_CLOSED = "drawer_is_closed"
    HAS_A_DRAWER = "has_a_drawer"
    OTHER_DRAWER = "other_drawer"
    # Content of the command.
    BAD_AMOUNT = "bad_amount"
    BAD_COUNT = "bad_count"
    BAD_PERSON = "bad_person"
    NO_REASON_GIVEN = "no_reason_given"
    # The ticket.
    NO_SUCH_TICKET = "no_such_ticket"
    TICKET_IS_REDEEMED = "ticket_is_redeemed"
    TICKET_HAS_EXPIRED = "ticket_has_expired"
    # Barred Players.
    NO_BARRED_LIST = "no_barred_list"
    ALREADY_BARRED = "already_barred"
    NOT_BARRED = "not_barred"
    PERSON_IS_BARRED = "person_is_barred"
    # Bounds.
    ABOVE_HOUSE_MAXIMUM = "above_house_maximum"
    NOT_ENOUGH_CASH = "not_enough_cash"
    NEEDS_SECOND_PERSON = "needs_second_person"


class CageRefused(Struct, frozen=True, gc=False):
    refusal: CageRefusal
    reason: str | None = None
