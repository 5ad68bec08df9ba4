"""Exact theory of the bets on one spin: the win that the house expects of them, and its variance.

Bets on one spin depend on each other. So the variance is that of all bets together, and never a sum over bets.
Different spins are independent: their expected wins and variances add up.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import Pocket, PositionId
from roundhouse.rules.wheel import Wheel


class Theory(Struct, frozen=True):
    """Theory of the bets of one spin, or of several spins together. Amounts are in cents and squares of cents."""

    staked: int
    win: Fraction
    """Expected win of the house."""
    variance: Fraction
    """Variance of the win of the house."""

    def __add__(self, other: "Theory") -> "Theory":
        """Return the theory of both together, which must be of different spins."""
        return Theory(self.staked + other.staked, self.win + other.win, self.variance + other.variance)


NO_BETS = Theory(0, Fraction(0), Fraction(0))

PlacedBets = tuple[Layout, Mapping[PositionId, int]]
"""The stakes of one seat in cents by position, with the seat's layout."""


def theory_of(slips: Iterable[PlacedBets], wheel: Wheel) -> Theory:
    """Compute the theory of all these bets on one spin of the wheel."""
    staked = 0
    returns: dict[Pocket, int] = dict.fromkeys(wheel.pockets, 0)
    for layout, slip in slips:
        for id, cents in slip.items():
            position = layout.by_id[id]
            staked += cents
            for pocket in position.covers:
                returns[pocket] += cents * (position.pays + 1)
    whole = len(wheel.order)
    first = sum(wheel.segments[pocket] * cents for pocket, cents in returns.items())
    second = sum(wheel.segments[pocket] * cents**2 for pocket, cents in returns.items())
    mean = Fraction(first, whole)
    return Theory(staked, staked - mean, Fraction(second, whole) - mean**2)
