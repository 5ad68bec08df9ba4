import pytest

from tests.support.command_line import Calling


@pytest.fixture(params=[False, True], ids=["old-name", "full-name"])
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Calling:
    """Every test of the command line runs with the names from before the groups and with the full names."""
    return Calling(capfd, monkeypatch, grouped=request.param)
