"""Edits a journal as a forger would: without its triggers, and with the hash chain recomputed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import msgspec

from roundhouse.audit.discrepancy import Discrepancy, DoesNotHold
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.entry import GENESIS, ChainHash, link, seal
from roundhouse.journal.schema import FORMAT_2
from roundhouse.journal.seal import Key, read_key
from roundhouse.table.decision import Facts
from roundhouse.table.names import TableId

GUARDS = ("entries_are_not_edited", "entries_are_not_removed", "a_ticket_is_redeemed_once")


def edit(path: Path, sql: str, *values: Any) -> None:
    """Execute SQL without the triggers, then restore them, so that only the edit itself can be detected."""
    db = apsw.Connection(str(path))
    guards = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")]
    for guard in GUARDS:
        db.execute(f"DROP TRIGGER {guard}")
    db.execute(sql, values).fetchall()
    assert db.changes() > 0 or sql.startswith(("ALTER", "CREATE", "DROP")), "the statement changed no row"
    for guard in guards:
        db.execute(guard)
    db.close()


def make_format_2(path: Path) -> None:
    """Convert the file to format 2, which had no seals of snapshots and round records, and marks for tickets."""
    db = apsw.Connection(str(path))
    with db:
        for name, columns in (
            ("rounds", "table_id, number, record"),
            ("tickets", "id, cents, expires, redeemed_seq IS NOT NULL"),
            ("snapshots", "table_id, seq, hash, memory"),
        ):
            db.execute(f"CREATE TABLE newer AS SELECT {columns} FROM {name}; DROP TABLE {name}; {FORMAT_2[name]}")
            db.execute(f"INSERT INTO {name} SELECT * FROM newer; DROP TABLE newer")
        db.execute(FORMAT_2["a_ticket_is_redeemed_once"])
        db.execute("DROP TABLE journal; DROP TABLE tree; DROP TABLE checkpoints")
        db.execute("UPDATE meta SET value = 2 WHERE name = 'format'")
    db.close()


def make_format_1(path: Path, more: str = "") -> None:
    """Convert the file to format 1, which had no index of entries. Then execute ``more``."""
    make_format_2(path)
    db = apsw.Connection(str(path))
    db.execute(f"DROP TABLE entry_index; {more}; UPDATE meta SET value = 1 WHERE name = 'format'")
    db.close()


def query(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    db = apsw.Connection(str(path))
    found = list(db.execute(sql, values))
    db.close()
    return found


def rewrite(path: Path, table: str, seq: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change an entry and recompute every hash after it, which needs no key."""
    body = query(path, "SELECT body FROM entries WHERE table_id = ? AND seq = ?", table, seq)[0][0]
    entry = msgspec.json.decode(body)
    change(entry)
    edit(path, "UPDATE entries SET body = ? WHERE table_id = ? AND seq = ?", msgspec.json.encode(entry), table, seq)
    rechain(path, table)


def rechain(path: Path, table: str) -> None:
    hash = GENESIS
    hashes = []
    for seq, body in query(path, "SELECT seq, body FROM entries WHERE table_id = ? ORDER BY seq", table):
        hash = ChainHash(link(hash, body))
        hashes.append({"seq": seq, "hash": hash.hex()})
    edit(
        path,
        "UPDATE entries SET hash = (SELECT unhex(value ->> 'hash') FROM json_each(?1) WHERE value ->> 'seq' = seq)"
        " WHERE table_id = ?2",
        msgspec.json.encode(hashes).decode(),
        table,
    )


def reseal(path: Path, table: str) -> None:
    """Recompute the seals of a table, which needs the key."""
    key = read_key(path)
    assert key is not None
    for seq, hash in query(
        path, "SELECT seq, hash FROM entries JOIN seals USING (table_id, seq) WHERE table_id = ?", table
    ):
        found = seal(key, TableId(table), ChainHash(hash))
        edit(path, "UPDATE seals SET seal = ? WHERE table_id = ? AND seq = ?", found, table, seq)


def finding(path: Path, *, with_key: bool = True, noted: tuple[str, ...] = ()) -> Discrepancy | None:
    """Return the first discrepancy that verification finds."""
    key: Key | None = read_key(path) if with_key else None
    try:
        verify_journal(path, key, noted)
    except DoesNotHold as wrong:
        return wrong.discrepancy
    return None


def flipped(content: bytes, at: int, bit: int = 0) -> bytes:
    return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]


def make_missing(path: Path) -> None:
    pass


def make_folder(path: Path) -> None:
    path.mkdir()


def make_empty(path: Path) -> None:
    path.touch()


def make_text(path: Path) -> None:
    path.write_text("once upon a time")


def make_database(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE other (id)")
    db.close()


def make_other_format(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE meta (name TEXT, value INTEGER); INSERT INTO meta VALUES ('format', 99)")
    db.close()


def set_fact(entry: dict[str, Any], **values: Any) -> None:
    """Set facts at their place, so that the entry is still in the canonical encoding."""
    found = {**entry["facts"], **values}
    entry["facts"] = {name: found[name] for name in Facts.__struct_fields__ if name in found}
