"""Houses as real processes on loopback, and what a person or a program sees of them."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import apsw
import httpx

ROUNDHOUSE = (sys.executable, "-m", "roundhouse")
_QUICK = """
import runpy
from argon2 import profiles
profiles.RFC_9106_LOW_MEMORY = profiles.CHEAPEST
runpy.run_module("roundhouse", run_name="__main__", alter_sys=True)
"""
QUICK_ROUNDHOUSE = (sys.executable, "-c", _QUICK)
"""The program with cheap password hashing. A log-in takes a quarter of a second of processor time otherwise."""
PATIENCE_SECONDS = 90
"""Nothing takes so long; a test that waits for ever is ended."""

T = TypeVar("T")


class Process:
    """One process of a house. ``said`` is what it has printed so far."""

    def __init__(self, *arguments: str, errors: Path, program: Sequence[str] = ROUNDHOUSE) -> None:
        self._errors = errors.open("w", encoding="utf-8")
        self.errors = errors
        self.process = subprocess.Popen(
            (*program, *arguments), stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )
        self.said: list[str] = []
        self._timer = Timer(PATIENCE_SECONDS, self.process.kill)
        self._timer.start()

    def until(self, pattern: str) -> str:
        """Reads on until a line has this in it; the first group, or the line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            if found := re.search(pattern, line):
                return found[1] if found.groups() else found[0]
        raise AssertionError(f"it ended without '{pattern}': {self.said} {self.errors.read_text()}")

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Its status, when it has ended; all that it said is in ``said``."""
        assert self.process.stdout is not None
        self.said += self.process.stdout.read().splitlines()
        self.process.stdout.close()
        status = self.process.wait()
        self._timer.cancel()
        self._errors.close()
        return status

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.send(number)
        return self.end()

    @property
    def text(self) -> str:
        return "\n".join(self.said)


@contextmanager
def started(
    *arguments: str, errors: Path, ready: str = r"(https?://[^\s]+)", program: Sequence[str] = ROUNDHOUSE
) -> Iterator[tuple[Process, str]]:
    """A house that answers, and its address."""
    process = Process(*arguments, errors=errors, program=program)
    try:
        yield process, process.until(ready)
    finally:
        if process.process.poll() is None:
            process.process.kill()
            process.end()


def played(folder: Path, *options: str, speed: int = 100, program: Sequence[str] = QUICK_ROUNDHOUSE) -> Any:
    """Start ``roundhouse play``."""
    arguments = ("play", "--folder", str(folder), "--port", "0", "--speed", str(speed), *options)
    return started(*arguments, errors=folder.with_suffix(".err"), program=program)


def refused(*arguments: str) -> tuple[int, str]:
    """The status and the words of a command that does not get as far as serving."""
    done = subprocess.run(
        (*ROUNDHOUSE, *arguments), capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE_SECONDS
    )
    return done.returncode, done.stderr


def get(address: str, path: str, token: str | None = None) -> Any:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.get(address + path, headers=headers, verify=False, timeout=30).json()


def post(address: str, path: str, body: Mapping[str, Any], token: str | None = None) -> Any:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.post(address + path, json=body, headers=headers, timeout=30).json()


def eventually(look: Callable[[], T | None]) -> T:
    """What ``look`` finds, when it finds something."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        if (found := look()) is not None:
            return found
        # Not more often than anybody may look at whole tables.
        time.sleep(0.25)
    raise AssertionError("it never came")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def entries(folder: Path, chain: str) -> list[dict[str, Any]]:
    """The entries of a chain, as they are stored."""
    db = apsw.Connection(str(folder / "house.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = db.execute("SELECT body FROM entries WHERE table_id = ? ORDER BY seq", (chain,)).fetchall()
        return [json.loads(body) for (body,) in rows]  # type: ignore[arg-type]
    finally:
        db.close()


def house_events(folder: Path, name: str) -> list[dict[str, Any]]:
    """The events of this name in the house's own chain."""
    found = [entry["event"] for entry in entries(folder, "@house")]
    return [event for event in found if event["event"] == f"{name}.v1"]


def table_events(folder: Path, table: str, name: str) -> list[dict[str, Any]]:
    found = [event for entry in entries(folder, table) for event in entry.get("events", ())]
    return [event for event in found if event["event"] == f"{name}.v1"]


def verifies(folder: Path) -> None:
    done = subprocess.run(
        (*ROUNDHOUSE, "verify", str(folder / "house.db")), capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
