"""Simulated wheels on pseudo-terminals, turned by a thread, for houses in other processes.

A test chooses the segment that a wheel shows next. The wheel's motion and messages are those of the simulator.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from roundhouse import rulebooks
from roundhouse.rules.names import Pocket, Segment
from roundhouse.rules.wheel import Wheel
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.simulator.draws import Cable, Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.port import PseudoTerminal, serve

SPEED = 8.0
"""Speed of the wheels relative to real time. A spin takes two or three seconds."""


class ChosenSegment(Chance):
    """Draws everything at random except the segment of the result."""

    def __init__(self, chosen: Segment) -> None:
        super().__init__(7)
        self.chosen = chosen

    def segment(self, wheel: Wheel) -> Segment:
        return self.chosen


class RecordedTerminal(PseudoTerminal):
    """A pseudo-terminal that records the commands of the house, and can be silent as a wheel without power is."""

    def __init__(self) -> None:
        super().__init__()
        self.received = b""
        self.silent = False

    def write(self, data: bytes) -> None:
        if not self.silent:
            super().write(data)

    def listen(self, receive: Callable[[bytes], None]) -> None:
        def record(data: bytes) -> None:
            self.received += data
            receive(data)

        super().listen(record)


class LineWheel:
    """One simulated wheel. ``path`` is the device that the house opens."""

    def __init__(self, game: str, loop: asyncio.AbstractEventLoop) -> None:
        found = rulebooks.find(game)
        self.game, self._wheel, self._loop = game, found.wheel, loop
        self._draws = ChosenSegment(Segment(0))
        self._terminal = RecordedTerminal()
        self.path = self._terminal.path
        self._machine = Machine(found.rulebook, codes_for(found.wheel), self._draws, mode=Mode.AUTOMATIC_STATUS)

    async def turn(self) -> None:
        await serve(self._machine, self._terminal, Cable(0, Chance(0)), SPEED, lambda: False)

    def close(self) -> None:
        self._terminal.close()

    def will_show(self, outcome: str, number: int = 0) -> int:
        """Choose the next result and return its segment: the ``number``-th segment with this outcome."""
        found = [at for at, pocket in enumerate(self._wheel.order) if pocket == Pocket(outcome)]
        self._draws.chosen = Segment(found[number])
        return found[number]

    @property
    def launches(self) -> int:
        """Number of launches that the house has commanded."""
        return self._terminal.received.count(b"*u 1")

    def spin_by_hand(self) -> None:
        """Let a person spin the ball: its sensors see a ball that the house did not command."""
        self._loop.call_soon_threadsafe(self._machine.obey, b"*u 1")

    def set_silent(self, silent: bool) -> None:
        self._terminal.silent = silent


@contextmanager
def line_wheels(*games: str) -> Iterator[list[LineWheel]]:
    """Run one wheel for each named game in a thread."""
    loop = asyncio.new_event_loop()
    wheels = [LineWheel(game, loop) for game in games]

    async def turn_all() -> None:
        await asyncio.gather(*(wheel.turn() for wheel in wheels))

    task = loop.create_task(turn_all())

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        finally:
            loop.close()

    thread = threading.Thread(target=run, name="simulated wheels")
    thread.start()
    try:
        yield wheels
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        for wheel in wheels:
            wheel.close()
