"""Reads the configuration again on ``SIGHUP``: the TLS certificate, and the pace of the automatic dealers.

It also sets the house's clock forward to the system clock. All other settings need a restart.
"""

import asyncio
import logging
from collections.abc import Callable
from ssl import SSLError

from msgspec.structs import replace

from roundhouse.config.loading import Configuration
from roundhouse.config.schema import HouseConfig, TableConfig
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.table import RunningTable
from roundhouse.logs import log
from roundhouse.people.events import SettingChanged
from roundhouse.rules.errors import UserError
from roundhouse.server.certificate import Certificate

_ABOUT = "configuration"


class Reloading:
    """``reread`` reads the file, and is called in a thread. ``certificate`` is None without TLS."""

    def __init__(
        self, running: RunningHouse, certificate: Certificate | None, reread: Callable[[], Configuration]
    ) -> None:
        self._running, self._certificate, self._reread = running, certificate, reread
        self._working = asyncio.Lock()

    async def reload(self) -> None:
        """Read the file and apply what can be applied. A file with faults changes nothing and raises an alert."""
        async with self._working:
            alerts = self._running.alerts
            try:
                found = await asyncio.to_thread(self._reread)
                self._load_certificate(found)
            except (UserError, OSError, SSLError) as error:
                log("reload_failed", logging.ERROR)
                alerts.raise_alert(_ABOUT, f"the configuration was not read again, and nothing has changed: {error}")
                return
            alerts.clear(_ABOUT)
            paced = [table.id for table in self._running.running if self._set_pace(found, table)]
            if self._running.clock_watch is not None:
                self._running.clock_watch.follow()
            restart = _without_reloadable(found.plan) != _without_reloadable(self._running.configuration.plan)
            log("reloaded", certificate=self._certificate is not None, pace=", ".join(paced), restart_needed=restart)

    def _load_certificate(self, found: Configuration) -> None:
        if self._certificate is not None and (tls := found.plan.tls) is not None:
            self._certificate.reload(found.folder / tls.certificate, found.folder / tls.key)

    def _set_pace(self, found: Configuration, table: RunningTable) -> bool:
        """Set the pace of a table from its next round on. Return whether it has changed."""
        plan = next((one for one in found.plan.tables if one.id == table.id), None)
        if plan is None:
            return False
        was, now = pace_text(table.plan), pace_text(plan)
        if was == now:
            return False
        table.set_pace(plan.betting_seconds, plan.look_seconds, plan.pause_seconds)
        self._running.alerts.note(SettingChanged("pace", was, now, table.id))
        return True


def pace_text(plan: TableConfig) -> str:
    return f"betting {plan.betting_seconds} s, look {plan.look_seconds} s, pause {plan.pause_seconds} s"


def _without_reloadable(plan: HouseConfig) -> HouseConfig:
    """Return the settings that need a restart, for a comparison."""
    same = {"betting_seconds": 0, "look_seconds": 0, "pause_seconds": 0}
    return replace(plan, tls=None, tables=tuple(replace(table, **same) for table in plan.tables))
