"""Table limits: the least and the most that may stand on one position. A house sets them; no rulebook does.

A slip: any set of bets with their stakes, and what it gives back for each outcome.

A package is its pieces, and two bets on one position are one: a table limits what stands there in all.
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
    """A stake that this table does not take."""


@dataclass(frozen=True, slots=True)
class SlipLimits:
    least: Cents = _ONE
    most: Cents = MAX_STAKE_CENTS
    by_type: Mapping[BetType, Cents] = field(default_factory=dict)
    """The most on each position of a type, where it differs."""

    def __post_init__(self) -> None:
        for most in (self.most, *self.by_type.values()):
            if not 0 < self.least <= most <= MAX_STAKE_CENTS:
                raise OutsideLimits(
                    f"a table's limits run from 1 to {MAX_STAKE_CENTS} cents, the least first; "
                    f"{self.least} to {most} do not"
                )

    def most_on(self, position: PositionId) -> Cents:
        return self.by_type.get(type_of(position), self.most)

    def admit(self, bet: Bet) -> None:
        most = self.most_on(bet.position)
        if not self.least <= bet.stake <= most:
            side = f"over the limit of {most}" if bet.stake > most else f"below the minimum of {self.least}"
            raise OutsideLimits(f"{bet.stake} cents on {bet.position} is {side} cents")


@dataclass(frozen=True, slots=True)
class Slip:
    bets: tuple[Bet, ...]
    staked: Cents
    returns: Mapping[Pocket, Cents]
    """What comes back for each outcome, stakes included."""
    segments: Mapping[Pocket, int]
    """How many segments of the wheel give each outcome."""

    @property
    def net(self) -> Distribution:
        """What one round wins or loses, in cents."""
        weights: dict[int, int] = {}
        for pocket, returned in self.returns.items():
            weights[returned - self.staked] = weights.get(returned - self.staked, 0) + self.segments[pocket]
        return Distribution(weights)

    @property
    def per_unit(self) -> Moments:
        """The moments of the net result of one unit staked on the whole slip."""
        return self.net.moments.per(self.staked)

    @property
    def edge(self) -> Fraction:
        return -self.per_unit.mean

    @property
    def hit(self) -> Fraction:
        """The probability that anything comes back."""
        return self.net.above(-self.staked)

    @property
    def ahead(self) -> Fraction:
        """The probability that more comes back than was staked."""
        return self.net.above(0)

    def loss_per_hour(self, rounds_per_hour: int) -> Fraction:
        """Expected loss in cents."""
        return self.edge * self.staked * rounds_per_hour


def make_slip(game: Game, layout: Layout, bets: Iterable[Bet], limits: SlipLimits | None = None) -> Slip:
    stakes: dict[PositionId, int] = {}
    for bet in bets:
        stakes[bet.position] = stakes.get(bet.position, 0) + bet.stake
    made = tuple(make_bet(layout, position, Cents(stake)) for position, stake in stakes.items())
    if not made:
        raise NoSuchBet("a slip has at least one bet; give --bet POSITION=CENTS or --package PACKAGE=CENTS")
    for bet in made if limits else ():
        assert limits is not None
        limits.admit(bet)
    prices = game.prices(layout.id)
    returns = {pocket: prices.settle(pocket, made).returned for pocket in game.wheel.pockets}
    return Slip(made, Cents(sum(bet.stake for bet in made)), returns, game.wheel.segments)


def bets_of(package: Package, unit: Cents) -> tuple[Bet, ...]:
    """The bets of a package with so many cents on each piece."""
    return tuple(Bet(piece.position, Cents(piece.pieces * unit)) for piece in package.pieces)
