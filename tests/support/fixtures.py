"""Fixtures that several folders of tests use. ``tests/conftest.py`` loads this module as a plugin."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import profiles

from roundhouse.journal.seal import key_path
from tests.support.command_line import Calling
from tests.support.http_house import HttpHouse, http_house, play_rounds, staff_house
from tests.support.journals import play_a_day


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Calling:
    return Calling(capfd, monkeypatch)


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cheap password hashing in this process, for houses that tests staff through the program's own functions."""
    monkeypatch.setattr(profiles, "RFC_9106_LOW_MEMORY", profiles.CHEAPEST)


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal ``house.db`` of one day's play. Tests only read it."""
    path = tmp_path_factory.mktemp("day") / "house.db"
    play_a_day(path)
    return path


@pytest.fixture
def copy(day: Path, tmp_path: Path) -> Path:
    """A copy of the day's journal and its key, which a test may damage."""
    path = tmp_path / "copy.db"
    shutil.copyfile(day, path)
    shutil.copyfile(key_path(day), key_path(path))
    return path


@pytest.fixture(scope="session")
def ready_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpHouse]:
    """A staffed house that has played two rounds. Tests only read it."""
    with http_house(tmp_path_factory.mktemp("house")) as house:
        staff_house(house)
        play_rounds(house)
        yield house
