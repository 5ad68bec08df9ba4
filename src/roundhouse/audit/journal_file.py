"""Reads a journal file for an audit: rows, recorded rulebooks and the write-ahead log.

All rows are read in one transaction, so that the house may write to the journal at the same time. Only rulebooks
recorded in the journal or capsule are used.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.journal.connections import open_to_read, remove_empty_wal
from roundhouse.journal.entry import ChainHash, Entry, Seq, decode
from roundhouse.journal.files import is_being_written, size_of, wal_of
from roundhouse.journal.index import IndexKey, keys_of
from roundhouse.journal.schema import FORMAT, FORMAT_2, OLDEST_FORMAT, schema
from roundhouse.journal.store import JournalDamaged, JournalUnavailable, Row, Snapshot, StoredRound
from roundhouse.journal.wal import read_wal
from roundhouse.rules.errors import InvalidRulebook, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis, RequestId, RoundNumber, TableId, TicketId

_MAGIC = b"SQLite format 3\0"
_BY_TABLE = ("entries", "seals", "requests", "rounds", "snapshots")
_INDEXED_FROM = 2
"""The first format with an index of entries."""
_SEALED_FROM = 3
"""The first format with sealed snapshots and round records."""
MISSING_NOTE, UNKNOWN_NOTE = "is missing from the file", "is not part of a journal"
"""Ends of the notes about altered triggers, indexes and views."""
_SIGNED_FROM = 4
"""The first format with signed checkpoints."""
_LAST = Seq(2**62)
# CROSS JOIN makes SQLite search the index first. Otherwise the cost could grow with the journal.
_BY_KEY = (
    "SELECT seq, body, hash FROM entry_index CROSS JOIN entries USING (table_id, seq) WHERE table_id = ? AND key = ?"
)
_SEARCH_BYTES = {"opening": (b'"event":"table_opened.',) * 2, "seat": (b'"event":"seat_taken.',) * 2}
"""Bytes that occur in the body of every entry about an opening or a seat."""


class NotAJournal(UserError):
    """The file cannot be read or is not a journal. The message explains why."""


@contextmanager
def _reading() -> Iterator[None]:
    """Turn SQLite's errors about a damaged file into discrepancies, and its other errors into ``NotAJournal``."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.TooBigError) as error:
        fail("the file is damaged", expected="a database that SQLite can read", found=error)
    except UnicodeDecodeError as error:
        fail("the file is damaged", expected="text", found=error)
    except apsw.Error as error:
        raise NotAJournal(f"the journal cannot be read: {error}") from error


