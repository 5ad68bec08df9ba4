"""One running house for all tests that change nothing, and a fresh one for those that do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.http_house import Running, play, running, staff_it


@pytest.fixture(scope="session")
def shown_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("house")) as house:
        staff_it(house)
        play(house)
        yield house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path) as house:
        staff_it(house)
        play(house)
        yield house
