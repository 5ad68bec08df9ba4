"""Runs a simulated wheel in real time or faster, on a pseudo-terminal or on a port inside this process.

The wheel executes the commands that it receives and sends the answers. A reader that is too slow loses data, as on a
serial port. Many in-process wheels can run in one event loop.
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


class WheelEndpoint(Protocol):
    """The wheel's end of a connection."""

    def write(self, data: bytes) -> None: ...
    def listen(self, receive: Callable[[bytes], None]) -> None: ...
    def stop_listening(self) -> None: ...


class PseudoTerminal:
    """A pseudo-terminal for a simulated wheel. The driver opens the device ``path``."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        # Raw mode: otherwise the terminal would echo the wheel's lines back to it as commands.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)

    def write(self, data: bytes) -> None:
        try:
            os.write(self._master, data)
        except (BlockingIOError, OSError):
            return

    def listen(self, receive: Callable[[bytes], None]) -> None:
        asyncio.get_running_loop().add_reader(self._master, lambda: receive(self._read()))

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


async def serve(machine: Machine, end: WheelEndpoint, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    """Run the wheel until ``over`` returns True. With ``speed`` 50, half a simulated second takes 0.01 s."""
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


BUFFER_BYTES: Final = 4096
"""Unread data that the port buffers. Further data is dropped, as on a serial port."""


class InProcessPort:
    """A port inside this process: a ``WheelEndpoint`` for the wheel and a ``Port`` for the driver."""

    def __init__(self, name: str = "simulated wheel") -> None:
        self.name = name
        self.comes_back = True
        self._plugged = True
        self._connection: _InProcessConnection | None = None
        self._receive: Callable[[bytes], None] | None = None

    # Methods of ``WheelEndpoint``, for the wheel.

    def write(self, data: bytes) -> None:
        if self._connection is not None:
            self._connection.arrive(data)

    def listen(self, receive: Callable[[bytes], None]) -> None:
        self._receive = receive

    def stop_listening(self) -> None:
        self._receive = None

    # Methods of ``Port``, for the driver.

    async def open(self) -> PortConnection:
        if not self._plugged:
            raise PortLost(f"{self.name} is unplugged")
        self._connection = _InProcessConnection(self._deliver)
        return self._connection

    def _deliver(self, data: bytes) -> None:
        if self._receive is not None:
            self._receive(data)

    # Methods that simulate a disconnection.

    def unplug(self) -> None:
        self._plugged = False
        if self._connection is not None:
            self._connection.cut()
            self._connection = None

    def plug(self) -> None:
        self._plugged = True


class _InProcessConnection:
    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._buffer = b""
        self._open = True
        self._changed = asyncio.Event()

    def arrive(self, data: bytes) -> None:
        if len(self._buffer) + len(data) <= BUFFER_BYTES:
            self._buffer += data
            self._changed.set()

    def cut(self) -> None:
        self._open = False
        self._changed.set()

    async def read(self) -> bytes:
        await self._changed.wait()
        if not self._open:
            raise PortLost("the simulated wheel was unplugged")
        self._changed.clear()
        arrived, self._buffer = self._buffer, b""
        return arrived

    async def write(self, data: bytes) -> None:
        if not self._open:
            raise PortLost("the simulated wheel was unplugged")
        self._send(data)

    async def close(self) -> None:
        self._open = False


Path = tuple[Frame, ...]
"""All frames of one launch, computed when it begins."""


class SimulatedWheel:
    """A simulated wheel in this process.

    ``source`` is the port for the driver. The callback ``path`` receives the frames of each launch, for displays.
    """

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
        """Run the wheel until the task is cancelled."""
        await serve(self.machine, self.source, self._cable, self._speed, self._publish_path)

    def _publish_path(self) -> bool:
        """Send the frames of a new launch to the callback. Returns False, so that ``serve`` continues."""
        if self._frames and self._path is not None:
            self._path(tuple(self._frames))
            self._frames.clear()
        return False
