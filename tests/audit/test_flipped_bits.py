"""Verification detects a flipped bit in any byte of an entry, hash or seal, and in samples of the file's bytes."""

import shutil
from pathlib import Path

import apsw
import pytest

from roundhouse.audit.chain import Chain
from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import NotAJournal
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.entry import ChainHash, Seq
from roundhouse.journal.seal import key_path, read_key
from roundhouse.journal.store import Row
from tests.support.forgery import edit, finding, flipped, query
from tests.support.journals import ROULETTE, SANDS
from tests.support.soak import SOAK, Counted, Tally

TABLES = ("meta", "rulebooks", "tables", "entries", "seals", "requests", "rounds", "tickets", "snapshots")


def chain_holds(path: Path, table: str, rows: list[Row], seals: list[tuple[Seq, bytes]]) -> bool:
    from roundhouse.table.names import TableId

    try:
        for _ in Chain(TableId(table), iter(rows), iter(seals), read_key(path)):
            pass
    except DoesNotHold:
        return False
    return True


@pytest.mark.parametrize("table", [ROULETTE, SANDS])
def test_the_chain_detects_a_flip_in_every_byte_of_entries_hashes_and_seals(day: Path, table: str) -> None:
    """Check every byte with the chain that ``verify`` reads. The next test runs all of ``verify``, once per entry."""
    found = query(day, "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq", table)
    rows = [Row(Seq(seq), body, ChainHash(hash), None) for seq, body, hash in found]
    seals = [(Seq(s), seal) for s, seal in query(day, "SELECT seq, seal FROM seals WHERE table_id = ?", table)]
    assert chain_holds(day, table, rows, seals)
    flips = 0
    for i, row in enumerate(rows):
        # Start at the previous hash, because the chain before this entry is unchanged.
        before = rows[i - 1].hash if i else ChainHash(bytes(32))
        later = [seal for seal in seals if seal[0] == row.seq]
        for changed in (
            *(Row(row.seq, flipped(row.body, at), row.hash, None) for at in range(len(row.body))),
            *(Row(row.seq, row.body, ChainHash(flipped(row.hash, at)), None) for at in range(len(row.hash))),
        ):
            chain = Chain(table, iter([changed]), iter(later), None, Seq(row.seq - 1), before)  # type: ignore[arg-type]
            with pytest.raises(DoesNotHold, match="chain"):
                next(iter(chain))
            flips += 1
    for i, (seq, seal) in enumerate(seals):
        for at in range(len(seal)):
            changed_seals = [*seals[:i], (seq, flipped(seal, at)), *seals[i + 1 :]]
            assert not chain_holds(day, table, rows[:seq], changed_seals[: i + 1])
    assert flips > 3000


@pytest.mark.parametrize("column", ["body", "hash"])
def test_verify_names_the_entry_with_a_flipped_bit(copy: Path, column: str) -> None:
    for table, seq, content in query(copy, f"SELECT table_id, seq, {column} FROM entries WHERE seq % 3 = 1"):
        sql = f"UPDATE entries SET {column} = ? WHERE table_id = ? AND seq = ?"
        edit(copy, sql, flipped(content, seq * 7 % len(content), seq % 8), table, seq)
        found = finding(copy)
        assert found is not None
        assert (found.table, found.entry) == (table, seq)
        edit(copy, sql, content, table, seq)
    assert finding(copy) is None


def content_of(path: Path) -> dict[str, list[tuple[object, ...]]] | None:
    """Return all rows of a journal, or None if it cannot be read."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        return {name: list(db.execute(f"SELECT * FROM {name}")) for name in TABLES}
    except (apsw.Error, UnicodeDecodeError):
        return None


def offsets(size: int) -> range:
    """Return evenly spaced offsets, at different places of each page. `make soak` covers four times as many."""
    return range(0, size, 83 if SOAK else 331)


def test_a_flip_in_the_file_is_detected_or_leaves_all_rows_unchanged(day: Path, tmp_path: Path, tally: Tally) -> None:
    original, content = content_of(day), day.read_bytes()
    assert original is not None
    path = tmp_path / "flipped.journal"
    shutil.copyfile(key_path(day), key_path(path))
    found = outside = 0
    for at in offsets(len(content)):
        path.write_bytes(flipped(content, at, at % 8))
        try:
            verify_journal(path, read_key(path))
        except (DoesNotHold, NotAJournal):
            found += 1
        else:
            outside += 1
            # The flip is in free space, the text of a trigger or an SQLite counter: all rows are unchanged.
            assert content_of(path) == original, at
    tally.add(Counted.BIT_FLIPPED, found, "found")
    tally.add(Counted.BIT_FLIPPED, outside, "harmless")
    assert found > outside, (found, outside)


@pytest.mark.parametrize("part", range(1, 16))
def test_a_truncated_file_does_not_verify(day: Path, tmp_path: Path, part: int) -> None:
    content = day.read_bytes()
    path = tmp_path / "short.journal"
    path.write_bytes(content[: len(content) * part // 16])
    with pytest.raises((DoesNotHold, NotAJournal)):
        verify_journal(path, read_key(day))
