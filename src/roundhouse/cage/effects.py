"""Compares the effect of a command with the effect that a second person approved."""

from collections.abc import Iterable

from msgspec.structs import replace

from roundhouse.cage.events import AnyCageEvent, CashReported, CreditsSold
from roundhouse.table.names import Millis, TicketId


def same_effect(events: Iterable[AnyCageEvent], approved: Iterable[AnyCageEvent]) -> bool:
    """Return whether events are those that were approved, apart from what may change until then."""
    return _comparable(events) == _comparable(approved)


def _comparable(events: Iterable[AnyCageEvent]) -> list[AnyCageEvent]:
    """Leave out a new ticket's id and expiry, and reports, whose sums other transactions of the day change."""
    return [
        replace(event, ticket=TicketId(""), expires=Millis(0)) if isinstance(event, CreditsSold) else event
        for event in events
        if not isinstance(event, CashReported)
    ]
