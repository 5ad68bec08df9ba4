"""Checks the installed software at start and once a day. The result is recorded and shown at every console.

Files are compared with the installer's manifest, if there is one, and with the software at the start of the house.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from roundhouse import __version__
from roundhouse.audit.software import SelfCheckReport, self_check
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.clock import Clock
from roundhouse.journal.entry import Seq
from roundhouse.journal.store import Store
from roundhouse.logs import log
from roundhouse.people.events import HouseStarted, SelfChecked, decode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.wire.operations import SelfCheck

EVERY_SECONDS: Final = 24 * 3600.0
_MAX_ENTRIES_READ: Final = 100_000


def last_start(store: Store) -> HouseStarted | None:
    """Find the previous start of the house in its chain. Searches the last ``_MAX_ENTRIES_READ`` entries."""
    end = store.head(HOUSE_CHAIN).seq
    for seq in range(end, max(0, end - _MAX_ENTRIES_READ), -1):
        row = store.row(HOUSE_CHAIN, Seq(seq))
        if row is not None and isinstance(event := decode(row.body).event, HouseStarted):
            return event
    return None


class SoftwareCheck:
    """Runs the checks. ``show`` receives each result."""

    def __init__(self, alerts: AlertQueue, show: Callable[[SelfCheck], None], clock: Clock) -> None:
        self._alerts, self._show, self._clock = alerts, show, clock
        self._expected: str | None = None
        """Hash of the software at the start of the house."""

    async def run(self) -> None:
        self.record(await asyncio.to_thread(self_check))

    def record(self, found: SelfCheckReport) -> None:
        expected = self._expected = self._expected or found.software
        agrees = found.ok and found.software == expected
        log("self_check", software=found.software, expected=expected, agrees=agrees, compared_with=found.compared_with)
        self._alerts.note(SelfChecked(found.software, expected, agrees))
        self._show(SelfCheck(self._clock.now(), found.software, expected, agrees, found.compared_with))
        if not agrees:
            self._alerts.raise_alert("self_check", _fault(found, expected))

    def compare_with_last_start(self, before: HouseStarted | None) -> None:
        """Raise an alert if the software differs from the last start although its version is the same."""
        if before is not None and before.software != self._expected and before.version == __version__:
            was, now = before.software[:12], (self._expected or "")[:12]
            self._alerts.raise_alert(
                "self_check", f"the software has changed since the last start: it was {was}, now it is {now}"
            )

    async def daily(self, every_seconds: float = EVERY_SECONDS) -> None:
        while True:
            await asyncio.sleep(every_seconds)
            await self.run()


def _fault(found: SelfCheckReport, expected: str) -> str:
    """Describe what is wrong with the software."""
    files = [*found.changed, *found.missing, *found.added]
    if files:
        return f"installed files differ from the manifest: {', '.join(files[:3])}{' …' if len(files) > 3 else ''}"
    if wrong := [tried.file for tried in found.rulebooks if not tried.ok]:
        return f"the software settles reference rounds incorrectly: {', '.join(wrong)}"
    return f"the software has changed while the house runs: it was {expected[:12]}, now it is {found.software[:12]}"
