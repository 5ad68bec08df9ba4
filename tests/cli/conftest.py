from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Calling
from tests.support.deal_acts import Acts


@pytest.fixture(params=[False, True], ids=["old-name", "full-name"])
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Calling:
    """Runs every test of the command line twice: with the old command names and with the full names."""
    return Calling(capfd, monkeypatch, grouped=request.param)


@pytest.fixture
def acts(tmp_path: Path) -> Iterator[Any]:
    """Starts ``roundhouse deal`` for a game, with a separate journal."""
    opened: list[Acts] = []

    def start(game: str, *options: str, **more: Any) -> Acts:
        opened.append(Acts(tmp_path, game, *options, name=f"journal{len(opened)}", **more))
        return opened[-1]

    yield start
    for one in opened:
        one.deal.kill()
