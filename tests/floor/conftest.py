"""A fixture with two tables that share one journal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roundhouse.rules.game import Game
from tests.support.two_tables import TwoTables


@pytest.fixture
def house(tmp_path: Path, games: dict[str, Game]) -> Iterator[TwoTables]:
    house = TwoTables(tmp_path / "j.db", games["rws-double-zero"])
    yield house
    house.close()
