"""The clock of a house and its source of ticket numbers; settings of the garbage collector and of thread switches.

The composition root makes one clock and passes it to every part. No other module reads the time of day.
"""

import gc
import secrets
import sys
import time
from typing import Protocol

from roundhouse.table.names import Millis, TicketNumber

_DIGITS = 20


class Clock(Protocol):
    """What a table needs and must not make up: the time of day, and ticket numbers that cannot be guessed."""

    def now(self) -> Millis: ...

    def fresh_ticket(self) -> TicketNumber: ...


class SystemClock:
    """The clock and the entropy of the operating system."""

    def now(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    def fresh_ticket(self) -> TicketNumber:
        """Twenty digits nobody can guess: one in 10²⁰, from the operating system's entropy."""
        return TicketNumber(str(secrets.randbelow(10**_DIGITS)).zfill(_DIGITS))


class SteppingClock(SystemClock):
    """A clock for scripts: it starts at an instant and takes one step of a millisecond each time it is read."""

    def __init__(self, start: Millis) -> None:
        self._now = start

    def now(self) -> Millis:
        self._now += 1  # type: ignore[assignment]
        return self._now


_SWITCH_SECONDS = 0.001
"""About as long as a batch takes to be written. Asked for sooner, the interpreter changes hands more often than it
helps; later, what is durable is noticed too late."""


def tune_process() -> None:
    """What was loaded stays; what comes and goes is freed by its count. Looking for cycles would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
