"""A simulation from its plan to its figures, with what is exactly known beside them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.distribution import Distribution, lattice_of
from roundhouse.lab.laws import session
from roundhouse.lab.ruin import Fate, fate
from roundhouse.lab.session import TooLarge
from roundhouse.lab.simulate import estimates
from roundhouse.lab.simulate.chunks import chunks_of, play_chunk
from roundhouse.lab.simulate.estimates import Estimate, Measure
from roundhouse.lab.simulate.plan import Plan
from roundhouse.lab.simulate.play import Ending
from roundhouse.lab.simulate.running import Report, run_local, run_on_cluster
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.lab.simulate.tally import Tally

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Simulation:
    plan: Plan
    level: float
    tally: Tally
    estimates: tuple[Estimate, ...]


def simulate(
    plan: Plan, *, workers: int = 1, cluster: str | None = None, level: float = 0.95, report: Report | None = None
) -> Simulation:
    chunks = chunks_of(plan)
    results: Iterator[NDArray[np.int64]]
    if cluster is None:
        results = run_local(play_chunk, plan, len(chunks), workers, report)
    else:
        results = run_on_cluster(play_chunk, plan, len(chunks), cluster, report)
    tally = Tally(*_grid(plan))
    for rows in results:
        tally.add(rows, chunks.blocks)
    return Simulation(plan, level, tally, tuple(_figures(plan, tally, level)))


def _grid(plan: Plan) -> tuple[int, int]:
    """One result that a session can have, and the largest step by which every other differs from it."""
    if not plan.plain:
        return 0, gcd(*plan.nets) or 1
    lattice = lattice_of(one_round_of(plan))
    return lattice.lowest * plan.parameter * plan.rounds, lattice.unit * plan.parameter


def one_round_of(plan: Plan) -> Distribution:
    weights: dict[int, int] = {}
    for net in plan.nets:
        weights[net] = weights.get(net, 0) + 1
    return Distribution(weights)


def _figures(plan: Plan, tally: Tally, level: float) -> Iterator[Estimate]:
    one = one_round_of(plan)
    edge = -one.moments.mean / plan.staked
    # Whatever system is played, the house's expected win is the edge times the expected handle.
    yield estimates.hold("hold (house win over handle)", tally.by_piece, level, edge)
    flat = plan.system is Strategy.FLAT
    unit = plan.parameter if flat else 1
    expected = one.moments.mean * plan.rounds * unit if plan.plain else None
    if tally.sessions < 2:  # one session tells nothing of the scatter of sessions
        return
    yield estimates.mean("net result of a session", tally.by_session, 0, level, expected, measure=Measure.CENTS)
    ahead = _quick(lambda: session(one, plan.rounds).at_least(1)) if plan.plain else None
    yield estimates.share("ends ahead", tally.ahead, tally.sessions, level, ahead)
    if plan.stops.none:
        return
    known = _fate(plan, one) if flat and unit == 1 and plan.stops.stop_loss is None else None
    for ending in (Ending.RUIN, Ending.TARGET, Ending.STOP_LOSS):
        if _possible(plan, ending):
            exact = None if known is None else {Ending.RUIN: known.ruined, Ending.TARGET: known.reached}.get(ending)
            name = {Ending.RUIN: "is ruined", Ending.TARGET: "reaches the target"}.get(ending, "stops its loss")
            yield estimates.share(name, tally.endings[ending], tally.sessions, level, exact)
    yield estimates.mean("rounds of a session", tally.by_session, 2, level, measure=Measure.COUNT)
    yield estimates.mean("handle of a session", tally.by_session, 1, level, measure=Measure.CENTS)


def _possible(plan: Plan, ending: Ending) -> bool:
    stops = plan.stops
    given = {Ending.RUIN: stops.bankroll, Ending.TARGET: stops.target, Ending.STOP_LOSS: stops.stop_loss}
    return given[ending] is not None


def _fate(plan: Plan, one: Distribution) -> Fate | None:
    bankroll, target = plan.stops.bankroll, plan.stops.target
    if bankroll is None:
        return None
    return _quick(lambda: fate(one, plan.staked, bankroll, plan.rounds, target))


def _quick(compute: Callable[[], T]) -> T | None:
    """The exact value where it can be had."""
    try:
        return compute()
    except TooLarge:
        return None
