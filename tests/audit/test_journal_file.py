"""The files of a journal: the log that a killed process left, what is in the file besides rows, what lies beside it."""

import resource
import shutil
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import apsw
import pytest

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import JournalFile, NotAJournal
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.entry import Seq
from roundhouse.journal.files import wal_of
from roundhouse.journal.schema import SCHEMA
from roundhouse.journal.seal import key_path, read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.journal.wal import read_wal
from roundhouse.table.names import TableId
from tests.support.command_line import Calling
from tests.support.forgery import flipped
from tests.support.journals import ROULETTE, JournalHouse, bets, seat, spin


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A copy of the files of a running table, as a power cut leaves them: nothing was closed."""
    house = JournalHouse(tmp_path / "running.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    for _ in range(3):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
        house.do(ROULETTE, *spin("2"))
    path = copied(house.path, tmp_path / "killed.journal")
    house.close()
    return path


def test_what_a_killed_process_left_verifies(killed: Path) -> None:
    summary = verify_journal(killed, read_key(killed))
    assert (summary.tables[0].rounds, summary.notes) == (3, [])
    assert wal_of(killed).stat().st_size > 50_000
    assert key_path(killed).exists()


def test_a_flip_in_the_log_is_found(killed: Path) -> None:
    content, log = wal_of(killed).read_bytes(), read_wal(killed)
    assert log is not None
    commits = [number for number, frame in enumerate(log.frames, 1) if frame.commits and frame.is_current]
    frame = 24 + 4096
    last = 32 + commits[-2] * frame
    places = [*range(0, 32, 3), *range(33, len(content), 1009), last + 8, last + 12]
    noted = 0
    for at in places:
        wal_of(killed).write_bytes(flipped(content, at, at % 8))
        shm = killed.with_name(killed.name + "-shm")
        shm.unlink(missing_ok=True)
        try:
            notes = verify_journal(killed, read_key(killed)).notes
        except DoesNotHold:
            continue
        # Only in the last commit of all can damage look like a write that was never finished.
        assert at >= last, at
        assert any("incomplete commit" in note for note in notes)
        noted += 1
    assert noted < len(places) // 10


def test_a_log_cut_in_the_middle_of_a_frame_is_an_unfinished_write(killed: Path) -> None:
    content = wal_of(killed).read_bytes()
    wal_of(killed).write_bytes(content[:-100])
    killed.with_name(killed.name + "-shm").unlink(missing_ok=True)
    assert verify_journal(killed, read_key(killed)).tables[0].rounds == 2


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def test_who_reads_a_closed_journal_leaves_its_folder_as_it_was(tmp_path: Path, call: Calling) -> None:
    path = small(tmp_path / "house.db")
    database(tmp_path / "another.db")
    before = files(tmp_path)
    assert "house.db-wal" not in before
    assert call("verify", str(path))[0] == 0
    assert call("explain", str(path), "--round", "1")[0] == 0
    assert call("capsule", str(path), "--round", "1")[0] == 0
    assert call("verify", str(tmp_path / "another.db"))[0] == 2
    with pytest.raises(NotAJournal):
        JournalFile(tmp_path / "another.db")
    assert files(tmp_path) == before


def test_a_reader_takes_nothing_from_who_began_to_write_meanwhile(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    reading = JournalFile(path)
    house = JournalHouse(path, requests_before=100)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
    before = list(reading.entries(ROULETTE))
    reading.close()
    assert wal_of(path).stat().st_size
    house.do(ROULETTE, *spin("1"))
    store = SqliteStore(path, read_only=True)
    assert store.head(ROULETTE).seq > Seq(len(before) + 2)
    store.close()
    house.close()
    assert verify_journal(path, read_key(path)).tables[0].rounds == 2


def small(path: Path) -> Path:
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, *spin("2"))
    house.close()
    return path


def database(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode = WAL; CREATE TABLE of_somebody (x)").fetchall()
    db.close()


def test_a_journal_is_not_opened_where_that_would_lose_what_was_durable(killed: Path) -> None:
    """A byte is changed anywhere in its log: either nothing is opened or touched, or only the last commit is gone.

    A power cut may leave any part of the last commit, which nobody was told of: that looks the same.
    """
    store = SqliteStore(killed, read_only=True)
    commits = [seq for seq, _ in store.seals(ROULETTE)]
    store.close()
    assert len(commits) > 5
    content, before = wal_of(killed).read_bytes(), killed.read_bytes()
    refused = opened = 0
    for at in [*range(0, 32, 3), *range(33, len(content), 509)]:
        changed = flipped(content, at, at % 8)
        wal_of(killed).write_bytes(changed)
        killed.with_name(killed.name + "-shm").unlink(missing_ok=True)
        try:
            store = SqliteStore(killed)
        except JournalDamaged:
            assert (wal_of(killed).read_bytes(), killed.read_bytes()) == (changed, before), at
            refused += 1
        else:
            assert store.head(ROULETTE).seq >= commits[-2], at
            store.close()
            killed.write_bytes(before)
            opened += 1
    assert refused > 5 * opened > 0


def copied(source: Path, target: Path) -> Path:
    """The files of a running table, as a power cut leaves them."""
    for ending in ("", "-wal", ".key"):
        shutil.copyfile(f"{source}{ending}", f"{target}{ending}")
    return target


def reopened(path: Path, requests: int) -> JournalHouse:
    house = JournalHouse(path, requests_before=requests)
    house.open(ROULETTE, "rws-double-zero")
    return house


def big_commit(folder: Path) -> tuple[Path, int]:
    """What was left of a table whose last commit has many frames, and how many there were before it."""
    house = reopened(path := folder / "one.db", 0)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), {"do": "open_bets"})
    log = read_wal(path)
    assert log is not None
    house.do(ROULETTE, *(bets("a", red=1) for _ in range(300)))
    left = copied(path, folder / "two.db")
    house.close()
    return left, len(log.frames)


def test_what_a_kill_left_of_a_commit_is_not_taken_for_one_of_the_next_life(tmp_path: Path) -> None:
    two, before = big_commit(tmp_path)
    wal_of(two).write_bytes(wal_of(two).read_bytes()[: 32 + (before + 5) * 4120])
    assert verify_journal(two, read_key(two)).notes == []
    second = reopened(two, 1000)
    # Recovery is a small commit. Without a new log it would lie over the beginning of the big one.
    assert second.writers[ROULETTE].recovered
    three = copied(two, tmp_path / "three.db")
    assert verify_journal(three, read_key(three)).notes == []
    second.close()


def test_two_power_cuts_that_each_tear_an_unanswered_commit_are_no_damage(tmp_path: Path) -> None:
    two, before = big_commit(tmp_path)
    tear(two, before + 2)
    second = reopened(two, 1000)
    assert second.store.head(ROULETTE).seq == Seq(5), "four requests and the recovery"
    three = copied(two, tmp_path / "three.db")
    tear(three, 1)
    third = reopened(three, 2000)
    assert third.writers[ROULETTE].recovered, "nobody was told of the first"
    third.close()
    second.close()
    assert verify_journal(three, read_key(three)).notes == []


def tear(path: Path, frame: int) -> None:
    """This frame never reached the disk, although later ones did."""
    content = bytearray(wal_of(path).read_bytes())
    at = 32 + (frame - 1) * 4120
    content[at : at + 4120] = bytes(4120)
    wal_of(path).write_bytes(content)


@pytest.mark.parametrize("gone", [True, False])
def test_a_log_without_its_journal_is_kept(killed: Path, gone: bool) -> None:
    content = wal_of(killed).read_bytes()
    killed.unlink()
    if not gone:
        killed.touch()
    for _ in range(2):
        with pytest.raises(JournalDamaged, match="but its log"):
            SqliteStore(killed)
        assert wal_of(killed).read_bytes() == content


def grown(path: Path) -> list[bytes]:
    """A journal of four tables that take turns, with entries of all lengths. The entries of all of them."""
    house, dice = JournalHouse(path), Random(4)
    tables = [TableId(f"t{n}") for n in range(4)]
    for table in tables:
        house.open(table, "rws-double-zero")
        house.do(table, {"do": "open_table"}, *seat("a", "rapid-a", 10_000_000))
    for _ in range(15):
        for table in tables:
            house.do(table, {"do": "open_bets"})
            for _ in range(dice.randrange(4)):
                chips = {f"straight_{n}": 1 for n in range(1, dice.randrange(2, 37))}
                house.do(table, bets("a", **chips))
            for step in spin("2"):
                house.do(table, step)
    house.close()
    file = JournalFile(path)
    bodies = [row.body for table in tables for row in file.entries(table)]
    file.close()
    return bodies


def test_an_entry_stands_in_the_file_once(tmp_path: Path) -> None:
    """A copy left behind where pages were divided would be part of no row, and a change there unseen."""
    bodies = grown(tmp_path / "house.db")
    content = (tmp_path / "house.db").read_bytes()
    assert len(bodies) > 400
    assert {content.count(body) for body in bodies} == {1}


def test_a_journal_from_when_entries_were_moved_verifies_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = SCHEMA.read_text(encoding="utf-8")
    older = tmp_path / "schema.sql"
    older.write_text(schema.replace(") STRICT;", ") STRICT, WITHOUT ROWID;"), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr("roundhouse.journal.schema.SCHEMA", older)
        path = small(tmp_path / "house.db")
    assert verify_journal(path, read_key(path)).notes == []
    house = reopened(path, 100)
    house.do(ROULETTE, {"do": "open_bets"}, *spin("1"))
    house.close()
    summary = verify_journal(path, read_key(path))
    assert (summary.tables[0].rounds, summary.notes) == (2, [])


def test_many_readers_leave_nothing_either(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    before = files(tmp_path)
    first, second = JournalFile(path), JournalFile(path)
    first.close()
    second.close()
    assert files(tmp_path) == before


def test_a_journal_reached_by_a_link_is_the_same_journal(killed: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(killed)
    log = wal_of(killed)
    content = log.read_bytes()
    log.write_bytes(flipped(content, len(content) // 2))
    with pytest.raises(JournalDamaged, match="would be lost"):
        SqliteStore(link)
    with pytest.raises(DoesNotHold, match="lost committed entries"):
        verify_journal(link, None)
    log.write_bytes(content)
    store = SqliteStore(link)
    with pytest.raises(JournalUnavailable, match="in use"):
        SqliteStore(killed)
    store.close()
    assert not log.exists(), "it goes with the last writer, after a kill too"


def test_what_is_left_of_a_commit_that_failed_is_not_taken_for_a_later_one(tmp_path: Path) -> None:
    """The disk is full for one big commit, and then there is room again for a small one."""
    house = reopened(path := tmp_path / "one.db", 0)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), {"do": "open_bets"})
    with least_file(wal_of(path).stat().st_size + 20 * 4120):
        (answer, *_) = house.ask(ROULETTE, *(bets("a", red=1) for _ in range(300)))
    assert answer.refusal == "journal_unavailable"
    log = read_wal(path)
    assert log is not None
    assert not log.frames[-1].commits, "a part of it is there"
    house.do(ROULETTE, bets("a", red=1))
    two = copied(path, tmp_path / "two.db")
    house.close()
    assert verify_journal(two, read_key(two)).notes == []
    store = SqliteStore(two)
    assert store.head(ROULETTE).seq == Seq(5)
    store.close()


@contextmanager
def least_file(size: int) -> Iterator[None]:
    """No file of this process grows beyond a size."""
    before, heard = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, heard)


def test_a_journal_that_somebody_reads_is_opened_and_its_log_begins_anew_when_he_has_gone(killed: Path) -> None:
    reading = JournalFile(killed)
    assert list(reading.entries(ROULETTE))
    house = reopened(killed, 100)
    house.do(ROULETTE, {"do": "open_bets"})
    before = wal_of(killed).stat().st_size
    reading.close()
    house.do(ROULETTE, bets("a", red=10))
    assert wal_of(killed).stat().st_size < before / 2
    house.close()
    assert verify_journal(killed, read_key(killed)).notes == []


@pytest.mark.parametrize("gone", ["", "-wal"])
def test_nothing_is_accepted_when_the_files_are_gone(tmp_path: Path, gone: str) -> None:
    house = reopened(path := tmp_path / "house.db", 0)
    house.do(ROULETTE, {"do": "open_table"})
    kept = path.with_name(path.name + gone)
    kept.rename(tmp_path / "kept")
    (answer,) = house.ask(ROULETTE, {"do": "open_bets"})
    assert (answer.ok, answer.refusal) == (False, "journal_unavailable")
    assert answer.reason is not None
    assert "removed or replaced" in answer.reason
    (tmp_path / "kept").rename(kept)
    house.do(ROULETTE, {"do": "open_bets"})
    house.close()


def test_a_journal_is_its_owners(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_that_is_none_is_named(tmp_path: Path, call: Calling) -> None:
    path = small(tmp_path / "house.db")
    key_path(path).write_bytes(b"no")
    status, _, err = call("verify", str(path))
    assert status == 2
    assert "is not the key of a journal" in err
    assert "--key" in err
