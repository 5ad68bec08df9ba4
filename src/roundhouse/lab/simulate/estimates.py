"""Runs a simulation and estimates its figures, with confidence intervals and, where known, exact values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import gcd, sqrt
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.distribution import Distribution, lattice_of
from roundhouse.lab.numbers import Chance
from roundhouse.lab.ruin import RuinChances, ruin_within
from roundhouse.lab.session import TooLarge
from roundhouse.lab.simulate.chunks import chunks_of, play_chunk
from roundhouse.lab.simulate.plan import SimulationPlan
from roundhouse.lab.simulate.runner import Report, run_local, run_on_cluster
from roundhouse.lab.simulate.sessions import Ending
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.lab.simulate.tally import Scatter, Tally
from roundhouse.lab.sparse import session

_NET, _HANDLE, _ROUNDS = range(3)


class Measure(StrEnum):
    """Unit of an estimate: a share of 1, cents or a count."""

    SHARE = "share"
    CENTS = "cents"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with the bounds of its confidence interval."""

    name: str
    value: float
    low: float
    high: float
    exact: Fraction | Chance | None = None
    measure: Measure = Measure.SHARE

    @property
    def covers(self) -> bool | None:
        """Whether the interval contains the exact value; None if that is not known."""
        if self.exact is None:
            return None
        exact = self.exact.value if isinstance(self.exact, Chance) else self.exact
        return self.low <= exact <= self.high


def student(level: float, freedom: int) -> float:
    """Compute the two-sided quantile of Student's t by its expansion about the normal distribution.

    >>> round(student(0.95, 10), 2), round(student(0.99, 30), 2)
    (2.23, 2.75)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def mean(
    name: str, scatter: Scatter, column: int, level: float, exact: Fraction | None = None, *, measure: Measure
) -> Estimate:
    value, count = float(scatter.mean[column]), scatter.count
    if count < 2:
        return Estimate(name, value, float("-inf"), float("inf"), exact, measure)
    spread = sqrt(max(0.0, float(scatter.products[column, column])) / (count - 1) / count)
    half = student(level, count - 1) * spread
    return Estimate(name, value, value - half, value + half, exact, measure)


def hold(name: str, scatter: Scatter, level: float, exact: Fraction | None = None) -> Estimate:
    """Estimate the hold (house win / handle) with the interval of the ratio estimator."""
    handle, count = float(scatter.mean[_HANDLE]), scatter.count
    value = -float(scatter.mean[_NET]) / handle if handle else 0.0
    if count < 2 or not handle:
        return Estimate(name, value, float("-inf"), float("inf"), exact)
    products = scatter.products
    # Variance of net + value × handle, which has mean 0.
    spread = products[_NET, _NET] + 2 * value * products[_NET, _HANDLE] + value**2 * products[_HANDLE, _HANDLE]
    half = student(level, count - 1) * sqrt(max(0.0, float(spread)) / (count - 1) / count) / handle
    return Estimate(name, value, value - half, value + half, exact)


def share(name: str, hits: int, of: int, level: float, exact: Chance | None = None) -> Estimate:
    """Estimate a probability with Wilson's interval, which is reliable near 0 and 1 too."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    found = hits / of
    middle = (found + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(found * (1 - found) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Estimate(name, found, max(0.0, middle - half), min(1.0, middle + half), exact)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Simulation:
    plan: SimulationPlan
    level: float
    tally: Tally
    estimates: tuple[Estimate, ...]


def simulate(
    plan: SimulationPlan,
    *,
    workers: int = 1,
    cluster: str | None = None,
    level: float = 0.95,
    report: Report | None = None,
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


def _grid(plan: SimulationPlan) -> tuple[int, int]:
    """Return one possible net result of a session, and the largest step that divides all differences from it."""
    if not plan.plain:
        return 0, gcd(*plan.nets) or 1
    lattice = lattice_of(one_round_of(plan))
    return lattice.lowest * plan.parameter * plan.rounds, lattice.unit * plan.parameter


def one_round_of(plan: SimulationPlan) -> Distribution:
    weights: dict[int, int] = {}
    for net in plan.nets:
        weights[net] = weights.get(net, 0) + 1
    return Distribution(weights)


def _figures(plan: SimulationPlan, tally: Tally, level: float) -> Iterator[Estimate]:
    one = one_round_of(plan)
    edge = -one.moments.mean / plan.staked
    # For every betting system, the house's expected win is the edge times the expected handle.
    yield hold("hold (house win over handle)", tally.by_piece, level, edge)
    flat = plan.system is Strategy.FLAT
    unit = plan.parameter if flat else 1
    expected = one.moments.mean * plan.rounds * unit if plan.plain else None
    if tally.sessions < 2:  # The variance needs two sessions or more.
        return
    yield mean("net result of a session", tally.by_session, 0, level, expected, measure=Measure.CENTS)
    ahead = _quick(lambda: session(one, plan.rounds).at_least(1)) if plan.plain else None
    yield share("ends ahead", tally.ahead, tally.sessions, level, ahead)
    if plan.stops.none:
        return
    known = _ruin(plan, one) if flat and unit == 1 and plan.stops.stop_loss is None else None
    for ending in (Ending.RUIN, Ending.TARGET, Ending.STOP_LOSS):
        if _possible(plan, ending):
            exact = None if known is None else {Ending.RUIN: known.ruined, Ending.TARGET: known.reached}.get(ending)
            name = {Ending.RUIN: "is ruined", Ending.TARGET: "reaches the target"}.get(ending, "stops its loss")
            yield share(name, tally.endings[ending], tally.sessions, level, exact)
    yield mean("rounds of a session", tally.by_session, 2, level, measure=Measure.COUNT)
    yield mean("handle of a session", tally.by_session, 1, level, measure=Measure.CENTS)


def _possible(plan: SimulationPlan, ending: Ending) -> bool:
    stops = plan.stops
    given = {Ending.RUIN: stops.bankroll, Ending.TARGET: stops.target, Ending.STOP_LOSS: stops.stop_loss}
    return given[ending] is not None


def _ruin(plan: SimulationPlan, one: Distribution) -> RuinChances | None:
    bankroll, target = plan.stops.bankroll, plan.stops.target
    if bankroll is None:
        return None
    return _quick(lambda: ruin_within(one, plan.staked, bankroll, plan.rounds, target))


def _quick(compute: Callable[[], T]) -> T | None:
    """Compute an exact value; None if it would take too much time or memory."""
    try:
        return compute()
    except TooLarge:
        return None
