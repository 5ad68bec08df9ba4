"""Alerts about the disk and the certificate, and the readiness of wheels in health and metrics."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from roundhouse.floor.alerts import Alert
from roundhouse.people.names import Severity
from roundhouse.server.process import Assembly
from roundhouse.server.resource_watch import CERTIFICATE_DAYS, ResourceWatch
from roundhouse.table.names import Millis
from tests.support.running_house import configured

DAY = 86_400_000


def run(tmp_path: Path, night: "Callable[[Assembly, ResourceWatch], None]") -> None:
    async def whole() -> None:
        assembly = Assembly(configured(tmp_path, wheel="simulated:50", automatic=True))
        await assembly.start()
        night(assembly, ResourceWatch(assembly.service, assembly.running.alerts))
        async with asyncio.timeout(60):
            while not assembly.running.running[0].wheel_ready:
                await asyncio.sleep(0.01)
        await assembly.running.close("a test has ended")

    asyncio.run(whole())


def open_alerts(assembly: Assembly) -> list[str]:
    return [queued.about for queued in assembly.running.alerts._queue.values() if isinstance(queued, Alert)]


def test_a_certificate_that_expires_soon_is_alerted(tmp_path: Path) -> None:
    def night(assembly: Assembly, watch: ResourceWatch) -> None:
        service = assembly.service
        watch.check()
        assert "certificate" not in open_alerts(assembly)
        for days, expected in ((CERTIFICATE_DAYS + 1, 0), (CERTIFICATE_DAYS - 1, 1), (-1, 1)):
            service.certificate_ends = lambda days=days: Millis(service.clock() + days * DAY)  # type: ignore[misc]
            watch.check()
            assert open_alerts(assembly).count("certificate") == expected

    run(tmp_path, night)


def test_a_disk_that_is_nearly_full_is_alerted_as_critical_until_there_is_room(tmp_path: Path) -> None:
    def night(assembly: Assembly, watch: ResourceWatch) -> None:
        alerts = assembly.running.alerts
        ResourceWatch(assembly.service, alerts, low_disk_bytes=2**62).check()
        (alert,) = [one for one in alerts._queue.values() if isinstance(one, Alert) and one.about == "disk"]
        assert alert.severity is Severity.CRITICAL
        ResourceWatch(assembly.service, alerts, low_disk_bytes=1).check()
        assert not alerts._is_open("disk", None)

    run(tmp_path, night)
