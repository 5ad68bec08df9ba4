"""The house's hold (win / handle): confidence bands, the loss at a given quantile, and the largest liability."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from roundhouse.lab.numbers import Root, root
from roundhouse.lab.session import Law
from roundhouse.lab.slip import Slip, SlipLimits
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import Pocket
from roundhouse.rules.settlement import Bet

LEVELS = (Fraction(90, 100), Fraction(95, 100), Fraction(99, 100))
NIGHT = Fraction(999, 1000)
"""Default confidence level of ``bad_night``."""


@dataclass(frozen=True, slots=True)
class Band:
    """An interval that contains the hold with probability ``level`` or more."""

    level: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class NormalBand:
    """A normal approximation of the interval, ``mean`` ± ``half``, for round counts too large to compute exactly."""

    level: Fraction
    rounds: int
    mean: Fraction
    half: float


def hold_bands(slip: Slip, law: Law, levels: tuple[Fraction, ...] = LEVELS) -> tuple[Band, ...]:
    """Compute intervals of the house's hold (win / handle) from quantiles of the session distribution."""
    handle = slip.staked * law.rounds

    def band(level: Fraction) -> Band:
        tail = (1 - level) / 2
        return Band(level, Fraction(-law.quantile(1 - tail), handle), Fraction(-law.quantile(tail), handle))

    return tuple(band(level) for level in levels)


def normal_band(slip: Slip, rounds: int, level: Fraction) -> NormalBand:
    z = NormalDist().inv_cdf(float((1 + level) / 2))
    return NormalBand(level, rounds, slip.edge, z * float(hold_deviation(slip, rounds)))


def hold_deviation(slip: Slip, rounds: int) -> Root:
    """Compute the exact standard deviation of the hold over this number of rounds."""
    return root(slip.per_unit.variance / rounds)


def bad_night(law: Law, level: Fraction = NIGHT) -> int:
    """Return the house's loss in cents that is not exceeded with probability ``level``; negative means a win."""
    return law.quantile(level)


@dataclass(frozen=True, slots=True)
class Liability:
    """The most that one player can win from the house in one round, within the table limits."""

    covering: Mapping[Pocket, int]
    """Outcome → player's win in cents with the limit on every position that covers the outcome, and no other bets."""
    whole_layout: Mapping[Pocket, int]
    """Outcome → player's net result in cents with the limit on every position of the layout."""

    @property
    def worst(self) -> int:
        return max(self.covering.values())

    @property
    def worst_outcomes(self) -> tuple[Pocket, ...]:
        """The outcomes with the largest loss of the house: one, or several with the same loss."""
        return tuple(pocket for pocket, cost in self.covering.items() if cost == self.worst)


def covering_bets(layout: Layout, limits: SlipLimits, pocket: Pocket) -> tuple[Bet, ...]:
    """Return the slip that costs the house most for a pocket: the limit on every position that covers it."""
    return tuple(
        Bet(position.id, limits.max_stake_on(position.id)) for position in layout.positions if pocket in position.covers
    )


def liability(layout: Layout, limits: SlipLimits) -> Liability:
    covering = dict.fromkeys(layout.wheel.pockets, 0)
    whole = dict.fromkeys(layout.wheel.pockets, 0)
    for position in layout.positions:
        stake = limits.max_stake_on(position.id)
        for pocket in layout.wheel.pockets:
            if pocket in position.covers:
                covering[pocket] += stake * position.pays
                whole[pocket] += stake * position.pays
            else:
                whole[pocket] -= stake
    return Liability(covering, whole)
