"""Writes the rows of a SQLite journal that are derived from entries: rounds, index, tickets, credentials, snapshots."""

from collections.abc import Mapping
from typing import Final

import apsw

from roundhouse.journal.store import Batch, Credential, JournalDamaged, Snapshot, StoredRound, TicketIsTaken
from roundhouse.table.names import RoundNumber, TableId, masked

TICKET_ROWS: Final = """
SELECT table_id, seq, id, cents, expires FROM tickets
UNION ALL SELECT redeemed_table, redeemed_seq, id, NULL, NULL FROM tickets
  WHERE redeemed_table IS NOT NULL OR redeemed_seq IS NOT NULL
ORDER BY 2
"""
"""All issued and redeemed tickets: table, entry, id, amount and expiry. Amount and expiry are NULL for redemptions."""


def write_derived(db: apsw.Connection, batch: Batch) -> None:
    """Write the derived rows of a batch, in the transaction that adds its entries."""
    table = batch.table
    write_rounds(db, table, batch.rounds)
    db.executemany("INSERT INTO entry_index VALUES (?, ?, ?)", [(table, *row) for row in batch.index])
    for issued in batch.issued:
        values = (issued.id, issued.cents, issued.expires, table, issued.seq)
        db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, NULL, NULL)", values)
    for redeemed in batch.redeemed:
        # The trigger refuses a second redemption too, but another program could have removed it from the file.
        sql = "UPDATE tickets SET redeemed_table = ?, redeemed_seq = ? WHERE id = ? AND redeemed_seq IS NULL"
        db.execute(sql, (table, redeemed.seq, redeemed.id))
        if db.changes() != 1:
            if db.execute("SELECT 1 FROM tickets WHERE id = ?", (redeemed.id,)).fetchall():
                raise TicketIsTaken(f"the ticket {masked(redeemed.id)} is redeemed once")
            raise JournalDamaged(f"the ticket {masked(redeemed.id)} is missing from the register of tickets")
    for credential in batch.credentials:
        _write_credential(db, credential)
    if batch.snapshot is not None:
        _write_snapshot(db, table, batch.snapshot)


def write_rounds(db: apsw.Connection, table: TableId, rounds: Mapping[RoundNumber, StoredRound]) -> None:
    for number, stored in rounds.items():
        values = (table, number, stored.version, stored.seal, stored.record)
        db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?)", values)


def _write_credential(db: apsw.Connection, credential: Credential) -> None:
    kind, name, verifier = credential.kind, credential.name, credential.verifier
    db.execute("DELETE FROM credentials WHERE kind = ? AND name = ?", (kind, name))
    if verifier is not None:
        db.execute("INSERT INTO credentials VALUES (?, ?, ?)", (kind, name, verifier))


def _write_snapshot(db: apsw.Connection, table: TableId, snapshot: Snapshot) -> None:
    # Two snapshots are enough, because all entries are stored.
    db.execute(
        "DELETE FROM snapshots WHERE table_id = ?1 AND seq < (SELECT max(seq) FROM snapshots WHERE table_id = ?1)",
        (table,),
    )
    values = (table, snapshot.seq, snapshot.hash, snapshot.memory, snapshot.derived, snapshot.seal)
    db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)", values)
