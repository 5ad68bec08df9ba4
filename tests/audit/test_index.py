"""The index of entries finds a round at the same cost in a short and a long journal, and verify checks it.

Cost is counted in steps of SQLite's virtual machine, not in time.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from roundhouse.audit.capsule import NoSuchRound
from roundhouse.audit.explain import story_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.round_evidence import from_journal
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.schema import FORMAT
from roundhouse.journal.seal import read_key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table.names import RoundNumber
from tests.support.forgery import edit, finding, make_format_1, query
from tests.support.journals import ROULETTE, SANDS, TWO_PERSONS, JournalHouse, bets, seat, spin

INDEX = "SELECT table_id, key, seq FROM entry_index ORDER BY table_id, key, seq"
FIRST = RoundNumber(2)
"""A round whose result is corrected two rounds later."""


def long_journal(path: Path, entries: int) -> Path:
    """Write a corrected round, then bets, rounds, seats and days until the journal has this number of entries."""
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    writer = house.writers[ROULETTE]
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 10_000_000), *seat("b", "rapid-b", 100_000))
    for number in range(1, 5):
        house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=100), bets("b", straight_8=100))
        house.do(ROULETTE, *spin("9", "8" if number == FIRST else "9"))
    house.do(ROULETTE, {"by": "pit_supervisor", "do": "correct_result", "round": FIRST, "outcome": "9", **TWO_PERSONS})
    days = 0
    while writer.version < entries:
        days += 1
        house.do(ROULETTE, {"do": "close_table"}, {"do": "open_table"}, *seat(f"s{days}", "rapid-a", 100))
        house.do(ROULETTE, {"do": "open_bets"}, *[bets("a", red=100)] * (entries // 20))
        house.do(ROULETTE, *spin("2"))
    house.close()
    return path


def steps(path: Path, work: Callable[[JournalFile], object]) -> int:
    """Count the steps that SQLite's virtual machine takes for some work."""
    file, count = JournalFile(path), 0

    def step() -> bool:
        nonlocal count
        count += 1
        return False

    file._db.set_progress_handler(step, 1)
    try:
        work(file)
    finally:
        file.close()
    return count


def read_round(number: RoundNumber) -> Callable[[JournalFile], object]:
    return lambda file: story_of(from_journal(file, ROULETTE, number))


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("long")
    return long_journal(folder / "short.db", 1_000), long_journal(folder / "long.db", 100_000)


def test_reading_a_round_costs_the_same_in_a_hundred_times_longer_journal(journals: tuple[Path, Path]) -> None:
    counts = [query(path, "SELECT count(*) FROM entries")[0][0] for path in journals]
    assert counts[0] < 1_200
    assert counts[1] > 100_000
    short, long = (steps(path, read_round(FIRST)) for path in journals)
    assert short == long
    assert 0 < short < 3_000


def test_looking_for_a_missing_round_costs_the_same_in_a_longer_journal(journals: tuple[Path, Path]) -> None:
    def read_missing_round(file: JournalFile) -> None:
        with pytest.raises(NoSuchRound):
            from_journal(file, ROULETTE, RoundNumber(1_000_000))

    short, long = (steps(path, read_missing_round) for path in journals)
    assert short == long


def test_the_step_count_grows_when_a_file_is_scanned(journals: tuple[Path, Path], tmp_path: Path) -> None:
    """Checks the measurement: without an index the file is scanned, and the count grows with its length."""
    short, long = (long_journal(tmp_path / f"{size}.db", size) for size in (1_000, 3_000))
    indexed = [steps(path, read_round(FIRST)) for path in (short, long)]
    for path in (short, long):
        make_format_1(path)
    scanned = [steps(path, read_round(FIRST)) for path in (short, long)]
    assert indexed[0] == indexed[1]
    assert scanned[1] > 2 * scanned[0] > 2 * indexed[0]


