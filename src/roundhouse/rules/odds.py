"""Exact odds of a bet or package: its returns, probability of winning, house edge and variance.

Probability, house edge and variance are exact fractions per unit staked on the bet or package.
"""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Pocket
from roundhouse.rules.packages import Package
from roundhouse.rules.wheel import Wheel


class Odds(Struct, frozen=True):
    staked: int
    """Pieces staked: 1 for a position."""
    returns: Mapping[Pocket, int]
    """Pieces returned for each outcome, including the stake."""
    win: Fraction
    """Probability that anything is returned."""
    edge: Fraction
    """House edge: expected loss of the player per unit staked."""
    variance: Fraction
    """Variance of the net result of one unit staked."""


def odds_of_position(position: Position, wheel: Wheel) -> Odds:
    return _odds(dict.fromkeys(position.covers, position.pays + 1), 1, wheel)


def odds_of_package(package: Package, layout: Layout) -> Odds:
    returned: dict[Pocket, int] = {}
    for piece in package.pieces:
        position = layout.by_id[piece.position]
        for pocket in position.covers:
            returned[pocket] = returned.get(pocket, 0) + piece.pieces * (position.pays + 1)
    return _odds(returned, package.total, layout.wheel)


def _odds(returned: Mapping[Pocket, int], staked: int, wheel: Wheel) -> Odds:
    whole = len(wheel.order)
    returns = {pocket: returned.get(pocket, 0) for pocket in wheel.pockets}
    hits = sum(wheel.segments[pocket] for pocket, units in returns.items() if units)
    first = sum(wheel.segments[pocket] * units for pocket, units in returns.items())
    second = sum(wheel.segments[pocket] * units**2 for pocket, units in returns.items())
    mean = Fraction(first, whole * staked)
    return Odds(
        staked=staked,
        returns=returns,
        win=Fraction(hits, whole),
        edge=1 - mean,
        variance=Fraction(second, whole * staked**2) - mean**2,
    )
