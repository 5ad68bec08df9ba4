"""Tickets in dispute: those that may have been paid in the span that a restored journal has lost."""

from collections.abc import Callable
from typing import Final

from roundhouse.journal.seal import Key, dispute_digest
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.events import DisputedTicket
from roundhouse.people.state import HouseState
from roundhouse.rules.names import Cents
from roundhouse.table.names import TicketNumber

_LAST_DIGITS: Final = 4
IsDisputed = Callable[[TicketNumber], bool]


def outstanding(store: SqliteStore, key: Key) -> tuple[DisputedTicket, ...]:
    """Return all tickets that are not redeemed."""
    rows = store.query("SELECT number, cents FROM tickets WHERE redeemed = 0 ORDER BY number")
    return tuple(
        DisputedTicket(dispute_digest(key, TicketNumber(number)), number[-_LAST_DIGITS:], Cents(cents))
        for number, cents in rows
    )


def disputes_in(state: Callable[[], HouseState], key: Key) -> IsDisputed:
    """Return a function that tells whether a ticket is in dispute, by the record of the house."""

    def is_disputed(ticket: TicketNumber) -> bool:
        disputed = state().disputed or {}
        return bool(disputed) and dispute_digest(key, ticket) in disputed

    return is_disputed
