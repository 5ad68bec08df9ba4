"""Slips and table limits.

A slip is a set of bets and their return for each outcome. A package counts as its pieces. Bets on the same position
are added, because a limit applies to the total stake on a position. The house sets the limits, not the rulebook.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from roundhouse.lab.distribution import Distribution, Moments
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, Pocket, PositionId, type_of
from roundhouse.rules.packages import Package
from roundhouse.rules.settlement import Bet, NoSuchBet, make_bet

_ONE: Final = Cents(1)


class OutsideLimits(UserError):
    """A stake outside the table limits, or limits that are not valid."""


@dataclass(frozen=True, slots=True)
class SlipLimits:
    """The smallest and the largest total stake on one position, in cents."""

    least: Cents = _ONE
    most: Cents = MAX_STAKE_CENTS
    by_type: Mapping[BetType, Cents] = field(default_factory=dict)
    """Largest stake on one position of a bet type, where it differs from ``most``."""

    def __post_init__(self) -> None:
        for most in (self.most, *self.by_type.values()):
            if not 0 < self.least <= most <= MAX_STAKE_CENTS:
                raise OutsideLimits(
                    f"the table limits {self.least} to {most} cents are not valid; use a minimum of at least 1 that "
                    f"does not exceed the maximum, and a maximum of at most {MAX_STAKE_CENTS}"
                )

    def max_stake_on(self, position: PositionId) -> Cents:
        return self.by_type.get(type_of(position), self.most)

    def admit(self, bet: Bet) -> None:
        most = self.max_stake_on(bet.position)
        if not self.least <= bet.stake <= most:
            side = f"over the limit of {most}" if bet.stake > most else f"below the minimum of {self.least}"
            raise OutsideLimits(f"{bet.stake} cents on {bet.position} is {side} cents")


@dataclass(frozen=True, slots=True)
class Slip:
    bets: tuple[Bet, ...]
    staked: Cents
    returns: Mapping[Pocket, Cents]
    """Outcome → cents returned, including the stakes of winning bets."""
    segments: Mapping[Pocket, int]
    """Outcome → number of segments of the wheel."""

    @property
    def net(self) -> Distribution:
        """Distribution of the net result of one round, in cents."""
        weights: dict[int, int] = {}
        for pocket, returned in self.returns.items():
            weights[returned - self.staked] = weights.get(returned - self.staked, 0) + self.segments[pocket]
        return Distribution(weights)

    @property
    def per_unit(self) -> Moments:
        """Moments of the net result per unit staked on the whole slip."""
        return self.net.moments.per(self.staked)

    @property
    def edge(self) -> Fraction:
        return -self.per_unit.mean

    @property
    def hit(self) -> Fraction:
        """Probability that at least one bet wins."""
        return self.net.above(-self.staked)

    @property
    def ahead(self) -> Fraction:
        """Probability that the return exceeds the total stake."""
        return self.net.above(0)

    def loss_per_hour(self, rounds_per_hour: int) -> Fraction:
        """Compute the expected loss per hour in cents."""
        return self.edge * self.staked * rounds_per_hour


def make_slip(game: Game, layout: Layout, bets: Iterable[Bet], limits: SlipLimits | None = None) -> Slip:
    stakes: dict[PositionId, int] = {}
    for bet in bets:
        stakes[bet.position] = stakes.get(bet.position, 0) + bet.stake
    combined = tuple(make_bet(layout, position, Cents(stake)) for position, stake in stakes.items())
    if not combined:
        raise NoSuchBet("a slip has at least one bet; give --bet POSITION=CENTS or --package PACKAGE=CENTS")
    for bet in combined if limits else ():
        assert limits is not None
        limits.admit(bet)
    prices = game.prices(layout.id)
    returns = {pocket: prices.settle(pocket, combined).returned for pocket in game.wheel.pockets}
    return Slip(combined, Cents(sum(bet.stake for bet in combined)), returns, game.wheel.segments)


def bets_of(package: Package, unit: Cents) -> tuple[Bet, ...]:
    """List the bets of a package with ``unit`` cents on each piece."""
    return tuple(Bet(piece.position, Cents(piece.pieces * unit)) for piece in package.pieces)
