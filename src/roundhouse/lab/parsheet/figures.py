"""The exact figures of a PAR sheet. The JSON sheet and the printed sheets are built from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from roundhouse.lab import minimum_return
from roundhouse.lab.distribution import Distribution, Moments
from roundhouse.lab.dominance import Dominated, dominated
from roundhouse.lab.hold import Liability, liability
from roundhouse.lab.session import FastLaw
from roundhouse.lab.slip import SlipLimits
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import BetType, Cents, Clause, LayoutId, PackageId, PositionId, TerminalId
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Package
from roundhouse.rules.wheel import Wheel

DISTRIBUTION_ROUNDS: Final = (1_000, 10_000)
"""Numbers of rounds with bands from quantiles of the distribution."""
NORMAL_ROUNDS: Final = (100_000, 1_000_000, 10_000_000)
"""Numbers of rounds with bands from the normal approximation."""
LEVEL: Final = Fraction(95, 100)
"""Confidence level of the bands."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of a bet or package."""

    staked: int
    """Units staked: 1 for a bet, the number of pieces for a package."""
    hit: Fraction
    """Probability that at least one piece wins."""
    edge: Fraction
    """House edge per unit staked."""
    moments: Moments
    """Moments of the net result per unit staked."""
    net: Distribution
    """Distribution of the net result of ``staked`` units, in units."""

    @property
    def returned(self) -> Fraction:
        return 1 - self.edge


@dataclass(frozen=True, slots=True)
class BetFigures:
    id: PositionId
    type: BetType
    covers: str
    segments: int
    pays: int
    clause: Clause
    figures: Figures


@dataclass(frozen=True, slots=True)
class BetKind:
    """Positions of one type that cover the same number of segments and pay the same odds."""

    name: str
    count: int
    segments: int
    pays: int
    figures: Figures
    bands: tuple[tuple[Fraction, Fraction], ...]
    """Interval of the return to player at ``LEVEL``, for each of ``DISTRIBUTION_ROUNDS``."""


@dataclass(frozen=True, slots=True)
class PackageKind:
    """Packages of one family with equal figures, such as all Neighbours with two numbers on each side."""

    name: str
    ids: tuple[PackageId, ...]
    made_of: tuple[str, ...]
    """Pieces of each package, in the order of ``ids``."""
    pieces: int
    clause: Clause
    figures: Figures


@dataclass(frozen=True, slots=True)
class LayoutFigures:
    id: LayoutId
    clause: Clause
    pay_table: Clause
    kinds: tuple[BetKind, ...]
    bets: tuple[BetFigures, ...]
    dominated: tuple[Dominated, ...]
    liability: Liability
    """Liability at a limit of one unit on every position."""


@dataclass(frozen=True, slots=True)
class TerminalFigures:
    id: TerminalId
    name: str
    layout: LayoutId
    packages: tuple[PackageKind, ...]


@dataclass(frozen=True, slots=True)
class Par:
    """All figures of one game's PAR sheet."""

    game: Game
    layouts: tuple[LayoutFigures, ...]
    terminals: tuple[TerminalFigures, ...]
    minimum_returns: tuple[minimum_return.MinimumReturnCheck, ...]


def par_of(game: Game) -> Par:
    return Par(
        game,
        tuple(_layout(game, layout) for layout in game.layouts.values()),
        tuple(
            TerminalFigures(
                id, terminal.plan.name, terminal.layout.id, tuple(_packages(terminal.packages, terminal.layout))
            )
            for id, terminal in game.terminals.items()
        ),
        tuple(minimum_return.check(game, profile) for profile in minimum_return.shipped_profiles()),
    )


def figures_of(odds: Odds, wheel: Wheel) -> Figures:
    weights: dict[int, int] = {}
    for pocket, units in odds.returns.items():
        result = units - odds.staked
        weights[result] = weights.get(result, 0) + wheel.segments[pocket]
    net = Distribution(weights)
    moments = net.moments.per(odds.staked)
    assert (moments.mean, moments.variance) == (-odds.edge, odds.variance), (
        "``rules`` and ``lab`` compute the same odds"
    )
    return Figures(odds.staked, odds.win, odds.edge, moments, net)


def _layout(game: Game, layout: Layout) -> LayoutFigures:
    bets = tuple(_bet(game, position) for position in layout.positions)
    return LayoutFigures(
        layout.id,
        layout.clause,
        layout.positions[0].clause,
        tuple(_kinds(bets)),
        bets,
        tuple(dominated(layout)),
        liability(layout, SlipLimits(Cents(1), Cents(1))),
    )


def _bet(game: Game, position: Position) -> BetFigures:
    return BetFigures(
        position.id,
        position.type,
        " ".join(position.covers),
        sum(game.wheel.segments[pocket] for pocket in position.covers),
        position.pays,
        position.clause,
        figures_of(odds_of_position(position, game.wheel), game.wheel),
    )


def _kinds(bets: tuple[BetFigures, ...]) -> Iterator[BetKind]:
    groups: dict[tuple[str, int, int], list[BetFigures]] = {}
    for bet in bets:
        groups.setdefault((bet.type, bet.segments, bet.pays), []).append(bet)
    several = {kind for kind, _, _ in groups if sum(kind == other for other, _, _ in groups) > 1}
    for (kind, segments, pays), group in groups.items():
        first = group[0]
        named = ", ".join(bet.id for bet in group) if len(group) <= 3 else f"{kind} of {segments}"
        name = kind if kind not in several else named
        yield BetKind(name, len(group), segments, pays, first.figures, tuple(_bands(first.figures)))


def _bands(figures: Figures) -> Iterator[tuple[Fraction, Fraction]]:
    tail = (1 - LEVEL) / 2
    for rounds in DISTRIBUTION_ROUNDS:
        law = FastLaw(figures.net, rounds)
        handle = rounds * figures.staked
        yield (1 + Fraction(law.quantile(tail), handle), 1 + Fraction(law.quantile(1 - tail), handle))


def _packages(packages: tuple[Package, ...], layout: Layout) -> Iterator[PackageKind]:
    groups: dict[tuple[object, ...], list[tuple[Package, Odds]]] = {}
    for package in packages:
        odds = odds_of_package(package, layout)
        family, several, _ = package.id.partition(":")
        # Packages of a family with equal figures are printed as one row.
        spread = tuple(sorted((units, layout.wheel.segments[p]) for p, units in odds.returns.items()))
        key = (family, package.total, spread) if several else (package.id,)
        groups.setdefault(key, []).append((package, odds))
    for group in groups.values():
        first, odds = group[0]
        family = first.id.partition(":")[0]
        name = first.name if len(group) == 1 else f"{family}, {first.total} pieces ({len(group)} packages)"
        ids = tuple(package.id for package, _ in group)
        made_of = tuple(_pieces(package) for package, _ in group)
        yield PackageKind(name, ids, made_of, first.total, first.clause, figures_of(odds, layout.wheel))


def _pieces(package: Package) -> str:
    """List the positions of a package, with the number of pieces where it is not 1."""
    return ", ".join(
        piece.position if piece.pieces == 1 else f"{piece.pieces} × {piece.position}" for piece in package.pieces
    )
