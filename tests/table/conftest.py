"""A fixture that creates tables of any game."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