class JournalFile:
    """A journal opened for reading. Later writes to it are not visible. Its content is not verified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _check_kind(path)
        # Only a reader leaves an empty write-ahead log, so an empty or missing log means that the journal was closed.
        self._was_closed = not size_of(wal_of(path))
        try:
            self._db = open_to_read(path)
        except JournalUnavailable as error:
            raise NotAJournal(str(error)) from error
        except JournalDamaged as error:
            fail("the file is damaged", expected="a database that SQLite can read", found=error)
        try:
            self._db.execute("PRAGMA cell_size_check = ON; PRAGMA query_only = ON").fetchall()
            with _reading():
                self._db.execute("BEGIN")
            self.format = self._check_format()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()
        if self._was_closed:
            remove_empty_wal(self.path)

    def _check_format(self) -> int:
        try:
            found = self._db.execute("SELECT value FROM meta WHERE name = 'format'").fetchall()
        except apsw.SQLError as error:
            raise NotAJournal(f"'{self.path}' is a database but not a journal of Roundhouse") from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            fail("the file is damaged", expected="a database that SQLite can read", found=error)
        format = found[0][0] if found else None
        if not isinstance(format, int) or not OLDEST_FORMAT <= format <= FORMAT:
            raise NotAJournal(f"'{self.path}' has format {format}; this version reads {OLDEST_FORMAT} to {FORMAT}")
        return format

    @property
    def is_indexed(self) -> bool:
        return self.format >= _INDEXED_FROM

    @property
    def is_signed(self) -> bool:
        return self.format >= _SIGNED_FROM

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, for the trees of the chains. Their types are not checked."""
        with _reading():
            return self._db.execute(sql, values).fetchall()

    @property
    def names_entries(self) -> bool:
        """Whether the register of tickets names entries, and snapshots and round records have seals."""
        return self.format >= _SEALED_FROM

    def check_soundness(self) -> list[str]:
        """Check the structure of the file. Return notes on differences that do not affect the recorded entries."""
        with _reading():
            wrong = self._db.execute("PRAGMA integrity_check(1)").fetchall()[0][0]
            if wrong != "ok":
                fail("the file is damaged", expected="ok", found=wrong)
            found = _objects(self._db)
        fresh = apsw.Connection(":memory:")
        fresh.execute(schema())
        expected = _objects(fresh)
        if not self.names_entries:
            expected |= {name: (expected[name][0], sql) for name, sql in FORMAT_2.items()}
        if not self.is_indexed:
            del expected["entry_index"]
            if "credentials" not in found:
                # The journal is from a version before credentials were stored.
                del expected["credentials"]
        if not self.is_signed:
            for name in ("journal", "tree", "checkpoints"):
                del expected[name]
        if found.get("entries") == (older := ("table", expected["entries"][1] + ", WITHOUT ROWID")):
            expected["entries"] = older
            del expected["sqlite_autoindex_entries_1"]
        for name in expected.keys() | found.keys():
            if "table" in (kind := (expected.get(name) or found[name])[0]) and expected.get(name) != found.get(name):
                fail(f"the schema of {kind} '{name}' differs", expected=expected.get(name), found=found.get(name))
        missing = [f"the trigger or index '{name}' {MISSING_NOTE}" for name in expected.keys() - found.keys()]
        unknown = [
            f"the {found[name][0]} '{name}' of the file {UNKNOWN_NOTE}"
            for name in found
            if found[name] != expected.get(name)
        ]
        return sorted(missing + unknown)

    def rows(self, sql: str, values: tuple[Any, ...], kinds: tuple[type, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query. A value of another type is a discrepancy."""
        with _reading():
            for row in self._db.execute(sql, values):
                if tuple(map(type, row)) != kinds:
                    fail("a row has a value of the wrong type", expected=[kind.__name__ for kind in kinds], found=row)
                yield row

    def tables(self) -> list[tuple[TableId, str]]:
        return list(self.rows("SELECT id, rulebook FROM tables ORDER BY id", (), (str, str)))

    def check_table_ids(self, known: set[TableId]) -> None:
        """Check that every row belongs to a table that the file lists."""
        names = [*_BY_TABLE, *(["entry_index"] if self.is_indexed else [])]
        for name in [*names, *(["tree", "checkpoints"] if self.is_signed else [])]:
            sql = f"SELECT table_id FROM {name} WHERE table_id {{}} ? ORDER BY table_id LIMIT 1"
            row = next(self.rows(sql.format(">="), ("",), (str,)), None)
            while row is not None:
                if row[0] not in known:
                    what = f"'{name}' has rows of a table that the file does not list"
                    fail(what, expected=sorted(known), found=row[0])
                row = next(self.rows(sql.format(">"), row, (str,)), None)

    def rulebooks(self) -> list[tuple[str, bytes]]:
        return list(self.rows("SELECT hash, content FROM rulebooks ORDER BY hash", (), (str, bytes)))

    def entries(self, table: TableId) -> Iterator[Row]:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq"
        for seq, body, hash in self.rows(sql, (table,), (int, bytes, bytes)):
            yield Row(Seq(seq), body, ChainHash(hash), None)

    def entries_about(self, table: TableId, key: IndexKey) -> list[Entry]:
        """Return the entries about a round, a seat or an opening, in order."""
        if not self.is_indexed:
            return self._scan(table, key)
        sql = f"{_BY_KEY} ORDER BY seq"
        rows = self.rows(sql, (table, key), (int, bytes, bytes))
        return [decode_row(Row(Seq(seq), body, ChainHash(hash), None)) for seq, body, hash in rows]

    def last_about(self, table: TableId, key: IndexKey, until: Seq = _LAST) -> Entry | None:
        """Return the last entry about a round, a seat or an opening, not after the entry ``until``."""
        if not self.is_indexed:
            return next((entry for entry in reversed(self._scan(table, key)) if entry.seq <= until), None)
        sql = f"{_BY_KEY} AND seq <= ? ORDER BY seq DESC LIMIT 1"
        row = next(self.rows(sql, (table, key, until), (int, bytes, bytes)), None)
        return decode_row(Row(Seq(row[0]), row[1], ChainHash(row[2]), None)) if row else None

    def _scan(self, table: TableId, key: IndexKey) -> list[Entry]:
        """Find the entries about a key without an index, by a search in every entry of the table."""
        kind, _, value = key.partition(":")
        rounds = [b'"round":%s%s' % (value.encode(), end) for end in (b",", b"}")]
        patterns = rounds if kind == "round" else _SEARCH_BYTES[kind]
        sql = (
            "SELECT seq, body, hash FROM entries WHERE table_id = ? AND (instr(body, ?) OR instr(body, ?)) ORDER BY seq"
        )
        rows = self.rows(sql, (table, *patterns), (int, bytes, bytes))
        found = [decode_row(Row(Seq(seq), body, ChainHash(hash), None)) for seq, body, hash in rows]
        return [entry for entry in found if key in keys_of(entry.events)]

    def last_with(self, table: TableId, pattern: bytes) -> Row | None:
        """Return the last entry whose body contains these bytes, searching backwards."""
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? AND instr(body, ?) ORDER BY seq DESC LIMIT 1"
        row = next(self.rows(sql, (table, pattern), (int, bytes, bytes)), None)
        return Row(Seq(row[0]), row[1], ChainHash(row[2]), None) if row else None

    def index(self, table: TableId) -> Iterator[tuple[str, int]]:
        sql = "SELECT key, seq FROM entry_index WHERE table_id = ? ORDER BY key, seq"
        yield from self.rows(sql, (table,), (str, int))

    def entries_between(self, table: TableId, first: Seq, last: Seq) -> Iterator[Row]:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq"
        for seq, body, hash in self.rows(sql, (table, first, last), (int, bytes, bytes)):
            yield Row(Seq(seq), body, ChainHash(hash), None)

    def count(self, name: str, table: TableId) -> int:
        assert name in _BY_TABLE
        return int(next(self.rows(f"SELECT count(*) FROM {name} WHERE table_id = ?", (table,), (int,)))[0])

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]:
        sql = "SELECT seq, seal FROM seals WHERE table_id = ? ORDER BY seq"
        yield from self.rows(sql, (table,), (int, bytes))

    def seq_of(self, table: TableId, request: RequestId) -> Seq | None:
        row = next(self.rows("SELECT seq FROM requests WHERE table_id = ? AND id = ?", (table, request), (int,)), None)
        return Seq(row[0]) if row else None

    def rounds(self, table: TableId) -> Iterator[tuple[RoundNumber, StoredRound]]:
        """Yield the records of a table's rounds. Before format 3 they have no seal."""
        columns = "version, seal" if self.names_entries else "0, x''"
        sql = f"SELECT number, record, {columns} FROM rounds WHERE table_id = ? ORDER BY number"
        for number, *stored in self.rows(sql, (table,), (int, bytes, int, bytes)):
            yield RoundNumber(number), StoredRound(*stored)

    def credentials(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield kind, owner and verifier of each credential."""
        with _reading():
            if not self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'credentials'").fetchall():
                return
        yield from self.rows("SELECT kind, name, verifier FROM credentials ORDER BY kind, name", (), (str, str, bytes))

    def tickets(self) -> "Iterator[TicketRegisterRow]":
        """Yield the register of tickets. Before format 3 it has a mark instead of the entries."""
        if not self.names_entries:
            sql = "SELECT number, cents, expires, redeemed FROM tickets ORDER BY number"
            for number, cents, expires, redeemed in self.rows(sql, (), (str, int, int, int)):
                yield TicketRegisterRow(number, cents, expires, None, None, None, Seq(1) if redeemed else None)
            return
        sql = (
            "SELECT id, cents, expires, table_id, seq, coalesce(redeemed_table, ''), coalesce(redeemed_seq, 0),"
            " redeemed_table IS NULL, redeemed_seq IS NULL FROM tickets ORDER BY id"
        )
        kinds = (str, int, int, str, int, str, int, int, int)
        for row in self.rows(sql, (), kinds):
            id, cents, expires, table, seq, at_table, at_seq, no_table, no_seq = row
            redeemed = None if no_table else at_table, None if no_seq else at_seq
            yield TicketRegisterRow(id, cents, expires, table, seq, *redeemed)

    def snapshots(self, table: TableId) -> list[Snapshot]:
        if not self.names_entries:
            sql = "SELECT seq, hash, memory FROM snapshots WHERE table_id = ? ORDER BY seq"
            return [Snapshot(*row) for row in self.rows(sql, (table,), (int, bytes, bytes))]
        sql = "SELECT seq, hash, memory, derived, seal FROM snapshots WHERE table_id = ? ORDER BY seq"
        return [Snapshot(*row) for row in self.rows(sql, (table,), (int, bytes, bytes, bytes, bytes))]


def decode_row(row: Row) -> Entry:
    try:
        return decode(row.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="an entry of a known kind", found=error, entry=row.seq)


def _objects(db: apsw.Connection) -> dict[str, tuple[str, str]]:
    """Return type and SQL of every table, index and trigger by name."""
    return {name: (kind, sql or "") for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema")}


def _check_kind(path: Path) -> None:
    """Check that the file is an SQLite database.

    The file is read through SQLite. Opening and closing it directly would release the POSIX locks of a house that runs
    in this process.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        path.stat()
    except OSError as error:
        raise NotAJournal(f"cannot read '{path}': {error.strerror or error}") from error
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        start = db.read("main", 0, 0, len(_MAGIC))[1]
        db.close()
    except apsw.Error as error:
        raise NotAJournal(f"cannot read '{path}': {error}") from error
    if start != _MAGIC:
        raise NotAJournal(f"'{path}' is neither a journal nor a capsule of Roundhouse")


class TicketRegisterRow(NamedTuple):
    """A row of the register of tickets. Journals before format 3 have no entry numbers, only a mark."""

    id: TicketId
    cents: Cents
    expires: Millis
    table: TableId | None
    seq: Seq | None
    redeemed_table: TableId | None
    redeemed_seq: Seq | None


class RulebookSet:
    """The rulebooks recorded in a journal or a capsule, by their hash."""

    def __init__(self, contents: Iterable[tuple[str, bytes]], cache: dict[str, Game] | None = None) -> None:
        """Store the contents. ``cache`` holds games loaded before, to be shared by several sets."""
        self._contents = dict(contents)
        self._games: dict[str, Game] = {} if cache is None else cache

    def check(self) -> None:
        for hash, content in self._contents.items():
            if (found := hashlib.sha256(content).hexdigest()) != hash:
                fail("a rulebook does not match its hash", expected=hash, found=found)

    def get(self, hash: str) -> Game | None:
        if hash not in self._contents:
            return None
        if hash not in self._games:
            try:
                self._games[hash] = load(self._contents[hash])
            except InvalidRulebook as unsound:
                fail(f"the rulebook {hash} is not valid", expected="a valid rulebook", found=unsound)
        return self._games[hash]

    def content(self, hash: str) -> bytes:
        return self._contents[hash]

    def others(self, game: Game) -> Iterator[Game]:
        """Yield the other rulebooks of the same game."""
        for hash in self._contents:
            other = self.get(hash)
            if other is not None and other.id == game.id and other.hash != game.hash:
                yield other


_TORN = "the write-ahead log ends with an incomplete commit: an unfinished write, or a damaged last commit"


def check_log(journal: Path) -> list[str]:
    """Check the write-ahead log of a journal that was not closed, and return notes on it.

    Fails if committed entries would be lost, as opening the journal does. The log of a running house is not
    checked, because it changes during the check.
    """
    if not wal_of(journal).exists() or is_being_written(journal) or (log := read_wal(journal)) is None:
        return []
    sums, taken, whole = log.sums, 0, 0
    for number, frame in enumerate(log.frames, 1):
        found = log.checksum(sums, frame.head + frame.page)
        if found != frame.sums or not frame.is_current:
            break
        sums, whole = found, number
        taken = number if frame.commits else taken
    if (lost := log.describe_loss(taken)) is not None:
        fail("the write-ahead log has lost committed entries", expected="a complete log", found=lost)
    return [_TORN] if any(frame.is_current for frame in log.frames[whole:]) else []
