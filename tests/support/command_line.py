"""Runs ``roundhouse`` commands inside the test process."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from roundhouse.cli import OLD_NAMES, run


class Calling:
    """Runs commands in this process, with their real output and exit status."""

    def __init__(
        self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, grouped: bool = False
    ) -> None:
        self._capfd = capfd
        self._monkeypatch = monkeypatch
        self._grouped = grouped

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        import io

        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(grouped(arguments) if self._grouped else list(arguments))
        out, err = self._capfd.readouterr()
        return status, out, err

    def json(self, *arguments: str, stdin: bytes = b"") -> Any:
        status, out, err = self(*arguments, "--json", stdin=stdin)
        assert (status, err) == (0, ""), err
        return json.loads(out)

    def refused(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run a command that must fail with status 2, and return its one-line error message."""
        status, out, err = self(*arguments, stdin=stdin)
        assert status == 2, (status, out, err)
        assert out == ""
        assert err.startswith("roundhouse: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1, err
        assert "Traceback" not in err
        return err


def grouped(arguments: Sequence[str]) -> list[str]:
    """Replace an old command name by the full name of its group."""
    first, *others = arguments or [""]
    return [*OLD_NAMES.get(first, first).split(), *others]
