"""Probability functions for the tests of a wheel, exact or in closed form."""

from collections.abc import Sequence
from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt


def chi_square_tail(value: float, freedom: int) -> float:
    """Compute the probability of a chi-square value of at least ``value``, as a finite sum.

    >>> round(chi_square_tail(3.841458820694124, 1), 6), round(chi_square_tail(53.3835, 38), 5)
    (0.05, 0.05)
    """
    if value <= 0 or freedom < 1:
        return 1.0
    half = value / 2
    if freedom % 2:
        total, term = erfc(sqrt(half)), sqrt(half / pi) * 2 * exp(-half) if half < 700 else 0.0
        steps, start = (freedom - 1) // 2, 1.5
    else:
        total, term = (exp(-half), half * exp(-half)) if half < 700 else (0.0, 0.0)
        steps, start = freedom // 2 - 1, 2.0
    for i in range(steps):
        total += term
        term *= half / (start + i)
    return min(1.0, total)


def binomial_upper(count: int, trials: int, chance: float) -> float:
    """Compute the probability of at least ``count`` successes by summing terms in descending order.

    >>> round(binomial_upper(3, 5, 0.5), 6), binomial_upper(0, 5, 0.5)
    (0.5, 1.0)
    """
    if count <= 0:
        return 1.0
    if count > trials:
        return 0.0
    if count <= trials * chance:
        return max(0.0, 1.0 - binomial_upper(trials - count + 1, trials, 1 - chance))
    term = exp(_log_binomial(count, trials, chance))
    total, odds = 0.0, chance / (1 - chance)
    for k in range(count, trials + 1):
        total += term
        term *= (trials - k) / (k + 1) * odds
        if term < total * 1e-17:
            break
    return min(1.0, total)


def binomial_lower(count: int, trials: int, chance: float) -> float:
    """Compute the probability of at most ``count`` successes."""
    return binomial_upper(trials - count, trials, 1 - chance)


def binomial_two_sided(count: int, trials: int, chance: float) -> float:
    """Compute the two-sided p-value: twice the smaller tail, at most 1."""
    return min(1.0, 2 * min(binomial_upper(count, trials, chance), binomial_lower(count, trials, chance)))


def rayleigh_tail(length_squared: float, spins: int) -> float:
    """Compute the p-value of the Rayleigh test from the squared mean resultant length."""
    z = spins * length_squared
    return min(1.0, max(0.0, exp(-z) * (1 + (2 * z - z * z) / (4 * spins)))) if spins else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests by Holm's method, which is valid for dependent tests too.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(chances)
    worst = 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        adjusted[i] = worst
    return adjusted


def _log_binomial(count: int, trials: int, chance: float) -> float:
    if chance in (0.0, 1.0):
        return 0.0 if count == trials * chance else -inf
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return ways + count * log(chance) + (trials - count) * log1p(-chance)
