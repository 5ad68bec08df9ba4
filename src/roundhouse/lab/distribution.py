"""The distribution of one round's result: so many cents with so many of the wheel's segments.

Weights are whole segments and results are whole cents, so that everything derived is an exact fraction.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from roundhouse.lab.moments import Moments, moments_of


@dataclass(frozen=True, slots=True)
class Distribution:
    weights: Mapping[int, int]
    """Net result in cents → segments of the wheel that give it, from the lowest result up."""
    whole: int = field(init=False)
    """All segments of the wheel."""

    def __post_init__(self) -> None:
        kept = {value: self.weights[value] for value in sorted(self.weights) if self.weights[value]}
        assert kept, "an outcome always comes"
        assert all(weight > 0 for weight in kept.values()), "segments are counted"
        object.__setattr__(self, "weights", kept)
        object.__setattr__(self, "whole", sum(kept.values()))

    @property
    def moments(self) -> Moments:
        return moments_of(self.weights)

    @property
    def least(self) -> int:
        return next(iter(self.weights))

    @property
    def most(self) -> int:
        return next(reversed(list(self.weights)))

    def probability(self, value: int) -> Fraction:
        return Fraction(self.weights.get(value, 0), self.whole)

    def above(self, value: int) -> Fraction:
        return Fraction(sum(weight for net, weight in self.weights.items() if net > value), self.whole)


@dataclass(frozen=True, slots=True)
class Lattice:
    """A distribution in the largest steps that its results share: value = lowest + unit × step."""

    lowest: int
    unit: int
    steps: tuple[int, ...]
    weights: tuple[int, ...]
    whole: int

    @property
    def width(self) -> int:
        return self.steps[-1]


def lattice_of(distribution: Distribution) -> Lattice:
    """
    >>> lattice_of(Distribution({-100: 20, 100: 18})).steps
    (0, 1)
    """
    lowest = distribution.least
    unit = reduce(gcd, (value - lowest for value in distribution.weights)) or 1
    return Lattice(
        lowest,
        unit,
        tuple((value - lowest) // unit for value in distribution.weights),
        tuple(distribution.weights.values()),
        distribution.whole,
    )