def test_every_lookup_uses_an_index_instead_of_a_scan(day: Path) -> None:
    file, statements = JournalFile(day), []
    file._db.set_exec_trace(lambda _, sql, values: (statements.append((sql, values)), True)[1])  # type: ignore[func-returns-value]
    from_journal(file, ROULETTE, FIRST)
    file._db.set_exec_trace(None)
    plans = [
        line[3]
        for sql, values in statements
        if " entries " in sql or " entry_index " in sql
        for line in file._db.execute(f"EXPLAIN QUERY PLAN {sql}", values)
    ]
    file.close()
    assert plans
    assert not [plan for plan in plans if not plan.startswith("SEARCH")]


def test_the_index_lists_rounds_seats_and_openings(day: Path) -> None:
    found = {(table, key) for table, key, _ in query(day, INDEX)}
    assert found == {
        *((ROULETTE, f"round:{number}") for number in range(1, 6)),
        *((ROULETTE, key) for key in ("opening", "seat:a", "seat:b")),
        *((SANDS, key) for key in ("opening", "seat:x", "round:1", "round:2")),
    }


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM entry_index WHERE seq = (SELECT max(seq) FROM entry_index WHERE key = 'round:2')",
        "DELETE FROM entry_index WHERE key = 'opening' AND table_id = 'roulette-1'",
        "UPDATE entry_index SET seq = seq + 1 WHERE key = 'seat:a'",
        "UPDATE entry_index SET key = 'round:4' WHERE key = 'round:3'",
        "INSERT INTO entry_index VALUES ('roulette-1', 'round:1', 40)",
        "INSERT INTO entry_index VALUES ('roulette-1', 'round:1', 4000)",
        "INSERT INTO entry_index VALUES ('sands-1', 'nonsense', 1)",
    ],
)
def test_an_edited_index_is_detected(copy: Path, sql: str) -> None:
    edit(copy, sql)
    discrepancy = finding(copy)
    assert discrepancy is not None
    assert discrepancy.what == "the index of entries differs (key, entry)"


def test_index_rows_of_an_unlisted_table_are_detected(copy: Path) -> None:
    edit(copy, "INSERT INTO entry_index VALUES ('ghost', 'round:1', 1)")
    discrepancy = finding(copy)
    assert discrepancy is not None
    assert "does not list" in discrepancy.what


def test_a_dropped_or_added_index_table_is_detected(copy: Path) -> None:
    whole = copy.read_bytes()
    edit(copy, "DROP TABLE entry_index")
    discrepancy = finding(copy)
    assert discrepancy is not None
    assert "entry_index" in discrepancy.what
    copy.write_bytes(whole)
    make_format_1(copy, "CREATE TABLE entry_index (a)")
    discrepancy = finding(copy)
    assert discrepancy is not None
    assert "entry_index" in discrepancy.what


def test_a_file_of_format_1_is_read_without_changing_it(copy: Path) -> None:
    def stories() -> list[object]:
        file = JournalFile(copy)
        found = [story_of(from_journal(file, ROULETTE, RoundNumber(number))) for number in range(1, 6)]
        file.close()
        return [*found]

    indexed = stories()
    make_format_1(copy)
    before = copy.read_bytes()
    assert stories() == indexed
    assert verify_journal(copy, read_key(copy)).verifies
    assert copy.read_bytes() == before


def test_opening_a_format_1_file_for_writing_upgrades_it(copy: Path) -> None:
    index_before = query(copy, INDEX)
    make_format_1(copy)
    SqliteStore(copy, read_only=True).close()
    assert query(copy, "SELECT value FROM meta") == [(1,)]
    SqliteStore(copy).close()
    assert query(copy, "SELECT value FROM meta") == [(FORMAT,)]
    assert query(copy, INDEX) == index_before
    assert verify_journal(copy, read_key(copy)).notes == []


def test_a_damaged_entry_does_not_prevent_the_format_upgrade(copy: Path) -> None:
    make_format_1(copy)
    edit(copy, "UPDATE entries SET body = ? WHERE table_id = ? AND seq = 3", b'{"round":', SANDS)
    SqliteStore(copy).close()
    assert query(copy, "SELECT value FROM meta") == [(FORMAT,)]
    assert finding(copy) is not None
