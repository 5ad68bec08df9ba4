"""The schema of a journal's file, its format number, and the steps that bring an older file to it.

A file of an older format can be read as it is. A writer brings it to the present format when it opens it, in one
transaction; no entry, hash or seal changes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import msgspec

from roundhouse.journal.entry import decode
from roundhouse.journal.index import keys_of

FORMAT: Final = 2
OLDEST_FORMAT: Final = 1
SCHEMA: Final = Path(__file__).with_name("schema.sql")


def schema() -> str:
    return SCHEMA.read_text(encoding="utf-8")


def statement_for(table: str) -> str:
    """The statement of the schema that makes a table. A table made by a step is made by the same words."""
    text = schema()
    return text[text.index(f"CREATE TABLE {table} ") :].partition(";")[0]


def has_table(db: apsw.Connection, name: str) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchall())


def migrate(db: apsw.Connection, found: int) -> None:
    """Bring a file of format ``found`` to the present one: all of it, or nothing."""
    if found == FORMAT:
        return
    with db:
        for number in range(found + 1, FORMAT + 1):
            _STEPS[number](db)
        db.execute("UPDATE meta SET value = ? WHERE name = 'format'", (FORMAT,))


# Bets are most of the entries, and concern nothing: they are not decoded.
_ENTRIES_OF_TABLES: Final = """
SELECT table_id, seq, body FROM entries WHERE table_id IN (SELECT id FROM tables)
  AND (instr(body, '"round":') OR instr(body, '"event":"table_opened.') OR instr(body, '"event":"seat_taken.'))
"""


def _index_entries(db: apsw.Connection) -> None:
    """Format 2: an index of entries by round, seat and opening; every journal has the table of credentials."""
    # The first journals were written before there was a house with passwords.
    if not has_table(db, "credentials"):
        db.execute(statement_for("credentials"))
    db.execute(statement_for("entry_index"))
    for table, seq, body in db.execute(_ENTRIES_OF_TABLES):
        try:
            keys = keys_of(decode(body).events)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # A damaged entry stops its own table, not the house; verify names it.
            continue
        db.executemany("INSERT INTO entry_index VALUES (?, ?, ?)", [(table, key, seq) for key in keys])


_STEPS: Final[dict[int, Callable[[apsw.Connection], None]]] = {2: _index_entries}
