"""The world of a running table: its clock and its dice."""

import secrets
import time

from roundhouse.table.names import Millis, TicketNumber

_DIGITS = 20


class RealWorld:
    def now(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    def fresh_ticket(self) -> TicketNumber:
        """Twenty digits nobody can guess: one in 10²⁰, from the operating system's entropy."""
        return TicketNumber(str(secrets.randbelow(10**_DIGITS)).zfill(_DIGITS))


class SteppingWorld(RealWorld):
    """A clock for scripts: it starts at an instant and takes one step of a millisecond each time it is read."""

    def __init__(self, start: Millis) -> None:
        self._now = start

    def now(self) -> Millis:
        self._now += 1  # type: ignore[assignment]
        return self._now
