"""Listening to a wheel that comes and goes: what arrives, for ever, and a way to speak to it meanwhile.

A wheel that is lost is reported once and looked for until it is back; silence is reported while it lasts.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from roundhouse.wheelhead.sources import Line, Lost, Source

SILENCE_SECONDS: Final = 3.0
"""A wheel in automatic status speaks twice a second. After so long it has fallen silent."""
AGAIN_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Bytes:
    chunk: bytes


@dataclass(frozen=True, slots=True)
class Connected:
    name: str
    away_seconds: float
    """Since the wheel was last heard on this line; nought the first time."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    why: str


@dataclass(frozen=True, slots=True)
class Silent:
    seconds: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The file is at its end."""


Arrival = Bytes | Connected | Disconnected | Silent | Finished


class Listener:
    """One wheel. ``send`` reaches it while it is there, and raises ``Lost`` while it is not."""

    def __init__(
        self, source: Source, silence_seconds: float = SILENCE_SECONDS, again_seconds: float = AGAIN_SECONDS
    ) -> None:
        self._source, self._silence, self._again = source, silence_seconds, again_seconds
        self._line: Line | None = None
        self._heard_at: float | None = None

    async def send(self, data: bytes) -> None:
        if self._line is None:
            raise Lost(f"{self._source.name} is not connected")
        await self._line.write(data)

    async def arrivals(self) -> AsyncGenerator[Arrival, None]:
        """All that arrives, for ever, or until the end of a file."""
        told = ""
        while True:
            try:
                self._line = await self._source.open()
            except Lost as lost:
                if str(lost) != told:
                    told = str(lost)
                    yield Disconnected(told)
                await asyncio.sleep(self._again)
                continue
            told = ""
            now = asyncio.get_running_loop().time()
            yield Connected(self._source.name, 0.0 if self._heard_at is None else now - self._heard_at)
            try:
                async for arrival in self._heard(self._line):
                    yield arrival
            except Lost as lost:
                if not self._source.comes_back:
                    yield Finished()
                    return
                yield Disconnected(str(lost))
            finally:
                line, self._line = self._line, None
                await line.close()
            await asyncio.sleep(self._again)

    async def _heard(self, line: Line) -> AsyncGenerator[Arrival, None]:
        silent = 0.0
        while True:
            try:
                # Not wait_for: in Python 3.11 it loses a cancellation that comes together with bytes.
                async with asyncio.timeout(self._silence):
                    chunk = await line.read()
            except TimeoutError:
                silent += self._silence
                yield Silent(silent)
                continue
            if chunk:
                silent, self._heard_at = 0.0, asyncio.get_running_loop().time()
                yield Bytes(chunk)
