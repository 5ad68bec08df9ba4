"""The house's side: what it holds in the long run and on a night, and the most that it can owe."""

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


@dataclass(frozen=True, slots=True)
class Band:
    """The hold stays within ``low`` and ``high`` with probability ``level`` or more, after so many rounds."""

    level: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class NormalBand:
    """The same by the normal curve, for numbers of rounds that nobody counts: mean ± half."""

    level: Fraction
    rounds: int
    mean: Fraction
    half: float


def hold_bands(slip: Slip, law: Law, levels: tuple[Fraction, ...] = LEVELS) -> tuple[Band, ...]:
    """Bands of the house's hold (win over handle), from quantiles of the counted distribution."""
    handle = slip.staked * law.rounds

    def band(level: Fraction) -> Band:
        tail = (1 - level) / 2
        return Band(level, Fraction(-law.quantile(1 - tail), handle), Fraction(-law.quantile(tail), handle))

    return tuple(band(level) for level in levels)


def normal_band(slip: Slip, rounds: int, level: Fraction) -> NormalBand:
    z = NormalDist().inv_cdf(float((1 + level) / 2))
    return NormalBand(level, rounds, slip.edge, z * float(hold_deviation(slip, rounds)))


def hold_deviation(slip: Slip, rounds: int) -> Root:
    """The standard deviation of the hold after so many rounds, exactly."""
    return root(slip.per_unit.variance / rounds)


def bad_night(law: Law, level: Fraction = NIGHT) -> int:
    """The house loses no more cents than this with probability ``level``; negative where it still wins."""
    return law.quantile(level)


@dataclass(frozen=True, slots=True)
class Liability:
    """What one player can win from the house in one round, betting every limit that helps."""

    covering: Mapping[Pocket, int]
    """For each outcome: all positions that contain it at their limits, and nothing else staked."""
    whole_layout: Mapping[Pocket, int]
    """For each outcome: the player's net result when every position stands at its limit."""

    @property
    def worst(self) -> int:
        return max(self.covering.values())

    @property
    def worst_outcomes(self) -> tuple[Pocket, ...]:
        """All outcomes that cost the house most: several may tie."""
        return tuple(pocket for pocket, owed in self.covering.items() if owed == self.worst)


def covering_bets(layout: Layout, limits: SlipLimits, pocket: Pocket) -> tuple[Bet, ...]:
    """All positions that contain a pocket, each at its limit: the slip that costs the house most there."""
    return tuple(
        Bet(position.id, limits.most_on(position.id)) for position in layout.positions if pocket in position.covers
    )


def liability(layout: Layout, limits: SlipLimits) -> Liability:
    covering = dict.fromkeys(layout.wheel.pockets, 0)
    whole = dict.fromkeys(layout.wheel.pockets, 0)
    for position in layout.positions:
        most = limits.most_on(position.id)
        for pocket in layout.wheel.pockets:
            if pocket in position.covers:
                covering[pocket] += most * position.pays
                whole[pocket] += most * position.pays
            else:
                whole[pocket] -= most
    return Liability(covering, whole)
