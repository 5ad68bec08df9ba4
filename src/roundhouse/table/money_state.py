"""The memory of a seat about money besides its totals: purchases that can be reversed, and a requested cash-out."""

from msgspec import Struct

from roundhouse.rules.names import Cents
from roundhouse.table.evidence import Source
from roundhouse.table.names import Millis

KEPT_PURCHASES = 8
"""Number of purchases that a seat remembers."""


class Purchase(Struct, frozen=True, omit_defaults=True):
    """A purchase of credits at a seat."""

    number: int
    cents: Cents
    at: Millis
    source: Source
    spent: int
    """Total that the seat had staked and cashed out by then, less stakes that came back without a win."""


class AskedCashOut(Struct, frozen=True, omit_defaults=True):
    """A request for a cash-out."""

    at: Millis
    cents: Cents
    source: Source
