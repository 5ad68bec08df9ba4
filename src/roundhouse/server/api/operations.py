"""Routes for monitoring: health, metrics and information about the server."""

from roundhouse import __version__
from roundhouse.config.schema import Guests
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.server.auth import PIT_OR_AUDITOR, PUBLIC, StaffCaller, deny
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.metrics import CONTENT_TYPE, exposition
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
    well = writable and all(tables.values())
    return Response(w.Health(well, "writable" if writable else "unavailable", tables), 200 if well else 503)


@routes.get(
    "/metrics",
    access=PUBLIC,
    media=CONTENT_TYPE,
    problems=(ErrorCode.NOT_LOGGED_IN, ErrorCode.NOT_AUTHORISED, ErrorCode.CONSOLE_IS_LOCKED),
)
async def metrics(request: Request) -> Response[bytes]:
    """Return metrics in the Prometheus text format."""
    from_monitor = request.local or request.service.settings.metrics_from_anywhere
    if not from_monitor and (problem := deny(PIT_OR_AUDITOR, request.caller, None)):
        raise HttpRefusal(problem, "metrics are only for requests from this machine, the pit and the auditor")
    measure(request.service)
    text = exposition(request.service.metrics.families())
    return Response(text.encode())


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
        heads = {id: store.head(id) for id in (*service.floor.tables, HOUSE_CHAIN)}
    finally:
        store.close()
    return tuple(w.ChainHead(id, head.seq, head.hash.hex()) for id, head in heads.items())
