"""The distribution of one round's net result, its moments, and their JSON form.

Results are whole cents and weights are whole segments of the wheel, so every figure is an exact fraction or the square
root of one. In JSON a fraction is a string, and a root is given by its exact square and a rounded decimal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from roundhouse.lab.numbers import Root, decimal, root


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and central moments of a result."""

    mean: Fraction
    variance: Fraction
    third: Fraction
    """Third central moment."""
    fourth: Fraction
    """Fourth central moment."""

    @property
    def deviation(self) -> Root:
        return root(self.variance)

    @property
    def skewness(self) -> Root | None:
        """Third central moment / deviation³; None if the variance is 0."""
        if not self.variance:
            return None
        return root(self.third**2 / self.variance**3, -1 if self.third < 0 else 1)

    @property
    def kurtosis(self) -> Fraction | None:
        """Fourth central moment / variance², which is 3 for a normal distribution; None if the variance is 0."""
        return self.fourth / self.variance**2 if self.variance else None

    def per(self, unit: int) -> "Moments":
        """Return the moments of the result divided by ``unit``."""
        return Moments(self.mean / unit, self.variance / unit**2, self.third / unit**3, self.fourth / unit**4)

    def times(self, rounds: int) -> "Moments":
        """Return the moments of the sum of ``rounds`` independent rounds, computed by adding cumulants."""
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
    """Distribution of the net result of one round."""

    weights: Mapping[int, int]
    """Net result in cents → number of segments of the wheel, in ascending order of the result."""
    whole: int = field(init=False)
    """Number of segments of the wheel."""

    def __post_init__(self) -> None:
        nonzero = {value: self.weights[value] for value in sorted(self.weights) if self.weights[value]}
        assert nonzero, "a wheel has at least one segment"
        assert all(weight > 0 for weight in nonzero.values()), "a number of segments is not negative"
        object.__setattr__(self, "weights", nonzero)
        object.__setattr__(self, "whole", sum(nonzero.values()))

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
    """A distribution on the coarsest lattice that contains its results: value = lowest + unit × step."""

    lowest: int
    unit: int
    steps: tuple[int, ...]
    weights: tuple[int, ...]
    whole: int

    @property
    def width(self) -> int:
        return self.steps[-1]


def lattice_of(distribution: Distribution) -> Lattice:
    """Convert a distribution to a lattice. Its step is the greatest common divisor of the differences of the results.

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
    """Convert the moments of the net result per unit staked to JSON."""
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
