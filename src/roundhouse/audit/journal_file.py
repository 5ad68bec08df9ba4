"""A journal's file as it lies there: every row, read in one view of the file, believed by nobody yet.

A live table may go on writing beside it: what is read is the file as it stood when reading began.

The rulebooks that a proof carries in itself, each checked against its hash and its own soundness.

No rulebook is taken from anywhere else: what a round was played by is what was recorded with it.

What may be said of the write-ahead log beside a journal that was not closed.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import Any

import apsw
import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.journal.entry import ChainHash, Entry, Seq, decode
from roundhouse.journal.files import is_being_written, size_of, wal_of
from roundhouse.journal.index import IndexKey, keys_of
from roundhouse.journal.schema import FORMAT, OLDEST_FORMAT, schema
from roundhouse.journal.sqlite import open_to_read, remove_empty_wal
from roundhouse.journal.store import JournalDamaged, JournalUnavailable, Row, Snapshot
from roundhouse.journal.wal import read_wal
from roundhouse.rules.errors import InvalidRulebook, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.names import RequestId, RoundNumber, TableId

_MAGIC = b"SQLite format 3\0"
_BY_TABLE = ("entries", "seals", "requests", "rounds", "snapshots")
_INDEXED_FROM = 2
"""The first format with an index of entries."""
_LAST = Seq(2**62)
# The index comes first, whatever SQLite guesses of the sizes: the cost must not grow with the journal.
_BY_KEY = (
    "SELECT seq, body, hash FROM entry_index CROSS JOIN entries USING (table_id, seq) WHERE table_id = ? AND key = ?"
)
_WORDS = {"opening": (b'"event":"table_opened.',) * 2, "seat": (b'"event":"seat_taken.',) * 2}
"""What the bytes of an entry hold that concerns an opening or a seat."""


class NotAJournal(UserError):
    """The file cannot be read, or is no journal, in words for the person who named it."""


@contextmanager
def _reading() -> Iterator[None]:
    """What a damaged file makes SQLite say is a finding, not a fault of the machine."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.TooBigError) as error:
        fail("the file is not what was written", expected="a database that SQLite can read", found=error)
    except UnicodeDecodeError as error:
        fail("the file is not what was written", expected="text", found=error)
    except apsw.Error as error:
        raise NotAJournal(f"the journal cannot be read: {error}") from error


