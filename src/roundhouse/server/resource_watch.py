"""Raises an alert when the disk is nearly full or the TLS certificate is about to expire."""

import asyncio
from typing import Final

from roundhouse.floor.alerts import AlertQueue
from roundhouse.server.context import ServerContext

LOW_DISK_BYTES: Final = 256 * 1024 * 1024
CERTIFICATE_DAYS: Final = 14
_DAY_MILLIS: Final = 86_400_000
_CHECK_SECONDS: Final = 60.0


class ResourceWatch:
    def __init__(self, service: ServerContext, alerts: AlertQueue, low_disk_bytes: int = LOW_DISK_BYTES) -> None:
        self._service, self._alerts, self._low_disk_bytes = service, alerts, low_disk_bytes

    def check(self) -> None:
        if self._service.disk_free_bytes() < self._low_disk_bytes:
            text = f"less than {self._low_disk_bytes // 1024**2} MiB are free on the disk of the journal; make room"
            self._alerts.raise_alert("disk", text)
        else:
            self._alerts.clear("disk")
        ends = self._service.certificate_ends()
        if ends is not None and (days := (ends - self._service.clock()) // _DAY_MILLIS) < CERTIFICATE_DAYS:
            when = f"expires in {days} days" if days > 0 else "expires within a day" if days == 0 else "has expired"
            self._alerts.raise_alert("certificate", f"the TLS certificate {when}; replace it and send SIGHUP")
        else:
            self._alerts.clear("certificate")

    async def run(self) -> None:
        """Check until cancelled."""
        while True:
            self.check()
            await asyncio.sleep(_CHECK_SECONDS)
