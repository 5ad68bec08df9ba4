"""The store in a SQLite file. Each batch is one transaction, which is synced to disk before its commands are answered.

Reads use separate connections, so that deciding never waits for a commit in another thread. Other processes may read
the file while it is written; a lock file excludes a second writer. ``apsw`` bundles a current version of SQLite.
"""

import os
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import IO, Any

import apsw

from roundhouse.journal.connections import BUSY_TIMEOUT_MILLIS, ERRORS, named, named_errors, open_to_read
from roundhouse.journal.entry import BEGINNING, GENESIS, ChainHash, Seq
from roundhouse.journal.files import ensure_writable_file, take_lock, wal_of
from roundhouse.journal.schema import FORMAT, OLDEST_FORMAT, migrate, schema
from roundhouse.journal.store import (
    COMMIT_BOUNDS,
    Batch,
    CommitInDoubt,
    CommitTimes,
    Credential,
    Head,
    JournalDamaged,
    JournalUnavailable,
    Row,
    Snapshot,
    TicketIsTaken,
)
from roundhouse.journal.wal import read_wal
from roundhouse.rules.names import Cents
from roundhouse.table.decision import Ticket
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId, TicketNumber

_TICKET_IS_TAKEN = "a ticket is redeemed once"
_SEQ = attrgetter("seq")

# A batch is inserted by one statement, because after each statement the committing thread must reacquire the GIL from
# the deciding thread: six statements per batch were measurably slower. ``arriving`` is a temporary view without rows,
# visible to this connection only. Its trigger inserts the entries, requests and seal. SQLite does not document that
# ``carray`` values reach a trigger, so the trigger counts the inserted rows.
_BATCH_VIEW = f"""
CREATE TEMP VIEW arriving (table_id, head, follows, entries, requests, named, last, seal)
  AS SELECT {", ".join(["NULL"] * 8)};
CREATE TEMP TRIGGER arrived INSTEAD OF INSERT ON arriving BEGIN
  SELECT RAISE(ABORT, 'the batch does not continue the last entry of table ' || NEW.table_id)
    WHERE (NEW.head, NEW.follows) IS NOT (SELECT coalesce(max(seq), 0), coalesce(hash, zeroblob(32)) FROM entries
      WHERE table_id = NEW.table_id);
  INSERT INTO entries SELECT NEW.table_id, NEW.head + rowid, substr(value, 33), substr(value, 1, 32)
    FROM carray(NEW.entries);
  SELECT RAISE(ABORT, 'not all entries of the batch were inserted') WHERE changes() <> NEW.last - NEW.head;
  INSERT INTO requests SELECT NEW.table_id, CAST(value AS TEXT), NEW.head + rowid
    FROM carray(NEW.requests) WHERE length(value) > 0;
  SELECT RAISE(ABORT, 'not all requests of the batch were inserted') WHERE changes() <> NEW.named;
  INSERT INTO seals VALUES (NEW.table_id, NEW.last, NEW.seal);
END;
"""


