"""An event loop whose time is its own: it never waits, and what happens in it happens the same way every time.

Nothing in it may be waited for from outside: a line within the process, a store in memory. A wait that nothing can
end, or that has lasted a night, is an error and not a test that hangs.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST_SECONDS = 40_000.0
"""No test takes longer, in its own time: what is still awaited then never comes."""


class NothingWillHappen(Exception):
    """Everybody waits, and nobody is left to wake them."""


class _Selector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if ready := super().select(0):
            return ready
        if timeout is None:
            raise NothingWillHappen
        self.now += timeout
        if self.now > LONGEST_SECONDS:
            raise NothingWillHappen("whatever was waited for does not come")
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
