"""Proofs that single entries were written by the house, for decisions that pay money by an old entry.

An entry is proven by the seal of its batch: the entries up to the seal must continue the chain, and the seal must fit
the key. Changing the entry would change every hash up to the seal. A batch is small, so a proof reads few entries.
"""

import hmac
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec

from roundhouse.cage.entry import CageEntry
from roundhouse.cage.entry import decode as decode_cage
from roundhouse.cage.events import CreditsSold
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.derived import check_link
from roundhouse.journal.entry import BEGINNING, GENESIS, Entry, Seq, decode, seal
from roundhouse.journal.seal import Key
from roundhouse.journal.store import JournalDamaged, Store
from roundhouse.table.decision import Ticket, issued_ticket
from roundhouse.table.events import CashedOut
from roundhouse.table.names import SeatId, TableId, TicketId, masked

E = TypeVar("E", Entry, CageEntry)


def proven_entry(store: Store, key: Key, table: TableId, seq: Seq) -> Entry:
    """Read an entry of a table and prove that the house wrote it. Raises ``JournalDamaged`` if the proof fails."""
    return _decoded(table, seq, proven_body(store, key, table, seq), decode)


def proven_body(store: Store, key: Key, table: TableId, seq: Seq) -> bytes:
    """Read the bytes of an entry of any chain, and prove that the house wrote them."""
    before = store.row(table, Seq(seq - 1)) if seq > 1 else None
    sealed = store.next_seal(table, seq)
    if sealed is None or (before is None and seq != 1):
        raise JournalDamaged(f"entry {seq} of table {table} is missing or not sealed")
    last, found = sealed
    number, hash = (before.seq, before.hash) if before is not None else (BEGINNING, GENESIS)
    body: bytes | None = None
    for row in store.rows(table, number):
        number, hash = check_link(table, number, hash, row.seq, row.body, row.hash), row.hash
        body = row.body if body is None else body
        if number == last:
            break
    if body is None or number != last or not hmac.compare_digest(seal(key, table, hash), found):
        raise JournalDamaged(f"the seal of entry {last} of table {table} does not fit the entries before it")
    return body


def _decoded(table: TableId, seq: Seq, body: bytes, read: Callable[[bytes], E]) -> E:
    try:
        entry = read(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalDamaged(f"entry {seq} of table {table} cannot be read: {error}") from error
    if entry.seq != seq:
        raise JournalDamaged(f"entry {seq} of table {table} has the number {entry.seq}")
    return entry


class ProvenTicket(NamedTuple):
    """A ticket and where it was issued, as the entry that issued it says."""

    ticket: Ticket
    table: TableId
    """Chain that issued it: a table, or the cage."""
    seat: SeatId | None
    """Seat that was cashed out; ``None`` if the cage sold the ticket."""


def proven_ticket(store: Store, key: Key, id: TicketId) -> Ticket | None:
    """Find a ticket and read its amount and expiry from the entry that issued it."""
    found = proven_issue(store, key, id)
    return found.ticket if found is not None else None


def proven_issue(store: Store, key: Key, id: TicketId) -> ProvenTicket | None:
    """Find a ticket by the entry of the table or the cage that issued it.

    The register only says where to look. Raises ``JournalDamaged`` if that entry did not issue the ticket.
    """
    found = store.ticket(id)
    if found is None:
        return None
    if found.table == CAGE_CHAIN:
        body = proven_body(store, key, found.table, found.seq)
        for sold in _decoded(found.table, found.seq, body, decode_cage).events:
            if isinstance(sold, CreditsSold) and sold.ticket == id:
                return ProvenTicket(Ticket(id, sold.cents, sold.expires, found.redeemed), found.table, None)
    else:
        for event in proven_entry(store, key, found.table, found.seq).events:
            if isinstance(event, CashedOut) and event.ticket == id:
                return ProvenTicket(issued_ticket(event, found.redeemed), found.table, event.seat)
    place = f"entry {found.seq} of table {found.table}"
    raise JournalDamaged(f"the register of tickets says that {place} issued ticket {masked(id)}, but it did not")
