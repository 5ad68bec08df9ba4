"""An event loop whose time is its own: it never waits, and what happens in it happens the same way every time.

Nothing in it may be waited for from outside: a line within the process, a store in memory. A wait that nothing can
end, or that lasts longer than the test allows, is an error and not a test that hangs.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
TWO_HOURS = 7200.0


class NothingWillHappen(Exception):
    """Everybody waits, and nobody is left to wake them; or they have waited too long."""


class _Selector(selectors.SelectSelector):
    def __init__(self, longest_seconds: float) -> None:
        super().__init__()
        self.now, self._longest = 0.0, longest_seconds

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if ready := super().select(0):
            return ready
        if timeout is None:
            raise NothingWillHappen("nobody is left to wake anybody")
        self.now += timeout
        if timeout > 0 and self.now > self._longest:
            raise NothingWillHappen(f"what was waited for has not come in {self._longest:.0f} s")
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, longest_seconds: float) -> None:
        self._virtual = _Selector(longest_seconds)
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run(main: Coroutine[Any, Any, T], longest_seconds: float = TWO_HOURS) -> T:
    with asyncio.Runner(loop_factory=partial(VirtualLoop, longest_seconds)) as runner:
        return runner.run(main)
