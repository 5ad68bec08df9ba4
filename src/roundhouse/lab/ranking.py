"""Every position and package by the house's edge, and which of them nobody should make.

A bet is *dominated* when other bets of the same layout, with a smaller stake in all, return at least as much
for every outcome; or when one other bet returns nowhere less and somewhere more for the same stake.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from roundhouse.lab.replication import cheapest
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import PackageId, Pocket, PositionId
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal


@dataclass(frozen=True, slots=True)
class Ranked:
    rank: int
    """Bets with one edge share a rank."""
    id: PositionId | PackageId
    odds: Odds


@dataclass(frozen=True, slots=True)
class Dominated:
    id: PositionId | PackageId
    cost: Fraction
    """What the better bets cost for each unit staked on this one; 1 where they cost the same and return more."""
    by: Mapping[PositionId, Fraction]
    """The better bets, as parts of one unit."""


def rank(table: Mapping[PositionId | PackageId, Odds]) -> tuple[Ranked, ...]:
    """From the smallest edge to the largest; among equals the less volatile first."""
    edges = sorted({odds.edge for odds in table.values()})
    ranks = {edge: number for number, edge in enumerate(edges, start=1)}
    in_order = sorted(table.items(), key=lambda item: (item[1].edge, item[1].variance))
    return tuple(Ranked(ranks[odds.edge], id, odds) for id, odds in in_order)


def odds_of(layout: Layout, terminal: Terminal | None = None) -> dict[PositionId | PackageId, Odds]:
    """Positions of the layout, then the packages of the terminal."""
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