class JournalFile:
    def __init__(self, path: Path) -> None:
        self.path = path
        _check_kind(path)
        # An empty log is one that another reader left: a writer begins it anew.
        self._was_closed = not size_of(wal_of(path))
        try:
            self._db = open_to_read(path)
        except JournalUnavailable as error:
            raise NotAJournal(str(error)) from error
        except JournalDamaged as error:
            fail("the file is not what was written", expected="a database that SQLite can read", found=error)
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
            raise NotAJournal(f"'{self.path}' is a database, but no journal of Roundhouse") from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            fail("the file is not what was written", expected="a database that SQLite can read", found=error)
        format = found[0][0] if found else None
        if not isinstance(format, int) or not OLDEST_FORMAT <= format <= FORMAT:
            raise NotAJournal(f"'{self.path}' is of format {format}; this reads {FORMAT}")
        return format

    @property
    def is_indexed(self) -> bool:
        return self.format >= _INDEXED_FROM

    def check_soundness(self) -> list[str]:
        """The file's own structure. Answers with what is strange about it and yet changes no history."""
        with _reading():
            wrong = self._db.execute("PRAGMA integrity_check(1)").fetchall()[0][0]
            if wrong != "ok":
                fail("the file is not what was written", expected="ok", found=wrong)
            found = _objects(self._db)
        fresh = apsw.Connection(":memory:")
        fresh.execute(schema())
        expected = _objects(fresh)
        if not self.is_indexed:
            del expected["entry_index"]
            if "credentials" not in found:
                # A journal that is older than the house. It lacks nothing that it ever had.
                del expected["credentials"]
        if found.get("entries") == (older := ("table", expected["entries"][1] + ", WITHOUT ROWID")):
            expected["entries"] = older
            del expected["sqlite_autoindex_entries_1"]
        for name in expected.keys() | found.keys():
            if "table" in (kind := (expected.get(name) or found[name])[0]) and expected.get(name) != found.get(name):
                fail(f"the {kind} '{name}' of the file", expected=expected.get(name), found=found.get(name))
        guards = [f"the guard '{name}' of the file is not as it was made" for name in expected.keys() - found.keys()]
        strange = [
            f"the {found[name][0]} '{name}' of the file is not a journal's own"
            for name in found
            if found[name] != expected.get(name)
        ]
        return sorted(guards + strange)

    def _rows(self, sql: str, values: tuple[Any, ...], kinds: tuple[type, ...]) -> Iterator[tuple[Any, ...]]:
        with _reading():
            for row in self._db.execute(sql, values):
                if tuple(map(type, row)) != kinds:
                    fail("a row holds another kind of value", expected=[kind.__name__ for kind in kinds], found=row)
                yield row

    def tables(self) -> list[tuple[TableId, str]]:
        return list(self._rows("SELECT id, rulebook FROM tables ORDER BY id", (), (str, str)))

    def check_no_strangers(self, known: set[TableId]) -> None:
        """Every row belongs to a table that the file lists."""
        for name in (*_BY_TABLE, "entry_index") if self.is_indexed else _BY_TABLE:
            sql = f"SELECT table_id FROM {name} WHERE table_id {{}} ? ORDER BY table_id LIMIT 1"
            row = next(self._rows(sql.format(">="), ("",), (str,)), None)
            while row is not None:
                if row[0] not in known:
                    fail(f"'{name}' of a table that the file does not list", expected=sorted(known), found=row[0])
                row = next(self._rows(sql.format(">"), row, (str,)), None)

    def rulebooks(self) -> list[tuple[str, bytes]]:
        return list(self._rows("SELECT hash, content FROM rulebooks ORDER BY hash", (), (str, bytes)))

    def entries(self, table: TableId) -> Iterator[Row]:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq"
        for seq, body, hash in self._rows(sql, (table,), (int, bytes, bytes)):
            yield Row(Seq(seq), body, ChainHash(hash), None)

    def entries_about(self, table: TableId, key: IndexKey) -> list[Entry]:
        """The entries that concern a round, a seat or an opening, in their order."""
        if not self.is_indexed:
            return self._scanned(table, key)
        sql = f"{_BY_KEY} ORDER BY seq"
        rows = self._rows(sql, (table, key), (int, bytes, bytes))
        return [decoded(Row(Seq(seq), body, ChainHash(hash), None)) for seq, body, hash in rows]

    def last_about(self, table: TableId, key: IndexKey, until: Seq = _LAST) -> Entry | None:
        """The last of them up to an entry."""
        if not self.is_indexed:
            return next((entry for entry in reversed(self._scanned(table, key)) if entry.seq <= until), None)
        sql = f"{_BY_KEY} AND seq <= ? ORDER BY seq DESC LIMIT 1"
        row = next(self._rows(sql, (table, key, until), (int, bytes, bytes)), None)
        return decoded(Row(Seq(row[0]), row[1], ChainHash(row[2]), None)) if row else None

    def _scanned(self, table: TableId, key: IndexKey) -> list[Entry]:
        """The same without an index, from every entry of the table."""
        kind, _, value = key.partition(":")
        words = [b'"round":%s%s' % (value.encode(), end) for end in (b",", b"}")] if kind == "round" else _WORDS[kind]
        sql = (
            "SELECT seq, body, hash FROM entries WHERE table_id = ? AND (instr(body, ?) OR instr(body, ?)) ORDER BY seq"
        )
        rows = self._rows(sql, (table, *words), (int, bytes, bytes))
        found = [decoded(Row(Seq(seq), body, ChainHash(hash), None)) for seq, body, hash in rows]
        return [entry for entry in found if key in keys_of(entry.events)]

    def last_with(self, table: TableId, words: bytes) -> Row | None:
        """The last entry whose bytes hold these words, looked for from the end of the chain."""
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? AND instr(body, ?) ORDER BY seq DESC LIMIT 1"
        row = next(self._rows(sql, (table, words), (int, bytes, bytes)), None)
        return Row(Seq(row[0]), row[1], ChainHash(row[2]), None) if row else None

    def index(self, table: TableId) -> Iterator[tuple[str, int]]:
        sql = "SELECT key, seq FROM entry_index WHERE table_id = ? ORDER BY key, seq"
        yield from self._rows(sql, (table,), (str, int))

    def entries_between(self, table: TableId, first: Seq, last: Seq) -> Iterator[Row]:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq"
        for seq, body, hash in self._rows(sql, (table, first, last), (int, bytes, bytes)):
            yield Row(Seq(seq), body, ChainHash(hash), None)

    def count(self, name: str, table: TableId) -> int:
        assert name in _BY_TABLE
        return int(next(self._rows(f"SELECT count(*) FROM {name} WHERE table_id = ?", (table,), (int,)))[0])

    def seals(self, table: TableId) -> Iterator[tuple[Seq, bytes]]:
        sql = "SELECT seq, seal FROM seals WHERE table_id = ? ORDER BY seq"
        yield from self._rows(sql, (table,), (int, bytes))

    def seq_of(self, table: TableId, request: RequestId) -> Seq | None:
        row = next(self._rows("SELECT seq FROM requests WHERE table_id = ? AND id = ?", (table, request), (int,)), None)
        return Seq(row[0]) if row else None

    def rounds(self, table: TableId) -> Iterator[tuple[RoundNumber, bytes]]:
        sql = "SELECT number, record FROM rounds WHERE table_id = ? ORDER BY number"
        yield from self._rows(sql, (table,), (int, bytes))

    def credentials(self) -> Iterator[tuple[str, str]]:
        """Whose they are; what they are is nobody's business."""
        with _reading():
            if not self._db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'credentials'").fetchall():
                return
        yield from self._rows("SELECT kind, name FROM credentials ORDER BY kind, name", (), (str, str))

    def tickets(self) -> Iterator[tuple[str, int, int, int]]:
        sql = "SELECT number, cents, expires, redeemed FROM tickets ORDER BY number"
        yield from self._rows(sql, (), (str, int, int, int))

    def snapshots(self, table: TableId) -> list[Snapshot]:
        sql = "SELECT seq, hash, memory FROM snapshots WHERE table_id = ? ORDER BY seq"
        return [Snapshot(*row) for row in self._rows(sql, (table,), (int, bytes, bytes))]


