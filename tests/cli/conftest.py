import pytest

from tests.cli.calling import Calling


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Calling:
    return Calling(capfd, monkeypatch)
