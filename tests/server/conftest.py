"""A house for tests of the server that change it. Tests that only read use ``shown_house``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.http_house import Running, play, running, staff_it


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path) as house:
        staff_it(house)
        play(house)
        yield house
