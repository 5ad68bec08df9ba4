"""Running the house: is it well, how much does it do, what is it. For machines that watch, and for consoles."""

from roundhouse import __version__
from roundhouse.config.schema import Guests
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.server.auth import ANYBODY, PIT_OR_AUDITOR, StaffCaller, deny
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.metrics import CONTENT_TYPE, exposition
from roundhouse.server.routing import Request, Response, Returns, Routes
from roundhouse.wire import operations as w
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="operations")


@routes.get("/healthz", access=ANYBODY, returns=(Returns(w.Health), Returns(w.Health, 503, about="It is not.")))
async def healthz(asking: Request) -> Response[w.Health]:
    """Is the house well?

    Whether the journal can be written and every table's writer is alive.
    """
    service = asking.service
    writable = service.journal_writable()
    tables = {id: table.running for id, table in service.floor.tables.items()}
    well = writable and all(tables.values())
    return Response(w.Health(well, "writable" if writable else "unavailable", tables), 200 if well else 503)


@routes.get(
    "/metrics",
    access=ANYBODY,
    media=CONTENT_TYPE,
    problems=(ErrorCode.NOT_LOGGED_IN, ErrorCode.NOT_AUTHORISED, ErrorCode.CONSOLE_IS_LOCKED),
)
async def metrics(asking: Request) -> Response[bytes]:
    """Metrics in Prometheus' text format."""
    watches = asking.local or asking.service.settings.metrics_from_anywhere
    if not watches and (problem := deny(PIT_OR_AUDITOR, asking.caller, None)):
        raise HttpRefusal(problem, "from this machine, or for the pit and the auditor")
    measure(asking.service)
    text = exposition(asking.service.metrics.families())
    return Response(text.encode())


def measure(service: ServerContext) -> None:
    """What is read off the tables when somebody looks; the rest is counted as it happens."""
    found = service.metrics
    for id, table in service.floor.tables.items():
        meters = table.projection.state.meters
        found.rounds.set(id, to=meters.rounds)
        found.voids.set(id, to=meters.voids)
        found.corrections.set(id, to=meters.corrections)
        found.late.set(id, to=meters.late_bets)
        found.entries.set(id, to=table.projection.version)
        found.up.set(id, to=int(table.running))
    found.journal.set(to=service.journal_bytes())
    found.commits.replace(service.commit_times.counts, service.commit_times.seconds)


@routes.get("/api/house", access=ANYBODY)
async def house(asking: Request) -> w.HouseInfo:
    """The house: its version, its self-check, and for staff where its chains end."""
    service = asking.service
    configuration = service.house.config
    chains = await service.run_in_thread(_heads, service) if isinstance(asking.caller, StaffCaller) else ()
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
