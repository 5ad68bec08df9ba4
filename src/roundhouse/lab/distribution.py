"""Mean, variance, skewness and kurtosis of a result, exactly.

Kurtosis is always a fraction; the deviation and the skewness are roots of one, and are kept as that.

The distribution of one round's result: so many cents with so many of the wheel's segments.

Weights are whole segments and results are whole cents, so that everything derived is an exact fraction.

One vocabulary for programs: a figure has the same name and form in every answer of the lab.

Fractions are strings; a root is given by its square, which is a fraction, beside a decimal. Nothing is rounded that
does not stand beside its exact value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from roundhouse.lab.numbers import Root, decimal, root


@dataclass(frozen=True, slots=True)
class Moments:
    mean: Fraction
    variance: Fraction
    third: Fraction
    """The third central moment."""
    fourth: Fraction
    """The fourth central moment."""

    @property
    def deviation(self) -> Root:
        return root(self.variance)

    @property
    def skewness(self) -> Root | None:
        """The third moment over the cubed deviation; a result that never varies has none."""
        if not self.variance:
            return None
        return root(self.third**2 / self.variance**3, -1 if self.third < 0 else 1)

    @property
    def kurtosis(self) -> Fraction | None:
        """The fourth moment over the squared variance: 3 for the normal curve, nothing subtracted."""
        return self.fourth / self.variance**2 if self.variance else None

    def per(self, unit: int) -> "Moments":
        """The same result measured in another unit, such as one unit staked."""
        return Moments(self.mean / unit, self.variance / unit**2, self.third / unit**3, self.fourth / unit**4)

    def times(self, rounds: int) -> "Moments":
        """Of the sum of so many independent rounds: cumulants add."""
        excess = self.fourth - 3 * self.variance**2
        variance = rounds * self.variance
        return Moments(rounds * self.mean, variance, rounds * self.third, rounds * excess + 3 * variance**2)


def moments_of(weights: Mapping[int, int]) -> Moments:
    whole = sum(weights.values())
    raw = [sum(weight * value**power for value, weight in weights.items()) for power in range(1, 5)]
    first, second, third, fourth = (Fraction(total, whole) for total in raw)
    return Moments(
        mean=first,
        variance=second - first**2,
        third=third - 3 * first * second + 2 * first**3,
        fourth=fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4,
    )


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


Json = dict[str, object]


def root_json(root: Root | None) -> Json | None:
    if root is None:
        return None
    return {"exact": str(root), "square": str(root.square), "decimal": decimal(root, 12).removeprefix("≈ ")}


def moments_json(unit: Moments) -> Json:
    """Of the net result of one unit staked."""
    return {
        "edge": str(-unit.mean),
        "return": str(1 + unit.mean),
        "variance": str(unit.variance),
        "deviation": root_json(unit.deviation),
        "third_central_moment": str(unit.third),
        "fourth_central_moment": str(unit.fourth),
        "skewness": root_json(unit.skewness),
        "kurtosis": None if unit.kurtosis is None else str(unit.kurtosis),
    }