class SqliteStore:
    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock: IO[bytes] | None = None
        self._writing = threading.Lock()
        self._wal_needs_truncation = False
        """Whether the WAL may contain frames of a failed commit."""
        self._owner, self._local = threading.get_ident(), threading.local()
        self._thread_dbs: list[apsw.Connection] = []
        """Connections of the reading threads other than the one that opened the store, one for each."""
        self.commit_times = CommitTimes()
        self.new_heads: dict[TableId, Row] | None = None
        """The last entry of each chain that has grown, for the notary to take out; ``None`` without a notary."""
        self.on_commit: Callable[[], None] = threading.Event().set
        """Wakes the notary after a commit. It must neither wait nor raise."""
        if read_only:
            self._db = self._read_db = open_to_read(path)
            with named_errors(path):
                self._check_format()
            return
        self._lock = take_lock(path)
        try:
            with named_errors(path):
                ensure_writable_file(path)
                self._db = self._read_db = apsw.Connection(str(path.absolute()))
                self._check_wal()
                self._set_up()
                self._read_db = self._connect()
            self._file_names = str(path.absolute()), str(wal_of(path))
            self._file_inodes = self._inodes()
        except BaseException:
            self._lock.close()
            raise

    def _check_wal(self) -> None:
        """Refuse to open a journal if recovery would lose committed entries. Keeps the WAL for inspection."""
        db, log = self._db, read_wal(self.path)
        db.set_busy_timeout(BUSY_TIMEOUT_MILLIS)
        if log is None:
            return
        keep = apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
        db.config(keep, 1)
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        taken, _ = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        if (lost := log.describe_loss(max(taken, 0))) is not None:
            db.close()
            advice = "committed entries would be lost. Keep both files, and restore a backup"
            raise JournalDamaged(f"the log '{wal_of(self.path)}' of the journal is damaged, {lost}: {advice}")
        db.config(keep, 0)
        self._truncate_wal()

    def _truncate_wal(self) -> None:
        """Truncate the WAL, because recovery could apply the frames of a failed commit as part of a later one.

        While another process reads the WAL, truncation is postponed until the next commit.
        """
        db, self._wal_needs_truncation = self._db, True
        db.set_busy_timeout(0)
        try:
            with suppress(apsw.BusyError):
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                self._wal_needs_truncation = False
        finally:
            db.set_busy_timeout(BUSY_TIMEOUT_MILLIS)

    def _set_up(self) -> None:
        db = self._db
        if db.execute("PRAGMA journal_mode = WAL").fetchall() != [("wal",)]:
            raise JournalUnavailable(f"Could not write '{self.path}': its folder does not support a write-ahead log")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cell_size_check = ON")
        # SQLite moves the first page of ``entries`` once. Make it overwrite the old copy of the page.
        db.execute("PRAGMA secure_delete = FAST").fetchall()
        # Keep the temporary view ``arriving`` in memory, because the disk may be full.
        db.execute("PRAGMA temp_store = MEMORY")
        if not db.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]:
            db.execute(f"BEGIN IMMEDIATE;{schema()};COMMIT")
        migrate(db, self._check_format())
        db.execute(_BATCH_VIEW)

    def _check_format(self) -> int:
        if self._one("SELECT 1 FROM sqlite_schema WHERE name = 'meta'") is None:
            raise JournalDamaged(f"'{self.path}' is a database, but not a journal of Roundhouse")
        found = self._one("SELECT value FROM meta WHERE name = 'format'")
        if found is not None and isinstance(found[0], int) and found[0] > FORMAT:
            versions = f"format {found[0]}, and this version reads up to {FORMAT}"
            raise JournalUnavailable(f"'{self.path}' was written by a newer version of Roundhouse: {versions}")
        if found is None or not isinstance(found[0], int) or found[0] < OLDEST_FORMAT:
            raise JournalUnavailable(f"'{self.path}' has format {found and found[0]}; this version reads {FORMAT}")
        return found[0]

    def _connect(self) -> apsw.Connection:
        db = apsw.Connection(str(self.path.absolute()))
        db.set_busy_timeout(BUSY_TIMEOUT_MILLIS)
        db.execute("PRAGMA cell_size_check = ON")
        return db

    def _reader(self) -> apsw.Connection:
        if self._lock is None or threading.get_ident() == self._owner:
            return self._read_db
        found: apsw.Connection | None = getattr(self._local, "db", None)
        if found is None:
            found = self._local.db = self._connect()
            self._thread_dbs.append(found)
        return found

    def _one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        with named_errors(self.path):
            return self._reader().execute(sql, values).fetchone()

    def head(self, table: TableId) -> Head:
        found = self._one("SELECT seq, hash FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1", table)
        return Head(Seq(found[0]), ChainHash(found[1])) if found else Head(Seq(0), GENESIS)

    def _inodes(self) -> tuple[int, int] | None:
        """Return the inodes of the journal and its WAL, to detect that a file was removed or replaced while open."""
        try:
            return os.stat(self._file_names[0]).st_ino, os.stat(self._file_names[1]).st_ino
        except OSError:
            return None

    def _discard_failed_commit(self) -> None:
        """Remove the frames of a failed commit from the WAL, so that recovery after a power cut cannot apply it."""
        self._wal_needs_truncation = True
        with suppress(*ERRORS):
            self._truncate_wal()

    def commit(self, *batches: Batch) -> None:
        began, first = perf_counter(), batches[0]
        derived = first.rounds or first.issued or first.redeemed or first.snapshot or first.credentials or first.index
        with self._writing:
            try:
                if self._inodes() != self._file_inodes:
                    reason = "or its log was removed or replaced while in use"
                    raise JournalUnavailable(f"the journal '{self.path}' {reason}")
                if self._wal_needs_truncation:
                    self._truncate_wal()
                try:
                    if len(batches) == 1 and not derived:
                        self._add(first)
                    else:
                        self._add_in_transaction(batches)
                except BaseException:
                    self._discard_failed_commit()
                    raise
            except ERRORS as error:
                fault = named(self.path, error)
                if self._wal_needs_truncation and isinstance(fault, JournalUnavailable):
                    raise CommitInDoubt(str(fault)) from error
                raise fault from error
            times, seconds = self.commit_times, perf_counter() - began
            times.counts[bisect_left(COMMIT_BOUNDS, seconds)] += 1
            times.seconds += seconds
            if (heads := self.new_heads) is not None:
                for batch in batches:
                    heads[batch.table] = batch.rows[-1]
                self.on_commit()

    def change(self, change: Callable[[apsw.Connection], None]) -> None:
        """Change derived data in a separate transaction, which is synced like a commit."""
        with self._writing:
            try:
                if self._inodes() != self._file_inodes:
                    raise JournalUnavailable(f"the journal '{self.path}' was removed or replaced while in use")
                if self._wal_needs_truncation:
                    self._truncate_wal()
                try:
                    with self._db:
                        change(self._db)
                except BaseException:
                    self._discard_failed_commit()
                    raise
            except ERRORS as error:
                raise named(self.path, error) from error

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with named_errors(self.path):
            return self._reader().execute(sql, values).fetchall()

    def _add_in_transaction(self, batches: Sequence[Batch]) -> None:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            for batch in batches:
                self._add(batch)
                self._add_derived_rows(batch)
            db.execute("COMMIT")
        except BaseException as error:
            with suppress(apsw.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            if isinstance(error, apsw.ConstraintError) and _TICKET_IS_TAKEN in str(error):
                raise TicketIsTaken(str(error)) from error
            raise

    def _add(self, batch: Batch) -> None:
        """Insert the entries of a batch, their requests and their seal by one statement."""
        rows = batch.rows
        head, last = rows[0].seq - 1, rows[-1].seq
        if [*map(_SEQ, rows)] != [*range(head + 1, head + 1 + len(rows))]:
            raise JournalUnavailable(f"the entries of a batch of table {batch.table} are not consecutive")
        entries = apsw.carray(tuple([row.hash + row.body for row in rows]))
        ids = [(row.request or "").encode() for row in rows]
        named = len(ids) - ids.count(b"")
        values = (batch.table, head, batch.follows, entries, apsw.carray(tuple(ids)), named, last, batch.seal)
        self._db.execute("INSERT INTO arriving VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def _add_derived_rows(self, batch: Batch) -> None:
        db, table = self._db, batch.table
        for number, record in batch.rounds.items():
            db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?)", (table, number, record))
        db.executemany("INSERT INTO entry_index VALUES (?, ?, ?)", [(table, *row) for row in batch.index])
        for issued in batch.issued:
            db.execute("INSERT INTO tickets VALUES (?, ?, ?, 0)", (issued.number, issued.cents, issued.expires))
        for ticket in batch.redeemed:
            db.execute("UPDATE tickets SET redeemed = 1 WHERE number = ?", (ticket,))
            assert db.changes() == 1, "the redeemed ticket exists"
        for credential in batch.credentials:
            self._keep_credential(credential)
        if (snapshot := batch.snapshot) is not None:
            # Two snapshots are enough, because all entries are stored.
            db.execute(
                "DELETE FROM snapshots WHERE table_id = ?1"
                " AND seq < (SELECT max(seq) FROM snapshots WHERE table_id = ?1)",
                (table,),
            )
            values = (table, snapshot.seq, snapshot.hash, snapshot.memory)
            db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?)", values)

    def _keep_credential(self, credential: Credential) -> None:
        kind, name, verifier = credential.kind, credential.name, credential.verifier
        self._db.execute("DELETE FROM credentials WHERE kind = ? AND name = ?", (kind, name))
        if verifier is not None:
            self._db.execute("INSERT INTO credentials VALUES (?, ?, ?)", (kind, name, verifier))

    def credentials(self) -> list[Credential]:
        with named_errors(self.path):
            return [Credential(*row) for row in self._reader().execute("SELECT kind, name, verifier FROM credentials")]

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        with named_errors(self.path):
            found = self._reader().execute(
                "SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq > ? ORDER BY seq", (table, after)
            )
            for seq, body, hash in found:
                yield Row(seq, body, hash, None)

    def row(self, table: TableId, seq: Seq) -> Row | None:
        found = self._one("SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq = ?", table, seq)
        return Row(found[0], found[1], found[2], None) if found else None

    def seqs_of(self, table: TableId, requests: Sequence[RequestId]) -> dict[RequestId, Seq]:
        if not requests:
            return {}
        try:
            found = self._reader().execute(
                "SELECT id, seq FROM requests WHERE table_id = ? AND id IN (SELECT CAST(value AS TEXT) FROM carray(?))",
                (table, apsw.carray(tuple(map(str.encode, requests)))),
            )
            return dict(found)
        except ERRORS as error:
            raise named(self.path, error) from error

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]:
        with named_errors(self.path):
            yield from self._reader().execute("SELECT seq, seal FROM seals WHERE table_id = ? ORDER BY seq", (table,))

    def last_seal(self, table: TableId) -> tuple[Seq, bytes] | None:
        found = self._one("SELECT seq, seal FROM seals WHERE table_id = ? ORDER BY seq DESC LIMIT 1", table)
        return (Seq(found[0]), found[1]) if found else None

    def round(self, table: TableId, number: RoundNumber) -> bytes | None:
        found = self._one("SELECT record FROM rounds WHERE table_id = ? AND number = ?", table, number)
        return found[0] if found else None

    def ticket(self, number: TicketNumber) -> Ticket | None:
        found = self._one("SELECT cents, expires, redeemed FROM tickets WHERE number = ?", number)
        return Ticket(number, Cents(found[0]), Millis(found[1]), bool(found[2])) if found else None

    def snapshot(self, table: TableId) -> Snapshot | None:
        found = self._one("SELECT seq, hash, memory FROM snapshots WHERE table_id = ? ORDER BY seq DESC LIMIT 1", table)
        return Snapshot(*found) if found else None

    def rulebook(self, hash: str) -> bytes | None:
        found = self._one("SELECT content FROM rulebooks WHERE hash = ?", hash)
        return found[0] if found else None

    def keep_rulebook(self, hash: str, content: bytes) -> None:
        with self._writing, named_errors(self.path):
            self._db.execute("INSERT OR IGNORE INTO rulebooks VALUES (?, ?)", (hash, content))

    def tables(self) -> list[tuple[TableId, str]]:
        with named_errors(self.path):
            return list(self._reader().execute("SELECT id, rulebook FROM tables ORDER BY id"))

    def add_table(self, table: TableId, rulebook: str) -> None:
        with self._writing, named_errors(self.path):
            self._db.execute("INSERT OR IGNORE INTO tables VALUES (?, ?)", (table, rulebook))

    def close(self) -> None:
        for db in (*self._thread_dbs, self._read_db):
            db.close()
        self._db.close()
        if self._lock is not None:
            self._lock.close()
