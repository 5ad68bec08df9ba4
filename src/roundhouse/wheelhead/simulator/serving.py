"""The simulated wheel behind a pseudo-terminal, in real time or faster: for any program that talks to a real one.

It obeys the commands that arrive on the line and answers on it, as the wheel does. A reader that does not
keep up loses lines, as on a serial port: the wheel does not wait.
"""

import asyncio
import os
import tty
from collections.abc import Callable

from roundhouse.wheelhead.line import STATUS_SECONDS
from roundhouse.wheelhead.simulator.machine import Machine
from roundhouse.wheelhead.simulator.noise import Cable
from roundhouse.wheelhead.stream import Splitter


class PseudoTerminal:
    """Open while in use; ``path`` is what the driver is to be pointed at."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        # Raw, or the terminal would echo the wheel's words back to it as commands.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)

    @property
    def descriptor(self) -> int:
        return self._master

    def write(self, data: bytes) -> None:
        try:
            os.write(self._master, data)
        except (BlockingIOError, OSError):
            return

    def read(self) -> bytes:
        try:
            return os.read(self._master, 4096)
        except (BlockingIOError, OSError):
            return b""

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)


async def serve(
    machine: Machine, terminal: PseudoTerminal, cable: Cable, speed: float, over: Callable[[], bool]
) -> None:
    """Until ``over`` says so. ``speed`` 50 lets half a second pass in a hundredth."""
    loop = asyncio.get_running_loop()
    splitter = Splitter()

    def obey() -> None:
        for line in splitter.feed(terminal.read()):
            for answer in machine.obey(line.text):
                terminal.write(cable.carry(answer))

    loop.add_reader(terminal.descriptor, obey)
    try:
        due = loop.time()
        for lines in machine.run():
            if over():
                return
            for line in lines:
                terminal.write(cable.carry(line))
            due += STATUS_SECONDS / speed
            await asyncio.sleep(max(0.0, due - loop.time()))
    finally:
        loop.remove_reader(terminal.descriptor)
