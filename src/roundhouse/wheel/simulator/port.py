"""The simulated wheel on a line, in real time or faster: a pseudo-terminal for any program, or a wire of this process.

It obeys the commands that arrive on the line and answers on it, as the wheel does. A reader that does not
keep up loses lines, as on a serial port: the wheel does not wait.

A line within one process: the wheel writes at one end, the driver listens at the other, and the plug can be pulled.

The driver cannot tell it from a serial port. It is no queue without end: who does not listen loses what is said.

A simulated wheel without a pseudo-terminal: a source for the driver, and a coroutine in which its time passes.

Many of them run in one loop. The driver hears the very same bytes as from any other wheel.
"""

import asyncio
import os
import tty
from collections.abc import Callable
from typing import Final, Protocol

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.ports import PortConnection, PortLost
from roundhouse.wheel.protocol import STATUS_SECONDS
from roundhouse.wheel.simulator.draws import Cable, Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.scenario import REGULAR, Frame, Played, Scenario
from roundhouse.wheel.stream import Splitter


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


HELD_BYTES: Final = 4096
"""What a serial port keeps for a reader who is late."""


class InProcessPort:
    """Both ends: for the wheel the verbs of a pseudo-terminal, for the driver those of a source."""

    def __init__(self, name: str = "simulated wheel") -> None:
        self.name = name
        self.comes_back = True
        self._plugged = True
        self._line: _Line | None = None
        self._hear: Callable[[bytes], None] | None = None

    # the wheel's end

    def write(self, data: bytes) -> None:
        if self._line is not None:
            self._line.arrive(data)

    def listen(self, hear: Callable[[bytes], None]) -> None:
        self._hear = hear

    def stop_listening(self) -> None:
        self._hear = None

    # the driver's end

    async def open(self) -> PortConnection:
        if not self._plugged:
            raise PortLost(f"{self.name} is unplugged")
        self._line = _Line(self._said)
        return self._line

    def _said(self, data: bytes) -> None:
        if self._hear is not None:
            self._hear(data)

    # the plug

    def unplug(self) -> None:
        self._plugged = False
        if self._line is not None:
            self._line.cut()
            self._line = None

    def plug(self) -> None:
        self._plugged = True


class _Line:
    def __init__(self, say: Callable[[bytes], None]) -> None:
        self._say = say
        self._held = b""
        self._open = True
        self._news = asyncio.Event()

    def arrive(self, data: bytes) -> None:
        if len(self._held) + len(data) <= HELD_BYTES:
            self._held += data
            self._news.set()

    def cut(self) -> None:
        self._open = False
        self._news.set()

    async def read(self) -> bytes:
        await self._news.wait()
        if not self._open:
            raise PortLost("the plug was pulled")
        self._news.clear()
        arrived, self._held = self._held, b""
        return arrived

    async def write(self, data: bytes) -> None:
        if not self._open:
            raise PortLost("the plug was pulled")
        self._say(data)

    async def close(self) -> None:
        self._open = False


Path = tuple[Frame, ...]
"""All angles of one launch, known when it begins."""


class SimulatedWheel:
    """``source`` is for the driver; ``path`` is told of each launch, for displays that animate it."""

    def __init__(
        self,
        rulebook: Rulebook,
        codes: Codes,
        chance: Chance,
        *,
        next_scenario: Callable[[], Scenario] = lambda: REGULAR,
        played: Callable[[Played], None] = lambda _: None,
        path: Callable[[Path], None] | None = None,
        mode: Mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS,
        noise: float = 0.0,
        speed: float = 1.0,
        name: str = "simulated wheel",
    ) -> None:
        self.source = InProcessPort(name)
        self._frames: list[Frame] = []
        self._path, self._speed = path, speed
        frame = self._frames.append if path is not None else None
        self.machine = Machine(rulebook, codes, chance, next_scenario, mode, played, frame)
        self._cable = Cable(noise, chance)

    async def turn(self) -> None:
        """For ever, until it is cancelled."""
        await serve(self.machine, self.source, self._cable, self._speed, self._shown)

    def _shown(self) -> bool:
        if self._frames and self._path is not None:
            self._path(tuple(self._frames))
            self._frames.clear()
        return False
