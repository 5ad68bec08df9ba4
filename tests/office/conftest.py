import shutil
from pathlib import Path

import pytest

from roundhouse.journal.seal import key_path
from tests.support.command_line import Calling
from tests.support.journals import play_a_day


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Calling:
    return Calling(capfd, monkeypatch)


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a day, made once, as ``house.db`` of a folder. Nobody may write to it."""
    path = tmp_path_factory.mktemp("house") / "house.db"
    play_a_day(path)
    return path


@pytest.fixture
def copy(day: Path, tmp_path: Path) -> Path:
    """A copy to do harm to, with its key."""
    path = tmp_path / "copy.db"
    shutil.copyfile(day, path)
    shutil.copyfile(key_path(day), key_path(path))
    return path
