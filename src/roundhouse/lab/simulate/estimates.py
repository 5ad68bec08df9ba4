"""Estimates from a tally, each with its confidence interval and, where there is one, the exact value beside it."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from roundhouse.lab.chance import Chance
from roundhouse.lab.simulate.tally import Scatter

_NET, _HANDLE, _ROUNDS = range(3)


class Measure(StrEnum):
    """What a figure counts."""

    SHARE = "share"
    CENTS = "cents"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Estimate:
    name: str
    value: float
    low: float
    high: float
    exact: Fraction | Chance | None = None
    measure: Measure = Measure.SHARE

    @property
    def covers(self) -> bool | None:
        """Does the interval hold the exact value?"""
        if self.exact is None:
            return None
        exact = self.exact.value if isinstance(self.exact, Chance) else self.exact
        return self.low <= exact <= self.high


def student(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t, by its expansion about the normal curve.

    >>> round(student(0.95, 10), 2), round(student(0.99, 30), 2)
    (2.23, 2.75)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def mean(
    name: str, scatter: Scatter, column: int, level: float, exact: Fraction | None = None, *, measure: Measure
) -> Estimate:
    value, count = float(scatter.mean[column]), scatter.count
    if count < 2:
        return Estimate(name, value, float("-inf"), float("inf"), exact, measure)
    spread = sqrt(max(0.0, float(scatter.products[column, column])) / (count - 1) / count)
    half = student(level, count - 1) * spread
    return Estimate(name, value, value - half, value + half, exact, measure)


def hold(name: str, scatter: Scatter, level: float, exact: Fraction | None = None) -> Estimate:
    """House win over handle: a ratio of two sums that vary together."""
    handle, count = float(scatter.mean[_HANDLE]), scatter.count
    value = -float(scatter.mean[_NET]) / handle if handle else 0.0
    if count < 2 or not handle:
        return Estimate(name, value, float("-inf"), float("inf"), exact)
    products = scatter.products
    # The scatter of net + value × handle, whose mean is zero.
    spread = products[_NET, _NET] + 2 * value * products[_NET, _HANDLE] + value**2 * products[_HANDLE, _HANDLE]
    half = student(level, count - 1) * sqrt(max(0.0, float(spread)) / (count - 1) / count) / handle
    return Estimate(name, value, value - half, value + half, exact)


def share(name: str, hits: int, of: int, level: float, exact: Chance | None = None) -> Estimate:
    """A probability by Wilson's interval, which stays honest near 0 and 1."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    found = hits / of
    middle = (found + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(found * (1 - found) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Estimate(name, found, max(0.0, middle - half), min(1.0, middle + half), exact)
