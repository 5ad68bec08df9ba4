"""Routes that report the health of a wheel, from its recorded results and from its connection."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from roundhouse.drawing.charts import Bar, draw_counts
from roundhouse.floor.access import TableAccess
from roundhouse.rules.names import Pocket
from roundhouse.server import history
from roundhouse.server.api.tables import TablePath, find_table, projection_of
from roundhouse.server.auth import PIT_OR_AUDITOR
from roundhouse.server.context import ServerContext
from roundhouse.server.routing import SVG, Request, Response, Routes
from roundhouse.table.names import RoundNumber
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.health.report import results_of
from roundhouse.wire import operations as w
from roundhouse.wire.problems import ErrorCode

MAX_RESULTS = 20_000
_COST = 40
routes = Routes(tag="tables")


class WheelHealthQuery(Struct, frozen=True, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=1, le=MAX_RESULTS)] = 2_000
    """Number of latest rounds to evaluate."""


@routes.get("/api/tables/{table}/wheel", access=PIT_OR_AUDITOR, problems=(ErrorCode.NO_SUCH_THING,), cost=_COST)
async def wheel_health(request: Request[TablePath, WheelHealthQuery]) -> w.WheelHealth:
    """Report statistical tests of the wheel's last results, and the status of its connection."""
    return await _health(request)


@routes.get(
    "/api/tables/{table}/wheel.svg", access=PIT_OR_AUDITOR, media=SVG, problems=(ErrorCode.NO_SUCH_THING,), cost=_COST
)
async def plot_of_wheel(request: Request[TablePath, WheelHealthQuery]) -> Response[bytes]:
    """Draw the observed and the expected count of each pocket as SVG."""
    found = await _health(request)
    title = f"{found.table}: {found.spins} spins"
    drawn = draw_counts([Bar(one.pocket, one.count, one.expected) for one in found.pockets], found.spins, title)
    return Response(drawn.encode())


async def _health(request: Request[TablePath, WheelHealthQuery]) -> w.WheelHealth:
    table = find_table(request.service, request.path.table)
    last = projection_of(table).state.round
    # The event loop updates the counters of the wheel's line, so they are read in the event loop and not in the thread.
    return await request.service.run_in_thread(
        _evaluate, request.service, table, last, request.query.count, table.line()
    )


def _evaluate(
    service: ServerContext, table: TableAccess, last: RoundNumber, count: int, line: w.WheelLineInfo | None
) -> w.WheelHealth:
    game = table.game
    known = history.outcomes(service.floor.journal, table.id, last, count, game.hash)
    found = results_of(game.rulebook, codes_for(game.wheel), [outcome for _, outcome in known])
    return w.WheelHealth(
        table=table.id,
        game=game.id,
        rulebook=game.hash,
        first=known[0][0] if known else None,
        last=known[-1][0] if known else None,
        spins=found.spins,
        voids=found.voids,
        pockets=_pockets(table, found.counts, found.spins),
        findings=tuple(w.WheelFinding(one.question, one.chance, one.suspicious, one.words) for one in found.findings),
        power=found.power,
        line=line,
    )


def _pockets(table: TableAccess, counts: Mapping[Pocket, int], spins: int) -> tuple[w.PocketCount, ...]:
    wheel = table.game.wheel
    order = wheel.order if len(wheel.order) == len(wheel.pockets) else wheel.pockets
    total = len(wheel.order)
    return tuple(
        w.PocketCount(pocket, wheel.segments[pocket], counts.get(pocket, 0), spins * wheel.segments[pocket] / total)
        for pocket in order
    )
