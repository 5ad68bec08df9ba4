"""Fixtures that create tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import key_of
from roundhouse.table.protection import HouseProtection
from tests.support.protection import GAME, Start
from tests.support.tables import Play, Tables


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Tables]:
    """Creates a table of a game with a separate journal."""
    plays: list[Play] = []

    def create_table(game: str) -> Play:
        plays.append(Play(tmp_path / f"{len(plays)}.journal", game))
        return plays[-1]

    yield create_table
    for play in plays:
        play.store.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Open tables on one journal. Verify the journal at the end of the test."""
    tables: list[Play] = []

    def begin(*seats: str, table: str = "t1", credits: int = 10_000, house: HouseProtection | None = None) -> Play:
        play = Play(tmp_path / "journal", GAME, table, beside=tables[0] if tables else None)
        tables.append(play)
        play.writer.facts.protection = house
        return play.open(*seats, credits=credits)

    yield begin
    tables[0].store.close()
    assert verify_journal(tmp_path / "journal", key_of(tmp_path / "journal")).verifies
