"""Ranks bets by the house edge and finds dominated bets.

A bet is *dominated* when other bets of the same layout cost less in total and return at least as much for every
outcome, or when one other bet with the same stake never returns less and returns more for some outcome. An exact linear
programme in integers finds the cheapest mixture of other bets and a certificate of its optimality.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import PackageId, Pocket, PositionId
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal


@dataclass(frozen=True, slots=True)
class Mixture:
    """The cheapest mixture of offered bets."""

    cost: Fraction
    stakes: Mapping[int, Fraction]
    """Index of an offered bet → stake on it."""
    prices: Mapping[Pocket, Fraction]
    """Certificate of optimality: Σ price × wanted = cost, and Σ price × return ≤ 1 for every offered bet."""


def cheapest(wanted: Mapping[Pocket, int], offered: Sequence[Mapping[Pocket, int]]) -> Mixture | None:
    """Find the cheapest mixture that returns at least ``wanted`` for every outcome; None if there is none.

    ``wanted`` maps outcomes to units returned; each offer maps outcomes to the return of one unit staked. Solves the
    dual: maximise Σ q(o)·wanted(o) over prices q ≥ 0 with Σ q(o)·offer(o) ≤ 1 for every offer. All prices 0 are
    feasible, so the simplex method needs no first phase. Bland's rule guarantees termination.
    """
    pockets = [pocket for pocket, units in wanted.items() if units]
    rows = [[offer.get(pocket, 0) for pocket in pockets] for offer in offered]
    numbers = [i for i, row in enumerate(rows) if any(row)]
    # The condensed tableau has a common denominator, so that all entries are integers and stay small.
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
    """Swap one basis variable in integer arithmetic. Returns the pivot, which is the new common denominator."""
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


@dataclass(frozen=True, slots=True)
class Ranked:
    rank: int
    """Counted from 1. Bets with equal edge share a rank."""
    id: PositionId | PackageId
    odds: Odds


@dataclass(frozen=True, slots=True)
class Dominated:
    """A dominated bet and the bets that dominate it."""

    id: PositionId | PackageId
    cost: Fraction
    """Total stake on the better bets per unit staked on this bet; 1 if they cost the same and return more."""
    by: Mapping[PositionId, Fraction]
    """Better bet → stake on it per unit staked on this bet."""


def rank(table: Mapping[PositionId | PackageId, Odds]) -> tuple[Ranked, ...]:
    """Sort bets by edge, the smallest first, and equal edges by variance."""
    edges = sorted({odds.edge for odds in table.values()})
    ranks = {edge: number for number, edge in enumerate(edges, start=1)}
    in_order = sorted(table.items(), key=lambda item: (item[1].edge, item[1].variance))
    return tuple(Ranked(ranks[odds.edge], id, odds) for id, odds in in_order)


def odds_of(layout: Layout, terminal: Terminal | None = None) -> dict[PositionId | PackageId, Odds]:
    """Compute the odds of the layout's positions, then of the terminal's packages."""
    table: dict[PositionId | PackageId, Odds] = {
        position.id: odds_of_position(position, layout.wheel) for position in layout.positions
    }
    for package in terminal.packages if terminal else ():
        table[package.id] = odds_of_package(package, layout)
    return table


def dominated(layout: Layout, terminal: Terminal | None = None) -> Iterator[Dominated]:
    offers: dict[PositionId, dict[Pocket, int]] = {
        position.id: dict.fromkeys(position.covers, position.pays + 1) for position in layout.positions
    }
    for id, odds in odds_of(layout, terminal).items():
        others = {other: offer for other, offer in offers.items() if other != id}
        if found := _better(id, odds, others):
            yield found


def _better(
    id: PositionId | PackageId, odds: Odds, others: Mapping[PositionId, Mapping[Pocket, int]]
) -> Dominated | None:
    names = list(others)
    mixture = cheapest(odds.returns, list(others.values()))
    if mixture is not None and mixture.cost < odds.staked:
        by = {names[number]: stake / odds.staked for number, stake in mixture.stakes.items()}
        return Dominated(id, mixture.cost / odds.staked, by)
    for name, offer in others.items():
        more = [offer.get(pocket, 0) * odds.staked - units for pocket, units in odds.returns.items()]
        if min(more) >= 0 and max(more) > 0:
            return Dominated(id, Fraction(1), {name: Fraction(1)})
    return None
