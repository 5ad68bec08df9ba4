"""A house that a server test may change. Tests that only read use the shared ``ready_house``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.http_house import HttpHouse, http_house, play_rounds, staff_house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[HttpHouse]:
    with http_house(tmp_path) as house:
        staff_house(house)
        play_rounds(house)
        yield house
