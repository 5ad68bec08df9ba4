"""The cheapest mixture of other bets that returns at least as much for every outcome, found exactly.

A linear programme in whole numbers: what it answers is proved by its own certificate, a price for each outcome
under which no bet is worth more than it costs. No float, no solver from elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from roundhouse.rules.names import Pocket


@dataclass(frozen=True, slots=True)
class Mixture:
    cost: Fraction
    stakes: Mapping[int, Fraction]
    """Number of the bet among those offered → stake on it."""
    prices: Mapping[Pocket, Fraction]
    """The certificate: Σ price × wanted is the cost, and no offered bet returns more than it costs at these prices."""


def cheapest(wanted: Mapping[Pocket, int], offered: Sequence[Mapping[Pocket, int]]) -> Mixture | None:
    """``wanted`` and each offer: outcome → what comes back of one unit staked. Nothing, if it cannot be made up at all.

    Solved from the dual side: the dearest prices q ≥ 0 with Σ q(o)·offer(o) ≤ 1 for every offer. All prices 0 are a
    feasible beginning, so there is no first phase; Bland's rule ends it.
    """
    pockets = [pocket for pocket, units in wanted.items() if units]
    rows = [[offer.get(pocket, 0) for pocket in pockets] for offer in offered]
    numbers = [i for i, row in enumerate(rows) if any(row)]
    # Condensed tableau with one common denominator: entries stay whole numbers, and small.
    table = [[*rows[i], 1] for i in numbers]
    goal = [-wanted[pocket] for pocket in pockets] + [0]
    basis, free = [len(pockets) + k for k in range(len(table))], list(range(len(pockets)))
    scale = 1
    while (entering := _entering(goal, free)) is not None:
        leaving = _leaving(table, basis, entering)
        if leaving is None:
            return None
        scale = _pivot(table, goal, leaving, entering, scale)
        basis[leaving], free[entering] = free[entering], basis[leaving]
    stakes = {
        numbers[name - len(pockets)]: Fraction(goal[k], scale)
        for k, name in enumerate(free)
        if name >= len(pockets) and goal[k]
    }
    at = {name: Fraction(table[k][-1], scale) for k, name in enumerate(basis)}
    prices = {pocket: at.get(k, Fraction(0)) for k, pocket in enumerate(pockets)}
    return Mixture(Fraction(goal[-1], scale), stakes, prices)


def _entering(goal: list[int], free: list[int]) -> int | None:
    return min((k for k in range(len(free)) if goal[k] < 0), key=free.__getitem__, default=None)


def _leaving(table: list[list[int]], basis: list[int], entering: int) -> int | None:
    best: int | None = None
    for k, row in enumerate(table):
        if row[entering] <= 0:
            continue
        if best is None:
            best = k
            continue
        compare = row[-1] * table[best][entering] - table[best][-1] * row[entering]
        if compare < 0 or (compare == 0 and basis[k] < basis[best]):
            best = k
    return best


def _pivot(table: list[list[int]], goal: list[int], leaving: int, entering: int, scale: int) -> int:
    """Exchange one variable of the basis, in whole numbers; the new common denominator is the pivot."""
    pivot_row = table[leaving]
    pivot = pivot_row[entering]
    for row in (*table, goal):
        if row is pivot_row:
            continue
        factor = row[entering]
        for column in range(len(row)):
            if column != entering:
                row[column] = (row[column] * pivot - factor * pivot_row[column]) // scale
        row[entering] = -factor
    pivot_row[entering] = scale
    return pivot
