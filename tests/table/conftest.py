"""A table of any game on a journal of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tables import Play, Tables


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Tables]:
    """Lays out a table of a game on a journal of its own."""
    plays: list[Play] = []

    def lay_out(game: str) -> Play:
        plays.append(Play(tmp_path / f"{len(plays)}.journal", game))
        return plays[-1]

    yield lay_out
    for play in plays:
        play.store.close()
