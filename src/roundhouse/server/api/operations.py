"""Routes for monitoring: health, metrics and information about the server."""

import platform
from collections import Counter
from typing import Final, Literal

import apsw

from roundhouse import __version__
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.config.schema import Guests
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.names import HOUSE_CHAIN, Severity
from roundhouse.server.auth import PIT_OR_AUDITOR, PUBLIC, StaffCaller, deny
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.metrics import OPENMETRICS, TEXT, accepts_openmetrics, exposition, openmetrics
from roundhouse.server.routing import Request, Response, Returns, Routes
from roundhouse.wire import operations as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="operations")


@routes.get("/healthz", access=PUBLIC, returns=(Returns(w.Health), Returns(w.Health, 503, about="Not healthy.")))
async def healthz(request: Request) -> Response[w.Health]:
    """Report whether the journal is writable and the writer of every table is running."""
    service = request.service
    writable = service.journal_writable()
    tables = {id: table.running for id, table in service.floor.tables.items()}
    wheels = {id: ready for id, table in service.floor.tables.items() if (ready := table.wheel_ready) is not None}
    well = writable and all(tables.values())
    stopping, clock_ahead = service.stop_notice is not None, service.clock_ahead()
    health = w.Health(well, "writable" if writable else "unavailable", tables, wheels, stopping, clock_ahead)
    return Response(health, 200 if well else 503)


@routes.get("/livez", access=PUBLIC)
async def livez(request: Request) -> w.Liveness:
    """Report that the process is alive and answers requests."""
    return w.Liveness()


@routes.get(
    "/readyz", access=PUBLIC, returns=(Returns(w.Readiness), Returns(w.Readiness, 503, about="Not ready for clients."))
)
async def readyz(request: Request) -> Response[w.Readiness]:
    """Report whether clients should connect, and the readiness of each table and wheel.

    The answer is 503 while the house stops or its journal cannot be written.
    """
    service = request.service
    writable, stopping = service.journal_writable(), service.stop_notice is not None
    tables = {
        id: w.TableReadiness(table.running, _WHEEL_WORDS[table.wheel_ready])
        for id, table in service.floor.tables.items()
    }
    ready = writable and not stopping and any(table.running for table in tables.values())
    readiness = w.Readiness(ready, stopping, "writable" if writable else "unavailable", tables)
    return Response(readiness, 200 if ready else 503)


_WHEEL_WORDS: Final[dict[bool | None, Literal["none", "ready", "out"]]] = {None: "none", True: "ready", False: "out"}


@routes.get(
    "/metrics",
    access=PUBLIC,
    returns=(Returns(media=TEXT), Returns(media=OPENMETRICS, about="If the header Accept names OpenMetrics.")),
    problems=(ErrorCode.NOT_LOGGED_IN, ErrorCode.NOT_AUTHORISED, ErrorCode.CONSOLE_IS_LOCKED),
)
async def metrics(request: Request) -> Response[bytes]:
    """Return metrics in the OpenMetrics format if the client accepts it, else in the Prometheus text format."""
    from_monitor = request.local or request.service.settings.metrics_from_anywhere
    if not from_monitor and (problem := deny(PIT_OR_AUDITOR, request.caller, None)):
        raise HttpRefusal(problem, "metrics are only for requests from this machine, the pit and the auditor")
    measure(request.service)
    families = request.service.metrics.families()
    if accepts_openmetrics(request.headers.get("accept", "")):
        return Response(openmetrics(families).encode(), media=OPENMETRICS)
    return Response(exposition(families).encode())


def measure(service: ServerContext) -> None:
    """Copy the meters of the tables and the journal's size to the metrics. Other metrics are counted as they occur."""
    metrics = service.metrics
    for id, table in service.floor.tables.items():
        meters = table.projection.state.meters
        metrics.rounds.set(id, to=meters.rounds)
        metrics.voids.set(id, to=meters.voids)
        metrics.corrections.set(id, to=meters.corrections)
        metrics.late_bets.set(id, to=meters.late_bets)
        metrics.entries.set(id, to=table.projection.version)
        metrics.running.set(id, to=int(table.running))
        if (ready := table.wheel_ready) is not None:
            metrics.wheels.set(id, to=int(ready))
    alerts = Counter(alert.severity for alert in service.house.alerts().values())
    for severity in Severity:
        metrics.alerts.set(severity, to=alerts[severity])
    metrics.proposals.set(to=len(service.house.approvals.waiting(service.clock())))
    metrics.uptime.set(to=service.uptime_seconds())
    metrics.stopping.set(to=int(service.stop_notice is not None))
    metrics.clock_ahead.set(to=service.clock_ahead() / 1000)
    metrics.disk_free.set(to=service.disk_free_bytes())
    if (ends := service.certificate_ends()) is not None:
        metrics.certificate.set(to=(ends - service.clock()) // 1000)
    if (saved := service.last_backup()) is not None:
        metrics.backup.set(to=saved / 1000)
    metrics.build.set(__version__, platform.python_version(), apsw.sqlite_lib_version(), to=1)
    metrics.journal.set(to=service.journal_bytes())
    metrics.commits.replace(service.commit_times.counts, service.commit_times.seconds)


@routes.get("/api/house", access=PUBLIC)
async def house(request: Request) -> w.HouseInfo:
    """Return the server's version and self-check and, for staff, the head of each hash chain."""
    service = request.service
    configuration = service.house.config
    chains = await service.run_in_thread(_heads, service) if isinstance(request.caller, StaffCaller) else ()
    return w.HouseInfo(
        configuration.plan.house.name,
        __version__,
        service.clock(),
        configuration.plan.house.currency,
        configuration.plan.house.time_zone,
        configuration.guests is not Guests.NOBODY,
        service.self_check,
        chains,
    )


def _heads(service: ServerContext) -> tuple[w.ChainHead, ...]:
    store = SqliteStore(service.floor.journal, read_only=True)
    try:
        heads = {id: store.head(id) for id in (*service.floor.tables, HOUSE_CHAIN, CAGE_CHAIN)}
    finally:
        store.close()
    return tuple(
        w.ChainHead(id, head.seq, head.hash.hex()) for id, head in heads.items() if head.seq or id != CAGE_CHAIN
    )
