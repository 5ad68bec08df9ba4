"""Slows down repeated wrong passwords, for each pair of person and address. Kept only in memory.

The name need not be that of a person, so that the delay does not reveal who works here.
"""

from collections import OrderedDict
from typing import Final

from roundhouse.people.names import MINUTE
from roundhouse.table.names import Millis

FREE: Final = 2
"""Wrong passwords without a delay."""
FIRST_DELAY: Final = Millis(2_000)
MAX_DELAY: Final = Millis(MINUTE)
_FORGOTTEN_AFTER: Final = Millis(15 * MINUTE)
_MAX_PAIRS: Final = 20_000
Pair = tuple[str, str]
"""The name that was given, and the network of the address or the id of a session."""


def delay_after(failures: int) -> Millis:
    """Return the time after a failure in which no password is checked.

    >>> [delay_after(failures) for failures in (1, 2, 3, 4, 7, 8, 1000)]
    [0, 0, 2000, 4000, 32000, 60000, 60000]
    """
    return Millis(0) if failures <= FREE else Millis(min(MAX_DELAY, FIRST_DELAY << min(failures - FREE - 1, 16)))


class FailureDelays:
    def __init__(self) -> None:
        self._failures: OrderedDict[Pair, tuple[int, Millis]] = OrderedDict()

    def wait(self, pair: Pair, at: Millis) -> Millis:
        """Return how long the pair must wait before its next password is checked."""
        failures, last = self._failures.get(pair, (0, at))
        delay = delay_after(failures)
        # If the clock was set back, the wait is still no longer than the delay.
        return Millis(max(0, delay - max(0, at - last)))

    def failed(self, pair: Pair, at: Millis) -> None:
        failures, last = self._failures.pop(pair, (0, at))
        self._failures[pair] = (1 if at - last > _FORGOTTEN_AFTER else failures + 1, at)
        if len(self._failures) > _MAX_PAIRS:
            self._failures.popitem(last=False)

    def succeeded(self, pair: Pair) -> None:
        self._failures.pop(pair, None)

    def forget(self, name: str) -> None:
        """Forget the failures of a person who was unlocked."""
        for pair in [pair for pair in self._failures if pair[0] == name]:
            del self._failures[pair]
