"""A journal whose process was killed: its write-ahead log is part of it, and no commit in it can be cut off unseen."""

import shutil
from pathlib import Path

import pytest

from roundhouse.journal.seal import key_path, read_key
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.verify import verify_journal
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


def wal(journal: Path) -> Path:
    return journal.with_name(journal.name + "-wal")


def test_what_a_killed_process_left_verifies(killed: Path) -> None:
    summary = verify_journal(killed, read_key(killed))
    assert (summary.tables[0].rounds, summary.notes) == (3, [])
    assert wal(killed).stat().st_size > 50_000
    assert key_path(killed).exists()


def test_a_flip_in_the_log_is_found(killed: Path) -> None:
    content = wal(killed).read_bytes()
    frame = 24 + 4096
    last = (len(content) - 32) // frame * frame + 32 - frame
    places = [*range(0, 32, 3), *range(33, len(content), 1009), last + 8, last + 12]
    noted = 0
    for at in places:
        wal(killed).write_bytes(flipped(content, at, at % 8))
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
    content = wal(killed).read_bytes()
    wal(killed).write_bytes(content[:-100])
    killed.with_name(killed.name + "-shm").unlink(missing_ok=True)
    assert verify_journal(killed, read_key(killed)).tables[0].rounds == 2
