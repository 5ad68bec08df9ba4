"""Tickets in dispute: those that may have been paid in the span that a restored journal has lost."""

from collections.abc import Callable
from typing import Final

from roundhouse.journal.seal import Key, dispute_digest
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.events import DisputedTicket, TicketsDisputed, decode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.people.state import HouseState
from roundhouse.rules.names import Cents
from roundhouse.table.names import TicketId

_LAST_DIGITS: Final = 4
_DISPUTED: Final = '"event":"tickets_disputed.'
IsDisputed = Callable[[TicketId], bool]


def outstanding(store: SqliteStore, key: Key) -> tuple[DisputedTicket, ...]:
    """Return all tickets that are not redeemed."""
    rows = store.query("SELECT id, cents FROM tickets WHERE redeemed_seq IS NULL ORDER BY id")
    return tuple(
        DisputedTicket(dispute_digest(key, TicketId(id)), id[-_LAST_DIGITS:], Cents(cents)) for id, cents in rows
    )


def has_disputes(store: SqliteStore) -> bool:
    """Return whether the house of a journal has recorded tickets in dispute."""
    sql = "SELECT body FROM entries WHERE table_id = ? AND instr(body, ?)"
    events = [decode(body).event for (body,) in store.query(sql, HOUSE_CHAIN, _DISPUTED)]
    return any(isinstance(event, TicketsDisputed) and event.tickets for event in events)


def disputes_in(state: Callable[[], HouseState], key: Key) -> IsDisputed:
    """Return a function that tells whether a ticket is in dispute, by the record of the house."""

    def is_disputed(ticket: TicketId) -> bool:
        disputed = state().disputed or {}
        return bool(disputed) and dispute_digest(key, ticket) in disputed

    return is_disputed
