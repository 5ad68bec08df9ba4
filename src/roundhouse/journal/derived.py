"""Digests of the rows that are derived from entries, and the check of the register of tickets against the chains.

A sealed snapshot contains the digests at its entry. The entries after it extend them up to the sealed head. So the
digests are as trustworthy as the chain, and computing them does not need all entries.
"""

import hashlib
from functools import cache
from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.cage.entry import CageEntry
from roundhouse.cage.entry import decode as decode_cage
from roundhouse.cage.events import CreditsSold, TicketPaid, TicketVoided
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.cage.state import CageState
from roundhouse.journal.entry import GENESIS, ChainHash, Entry, Seq, decode, link
from roundhouse.journal.seal import Key, snapshot_fits
from roundhouse.journal.store import JournalDamaged, Snapshot, Store, TicketRow
from roundhouse.rules.names import Cents
from roundhouse.table.events import CashedOut, TicketRedeemed
from roundhouse.table.names import Millis, RoundNumber, TableId, TicketId
from roundhouse.table.state import TableState

TicketLog = bytes
"""Running digest of the tickets that a table issued and redeemed, in the order of its entries."""

EMPTY_LOG: Final[TicketLog] = bytes(32)
_TICKET_EVENTS: Final = tuple(
    b'"event":"%s.' % name
    for name in (b"cashed_out", b"ticket_redeemed", b"credits_sold", b"ticket_paid", b"ticket_voided")
)


class Derived(Struct, frozen=True, array_like=True):
    """The digests of a table's derived rows after an entry."""

    tickets: TicketLog = EMPTY_LOG
    newest: RoundNumber = RoundNumber(0)
    """The last round that has a record."""
    versions: dict[RoundNumber, int] = {}
    """Versions of round records that were written more than once. All others have version 1."""
    shape: str = ""
    """Identifies the fields of the state in the snapshot. Another version of the program may have other fields."""


@cache
def state_shape() -> str:
    """Return a digest of the names and types of all fields of a table's state."""
    schema = msgspec.json.encode(msgspec.json.schema(TableState), order="deterministic")
    return hashlib.sha256(schema).hexdigest()[:16]


@cache
def cage_shape() -> str:
    """Return a digest of the names and types of all fields of the cage's state."""
    schema = msgspec.json.encode(msgspec.json.schema(CageState), order="deterministic")
    return hashlib.sha256(schema).hexdigest()[:16]


encode_derived = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Derived).decode


def derived_of(snapshot: Snapshot | None) -> Derived:
    """Decode the digests of a snapshot. Those of an altered snapshot may be unreadable and count as none."""
    try:
        return _decode(snapshot.derived) if snapshot is not None and snapshot.derived else Derived()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Derived()


def extend(log: TicketLog, seq: Seq, id: TicketId, issued: tuple[Cents, Millis] | None) -> TicketLog:
    """Add an issued or redeemed ticket to a log. ``issued`` is its amount and expiry."""
    line = f"{seq} redeemed {id}" if issued is None else f"{seq} issued {id} {issued[0]} {issued[1]}"
    return hashlib.sha256(log + line.encode()).digest()


def extend_by(log: TicketLog, entry: Entry) -> TicketLog:
    """Add the tickets of an entry to a log."""
    for event in entry.events:
        if isinstance(event, CashedOut):
            log = extend(log, entry.seq, event.ticket, (event.cents, event.expires))
        elif isinstance(event, TicketRedeemed):
            log = extend(log, entry.seq, event.ticket, None)
    return log


def extend_by_cage(log: TicketLog, entry: CageEntry) -> TicketLog:
    """Add the tickets of an entry of the cage to a log. A paid and a voided ticket both count as redeemed."""
    for event in entry.events:
        if isinstance(event, CreditsSold):
            log = extend(log, Seq(entry.seq), event.ticket, (event.cents, event.expires))
        elif isinstance(event, TicketPaid | TicketVoided):
            log = extend(log, Seq(entry.seq), event.ticket, None)
    return log


def trusted_snapshot(store: Store, key: Key, table: TableId) -> tuple[Snapshot | None, bool]:
    """Return the latest snapshot whose seal fits, and whether a later one was ignored."""
    stored = store.snapshots(table)
    for snapshot in stored:
        row = store.row(table, snapshot.seq)
        if row is not None and row.hash == snapshot.hash and snapshot_fits(key, table, snapshot):
            return snapshot, snapshot is not stored[0]
    return None, bool(stored)


def check_tickets(store: Store, key: Key, tables: list[TableId]) -> None:
    """Compare the register of tickets with the chains. The heads of the chains must be sealed.

    A row that was changed, added or removed raises ``JournalDamaged``, because the house would pay by it. If a chain is
    damaged, its table cannot be opened. Then nothing proves which tickets it redeemed, so the store finds no tickets.
    """
    found: dict[TableId | None, TicketLog] = dict.fromkeys(tables, EMPTY_LOG)
    for row in store.ticket_rows():
        found[row.table] = _extended(found.get(row.table, EMPTY_LOG), row)
    for table, log in found.items():
        try:
            matches = table in tables and log == _log_of_chain(store, key, table)
        except JournalDamaged as damaged:
            store.distrust_tickets(str(damaged))
            continue
        if not matches:
            raise JournalDamaged(
                f"the register of tickets does not match the entries of table {table}; it was changed, or the disk is"
                " faulty. Keep the files, run 'roundhouse audit verify', and restore a backup"
            )


def _extended(log: TicketLog, row: TicketRow) -> TicketLog:
    return extend(log, row.seq, row.id, row.issued)


def _log_of_chain(store: Store, key: Key, table: TableId) -> TicketLog:
    """Compute the log from the latest snapshot whose seal fits, and the entries after it."""
    snapshot, _ = trusted_snapshot(store, key, table)
    seq, hash = (snapshot.seq, snapshot.hash) if snapshot is not None else (Seq(0), GENESIS)
    log = derived_of(snapshot).tickets
    for row in store.rows(table, seq):
        seq, hash = check_link(table, seq, hash, row.seq, row.body, row.hash), row.hash
        if any(name in row.body for name in _TICKET_EVENTS):
            log = (
                extend_by_cage(log, decode_cage(row.body)) if table == CAGE_CHAIN else extend_by(log, decode(row.body))
            )
    return log


def check_link(table: TableId, before: Seq, previous: ChainHash, seq: Seq, body: bytes, hash: ChainHash) -> Seq:
    """Check that an entry continues the chain, and return its number."""
    if seq != before + 1 or link(previous, body) != hash:
        raise JournalDamaged(f"entry {before + 1} of table {table} does not continue the chain")
    return seq
