"""Simulation of many evenings on a floor: the house's handle, hold, win and exposure."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate import estimates, evening
from roundhouse.lab.simulate.estimates import Estimate, Measure
from roundhouse.lab.simulate.runner import Report, run_local, run_on_cluster
from roundhouse.lab.simulate.scenario import BadScenario, Scenario, limits_of, parameter_of
from roundhouse.lab.simulate.strategies import Strategy
from roundhouse.lab.simulate.tally import Scatter, even_edges
from roundhouse.lab.slip import Slip
from roundhouse.rules.wheel import Wheel

_CHUNK: Final = 8
_MAX_EVENINGS: Final = 1_000_000
_MAX_SUM: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """A scenario in the form that the compiled kernel reads."""

    guests: tuple[tuple[int, ...], ...]
    """One row per kind of player; ``evening`` names the columns."""
    returns: tuple[tuple[int, ...], ...]
    """Cents returned on one slip, for each kind of player and each pocket."""
    pocket_of: tuple[int, ...]
    """Segment of the rim → index of its pocket."""
    tables: int
    seats: int
    rounds: int
    arriving: float
    """Mean number of arriving guests per round."""
    evenings: int
    seed: int


@dataclass(frozen=True, slots=True)
class Floor:
    """The result of a floor simulation."""

    evenings: NDArray[np.int64]
    """One row per evening: the columns that ``evening`` names, then the handle of each kind of player."""
    edges: tuple[Fraction, ...]
    """House edge of the slip of each kind of player."""
    estimates: tuple[Estimate, ...]

    @property
    def expected_hold(self) -> Fraction:
        """Expected hold, exact for the simulated handle of each kind of player."""
        handles = [int(total) for total in self.evenings[:, evening.COLUMNS :].sum(axis=0)]
        whole = sum(handles)
        return sum((edge * handle for edge, handle in zip(self.edges, handles)), Fraction(0)) / max(1, whole)

    def quantile(self, column: int, level: float) -> int:
        return int(np.quantile(self.evenings[:, column], level, method="inverted_cdf"))

    def histogram(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the counts and the edges of a histogram."""
        values = self.evenings[:, column]
        edges = even_edges(int(values.min()), int(values.max()), int(np.gcd.reduce(values - values[0])) or 1, 60)
        return np.histogram(values, bins=edges)[0], edges


def make_floor_plan(scenario: Scenario, slips: list[Slip], wheel: Wheel, evenings: int, seed: int) -> FloorPlan:
    if not 1 <= evenings <= _MAX_EVENINGS:
        raise BadScenario(f"the number of evenings must be 1 to {_MAX_EVENINGS}, not {evenings}")
    if not 0 <= seed < 1 << 64:
        raise BadScenario(f"the seed must be a whole number from 0 to 2^64 - 1, not {seed}")
    limits = limits_of(scenario)
    guests, returns = [], []
    for guest, slip in zip(scenario.players, slips):
        units = min(limits.max_stake_on(bet.position) // bet.stake for bet in slip.bets)
        worst = max(slip.staked, *slip.returns.values()) * units * scenario.rounds * scenario.tables * scenario.seats
        if worst >= _MAX_SUM:
            raise BadScenario(f"the stakes of player '{guest.name}' could exceed 64-bit sums; lower the limits")
        kind = list(Strategy).index(guest.strategy) + 1
        row = (kind, parameter_of(guest), slip.staked, units, guest.bankroll, guest.target or 0)
        guests.append((*row, guest.stay_rounds, guest.weight))
        returns.append(tuple(slip.returns[pocket] for pocket in wheel.pockets))
    return FloorPlan(
        tuple(guests),
        tuple(returns),
        tuple(wheel.rank[pocket] for pocket in wheel.order),
        scenario.tables,
        scenario.seats,
        scenario.rounds,
        scenario.arrivals_per_hour / scenario.rounds_per_hour,
        evenings,
        seed,
    )


def play_floor_chunk(plan: FloorPlan, number: int) -> NDArray[np.int64]:
    first = number * _CHUNK
    out = np.zeros((min(_CHUNK, plan.evenings - first), evening.COLUMNS + len(plan.guests)), dtype=np.int64)
    evening.play_evenings(
        np.array(plan.guests, dtype=np.int64),
        np.array(plan.returns, dtype=np.int64),
        np.array(plan.pocket_of, dtype=np.int64),
        plan.tables,
        plan.seats,
        plan.rounds,
        plan.arriving,
        np.uint64(plan.seed),
        first,
        out,
    )
    return out


def run_floor(
    plan: FloorPlan,
    edges: tuple[Fraction, ...],
    *,
    workers: int = 1,
    cluster: str | None = None,
    level: float = 0.95,
    report: Report | None = None,
) -> Floor:
    count = -(-plan.evenings // _CHUNK)
    if cluster is None:
        results = run_local(play_floor_chunk, plan, count, workers, report)
    else:
        results = run_on_cluster(play_floor_chunk, plan, count, cluster, report)
    rows = np.concatenate(list(results))
    return Floor(rows, edges, tuple(_figures(rows, edges, level)))


def _figures(rows: NDArray[np.int64], edges: tuple[Fraction, ...], level: float) -> Iterator[Estimate]:
    scatter = Scatter()
    played = np.zeros((len(rows), 7), dtype=np.int64)
    played[:, 0], played[:, 3], played[:, 4] = -rows[:, evening.WIN], rows[:, evening.HANDLE], rows[:, evening.SPINS]
    scatter.add(played)
    common_edge = edges[0] if len(set(edges)) == 1 else None
    yield estimates.hold("hold (house win over handle)", scatter, level, common_edge)
    for name, column, measure in (
        ("handle of an evening", evening.HANDLE, Measure.CENTS),
        ("win of an evening", evening.WIN, Measure.CENTS),
        ("largest table exposure", evening.PEAK, Measure.CENTS),
        ("largest floor exposure", evening.FLOOR_PEAK, Measure.CENTS),
        ("guests served", evening.SERVED, Measure.COUNT),
        ("guests turned away", evening.TURNED_AWAY, Measure.COUNT),
        ("spins", evening.SPINS, Measure.COUNT),
    ):
        one = Scatter()
        values = np.zeros((len(rows), 7), dtype=np.int64)
        values[:, 0] = rows[:, column]
        one.add(values)
        yield estimates.mean(name, one, 0, level, measure=measure)
