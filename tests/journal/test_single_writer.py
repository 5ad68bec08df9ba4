"""Only one process writes a journal, even if its lock file is removed or the file has a second name."""

import subprocess
import sys
from pathlib import Path

import pytest

from roundhouse.journal.files import lock_of, wal_of
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable
from tests.contracts.test_store_contract import T1, batch, row, with_tables


def test_a_second_writer_is_refused_and_readers_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    store = with_tables(SqliteStore(path))
    store.commit(batch(T1, row(1)))
    with pytest.raises(JournalUnavailable, match="in use by another process"):
        SqliteStore(path)
    reader = SqliteStore(path, read_only=True)
    assert reader.head(T1).seq == 1
    store.commit(batch(T1, row(2)))
    assert reader.head(T1).seq == 2
    reader.close()
    store.close()
    SqliteStore(path).close()


def test_a_second_writer_is_refused_after_the_lock_file_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    store = with_tables(SqliteStore(path))
    lock_of(path).unlink()
    with pytest.raises(JournalUnavailable, match="in use by another process"):
        SqliteStore(path)
    store.commit(batch(T1, row(1)))
    store.close()
    SqliteStore(path).close()


def test_a_second_writer_is_refused_at_a_hard_link(tmp_path: Path) -> None:
    """A hard link has its own lock file and its own write-ahead log, so SQLite itself does not notice it."""
    path, other = tmp_path / "j.db", tmp_path / "elsewhere" / "k.db"
    store = with_tables(SqliteStore(path))
    other.parent.mkdir()
    other.hardlink_to(path)
    with pytest.raises(JournalUnavailable, match="in use by another process"):
        SqliteStore(other)
    store.close()
    for name in (path, other):
        with pytest.raises(JournalUnavailable, match="has 2 names"):
            SqliteStore(name)
    other.unlink()
    SqliteStore(path).close()


def test_sqlite_still_locks_the_file_against_other_processes(tmp_path: Path) -> None:
    """The lock on the database is independent of SQLite's record locks, which protect the write-ahead log."""
    path = tmp_path / "j.db"
    store = with_tables(SqliteStore(path))
    store.commit(batch(T1, row(1)))
    script = (
        "import apsw, sys; db = apsw.Connection(sys.argv[1]); db.set_busy_timeout(0)\n"
        "print(db.execute('SELECT count(*) FROM entries').fetchall()[0][0]); db.close()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
    assert wal_of(path).stat().st_size, "the other process was not the last connection, so it kept the log"
    store.close()
