"""The driver of one wheel: what it does, as facts, and a way to open it, close it and start its games.

A command counts as obeyed only when the wheel has answered so. The wheel is never told to start a game that the
rules do not let start, and nothing here knows what anybody has bet: only whether bets have closed.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.commands import (
    PATIENCE_SECONDS,
    NotYet,
    Reply,
    StartGame,
    WheelCommand,
    may_start,
    reply,
    wire,
)
from roundhouse.wheelhead.facts import Answered, Fact
from roundhouse.wheelhead.follower import Follower
from roundhouse.wheelhead.line import Status, read
from roundhouse.wheelhead.listening import Bytes, Connected, Disconnected, Finished, Listener, Silent
from roundhouse.wheelhead.sources import Lost
from roundhouse.wheelhead.stream import Line, Splitter


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
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._listener.send(wire(command))
                return await answer
        except TimeoutError:
            return NoAnswer(f"no answer within {PATIENCE_SECONDS:g} s")
        except Lost as lost:
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
