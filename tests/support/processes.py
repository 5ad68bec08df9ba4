"""Starts houses as real processes on loopback, and reads their output, HTTP answers and journals."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import apsw
import httpx

from tests.support.fork_server import ForkedProcess, run_forked

ROUNDHOUSE = (sys.executable, "-m", "roundhouse")
TIMEOUT_SECONDS = 90
"""A process that runs longer is killed, so that a test cannot hang."""

T = TypeVar("T")


class Process:
    """One process of a house, forked or started. ``output`` has the lines that it has printed."""

    def __init__(self, *arguments: str, errors: Path, forked: bool = True) -> None:
        self._errors = errors.open("w", encoding="utf-8")
        self.errors = errors
        self.process: ForkedProcess | subprocess.Popen[bytes]
        if forked:
            self.process = ForkedProcess(*arguments, stderr=self._errors.fileno())
        else:
            self.process = subprocess.Popen((*ROUNDHOUSE, *arguments), stdout=subprocess.PIPE, stderr=self._errors)
        assert self.process.stdout is not None
        self._stdout = TextIOWrapper(self.process.stdout, encoding="utf-8")
        self.output: list[str] = []
        self._timer = Timer(TIMEOUT_SECONDS, self.process.kill)
        self._timer.start()

    def until(self, pattern: str) -> str:
        """Read until a line matches, and return the first group or else the match."""
        for line in self._stdout:
            self.output.append(line.rstrip("\n"))
            if found := re.search(pattern, line):
                return found[1] if found.groups() else found[0]
        raise AssertionError(
            f"the process ended before it printed '{pattern}': {self.output} {self.errors.read_text()}"
        )

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Wait for the process to end and return its exit status."""
        self.output += self._stdout.read().splitlines()
        self._stdout.close()
        status = self.process.wait()
        if isinstance(self.process, ForkedProcess):
            self.process.close()
        self._timer.cancel()
        self._errors.close()
        return status

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.send(number)
        return self.end()

    @property
    def text(self) -> str:
        return "\n".join(self.output)


@contextmanager
def started(
    *arguments: str, errors: Path, ready: str = r"(https?://[^\s]+)", forked: bool = True
) -> Iterator[tuple[Process, str]]:
    """Start a process, and yield it with its address when it is ready."""
    process = Process(*arguments, errors=errors, forked=forked)
    try:
        yield process, process.until(ready)
    finally:
        if process.process.poll() is None:
            process.process.kill()
            process.end()


def played(folder: Path, *options: str, speed: int = 100, forked: bool = True) -> Any:
    """Start ``roundhouse play``."""
    arguments = ("play", "--folder", str(folder), "--port", "0", "--speed", str(speed), *options)
    return started(*arguments, errors=folder.with_suffix(".err"), forked=forked)


def refused(*arguments: str) -> tuple[int, str]:
    """Run a command that must fail at once, and return its status and error message."""
    done = run_forked(*arguments, timeout=TIMEOUT_SECONDS)
    return done.returncode, done.stderr.decode()


def get(address: str, path: str, token: str | None = None) -> Any:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.get(address + path, headers=headers, verify=False, timeout=30).json()


def post(address: str, path: str, body: Mapping[str, Any], token: str | None = None) -> Any:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.post(address + path, json=body, headers=headers, timeout=30).json()


def eventually(poll: Callable[[], T | None]) -> T:
    """Call ``poll`` until it returns a value, and return that value."""
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        if (found := poll()) is not None:
            return found
        # Stays below the rate limit for reading tables.
        time.sleep(0.25)
    raise AssertionError("timed out")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def entries(folder: Path, chain: str) -> list[dict[str, Any]]:
    """Return the stored entries of a chain."""
    db = apsw.Connection(str(folder / "house.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = db.execute("SELECT body FROM entries WHERE table_id = ? ORDER BY seq", (chain,)).fetchall()
        return [json.loads(body) for (body,) in rows]  # type: ignore[arg-type]
    finally:
        db.close()


def house_events(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the events with this name in the house's chain."""
    found = [entry["event"] for entry in entries(folder, "@house")]
    return [event for event in found if event["event"] == f"{name}.v1"]


def table_events(folder: Path, table: str, name: str) -> list[dict[str, Any]]:
    found = [event for entry in entries(folder, table) for event in entry.get("events", ())]
    return [event for event in found if event["event"] == f"{name}.v1"]


def verifies(folder: Path) -> None:
    done = run_forked("verify", str(folder / "house.db"), timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
