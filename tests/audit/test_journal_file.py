"""The files of a journal: a write-ahead log after a crash, torn commits, unused file space and file permissions."""

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
    """A copy of the files of a running table, in the state after a power cut, without a clean close."""
    house = JournalHouse(tmp_path / "running.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    for _ in range(3):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
        house.do(ROULETTE, *spin("2"))
    path = copied(house.path, tmp_path / "killed.journal")
    house.close()
    return path


def test_the_files_of_a_killed_process_verify(killed: Path) -> None:
    summary = verify_journal(killed, read_key(killed))
    assert (summary.tables[0].rounds, summary.notes) == (3, [])
    assert wal_of(killed).stat().st_size > 50_000
    assert key_path(killed).exists()


def test_a_flipped_bit_in_the_write_ahead_log_is_detected(killed: Path) -> None:
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
        # Only damage in the very last commit looks like an unfinished write.
        assert at >= last, at
        assert any("incomplete commit" in note for note in notes)
        noted += 1
    assert noted < len(places) // 5


def test_a_log_truncated_in_a_frame_counts_as_an_unfinished_write(killed: Path) -> None:
    content = wal_of(killed).read_bytes()
    wal_of(killed).write_bytes(content[:-100])
    killed.with_name(killed.name + "-shm").unlink(missing_ok=True)
    assert verify_journal(killed, read_key(killed)).tables[0].rounds == 2


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def test_reading_a_closed_journal_leaves_its_folder_unchanged(tmp_path: Path, call: Calling) -> None:
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


def test_closing_a_reader_keeps_the_log_of_a_writer_that_opened_later(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    reader = JournalFile(path)
    house = JournalHouse(path, requests_before=100)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
    before = list(reader.entries(ROULETTE))
    reader.close()
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
    db.execute("PRAGMA journal_mode = WAL; CREATE TABLE other (x)").fetchall()
    db.close()


def test_a_journal_is_not_opened_if_that_would_lose_durable_commits(killed: Path) -> None:
    """After one changed byte in the log, opening fails without side effects or loses only the last commit.

    The last commit may be lost, because a power cut can leave part of a commit that was never acknowledged.
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
    """Copy the files of a running table, which gives the state after a power cut."""
    for ending in ("", "-wal", ".key"):
        shutil.copyfile(f"{source}{ending}", f"{target}{ending}")
    return target


def reopened(path: Path, requests: int) -> JournalHouse:
    house = JournalHouse(path, requests_before=requests)
    house.open(ROULETTE, "rws-double-zero")
    return house


def big_commit(folder: Path) -> tuple[Path, int]:
    """Copy a journal whose last commit has many frames, and count the log frames before that commit."""
    house = reopened(path := folder / "one.db", 0)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), {"do": "open_bets"})
    log = read_wal(path)
    assert log is not None
    house.do(ROULETTE, *(bets("a", red=1) for _ in range(300)))
    copy = copied(path, folder / "two.db")
    house.close()
    return copy, len(log.frames)


def test_a_partial_commit_before_a_kill_does_not_mix_with_later_commits(tmp_path: Path) -> None:
    two, before = big_commit(tmp_path)
    wal_of(two).write_bytes(wal_of(two).read_bytes()[: 32 + (before + 5) * 4120])
    assert verify_journal(two, read_key(two)).notes == []
    second = reopened(two, 1000)
    # Recovery is a small commit. Without a new log it would overwrite only the beginning of the big one.
    assert second.writers[ROULETTE].recovered
    three = copied(two, tmp_path / "three.db")
    assert verify_journal(three, read_key(three)).notes == []
    second.close()


def test_two_power_cuts_that_each_tear_an_unanswered_commit_are_not_damage(tmp_path: Path) -> None:
    two, before = big_commit(tmp_path)
    tear(two, before + 2)
    second = reopened(two, 1000)
    assert second.store.head(ROULETTE).seq == Seq(5), "four requests and the recovery"
    three = copied(two, tmp_path / "three.db")
    tear(three, 1)
    third = reopened(three, 2000)
    assert third.writers[ROULETTE].recovered, "the first recovery was never acknowledged"
    third.close()
    second.close()
    assert verify_journal(three, read_key(three)).notes == []


def tear(path: Path, frame: int) -> None:
    """Zero a frame of the log, as if it never reached the disk although later frames did."""
    content = bytearray(wal_of(path).read_bytes())
    at = 32 + (frame - 1) * 4120
    content[at : at + 4120] = bytes(4120)
    wal_of(path).write_bytes(content)


@pytest.mark.parametrize("missing", [True, False])
def test_a_log_without_its_journal_is_preserved_and_reported(killed: Path, missing: bool) -> None:
    content = wal_of(killed).read_bytes()
    killed.unlink()
    if not missing:
        killed.touch()
    for _ in range(2):
        with pytest.raises(JournalDamaged, match="but its log"):
            SqliteStore(killed)
        assert wal_of(killed).read_bytes() == content


def write_four_tables(path: Path) -> list[bytes]:
    """Write a journal of four tables with entries of many lengths, and return the bodies of all entries."""
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


def test_every_entry_is_in_the_file_exactly_once(tmp_path: Path) -> None:
    """A leftover copy from a page split would belong to no row, so a change in it would not be detected."""
    bodies = write_four_tables(tmp_path / "house.db")
    content = (tmp_path / "house.db").read_bytes()
    assert len(bodies) > 400
    assert {content.count(body) for body in bodies} == {1}


def test_a_journal_with_the_older_schema_verifies_and_can_be_extended(
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


def test_several_readers_leave_the_folder_unchanged(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    before = files(tmp_path)
    first, second = JournalFile(path), JournalFile(path)
    first.close()
    second.close()
    assert files(tmp_path) == before


def test_a_journal_opened_through_a_link_uses_the_same_log_and_lock(killed: Path, tmp_path: Path) -> None:
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
    assert not log.exists(), "the last writer removes the log, also after a kill"


@pytest.mark.parametrize("is_read", [False, True], ids=["alone", "while another process reads"])
def test_frames_of_a_failed_commit_do_not_mix_with_a_later_commit(tmp_path: Path, is_read: bool) -> None:
    """The disk is full during a big commit and has space again for a small one.

    The frames of the failed commit are removed at once, or after the last reader has closed the journal.
    """
    house = reopened(path := tmp_path / "one.db", 0)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), {"do": "open_bets"})
    reader = JournalFile(path) if is_read else None
    if reader is not None:
        assert list(reader.entries(ROULETTE))
    with max_file_size(wal_of(path).stat().st_size + 20 * 4120):
        (answer, *_) = house.ask(ROULETTE, *(bets("a", red=1) for _ in range(300)))
    log = read_wal(path)
    if reader is not None:
        reader.close()
    assert answer.refusal == "journal_unavailable"
    assert ("may or may not" in str(answer.reason)) == is_read
    frames = log.frames if log is not None else []
    assert bool(frames) == is_read
    if is_read:
        assert not frames[-1].commits, "part of the failed commit is in the log"
    house.do(ROULETTE, bets("a", red=1))
    two = copied(path, tmp_path / "two.db")
    house.close()
    assert verify_journal(two, read_key(two)).notes == []
    store = SqliteStore(two)
    assert store.head(ROULETTE).seq == Seq(5)
    store.close()


@contextmanager
def max_file_size(size: int) -> Iterator[None]:
    """Limit the size of every file that this process writes."""
    before, handler_before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler_before)


def test_a_writer_restarts_the_log_after_the_last_reader_has_closed(killed: Path) -> None:
    reader = JournalFile(killed)
    assert list(reader.entries(ROULETTE))
    house = reopened(killed, 100)
    house.do(ROULETTE, {"do": "open_bets"})
    before = wal_of(killed).stat().st_size
    reader.close()
    house.do(ROULETTE, bets("a", red=10))
    assert wal_of(killed).stat().st_size < before / 2
    house.close()
    assert verify_journal(killed, read_key(killed)).notes == []


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_requests_are_refused_while_a_journal_file_is_missing(tmp_path: Path, ending: str) -> None:
    house = reopened(path := tmp_path / "house.db", 0)
    house.do(ROULETTE, {"do": "open_table"})
    file = path.with_name(path.name + ending)
    file.rename(tmp_path / "moved")
    (answer,) = house.ask(ROULETTE, {"do": "open_bets"})
    assert (answer.ok, answer.refusal) == (False, "journal_unavailable")
    assert answer.reason is not None
    assert "removed or replaced" in answer.reason
    (tmp_path / "moved").rename(file)
    house.do(ROULETTE, {"do": "open_bets"})
    house.close()


def test_only_the_owner_may_read_a_journal(tmp_path: Path) -> None:
    path = small(tmp_path / "house.db")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_not_a_key_is_reported(tmp_path: Path, call: Calling) -> None:
    path = small(tmp_path / "house.db")
    key_path(path).write_bytes(b"no")
    status, _, err = call("verify", str(path))
    assert status == 2
    assert "is not the key of a journal" in err
    assert "--key" in err
