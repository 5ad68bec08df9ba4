"""The driver of one wheel: keeps the connection, yields facts, and sends commands.

The listener reconnects until the wheel is back, and reports disconnection and silence. The driver refuses to start a
game that the rules do not allow. It receives whether bets are closed, but no bets.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import (
    REPLY_TIMEOUT_SECONDS,
    NotYet,
    Reply,
    StartGame,
    WheelCommand,
    may_start,
    reply,
    wire,
)
from roundhouse.wheel.facts import Answered, Fact
from roundhouse.wheel.follower import Follower
from roundhouse.wheel.ports import Port, PortConnection, PortLost
from roundhouse.wheel.protocol import Status, read
from roundhouse.wheel.stream import Line, Splitter

SILENCE_SECONDS: Final = 3.0
"""Time without data after which silence is reported. A wheel in automatic status sends twice a second."""
RETRY_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Bytes:
    chunk: bytes


@dataclass(frozen=True, slots=True)
class Connected:
    name: str
    away_seconds: float
    """Time since the last data from the wheel; 0 on the first connection."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    why: str


@dataclass(frozen=True, slots=True)
class Silent:
    """The wheel is connected but has sent no data for this time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a recording was reached."""


Arrival = Bytes | Connected | Disconnected | Silent | Finished


class Listener:
    """Keeps the connection to one wheel. ``send`` raises ``PortLost`` while it is not connected."""

    def __init__(
        self, port: Port, silence_seconds: float = SILENCE_SECONDS, retry_seconds: float = RETRY_SECONDS
    ) -> None:
        self._port, self._silence, self._retry = port, silence_seconds, retry_seconds
        self._connection: PortConnection | None = None
        self._received_at: float | None = None

    async def send(self, data: bytes) -> None:
        if self._connection is None:
            raise PortLost(f"{self._port.name} is not connected")
        await self._connection.write(data)

    async def arrivals(self) -> AsyncGenerator[Arrival, None]:
        """Yield received bytes, connections, disconnections and silences as they occur. Only a recording ends."""
        last_error = ""
        while True:
            try:
                self._connection = await self._port.open()
            except PortLost as lost:
                if str(lost) != last_error:
                    last_error = str(lost)
                    yield Disconnected(last_error)
                await asyncio.sleep(self._retry)
                continue
            last_error = ""
            now = asyncio.get_running_loop().time()
            yield Connected(self._port.name, 0.0 if self._received_at is None else now - self._received_at)
            try:
                async for arrival in self._read(self._connection):
                    yield arrival
            except PortLost as lost:
                if not self._port.comes_back:
                    yield Finished()
                    return
                yield Disconnected(str(lost))
            finally:
                connection, self._connection = self._connection, None
                await connection.close()
            await asyncio.sleep(self._retry)

    async def _read(self, connection: PortConnection) -> AsyncGenerator[Arrival, None]:
        silent = 0.0
        while True:
            try:
                # Do not use ``wait_for``: in Python 3.11 it loses a cancellation that arrives together with data.
                async with asyncio.timeout(self._silence):
                    chunk = await connection.read()
            except TimeoutError:
                silent += self._silence
                yield Silent(silent)
                continue
            if chunk:
                silent, self._received_at = 0.0, asyncio.get_running_loop().time()
                yield Bytes(chunk)


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The wheel did not reply to a command, so it is unknown whether the wheel carried it out."""

    why: str


Event = Fact | Status | Connected | Disconnected | Silent | Finished
"""Everything that a driver yields. A ``Status`` comes after the facts that were derived from it."""


class Driver:
    """Yields the events of one wheel and sends it commands."""

    def __init__(self, listener: Listener, rulebook: Rulebook, codes: Codes) -> None:
        self._listener, self._rulebook = listener, rulebook
        self._follower, self._splitter = Follower(codes.segment_of), Splitter()
        self._pending: tuple[WheelCommand, asyncio.Future[Reply]] | None = None

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield all events. A task must consume them, or commands receive no reply."""
        async with aclosing(self._listener.arrivals()) as arrivals:
            async for arrival in arrivals:
                match arrival:
                    case Bytes(chunk):
                        for fact in self._parse(list(self._splitter.feed(chunk))):
                            yield fact
                        continue
                    case Silent(seconds):
                        self._follower.silence(seconds)
                    case Connected(away_seconds=away):
                        self._follower.silence(away)
                    case Disconnected():
                        # Drop a partial line from before the disconnection: it is not the start of the next line.
                        self._splitter = Splitter()
                    case Finished():
                        for fact in [*self._parse(list(self._splitter.end())), *self._follower.end()]:
                            yield fact
                yield arrival

    async def command(self, command: WheelCommand, bets_closed: bool = False) -> Reply | NotYet | NoAnswer:
        """Send a command and wait for the reply. Only one command may be pending."""
        if isinstance(command, StartGame) and (refused := may_start(self._rulebook, bets_closed)):
            return refused
        assert self._pending is None, "only one command may be pending"
        replied: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending = command, replied
        try:
            # The timeout includes sending: a serial port without CTS accepts no data.
            async with asyncio.timeout(REPLY_TIMEOUT_SECONDS):
                await self._listener.send(wire(command))
                return await replied
        except TimeoutError:
            return NoAnswer(f"no answer within {REPLY_TIMEOUT_SECONDS:g} s")
        except PortLost as lost:
            return NoAnswer(str(lost))
        finally:
            self._pending = None

    def _parse(self, lines: list[Line]) -> list[Fact | Status]:
        events: list[Fact | Status] = []
        for line in lines:
            parsed = read(line.text)
            for fact in self._follower.receive(parsed):
                self._resolve_pending(fact)
                events.append(fact)
            if isinstance(parsed, Status):
                events.append(parsed)
        return events

    def _resolve_pending(self, fact: Fact) -> None:
        if isinstance(fact, Answered) and self._pending is not None:
            command, replied = self._pending
            if (answer := reply(command, fact.line)) is not None and not replied.done():
                replied.set_result(answer)
