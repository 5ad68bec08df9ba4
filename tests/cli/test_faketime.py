"""A house under libfaketime, or a library like it, whose system clock the test sets while the house runs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.preload import library, needs_compiler
from tests.support.processes import ROUNDHOUSE, TIMEOUT_SECONDS, entries, eventually, free_port, get, house_events

LIBRARIES = [
    *Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"),
    *Path("/usr/local/lib").glob("faketime/libfaketimeMT.so.1"),
]
"""If libfaketime is not installed, the library of ``tests/support/preload`` sets the clock."""
TOML = """
[house]
name = "House"
currency = "XXX"
play_money = true
data = "data"

[listen]
port = {port}

[[tables]]
id = "roulette-1"
game = "rws-double-zero"

[tables.limits]
seat = {{ min = 500, max = 90000 }}
"""


class FakedHouse:
    """The configuration of a house, and a file that sets the clock of its process."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.file, self.data, self._clock = folder / "house.toml", folder / "data", folder / "clock"
        self.file.write_text(TOML.format(port=self.port))
        self.set("+0")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def set(self, offset: str) -> None:
        """Set the system clock, relative to the real one. The steady clock is not changed."""
        new = self._clock.with_suffix(".new")
        new.write_text(offset)
        new.replace(self._clock)

    def command(self, *arguments: str) -> "subprocess.Popen[bytes]":
        faked = {
            "LD_PRELOAD": str(LIBRARIES[0] if LIBRARIES else library("clock")),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        pipe = subprocess.PIPE
        return subprocess.Popen(
            (*ROUNDHOUSE, "house", *arguments, "--config", str(self.file)),
            env=os.environ | faked,
            stdout=pipe,
            stderr=pipe,
        )

    @contextmanager
    def running(self, *options: str) -> Iterator[None]:
        process = self.command("serve", *options)
        try:
            assert process.stdout is not None
            assert b"http://" in process.stdout.readline()
            yield
            process.terminate()
            _, errors = process.communicate(timeout=TIMEOUT_SECONDS)
            assert process.returncode == 0, errors
        finally:
            process.kill()
            process.communicate()

    def ahead_millis(self) -> int:
        found: int = get(self.url, "/healthz")["clock_ahead_millis"]
        return found


@needs_compiler
def test_a_house_survives_a_clock_that_jumps_two_hours_forward_and_back(tmp_path: Path) -> None:
    house = FakedHouse(tmp_path)
    with house.running():
        assert house.ahead_millis() == 0
        house.set("+7200")
        eventually(lambda: house.ahead_millis() > 7_000_000 or None)
        house.set("+0")
        eventually(lambda: house.ahead_millis() == 0 or None)
    jumps = [round(one["ahead_millis"], -4) for one in house_events(house.data, "clock_differed")]
    assert jumps == [7_200_000, 0]
    raised = [one["about"] for one in house_events(house.data, "alert_raised")]
    assert raised == ["clock"]
    assert len(house_events(house.data, "alert_cleared")) == 1
    times = [entry["at"] for entry in entries(house.data, "@house")]
    assert times == sorted(times)
    assert times[-1] - times[0] < TIMEOUT_SECONDS * 1000, "no entry has a time of the jump"


@needs_compiler
def test_a_house_started_a_day_back_refuses_its_journal_until_the_engineer_accepts_it(tmp_path: Path) -> None:
    house = FakedHouse(tmp_path)
    with house.running():
        pass
    last = entries(house.data, "@house")[-1]["at"]
    house.set("-86400")
    process = house.command("serve")
    _, errors = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, b"--accept-time" in errors, errors.count(b"\n")) == (2, True, 1), errors
    with house.running("--accept-time"):
        assert round(house.ahead_millis(), -5) == -86_400_000
        now = get(house.url, "/api/house")["now"]
        assert last <= now < last + TIMEOUT_SECONDS * 1000
    assert [one["accepted"] for one in house_events(house.data, "clock_differed")] == [True]
    verified = subprocess.run(
        (sys.executable, "-m", "roundhouse", "audit", "verify", str(house.data / "house.db"), "--json"),
        capture_output=True,
        check=False,
    )
    assert json.loads(verified.stdout)["verifies"], verified.stdout
