"""The SQL schema of a journal, its format number, and the migrations from older formats.

Readers accept older formats. A writer migrates the file in one transaction when it opens it. No migration changes an
entry, a hash or a seal.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import msgspec

from roundhouse.journal.entry import decode
from roundhouse.journal.index import keys_of

FORMAT: Final = 4
OLDEST_FORMAT: Final = 1
SCHEMA: Final = Path(__file__).with_name("schema.sql")


def schema() -> str:
    return SCHEMA.read_text(encoding="utf-8")


def statement_for(table: str) -> str:
    """Return the schema's ``CREATE TABLE`` statement of a table, for use in a migration."""
    text = schema()
    return text[text.index(f"CREATE TABLE {table} ") :].partition(";")[0]


def has_table(db: apsw.Connection, name: str) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchall())


def migrate(db: apsw.Connection, found: int) -> None:
    """Migrate a file from format ``found`` to the current one, in one transaction."""
    if found == FORMAT:
        return
    with db:
        for number in range(found + 1, FORMAT + 1):
            _STEPS[number](db)
        db.execute("UPDATE meta SET value = ? WHERE name = 'format'", (FORMAT,))


# Most entries are bets, which have no index rows. This query skips them without decoding.
_ENTRIES_OF_TABLES: Final = """
SELECT table_id, seq, body FROM entries WHERE table_id IN (SELECT id FROM tables)
  AND (instr(body, '"round":') OR instr(body, '"event":"table_opened.') OR instr(body, '"event":"seat_taken.'))
"""


def _index_entries(db: apsw.Connection) -> None:
    """Migrate to format 2: index entries by round, seat and opening. Add the table of credentials if it is missing."""
    # The first version of Roundhouse had no passwords.
    if not has_table(db, "credentials"):
        db.execute(statement_for("credentials"))
    db.execute(statement_for("entry_index"))
    for table, seq, body in db.execute(_ENTRIES_OF_TABLES):
        try:
            keys = keys_of(decode(body).events)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # Continue, so that a damaged entry of one table does not prevent the migration. ``verify`` reports it.
            continue
        db.executemany("INSERT INTO entry_index VALUES (?, ?, ?)", [(table, key, seq) for key in keys])


def _add_signatures(db: apsw.Connection) -> None:
    """Migrate to format 4: the journal gets its random id, and tables for its signed checkpoints."""
    for table in ("journal", "tree", "checkpoints"):
        db.execute(statement_for(table))
    db.execute("INSERT INTO journal VALUES (lower(hex(randomblob(16))))")


_STEPS: Final[dict[int, Callable[[apsw.Connection], None]]] = {
    2: _index_entries,
    3: lambda _: None,
    4: _add_signatures,
}
