"""Limits the path of one bet through the server: its calls, files and package changes.

``sys.setprofile`` records every call of our own code, in all threads, from the arrival of a ``place_bets`` message to
its answer. A new step on the path has to replace another.
"""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType

import roundhouse
from tests.support.sockets import socket_house

SOURCES = str(Path(roundhouse.__file__).parent) + "/"
MAX_CALLS, MAX_FILES, MAX_CROSSINGS = 60, 15, 8


class Calls:
    """The files of the calls made while ``recording`` was set, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.recording = False

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        if self.recording and event == "call" and (name := frame.f_code.co_filename).startswith(SOURCES):
            self.files.append(name.removeprefix(SOURCES))


@contextmanager
def profiled() -> Iterator[Calls]:
    """Profile this thread and all threads that are started in the block."""
    calls = Calls()
    threading.setprofile(calls.profile)
    sys.setprofile(calls.profile)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def test_one_bet_takes_few_calls_in_few_files(tmp_path: Path) -> None:
    with profiled() as calls, socket_house(tmp_path) as house:

        async def script() -> list[str]:
            async with house.at("terminal") as (terminal, _):
                paths = []
                for _ in range(5):
                    await asyncio.sleep(0.05)
                    calls.files, calls.recording = [], True
                    answer = await terminal.ask("place_bets", bets=[{"position": "red", "cents": 100}])
                    await asyncio.sleep(0.02)
                    calls.recording = False
                    assert answer["ok"], answer
                    paths.append(calls.files)
                # Other tasks may add calls, so the shortest of five paths counts.
                return min(paths, key=len)

        path = house.run(script())
    packages = [package for package, _ in groupby(name.split("/")[0] for name in path)]
    assert {"server", "floor", "table", "journal"} <= set(packages)
    assert len(path) <= MAX_CALLS, path
    assert len(set(path)) <= MAX_FILES, sorted(set(path))
    assert len(packages) - 1 <= MAX_CROSSINGS, packages
