"""Random alterations of a journal without its key: none pays a cent more, and each is refused or found.

An alteration that changes no row may be unnoticed. Every other one must be refused when the journal is opened, or be
found by the daily check.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import NotAJournal
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.journal_check import warnings_in
from roundhouse.journal.files import wal_of
from roundhouse.journal.seal import read_key
from tests.support.alterations import BYTES, Original, alter_rows, rows_of
from tests.support.soak import SOAK, Counted, Tally, times

PARTS, EACH = times(6, 100), 50 if SOAK else 25
"""Each of the two tests makes ``PARTS * EACH`` alterations."""


@pytest.fixture(scope="module")
def short_snapshots() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roundhouse.floor.writer.SNAPSHOT_EVERY", 20)
        patch.setattr("roundhouse.floor.writer.SNAPSHOT_AT_LAST", 20)
        yield


@pytest.fixture(scope="module")
def closed(short_snapshots: None, tmp_path_factory: pytest.TempPathFactory) -> Original:
    original = Original(tmp_path_factory.mktemp("closed"))
    original.house.close()
    assert rows_of(original.path)["snapshots"]  # type: ignore[index]
    return original


@pytest.fixture(scope="module")
def unclosed(short_snapshots: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Original]:
    """A journal whose last commits are in its write-ahead log, as after a power cut."""
    original = Original(tmp_path_factory.mktemp("unclosed"))
    assert wal_of(original.path).stat().st_size > 4096
    yield original
    original.house.close()


def is_found(path: Path) -> bool:
    """Return whether the daily check finds a discrepancy, or an alteration of the file's triggers."""
    try:
        return bool(warnings_in(verify_journal(path, read_key(path)).notes))
    except (DoesNotHold, NotAJournal):
        return True


def check(original: Original, folder: Path, alter: Callable[[Path], None], fair: int) -> str:
    """Alter a copy, try to gain by it, and return what became of it."""
    path = original.copy_to(folder / "altered")
    alter(path)
    daily = original.copy_to(folder / "daily")
    for file in path.parent.iterdir():
        (daily.parent / file.name).write_bytes(file.read_bytes())
    gained = original.gain(path)
    if gained is None:
        return "refused"
    assert gained <= fair, f"{gained} cents instead of {fair}"
    if is_found(daily):
        return "found"
    now, before = rows_of(daily), rows_of(original.copy_to(folder / "original"))
    assert now is not None
    assert before is not None
    # A removed snapshot changes nothing: its entries are replayed. Nor does a removed seal: the next one covers more
    # entries. The last seal is required.
    for name in ("snapshots", "seals"):
        assert set(now.pop(name)) <= set(before.pop(name))
    # A table without entries has no money and no history.
    assert set(now.pop("tables")) >= set(before.pop("tables"))
    assert now == before, "an alteration was not noticed"
    return "without effect"


@pytest.mark.parametrize("part", range(PARTS))
def test_no_alteration_of_a_closed_journal_pays_more_or_is_unnoticed(
    closed: Original, tmp_path: Path, part: int, tally: Tally
) -> None:
    fair = closed.gain(closed.copy_to(tmp_path / "fair"))
    assert fair
    results: Counter[str] = Counter()
    for number in range(EACH):
        dice = Random(f"closed {part} {number}")
        kind = dice.choice((*BYTES, *[alter_rows] * 4))
        folder = tmp_path / f"{number}"
        folder.mkdir()
        results[check(closed, folder, lambda path, kind=kind, dice=dice: kind(path, dice), fair)] += 1  # type: ignore[misc]
    for result, number in results.items():
        tally.add(Counted.JOURNAL_ALTERED, number, result)
    assert results["without effect"] < EACH / 2, results


@pytest.mark.parametrize("part", range(PARTS))
def test_no_alteration_of_a_log_pays_more_or_is_unnoticed(
    unclosed: Original, tmp_path: Path, part: int, tally: Tally
) -> None:
    fair = unclosed.gain(unclosed.copy_to(tmp_path / "fair"))
    assert fair
    for number in range(EACH):
        dice = Random(f"log {part} {number}")
        kind = dice.choice(BYTES)
        folder = tmp_path / f"{number}"
        folder.mkdir()
        target = wal_of if dice.random() < 0.8 else Path
        result = check(unclosed, folder, lambda path, kind=kind, dice=dice, at=target: kind(at(path), dice), fair)  # type: ignore[misc]
        tally.add(Counted.LOG_ALTERED, detail=result)
