"""Makes the scheduled backups of a running house, in a worker process. A failure raises an alert."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

import msgspec

from roundhouse.config.loading import Configuration
from roundhouse.config.schema import parse_duration
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.clock import Clock
from roundhouse.logs import log
from roundhouse.office.backup import CopySummary, backups_in
from roundhouse.people.events import BackedUp
from roundhouse.rules.errors import UserError
from roundhouse.server.jobs import BackupJob, Job, JournalNotVerified, run_job
from roundhouse.table.names import Millis

TIMEOUT_SECONDS: Final = 6 * 3600.0
_RETRY_SECONDS: Final = 600.0
"""Pause before a failed backup is tried again, if the schedule has no shorter one."""
_ABOUT: Final = "backup"
Run = Callable[[Job, float], Coroutine[object, object, bytes]]


class BackupSchedule:
    def __init__(self, configuration: Configuration, alerts: AlertQueue, clock: Clock, run: Run = run_job) -> None:
        plan = configuration.plan.backup
        assert plan is not None, "the configuration has no [backup]"
        every = parse_duration(plan.every)
        assert every is not None, "the configuration was checked"
        self._every_seconds, self._keep = float(every), plan.keep
        self._journal, self._folder = configuration.journal, configuration.folder / plan.folder
        self._alerts, self._clock, self._run = alerts, clock, run
        self.last: Millis | None = next(reversed(backups_in(self._folder).values()), None)
        """Time of the last backup; ``None`` if there is none."""

    def wait_seconds(self) -> float:
        """Return the time until the next backup is due. It is due at once if there is none."""
        if self.last is None:
            return 0.0
        due_millis = self.last + self._every_seconds * 1000 - self._clock.now()
        return min(max(0.0, due_millis / 1000), self._every_seconds)

    async def run(self) -> None:
        """Make backups until cancelled."""
        await asyncio.sleep(self.wait_seconds())
        while True:
            done = await self.back_up()
            await asyncio.sleep(self._every_seconds if done else min(self._every_seconds, _RETRY_SECONDS))

    async def back_up(self) -> bool:
        """Make one backup and remove old ones. Return whether the backup was made and verified."""
        at = self._clock.now()
        job = BackupJob(str(self._journal), str(self._folder), at, self._keep)
        try:
            copied = msgspec.json.decode(await self._run(job, TIMEOUT_SECONDS), type=CopySummary)
        except JournalNotVerified:
            self._failed("the journal does not verify; run 'roundhouse audit verify' to find the discrepancy")
        except UserError as error:
            self._failed(str(error))
        except (TimeoutError, RuntimeError, OSError) as error:
            self._failed(str(error) or "it took too long")
        else:
            self.last = at
            name = Path(copied.path).name
            self._alerts.note(BackedUp(name, {head.table: head.hash for head in copied.tables}))
            self._alerts.clear(_ABOUT)
            log("backed_up", file=name, bytes=copied.bytes)
            return True
        return False

    def _failed(self, why: str) -> None:
        log("backup_failed", logging.ERROR)
        self._alerts.raise_alert(_ABOUT, f"the scheduled backup failed: {why}")
