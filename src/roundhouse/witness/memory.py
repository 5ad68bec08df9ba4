"""The memory of a witness: the last checkpoint of each log, and the keys of the houses. Every change is synced to disk.

A witness that has lost its memory would cosign a roll-back. So the file is created once, with the key of the witness,
and a witness that finds its key but not its memory does not start.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
from msgspec import Struct

from roundhouse.rules.errors import UserError
from roundhouse.tlog.checkpoint import Origin
from roundhouse.tlog.note import KeyName, VerifierKey, read_key

_FORMAT: Final = 1
_BUSY_TIMEOUT_MILLIS: Final = 5000
_MAX_EVIDENCE: Final = 1000
_SCHEMA: Final = f"""
CREATE TABLE logs (
  origin TEXT PRIMARY KEY, size INTEGER NOT NULL, note TEXT NOT NULL, seconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (name TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (name, key)) STRICT, WITHOUT ROWID;
CREATE TABLE journals (path TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- Signed requests that were refused. Two signed checkpoints that contradict each other prove a fork.
CREATE TABLE evidence (id INTEGER PRIMARY KEY, seconds INTEGER NOT NULL, request BLOB NOT NULL) STRICT;
PRAGMA user_version = {_FORMAT};
"""


class MemoryUnusable(UserError):
    """The memory of a witness cannot be read or written. The message explains why."""


class Seen(Struct, frozen=True):
    """The last checkpoint of a log that the witness has cosigned."""

    origin: Origin
    size: int
    note: str
    seconds: int


class WitnessMemory:
    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open the memory. ``create`` makes a new file, and fails if it exists."""
        self.path = path
        if create == path.exists():
            raise MemoryUnusable(f"the memory '{path}' of the witness {'already exists' if create else 'is missing'}")
        try:
            if create:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._db = apsw.Connection(str(path))
            self._db.set_busy_timeout(_BUSY_TIMEOUT_MILLIS)
            self._db.execute("PRAGMA journal_mode = WAL").fetchall()
            self._db.execute("PRAGMA synchronous = FULL")
            if create:
                self._db.execute(f"BEGIN IMMEDIATE;{_SCHEMA};COMMIT")
            found = self._db.execute("PRAGMA user_version").fetchall()[0][0]
        except (apsw.Error, OSError) as error:
            raise _named(path, error) from error
        if found != _FORMAT:
            raise MemoryUnusable(f"'{path}' is not the memory of a witness, or of another version")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make one transaction of the block. It is on disk when the block ends, and no other process is in between."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except (apsw.Error, OSError) as error:
            raise _named(self.path, error) from error

    def seen(self, origin: Origin) -> Seen | None:
        row = self._db.execute("SELECT origin, size, note, seconds FROM logs WHERE origin = ?", (origin,)).fetchone()
        return Seen(*row) if row else None

    def logs(self) -> list[Seen]:
        return [Seen(*row) for row in self._db.execute("SELECT origin, size, note, seconds FROM logs ORDER BY origin")]

    def keep(self, seen: Seen) -> None:
        values = (seen.origin, seen.size, seen.note, seen.seconds)
        self._db.execute("INSERT OR REPLACE INTO logs VALUES (?, ?, ?, ?)", values)

    def keys(self, name: str) -> tuple[VerifierKey, ...]:
        return tuple(read_key(row[0]) for row in self._db.execute("SELECT key FROM keys WHERE name = ?", (name,)))

    def key_names(self) -> list[KeyName]:
        return [row[0] for row in self._db.execute("SELECT DISTINCT name FROM keys ORDER BY name")]

    def set_key(self, key: VerifierKey) -> None:
        """Set the only key that is trusted for its name."""
        self._db.execute("DELETE FROM keys WHERE name = ?", (key.name,))
        self._db.execute("INSERT INTO keys VALUES (?, ?)", (key.name, str(key)))

    def name_at(self, path: str) -> str | None:
        """Return the name of the journal that was last seen at a path."""
        row = self._db.execute("SELECT name FROM journals WHERE path = ?", (path,)).fetchone()
        return row[0] if row else None

    def set_name_at(self, path: str, name: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO journals VALUES (?, ?)", (path, name))

    def forget(self, name: str) -> int:
        """Forget all logs of a house, and return their number. Its key stays trusted."""
        below = f"{name}/"
        self._db.execute("DELETE FROM logs WHERE substr(origin, 1, ?) = ?", (len(below), below))
        count: int = self._db.changes()
        self._db.execute("DELETE FROM journals WHERE name = ?", (name,))
        return count

    def keep_evidence(self, seconds: int, request: bytes) -> None:
        self._db.execute("INSERT INTO evidence (seconds, request) VALUES (?, ?)", (seconds, request))
        self._db.execute("DELETE FROM evidence WHERE id <= (SELECT max(id) FROM evidence) - ?", (_MAX_EVIDENCE,))

    def evidence(self) -> list[tuple[int, bytes]]:
        return list(self._db.execute("SELECT seconds, request FROM evidence ORDER BY id"))

    def close(self) -> None:
        self._db.close()


def _named(path: Path, error: Exception) -> MemoryUnusable:
    return MemoryUnusable(f"the memory '{path}' of the witness cannot be used: {error}")
