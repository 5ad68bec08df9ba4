"""Temporary database of a verification: past rounds, tickets and the index, as the replay derives them.

SQLite keeps a database without a name in memory and moves it to a temporary file when it grows, so that memory stays
bounded for a large journal.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from roundhouse.audit.journal_file import RulebookSet, TicketRegisterRow
from roundhouse.journal.derived import Derived, TicketLog, state_shape
from roundhouse.journal.entry import Seq
from roundhouse.journal.index import IndexRow
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, RoundNumber, TableId, TicketId
from roundhouse.table.state import RoundRecord

_SCHEMA = """
PRAGMA journal_mode = OFF;
BEGIN;
CREATE TABLE rounds (
  table_id TEXT, number INTEGER, version INTEGER, record BLOB, PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
CREATE TABLE entry_index (table_id TEXT, key TEXT, seq INTEGER, PRIMARY KEY (table_id, key, seq)) WITHOUT ROWID;
CREATE TABLE tickets (
  id TEXT PRIMARY KEY, cents INTEGER, expires INTEGER, table_id TEXT, seq INTEGER, at INTEGER,
  session BLOB, redeemed_table TEXT, redeemed_seq INTEGER
) WITHOUT ROWID;
"""
_decode = msgspec.msgpack.Decoder(RoundRecord).decode
_encode = msgspec.msgpack.Encoder().encode


class KnownTicket(NamedTuple):
    """A ticket that a replayed entry issued."""

    cents: Cents
    expires: Millis
    issued_by: TableId
    issued_in: Seq
    issued_at: Millis
    carried: bytes
    """The session and the protection that it carries along, encoded."""
    redeemed_by: TableId | None = None
    """Table that redeemed the ticket. None while it is not redeemed."""
    redeemed_in: Seq | None = None


class Outstanding(NamedTuple):
    """Number and total of the tickets that are not redeemed."""

    tickets: int
    cents: Cents


class Scratch:
    """The temporary database of one verification."""

    def __init__(self) -> None:
        self._db = apsw.Connection("")
        self._db.execute(_SCHEMA).fetchall()

    def close(self) -> None:
        self._db.close()

    def ticket(self, id: TicketId) -> KnownTicket | None:
        sql = (
            "SELECT cents, expires, table_id, seq, at, session, redeemed_table, redeemed_seq FROM tickets WHERE id = ?"
        )
        found = self._db.execute(sql, (id,)).fetchone()
        return KnownTicket(*found) if found else None

    def issue(self, id: TicketId, ticket: KnownTicket) -> None:
        self._db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (id, *ticket))

    def redeem(self, id: TicketId, table: TableId, seq: Seq) -> None:
        sql = "UPDATE tickets SET redeemed_table = ?, redeemed_seq = ? WHERE id = ?"
        self._db.execute(sql, (table, seq, id))

    def tickets(self) -> Iterator[TicketRegisterRow]:
        sql = "SELECT id, cents, expires, table_id, seq, redeemed_table, redeemed_seq FROM tickets ORDER BY id"
        yield from map(TicketRegisterRow._make, self._db.execute(sql))

    def outstanding(self) -> Outstanding:
        sql = "SELECT count(*), coalesce(sum(cents), 0) FROM tickets WHERE redeemed_table IS NULL"
        row: tuple[Any, ...] = self._db.execute(sql).fetchall()[0]
        return Outstanding(*row)

    def rounds(self, table: TableId) -> Iterator[tuple[RoundNumber, int, bytes]]:
        sql = "SELECT number, version, record FROM rounds WHERE table_id = ? ORDER BY number"
        yield from self._db.execute(sql, (table,))

    def add_index(self, table: TableId, rows: Iterable[IndexRow]) -> None:
        self._db.executemany("INSERT INTO entry_index VALUES (?, ?, ?)", [(table, *row) for row in rows])

    def index(self, table: TableId) -> Iterator[tuple[str, int]]:
        yield from self._db.execute("SELECT key, seq FROM entry_index WHERE table_id = ? ORDER BY key, seq", (table,))

    def round(self, table: TableId, number: RoundNumber) -> RoundRecord | None:
        sql = "SELECT record FROM rounds WHERE table_id = ? AND number = ?"
        found = self._db.execute(sql, (table, number)).fetchone()
        return _decode(found[0]) if found else None

    def keep(self, table: TableId, record: RoundRecord, version: int) -> None:
        values = (table, record.number, version, _encode(record))
        self._db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?)", values)


class ScratchArchive:
    """The archive of one table's past rounds, stored in the scratch database."""

    def __init__(self, scratch: Scratch, table: TableId, rulebooks: RulebookSet) -> None:
        self._scratch = scratch
        self._table = table
        self._rulebooks = rulebooks
        self._newest = RoundNumber(0)
        self._versions: dict[RoundNumber, int] = {}

    def game(self, rulebook: str) -> Game | None:
        return self._rulebooks.get(rulebook)

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._scratch.round(self._table, number)

    def keep(self, record: RoundRecord) -> None:
        if (number := record.number) > self._newest:
            self._newest = number
        else:
            self._versions[number] = self._versions.get(number, 1) + 1
        self._scratch.keep(self._table, record, self._versions.get(number, 1))

    def derived(self, tickets: TicketLog) -> Derived:
        """Return the digests that a snapshot after the replayed entries must contain."""
        return Derived(tickets, self._newest, dict(sorted(self._versions.items())), state_shape())
