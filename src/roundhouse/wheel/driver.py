"""Listening to a wheel that comes and goes: what arrives, for ever, and a way to speak to it meanwhile.

A wheel that is lost is reported once and looked for until it is back; silence is reported while it lasts.

The driver of one wheel: what it does, as facts, and a way to open it, close it and start its games.

A command counts as obeyed only when the wheel has answered so. The wheel is never told to start a game that the
rules do not let start, and nothing here knows what anybody has bet: only whether bets have closed.
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
"""A wheel in automatic status speaks twice a second. After so long it has fallen silent."""
RETRY_SECONDS: Final = 1.0


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
        self, source: Port, silence_seconds: float = SILENCE_SECONDS, again_seconds: float = RETRY_SECONDS
    ) -> None:
        self._source, self._silence, self._again = source, silence_seconds, again_seconds
        self._line: PortConnection | None = None
        self._heard_at: float | None = None

    async def send(self, data: bytes) -> None:
        if self._line is None:
            raise PortLost(f"{self._source.name} is not connected")
        await self._line.write(data)

    async def arrivals(self) -> AsyncGenerator[Arrival, None]:
        """All that arrives, for ever, or until the end of a file."""
        told = ""
        while True:
            try:
                self._line = await self._source.open()
            except PortLost as lost:
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
            except PortLost as lost:
                if not self._source.comes_back:
                    yield Finished()
                    return
                yield Disconnected(str(lost))
            finally:
                line, self._line = self._line, None
                await line.close()
            await asyncio.sleep(self._again)

    async def _heard(self, line: PortConnection) -> AsyncGenerator[Arrival, None]:
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


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The wheel did not say what came of the command: it may or may not have obeyed."""

    why: str


Event = Fact | Status | Connected | Disconnected | Silent | Finished
"""A status is told after the facts that it brought: what happened, then how the wheel stands."""


class Driver:
    def __init__(self, listener: Listener, rulebook: Rulebook, codes: Codes) -> None:
        self._listener, self._rulebook = listener, rulebook
        self._follower, self._splitter = Follower(codes.segment_of), Splitter()
        self._asked: tuple[WheelCommand, asyncio.Future[Reply]] | None = None

    async def events(self) -> AsyncGenerator[Event, None]:
        """All that happens; somebody must be reading this for a command to be answered."""
        async with aclosing(self._listener.arrivals()) as arrivals:
            async for arrival in arrivals:
                match arrival:
                    case Bytes(chunk):
                        for fact in self._heard(list(self._splitter.feed(chunk))):
                            yield fact
                        continue
                    case Silent(seconds):
                        self._follower.silence(seconds)
                    case Connected(away_seconds=away):
                        self._follower.silence(away)
                    case Disconnected():
                        # What came of a line that broke off is not the head of the next one.
                        self._splitter = Splitter()
                    case Finished():
                        for fact in [*self._heard(list(self._splitter.end())), *self._follower.end()]:
                            yield fact
                yield arrival

    async def command(self, command: WheelCommand, bets_closed: bool = False) -> Reply | NotYet | NoAnswer:
        """Tell the wheel and wait for its answer; one command at a time."""
        if isinstance(command, StartGame) and (refused := may_start(self._rulebook, bets_closed)):
            return refused
        assert self._asked is None, "the wheel is asked one thing at a time"
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked = command, answer
        try:
            # Not wait_for: a line that takes nothing (no CTS) must not be waited for either.
            async with asyncio.timeout(REPLY_TIMEOUT_SECONDS):
                await self._listener.send(wire(command))
                return await answer
        except TimeoutError:
            return NoAnswer(f"no answer within {REPLY_TIMEOUT_SECONDS:g} s")
        except PortLost as lost:
            return NoAnswer(str(lost))
        finally:
            self._asked = None

    def _heard(self, lines: list[Line]) -> list[Fact | Status]:
        told: list[Fact | Status] = []
        for line in lines:
            heard = read(line.text)
            for fact in self._follower.hear(heard):
                self._answer(fact)
                told.append(fact)
            if isinstance(heard, Status):
                told.append(heard)
        return told

    def _answer(self, fact: Fact) -> None:
        if isinstance(fact, Answered) and self._asked is not None:
            command, answer = self._asked
            if (said := reply(command, fact.said)) is not None and not answer.done():
                answer.set_result(said)
