import pytest

from tests.support.command_line import Calling


@pytest.fixture(params=[False, True], ids=["old-name", "full-name"])
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Calling:
    """Runs every test of the command line twice: with the old command names and with the full names."""
    return Calling(capfd, monkeypatch, grouped=request.param)
