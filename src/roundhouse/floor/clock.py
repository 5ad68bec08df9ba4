"""Clocks with their source of random salts, and process-wide settings of the interpreter.

A process creates one clock and passes it to every part. No other module reads the time of day. A running house uses
``HouseClock``, so that a jump of the system clock changes neither its records nor any lifetime.
"""

import gc
import secrets
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
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


_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)
_steady_ns: Callable[[], int] = (
    time.monotonic_ns if _BOOT_CLOCK is None else partial(time.clock_gettime_ns, _BOOT_CLOCK)
)
"""A clock that never jumps. On Linux it also counts the time that the machine is suspended."""


class HouseClock(SystemClock):
    """The clock of a running house. It is set from the system clock once, and then counts with a steady clock.

    So a lifetime of ten minutes is ten minutes whatever happens to the system clock, and entries never go back in time.
    ``system`` and ``steady`` return nanoseconds; tests replace them.
    """

    def __init__(self, system: Callable[[], int] = time.time_ns, steady: Callable[[], int] = _steady_ns) -> None:
        self._system, self._steady = system, steady
        self._checked = steady()
        self._offset = system() - self._checked

    def time_ns(self) -> int:
        return self._steady() + self._offset

    def continue_after(self, at: Millis) -> None:
        """Set the clock to ``at``, the time of the journal's last entry, unless the clock is already past it."""
        self._offset += max(0, at * 1_000_000 - self.time_ns())

    def ahead_millis(self) -> int:
        """Return how far the system clock is ahead of this clock. A negative number means that it is behind."""
        steady = self._steady()
        if steady < self._checked:
            # A steady clock never goes back. If it does, as after a restored machine, this clock goes on all the same.
            self._offset += self._checked - steady
        self._checked = steady
        return (self._system() - steady - self._offset) // 1_000_000

    def follow(self) -> int:
        """Advance to the system clock if that is ahead. Return the milliseconds that were skipped."""
        skipped = max(0, self.ahead_millis())
        self._offset += skipped * 1_000_000
        return skipped


class SteppingClock(SystemClock):
    """A clock for scripts. It begins at ``start`` and advances by one millisecond each time it is read."""

    def __init__(self, start: Millis) -> None:
        self._now = start

    def time_ns(self) -> int:
        self._now += 1  # type: ignore[assignment]
        return self._now * 1_000_000

    def advance(self, millis: int) -> None:
        """Let time pass."""
        self._now += millis  # type: ignore[assignment]


def format_utc(at: Millis) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


_SWITCH_SECONDS = 0.001
"""Switch interval of the GIL: about the time that a commit takes. A shorter interval causes too many switches. With a
longer interval the event loop learns of a commit too late."""


def tune_process() -> None:
    """Freeze loaded objects and make garbage collection rare; short-lived objects are freed by reference counting."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
