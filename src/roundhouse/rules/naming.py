"""The one name of a position: what somebody may have meant who wrote another."""

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import PositionId


def canonical_name(layout: Layout, written: str) -> PositionId | None:
    """The canonical id, where the numbers are right but their order or spelling is not.

    An alias is told, never taken: two names for one bet would be two bets in a ledger.
    """
    kind, _, numbers = written.lower().replace("/", "-").partition(":")
    asked = sorted(_bare(number) for number in numbers.split("-"))
    for known in layout.positions:
        if known.id == written.lower() or (numbers and known.id.lower() == written.lower()):
            return known.id
        has_numbers = ":" in known.id and known.type == kind
        if numbers and has_numbers and asked == sorted(_bare(pocket.lower()) for pocket in known.covers):
            return known.id
    return None


def _bare(number: str) -> str:
    """``01`` is 1, but 0, 00 and 000 are three different pockets."""
    return number.lstrip("0") or number
