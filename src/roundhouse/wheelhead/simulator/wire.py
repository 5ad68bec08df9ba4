"""A line within one process: the wheel writes at one end, the driver listens at the other, and the plug can be pulled.

The driver cannot tell it from a serial port. It is no queue without end: who does not listen loses what is said.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from roundhouse.wheelhead.sources import Line, Lost

HELD_BYTES: Final = 4096
"""What a serial port keeps for a reader who is late."""


class Wire:
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

    async def open(self) -> Line:
        if not self._plugged:
            raise Lost(f"{self.name} is unplugged")
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
            raise Lost("the plug was pulled")
        self._news.clear()
        arrived, self._held = self._held, b""
        return arrived

    async def write(self, data: bytes) -> None:
        if not self._open:
            raise Lost("the plug was pulled")
        self._say(data)

    async def close(self) -> None:
        self._open = False
