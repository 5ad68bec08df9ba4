"""The store in a SQLite file. Each batch is one transaction, which is synced to disk before its commands are answered.

Reads use separate connections, so that deciding never waits for a commit in another thread. Other processes may read
the file while it is written; locks on a lock file and on the database exclude a second writer. ``apsw`` bundles a
current version of SQLite.
"""

import os
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import IO, Any

import apsw

from roundhouse.journal.connections import BUSY_TIMEOUT_MILLIS, ERRORS, check_kinds, named, named_errors, open_to_read
from roundhouse.journal.derived_rows import TICKET_ROWS, write_derived, write_rounds
from roundhouse.journal.entry import BEGINNING, GENESIS, ChainHash, Seq
from roundhouse.journal.files import ensure_writable_file, lock_database, sync_file, take_lock, wal_of
from roundhouse.journal.heads import CHECKSUM_BYTES, SLOT_CONTENT, SYNC_SECONDS, HeadsFile
from roundhouse.journal.schema import check_format, migrate, schema
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
    StoredRound,
    StoredTicket,
    TicketIsTaken,
    TicketRow,
)
from roundhouse.journal.wal import read_wal
from roundhouse.table.names import RequestId, RoundNumber, TableId, TicketId, masked

_TICKET_IS_TAKEN = "a ticket is redeemed once"
_SEQ, _INODE = attrgetter("seq"), attrgetter("st_ino")

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
        self._database_lock: int | None = None
        self._writing = threading.Lock()
        self._wal_needs_truncation = False
        """Whether the WAL may contain frames of a failed commit."""
        self._owner, self._local = threading.get_ident(), threading.local()
        self.sync_file: Callable[[Path], None] = sync_file
        self._thread_dbs: list[apsw.Connection] = []
        """Connections of the reading threads other than the one that opened the store, one for each."""
        self._outstanding: set[TicketId] = set()
        """Tickets that are issued and not redeemed, as far as this process knows."""
        self.tickets_fault = ""
        self.commit_times = CommitTimes()
        self.new_heads: dict[TableId, Row] | None = None
        """The last entry of each chain that has grown, for the notary, which ``on_commit`` wakes; else ``None``."""
        self.on_commit: Callable[[], None] = threading.Event().set
        if read_only:
            self._db = self._read_db = open_to_read(path)
            with named_errors(path):
                check_format(self._db, path)
            self._db.row_trace = check_kinds
            return
        self._lock = take_lock(path)
        try:
            with named_errors(path):
                ensure_writable_file(path)
                self._database_lock = lock_database(path)
                self._db = self._read_db = apsw.Connection(str(path.absolute()))
                self._check_wal()
                self._set_up()
                self._read_db = self._connect()
                outstanding = self._read_db.execute("SELECT id FROM tickets WHERE redeemed_seq IS NULL")
                self._outstanding.update(id for (id,) in outstanding)
            self._heads = HeadsFile(path)
            self._file_names = str(path.absolute()), str(wal_of(path))
            self._file_inodes = [*map(_INODE, map(os.stat, self._file_names))]
            """Inodes of the journal and its WAL, to detect that a file was removed or replaced while open."""
        except BaseException:
            self._unlock()
            raise

    def _unlock(self) -> None:
        """Release the locks. SQLite's connections must be closed before."""
        if self._database_lock is not None:
            os.close(self._database_lock)
            self._database_lock = None
        if self._lock is not None:
            self._lock.close()

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
        """Truncate the WAL, because recovery could apply the frames of a failed commit.

        SQLite does not sync the truncation: after a power cut the frames could be back.
        While another process reads the WAL, truncation is postponed until the next commit.
        """
        db, self._wal_needs_truncation = self._db, True
        db.set_busy_timeout(0)
        try:
            with suppress(apsw.BusyError):
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                self.sync_file(wal_of(self.path))
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
        migrate(db, check_format(db, self.path))
        db.execute(_BATCH_VIEW)

    def _connect(self) -> apsw.Connection:
        db = apsw.Connection(str(self.path.absolute()))
        db.set_busy_timeout(BUSY_TIMEOUT_MILLIS)
        db.execute("PRAGMA cell_size_check = ON")
        db.row_trace = check_kinds
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
                try:
                    inodes = [*map(_INODE, map(os.stat, self._file_names))]
                except OSError:
                    inodes = []
                if inodes != self._file_inodes:
                    raise JournalUnavailable(
                        f"the journal '{self.path}' or its log was removed or replaced while in use"
                    )
                if self._wal_needs_truncation:
                    self._truncate_wal()
                try:
                    if len(batches) == 1 and not derived:
                        self._add(first)
                    else:
                        self._add_in_transaction(batches)
                except BaseException:
                    self._discard_failed_commit()
                    if self._wal_needs_truncation:
                        self._remember_tickets(batches, in_doubt=True)
                    raise
            except ERRORS as error:
                fault = named(self.path, error)
                if self._wal_needs_truncation and isinstance(fault, JournalUnavailable):
                    raise CommitInDoubt(str(fault)) from error
                raise fault from error
            self._write_heads(batches)
            if derived or len(batches) > 1:
                self._remember_tickets(batches)
            seconds = perf_counter() - began
            self.commit_times.counts[bisect_left(COMMIT_BOUNDS, seconds)] += 1
            self.commit_times.seconds += seconds
            if (heads := self.new_heads) is not None:
                for batch in batches:
                    heads[batch.table] = batch.rows[-1]
                self.on_commit()

    def change(self, change: Callable[[apsw.Connection], None]) -> None:
        """Change derived data in a separate transaction, which is synced like a commit."""
        with self._writing, named_errors(self.path):
            if self._wal_needs_truncation:
                self._truncate_wal()
            try:
                with self._db:
                    change(self._db)
            except BaseException:
                self._discard_failed_commit()
                raise

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with named_errors(self.path):
            return self._reader().execute(sql, values).fetchall()

    def _write_heads(self, batches: Sequence[Batch]) -> None:
        """Write the new heads to the heads file, and sync it at most once a second."""
        heads = self._heads
        try:
            for batch in batches:
                last = batch.rows[-1]
                content = SLOT_CONTENT.pack(batch.table.encode(), last.seq, last.hash, batch.seal)
                checksum = sha256(content).digest()[:CHECKSUM_BYTES]
                offset = next(heads.places.get(batch.table) or heads.place_of(batch.table))
                os.pwrite(heads.file, content + checksum, offset)  # type: ignore[arg-type]  # open, as it has a place
            if perf_counter() - heads.synced >= SYNC_SECONDS:
                heads.sync()
        except OSError as error:
            heads.failed(error)

    def _remember_tickets(self, batches: Sequence[Batch], in_doubt: bool = False) -> None:
        """Note issued and redeemed tickets. After a commit in doubt its tickets may be outstanding."""
        for batch in batches:
            self._outstanding.update(issued.id for issued in batch.issued)
            if not in_doubt:
                self._outstanding.difference_update(redeemed.id for redeemed in batch.redeemed)

    def _add_in_transaction(self, batches: Sequence[Batch]) -> None:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            for batch in batches:
                self._add(batch)
                write_derived(db, batch)
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

    def credentials(self) -> list[Credential]:
        return [Credential(*row) for row in self.query("SELECT kind, name, verifier FROM credentials")]

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq > ? ORDER BY seq"
        with named_errors(self.path):
            for seq, body, hash in self._reader().execute(sql, (table, after)):
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

    def next_seal(self, table: TableId, seq: Seq) -> tuple[Seq, bytes] | None:
        sql = "SELECT seq, seal FROM seals WHERE table_id = ? AND seq >= ? ORDER BY seq LIMIT 1"
        found = self._one(sql, table, seq)
        return (Seq(found[0]), found[1]) if found else None

    def round(self, table: TableId, number: RoundNumber) -> StoredRound | None:
        sql = "SELECT record, version, seal FROM rounds WHERE table_id = ? AND number = ?"
        found = self._one(sql, table, number)
        return StoredRound(*found) if found else None

    def keep_rounds(self, table: TableId, rounds: Mapping[RoundNumber, StoredRound]) -> None:
        with self._writing, named_errors(self.path), self._db:
            write_rounds(self._db, table, rounds)

    def distrust_tickets(self, reason: str) -> None:
        self.tickets_fault = f"no ticket can be redeemed, because the journal is damaged: {reason}"

    def ticket(self, id: TicketId) -> StoredTicket | None:
        if self.tickets_fault:
            raise JournalUnavailable(self.tickets_fault)
        found = self._one("SELECT table_id, seq, redeemed_seq FROM tickets WHERE id = ?", id)
        is_outstanding = id in self._outstanding
        if found is not None:
            return StoredTicket(id, TableId(found[0]), Seq(found[1]), found[2] is not None or not is_outstanding)
        if is_outstanding:
            raise JournalDamaged(f"the ticket {masked(id)} is missing from the register of '{self.path}'")
        return None

    def ticket_rows(self) -> Iterator[TicketRow]:
        with named_errors(self.path):
            for table, seq, id, cents, expires in self._reader().execute(TICKET_ROWS):
                yield TicketRow(table, seq, id, None if cents is None else (cents, expires))

    def snapshots(self, table: TableId) -> list[Snapshot]:
        sql = "SELECT seq, hash, memory, derived, seal FROM snapshots WHERE table_id = ? ORDER BY seq DESC"
        with named_errors(self.path):
            return [Snapshot(*row) for row in self._reader().execute(sql, (table,))]

    def rulebook(self, hash: str) -> bytes | None:
        found = self._one("SELECT content FROM rulebooks WHERE hash = ?", hash)
        return found[0] if found else None

    def keep_rulebook(self, hash: str, content: bytes) -> None:
        with self._writing, named_errors(self.path):
            self._db.execute("INSERT OR IGNORE INTO rulebooks VALUES (?, ?)", (hash, content))

    def tables(self) -> list[tuple[TableId, str]]:
        return self.query("SELECT id, rulebook FROM tables ORDER BY id")

    def add_table(self, table: TableId, rulebook: str) -> None:
        with self._writing, named_errors(self.path):
            self._db.execute("INSERT OR IGNORE INTO tables VALUES (?, ?)", (table, rulebook))

    def close(self) -> None:
        for db in (*self._thread_dbs, self._read_db):
            db.close()
        self._db.close()
        if self._lock is not None:
            self._heads.close()
        self._unlock()
