"""Mean, variance, skewness and kurtosis of a result, exactly.

Kurtosis is always a fraction; the deviation and the skewness are roots of one, and are kept as that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from roundhouse.lab.figures import Root, root


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
