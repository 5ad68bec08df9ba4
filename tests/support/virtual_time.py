"""An event loop with virtual time: it advances its clock instead of sleeping, so every run is the same.

Everything in it must be in this process, such as an in-process port and a store in memory. A wait that cannot end,
or that exceeds the limit, raises an error instead of hanging.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
TWO_HOURS = 7200.0


class VirtualTimeError(Exception):
    """All tasks wait for events that cannot happen, or virtual time has exceeded its limit."""


class _Selector(selectors.SelectSelector):
    def __init__(self, max_seconds: float) -> None:
        super().__init__()
        self.now, self._max = 0.0, max_seconds

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if ready := super().select(0):
            return ready
        if timeout is None:
            raise VirtualTimeError("deadlock: all tasks wait")
        self.now += timeout
        if timeout > 0 and self.now > self._max:
            raise VirtualTimeError(f"virtual time exceeded {self._max:.0f} s")
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, max_seconds: float) -> None:
        self._virtual = _Selector(max_seconds)
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run(main: Coroutine[Any, Any, T], max_seconds: float = TWO_HOURS) -> T:
    with asyncio.Runner(loop_factory=partial(VirtualLoop, max_seconds)) as runner:
        return runner.run(main)
