"""The clock of a house with its source of random salts, and process-wide settings of the interpreter.

A process creates one clock and passes it to every part. No other module reads the time of day.
"""

import gc
import secrets
import sys
import time
from typing import Protocol

from roundhouse.table.names import Millis

_SALT_BYTES = 16


class Clock(Protocol):
    """Source of the time of day and of salts that cannot be guessed. Tests replace it."""

    def time_ns(self) -> int:
        """Return the nanoseconds since 1970. The writer calls this for every bet, so the real one is a C function."""

    def now(self) -> Millis: ...

    def fresh_salt(self) -> str: ...


class SystemClock:
    """Clock that uses the time and the random numbers of the operating system."""

    time_ns = staticmethod(time.time_ns)

    def now(self) -> Millis:
        return Millis(self.time_ns() // 1_000_000)

    def fresh_salt(self) -> str:
        """Generate a random salt. A ticket's number is derived from it and the journal's key."""
        return secrets.token_hex(_SALT_BYTES)


class SteppingClock(SystemClock):
    """A clock for scripts. It begins at ``start`` and advances by one millisecond each time it is read."""

    def __init__(self, start: Millis) -> None:
        self._now = start

    def time_ns(self) -> int:
        self._now += 1  # type: ignore[assignment]
        return self._now * 1_000_000


_SWITCH_SECONDS = 0.001
"""Switch interval of the GIL: about the time that a commit takes. A shorter interval causes too many switches. With a
longer interval the event loop learns of a commit too late."""


def tune_process() -> None:
    """Freeze loaded objects and make garbage collection rare; short-lived objects are freed by reference counting."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
