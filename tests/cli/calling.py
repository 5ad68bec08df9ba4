"""Calling the command line as a person or a program does."""

import json
from typing import Any

import pytest

from roundhouse.cli import run


class Calling:
    """Runs commands in this process, with their real output and exit status."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        import io

        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(list(arguments))
        out, err = self._capfd.readouterr()
        return status, out, err

    def json(self, *arguments: str, stdin: bytes = b"") -> Any:
        status, out, err = self(*arguments, "--json", stdin=stdin)
        assert (status, err) == (0, ""), err
        return json.loads(out)

    def refused(self, *arguments: str, stdin: bytes = b"") -> str:
        """The one line with which bad input is answered."""
        status, out, err = self(*arguments, stdin=stdin)
        assert status == 2, (status, out, err)
        assert out == ""
        assert err.startswith("roundhouse: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1, err
        assert "Traceback" not in err
        return err
