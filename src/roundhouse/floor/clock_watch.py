"""Compares the system clock with the house's clock once a second. A difference is recorded and raises an alert."""

import asyncio
from typing import Final

from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.clock import HouseClock
from roundhouse.people.events import ClockDiffered
from roundhouse.table.names import Millis

TOLERANCE_MILLIS: Final = 2_000
"""Largest difference between the two clocks that is not reported."""
_CHECK_SECONDS: Final = 1.0
_ABOUT: Final = "clock"


class ClockWatch:
    def __init__(self, clock: HouseClock, alerts: AlertQueue) -> None:
        self._clock, self._alerts = clock, alerts
        alerts.clear(_ABOUT)  # an alert of the last run
        self.ahead_millis = 0
        """The last reported difference: how far the system clock is ahead. Zero while the clocks agree."""

    def check(self, accepted: bool = False) -> None:
        """Report a difference that has changed by more than the tolerance.

        ``accepted`` is whether an engineer opened a journal from the future.
        """
        found = self._clock.ahead_millis()
        if abs(found - self.ahead_millis) <= TOLERANCE_MILLIS:
            return
        self._report(found if abs(found) > TOLERANCE_MILLIS else 0, accepted=accepted)

    def follow(self) -> None:
        """Set the house's clock to the system clock, if that is ahead by more than the tolerance."""
        if self._clock.ahead_millis() > TOLERANCE_MILLIS:
            skipped = self._clock.follow()
            self._note(skipped, followed=True)
            self.check()

    def _report(self, ahead_millis: int, accepted: bool) -> None:
        self.ahead_millis = ahead_millis
        self._note(ahead_millis, accepted=accepted)
        self._alerts.clear(_ABOUT)
        if not ahead_millis:
            return
        size = f"{abs(ahead_millis) / 1000:,.0f} seconds"
        where = f"{size} {'ahead of' if ahead_millis > 0 else 'behind'} the clock of the house"
        self._alerts.raise_alert(
            _ABOUT, f"the system clock is {where}, which goes on unchanged; check the time service"
        )

    def _note(self, ahead_millis: int, followed: bool = False, accepted: bool = False) -> None:
        system = Millis(self._clock.now() + (0 if followed else ahead_millis))
        self._alerts.note(ClockDiffered(ahead_millis, system, followed, accepted))

    async def run(self) -> None:
        """Compare the clocks until cancelled."""
        while True:
            self.check()
            await asyncio.sleep(_CHECK_SECONDS)