def decoded(row: Row) -> Entry:
    try:
        return decode(row.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="an entry of a known kind", found=error, entry=row.seq)


def _objects(db: apsw.Connection) -> dict[str, tuple[str, str]]:
    """Tables, triggers and the like: what each is, and the words that made it."""
    return {name: (kind, sql or "") for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema")}


def _check_kind(path: Path) -> None:
    """Asked of SQLite. A file that we opened and closed ourselves would lose the locks of a house in this process."""
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
        raise NotAJournal(f"'{path}' is no journal and no capsule of Roundhouse")


class RulebookSet:
    def __init__(self, contents: Iterable[tuple[str, bytes]], read: dict[str, Game] | None = None) -> None:
        """``read`` keeps what was read before, for whoever looks at many rounds."""
        self._contents = dict(contents)
        self._games: dict[str, Game] = {} if read is None else read

    def check(self) -> None:
        for hash, content in self._contents.items():
            if (found := hashlib.sha256(content).hexdigest()) != hash:
                fail("a rulebook is not the one that was recorded", expected=hash, found=found)

    def get(self, hash: str) -> Game | None:
        if hash not in self._contents:
            return None
        if hash not in self._games:
            try:
                self._games[hash] = load(self._contents[hash])
            except InvalidRulebook as unsound:
                fail(f"the rulebook {hash} is not sound", expected="a sound rulebook", found=unsound)
        return self._games[hash]

    def content(self, hash: str) -> bytes:
        return self._contents[hash]

    def others(self, game: Game) -> Iterator[Game]:
        """Other rulebooks of the same game."""
        for hash in self._contents:
            other = self.get(hash)
            if other is not None and other.id == game.id and other.hash != game.hash:
                yield other


_TORN = "the write-ahead log ends with a commit that is not whole: an unfinished write, or a damaged last commit"


def check_log(journal: Path) -> list[str]:
    """What is strange about the log; fails where what was durable has been cut off from the journal.

    By the rule by which a table is opened or not. A table that runs keeps its log whole, and changes it while we look.
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
        fail("the write-ahead log has lost what was durable", expected="a log as it was written", found=lost)
    return [_TORN] if any(frame.is_current for frame in log.frames[whole:]) else []
