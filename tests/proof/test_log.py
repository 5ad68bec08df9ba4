"""A journal whose process was killed: its write-ahead log is part of it, and no commit in it can be cut off unseen."""

import shutil
from pathlib import Path

import apsw
import pytest

from roundhouse.journal.entry import Seq
from roundhouse.journal.log import log_of
from roundhouse.journal.seal import key_path, read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.file import JournalFile, NotAJournal
from roundhouse.proof.verify import verify_journal
from tests.cli.calling import Calling
from tests.proof.house import ROULETTE, House, bets, seat, spin
from tests.proof.test_flips import flipped


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A copy of the files of a running table, as a power cut leaves them: nothing was closed."""
    house = House(tmp_path / "running.journal")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    for _ in range(3):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
        house.do(ROULETTE, *spin("2"))
    path = tmp_path / "killed.journal"
    for ending in ("", "-wal", ".key"):
        shutil.copyfile(f"{house.path}{ending}", f"{path}{ending}")
    house.close()
    return path


def test_what_a_killed_process_left_verifies(killed: Path) -> None:
    summary = verify_journal(killed, read_key(killed))
    assert (summary.tables[0].rounds, summary.notes) == (3, [])
    assert log_of(killed).stat().st_size > 50_000
    assert key_path(killed).exists()


def test_a_flip_in_the_log_is_found(killed: Path) -> None:
    content = log_of(killed).read_bytes()
    frame = 24 + 4096
    last = (len(content) - 32) // frame * frame + 32 - frame
    places = [*range(0, 32, 3), *range(33, len(content), 1009), last + 8, last + 12]
    noted = 0
    for at in places:
        log_of(killed).write_bytes(flipped(content, at, at % 8))
        shm = killed.with_name(killed.name + "-shm")
        shm.unlink(missing_ok=True)
        try:
            notes = verify_journal(killed, read_key(killed)).notes
        except DoesNotHold:
            continue
        # Only in the last frame of all can damage look like a write that was never finished.
        assert at >= last, at
        assert any("not whole" in note for note in notes)
        noted += 1
    assert noted < len(places) // 10


def test_a_log_cut_in_the_middle_of_a_frame_is_an_unfinished_write(killed: Path) -> None:
    content = log_of(killed).read_bytes()
    log_of(killed).write_bytes(content[:-100])
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
    house = House(path, requests_before=100)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10))
    before = list(reading.entries(ROULETTE))
    reading.close()
    assert log_of(path).stat().st_size
    house.do(ROULETTE, *spin("1"))
    store = SqliteStore(path, read_only=True)
    assert store.head(ROULETTE).seq > Seq(len(before) + 2)
    store.close()
    house.close()
    assert verify_journal(path, read_key(path)).tables[0].rounds == 2


def small(path: Path) -> Path:
    house = House(path)
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
    content, before = log_of(killed).read_bytes(), killed.read_bytes()
    refused = opened = 0
    for at in [*range(0, 32, 3), *range(33, len(content), 509)]:
        changed = flipped(content, at, at % 8)
        log_of(killed).write_bytes(changed)
        killed.with_name(killed.name + "-shm").unlink(missing_ok=True)
        try:
            store = SqliteStore(killed)
        except JournalDamaged:
            assert (log_of(killed).read_bytes(), killed.read_bytes()) == (changed, before), at
            refused += 1
        else:
            assert store.head(ROULETTE).seq >= commits[-2], at
            store.close()
            killed.write_bytes(before)
            opened += 1
    assert refused > 5 * opened > 0


def test_an_entry_stands_in_the_file_once(tmp_path: Path) -> None:
    """Pages are divided as the journal grows. In a copy left behind, part of no row, a change would be unseen."""
    house = House(tmp_path / "house.db")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 100_000), *seat("b", "rapid-a", 100_000))
    for _ in range(40):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10), bets("b", straight_17=5))
        for step in spin("2"):
            house.do(ROULETTE, step)
    house.close()
    content, file = house.path.read_bytes(), JournalFile(house.path)
    bodies = [row.body for row in file.entries(ROULETTE)]
    file.close()
    assert len(bodies) > 300
    assert {content.count(body) for body in bodies} == {1}
