"""The simulated wheel on a line, in real time or faster: a pseudo-terminal for any program, or a wire of this process.

It obeys the commands that arrive on the line and answers on it, as the wheel does. A reader that does not
keep up loses lines, as on a serial port: the wheel does not wait.
"""

import asyncio
import os
import tty
from collections.abc import Callable
from typing import Protocol

from roundhouse.wheelhead.line import STATUS_SECONDS
from roundhouse.wheelhead.simulator.machine import Machine
from roundhouse.wheelhead.simulator.noise import Cable
from roundhouse.wheelhead.stream import Splitter


class WheelsEnd(Protocol):
    """Where the wheel speaks, and hears what is said to it."""

    def write(self, data: bytes) -> None: ...
    def listen(self, hear: Callable[[bytes], None]) -> None: ...
    def stop_listening(self) -> None: ...


class PseudoTerminal:
    """Open while in use; ``path`` is what the driver is to be pointed at."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        # Raw, or the terminal would echo the wheel's words back to it as commands.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)

    def write(self, data: bytes) -> None:
        try:
            os.write(self._master, data)
        except (BlockingIOError, OSError):
            return

    def listen(self, hear: Callable[[bytes], None]) -> None:
        asyncio.get_running_loop().add_reader(self._master, lambda: hear(self._read()))

    def stop_listening(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)

    def _read(self) -> bytes:
        try:
            return os.read(self._master, 4096)
        except (BlockingIOError, OSError):
            return b""

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)


async def serve(machine: Machine, end: WheelsEnd, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    """Until ``over`` says so. ``speed`` 50 lets half a second pass in a hundredth."""
    loop = asyncio.get_running_loop()
    splitter = Splitter()

    def obey(data: bytes) -> None:
        for line in splitter.feed(data):
            for answer in machine.obey(line.text):
                end.write(cable.carry(answer))

    end.listen(obey)
    try:
        due = loop.time()
        for lines in machine.run():
            if over():
                return
            for line in lines:
                end.write(cable.carry(line))
            due += STATUS_SECONDS / speed
            await asyncio.sleep(max(0.0, due - loop.time()))
    finally:
        end.stop_listening()
