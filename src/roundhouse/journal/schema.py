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
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.table.events import CashedOut, TicketRedeemed

FORMAT: Final = 4
OLDEST_FORMAT: Final = 1
SCHEMA: Final = Path(__file__).with_name("schema.sql")


def schema() -> str:
    return SCHEMA.read_text(encoding="utf-8")


def statement_for(table: str) -> str:
    """Return the schema's ``CREATE TABLE`` statement of a table, for use in a migration."""
    text = schema()
    return text[text.index(f"CREATE TABLE {table} ") :].partition(";")[0]


def trigger_for(name: str) -> str:
    """Return the schema's ``CREATE TRIGGER`` statement of a trigger, for use in a migration."""
    text = schema()
    return text[text.index(f"CREATE TRIGGER {name} ") :].partition("END;")[0] + "END"


FORMAT_2: Final = {
    "rounds": """CREATE TABLE rounds (
  table_id TEXT NOT NULL, number INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY (table_id, number)
) STRICT, WITHOUT ROWID""",
    "tickets": """CREATE TABLE tickets (
  number TEXT PRIMARY KEY, cents INTEGER NOT NULL, expires INTEGER NOT NULL, redeemed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID""",
    "snapshots": """CREATE TABLE snapshots (
  table_id TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, memory BLOB NOT NULL,
  PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID""",
    "a_ticket_is_redeemed_once": """CREATE TRIGGER a_ticket_is_redeemed_once BEFORE UPDATE OF redeemed ON tickets \
WHEN OLD.redeemed
  BEGIN SELECT RAISE(ABORT, 'a ticket is redeemed once'); END""",
}
"""Statements of formats 1 and 2 that format 3 changed."""


def check_format(db: apsw.Connection, path: Path) -> int:
    """Return the format of a journal. Raises an error if this version cannot read it."""
    if not has_table(db, "meta"):
        raise JournalDamaged(f"'{path}' is a database, but not a journal of Roundhouse")
    rows = db.execute("SELECT value FROM meta WHERE name = 'format'").fetchall()
    found = rows[0][0] if rows else None
    if isinstance(found, int) and found > FORMAT:
        versions = f"format {found}, and this version reads up to {FORMAT}"
        raise JournalUnavailable(f"'{path}' was written by a newer version of Roundhouse: {versions}")
    if not isinstance(found, int) or found < OLDEST_FORMAT:
        raise JournalUnavailable(f"'{path}' has format {found}; this version reads {FORMAT}")
    return found


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


_TICKET_ENTRIES: Final = """
SELECT table_id, seq, body FROM entries WHERE table_id IN (SELECT id FROM tables)
  AND (instr(body, '"event":"cashed_out.') OR instr(body, '"event":"ticket_redeemed.')) ORDER BY table_id, seq
"""


def _name_ticket_entries(db: apsw.Connection) -> None:
    """Migrate to format 3: the register of tickets names entries; round records and snapshots have seals.

    A migration has no key. Round records get their seals when their table is opened, which replays all its entries,
    because the unsealed snapshots are removed.
    """
    db.execute(f"DROP TABLE snapshots; {statement_for('snapshots')}")
    db.execute(f"ALTER TABLE rounds RENAME TO older_rounds; {statement_for('rounds')}")
    db.execute("INSERT INTO rounds SELECT table_id, number, 0, x'', record FROM older_rounds; DROP TABLE older_rounds")
    db.execute(f"DROP TABLE tickets; {statement_for('tickets')}; {trigger_for('a_ticket_is_redeemed_once')}")
    redeemed: list[tuple[str, int, str]] = []
    for table, seq, body in db.execute(_TICKET_ENTRIES):
        try:
            events = decode(body).events
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        for event in events:
            if isinstance(event, CashedOut):
                values = (event.ticket, event.cents, event.expires, table, seq)
                db.execute("INSERT OR IGNORE INTO tickets VALUES (?, ?, ?, ?, ?, NULL, NULL)", values)
            elif isinstance(event, TicketRedeemed):
                redeemed.append((table, seq, event.ticket))
    sql = "UPDATE tickets SET redeemed_table = ?, redeemed_seq = ? WHERE id = ? AND redeemed_seq IS NULL"
    db.executemany(sql, redeemed)


def _add_signatures(db: apsw.Connection) -> None:
    """Migrate to format 4: the journal gets its random id, and tables for its signed checkpoints."""
    for table in ("journal", "tree", "checkpoints"):
        db.execute(statement_for(table))
    db.execute("INSERT INTO journal VALUES (lower(hex(randomblob(16))))")


_STEPS: Final[dict[int, Callable[[apsw.Connection], None]]] = {
    2: _index_entries,
    3: _name_ticket_entries,
    4: _add_signatures,
}
