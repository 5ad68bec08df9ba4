"""Opens SQLite connections to read a journal, and turns errors of SQLite into journal errors that name the file."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import apsw

from roundhouse.journal.files import size_of, wal_of
from roundhouse.journal.store import JournalDamaged, JournalUnavailable

BUSY_TIMEOUT_MILLIS: Final = 1000
_DAMAGE_ERRORS = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError)
ERRORS = (apsw.Error, OSError, UnicodeDecodeError)
"""SQLite does not check that stored text is UTF-8. Reading a text with a flipped bit raises ``UnicodeDecodeError``."""


def named(path: Path, error: Exception) -> JournalDamaged | JournalUnavailable:
    """Convert an error of SQLite or the operating system to a journal error that names the file."""
    if isinstance(error, _DAMAGE_ERRORS):
        return JournalDamaged(f"the journal '{path}' is damaged: {error}")
    return JournalUnavailable(f"the journal '{path}' cannot be used: {error}")


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Convert errors as ``named`` does. Methods that run for every bet catch ``ERRORS`` themselves."""
    try:
        yield
    except ERRORS as error:
        raise named(path, error) from error


_KINDS: Final = {"TEXT": str, "BLOB": bytes, "INTEGER": int}
_MAY_BE_NULL: Final = frozenset({"redeemed_table", "redeemed_seq", "cents", "expires", "table_id"})
"""``table_id`` is null in the rows of tickets whose mark was altered. Comparing the register finds them."""


def check_kinds(cursor: apsw.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Check the types of a row's values, as a row trace of a connection.

    The tables are STRICT, but SQLite checks types only when it writes. A flipped bit in a file can change a type.
    """
    for (name, declared), value in zip(cursor.get_description(), row):
        kind = _KINDS.get(str(declared))
        if kind is not None and type(value) is not kind and not (value is None and name in _MAY_BE_NULL):
            raise apsw.CorruptError(f"a value of {name} has the wrong type")
    return row


def open_to_read(path: Path) -> apsw.Connection:
    """Open a read-only connection. A writer may use the file at the same time."""
    if not path.is_file():
        raise JournalUnavailable(f"there is no journal '{path}'")
    with named_errors(path):
        try:
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            db.set_busy_timeout(BUSY_TIMEOUT_MILLIS)
            db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # The file is on a read-only medium, so no other process is writing it.
            if size_of(wal_of(path)):
                raise JournalUnavailable(f"the journal '{path}' was not closed; copy it to a writable folder") from None
            uri = f"file:{quote(str(path.resolve()))}?immutable=1"
            db = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        return db


def remove_empty_wal(path: Path) -> None:
    """Remove the empty WAL that a read-only connection created beside a closed journal.

    SQLite removes it when a writable connection closes. It stays if another process has opened the journal since.
    """
    with suppress(apsw.Error):
        if not size_of(wal_of(path)):
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            db.close()
