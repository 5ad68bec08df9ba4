"""Session distributions for slips with few, widely spaced results, and the choice among all methods.

A law is a class that holds one distribution. The sparse laws store only the sums that can occur. How often each result
of one round occurred determines the sum. The exact law enumerates all such counts in whole numbers; the fast law omits
counts with negligible probability. ``session``, ``exact_law`` and ``fast_law`` use a sparse law only where a lattice of
equal steps would be too large.
"""

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import comb, log, log2, prod, sqrt
from typing import TYPE_CHECKING, Final

from roundhouse.lab.distribution import Distribution, lattice_of
from roundhouse.lab.numbers import Chance
from roundhouse.lab.session import FAST_ERROR, ExactLaw, FastLaw, Law, TooLarge, check_rounds, exact_bits, points

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_SUMS: Final = 8_000_000
"""Limit on the sums that the fast law stores. They take a few hundred megabytes."""
_MAX_ROUNDS: Final = 1_000_000
_LOG_TAIL: Final = log(2e20)
"""ln(2 / 10⁻²⁰). Counts outside of ``_reach`` have a total probability below 10⁻²⁰."""


def sums(one_round: Distribution, rounds: int) -> int:
    """Count the ways to divide the rounds among the results of one round: an upper bound on the different sums."""
    return comb(rounds + len(one_round.weights) - 1, len(one_round.weights) - 1)


def sparse_bits(one_round: Distribution, rounds: int) -> float:
    """Estimate the total size in bits of the counts that the exact law stores."""
    return min(sums(one_round, rounds), 10**30) * rounds * log2(one_round.whole + 1)


class SparseExactLaw:
    """The exact distribution: every probability is a fraction over (segments of the wheel)ⁿ."""

    exact: Final = True

    def __init__(self, one_round: Distribution, rounds: int) -> None:
        self.rounds = check_rounds(rounds)
        self.whole = one_round.whole**rounds
        counts: dict[int, int] = {}
        for net, count in _counts(tuple(one_round.weights.items()), rounds):
            counts[net] = counts.get(net, 0) + count
        self._nets = sorted(counts)
        self._up_to = list(accumulate(counts[net] for net in self._nets))
        assert self._up_to[-1] == self.whole

    def at_least(self, net: int) -> Chance:
        place = bisect_left(self._nets, net)
        return Chance(Fraction(self.whole - (self._up_to[place - 1] if place else 0), self.whole))

    def exactly(self, net: int) -> Chance:
        return Chance(self.at_least(net).value - self.at_least(net + 1).value)

    def quantile(self, level: Fraction) -> int:
        wanted = -(-level.numerator * self.whole // level.denominator)
        return self._nets[bisect_left(self._up_to, wanted)]


def _counts(results: tuple[tuple[int, int], ...], rounds: int) -> Iterator[tuple[int, int]]:
    """Yield (net result, number of n-fold wheel outcomes) for every way to divide the rounds among the results."""
    (net, weight), *others = results
    if not others:
        yield net * rounds, weight**rounds
        return
    for often in range(rounds + 1):
        ways = comb(rounds, often) * weight**often
        for rest, count in _counts(tuple(others), rounds - often):
            yield net * often + rest, ways * count


class SparseLaw:
    """The distribution in floats. The count of each result is binomial, given the counts before it."""

    exact: Final = False

    def __init__(self, one_round: Distribution, rounds: int) -> None:
        import numpy as np

        self.rounds = check_rounds(rounds)
        self.error = FAST_ERROR
        # Rare results first: their counts vary least, so there are fewer combinations to enumerate.
        results = sorted(one_round.weights.items(), key=lambda item: item[1])
        if (size := reachable_sums(one_round, rounds)) > MAX_SUMS or rounds > _MAX_ROUNDS:
            raise TooLarge(
                f"{rounds} rounds of {len(results)} different results have {format_count(size)} reachable sums"
            )
        if rounds * max(abs(net) for net, _ in results) >= 1 << 62:
            raise TooLarge(f"the sums of {rounds} rounds of this slip exceed 64 bits")
        pieces = list(_pieces(results, one_round.whole, rounds))
        nets, shares = np.concatenate([net for net, _ in pieces]), np.concatenate([share for _, share in pieces])
        self.results, self.probabilities = merge_equal(nets, shares)
        self._up_to = np.cumsum(self.probabilities)

    def at_least(self, net: int) -> Chance:
        place = self._place(net)
        below = float(self._up_to[place - 1]) if place else 0.0
        return Chance(Fraction(min(1.0, max(0.0, 1.0 - below))), self.error)

    def exactly(self, net: int) -> Chance:
        place = self._place(net)
        there = place < len(self.results) and int(self.results[place]) == net
        return Chance(Fraction(float(self.probabilities[place])) if there else Fraction(0), self.error)

    def quantile(self, level: Fraction) -> int:
        """Return the exact law's quantile, except where a cumulative probability is within ``error`` of the level."""
        import numpy as np

        place = int(np.searchsorted(self._up_to, float(level - self.error)))
        return int(self.results[min(place, len(self.results) - 1)])

    def _place(self, net: int) -> int:
        import numpy as np

        return int(np.searchsorted(self.results, net))


def reachable_sums(one_round: Distribution, rounds: int) -> int:
    """Estimate how many sums the fast law must store."""
    weights = sorted(one_round.weights.values())
    return prod(2 * _reach(rounds, weight / one_round.whole) + 1 for weight in weights[:-1])


def format_count(size: int) -> str:
    """Format a count, above 10¹⁵ as a power of ten.

    >>> format_count(1_200_000), format_count(12 * 10**40)
    ('1,200,000', 'about 10^41')
    """
    return f"{size:,}" if size < 10**15 else f"about 10^{len(str(size)) - 1}"


def _reach(rounds: int, share: float) -> int:
    """Bound the deviation of a binomial count from its mean (Bernstein), exceeded with probability 10⁻²⁰ at most."""
    return min(rounds, int(sqrt(2 * rounds * share * (1 - share) * _LOG_TAIL) + _LOG_TAIL / 3) + 1)


def _pieces(
    results: list[tuple[int, int]], whole: int, rounds: int
) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]":
    """Yield pairs of arrays (sums and their probabilities), one for each choice of counts of the rarer results."""
    (net, weight), *others = results
    if not others:
        import numpy as np

        yield np.array([net * rounds], dtype=np.int64), np.ones(1)
        return
    first, shares = binomial(rounds, weight / whole)
    if len(others) == 1:
        import numpy as np

        often = np.arange(first, first + len(shares), dtype=np.int64)
        yield net * often + others[0][0] * (rounds - often), shares
        return
    for times, share in enumerate(shares.tolist(), start=first):
        for sums_of_rest, shares_of_rest in _pieces(others, whole - weight, rounds - times):
            yield net * times + sums_of_rest, share * shares_of_rest


def binomial(rounds: int, share: float) -> "tuple[int, NDArray[np.float64]]":
    """Return the lowest count within reach, and the probabilities of the counts from it upwards.

    Multiplies ratios outwards from the most probable count, then normalises the sum to 1. Each step adds at most two
    rounding errors.
    """
    import numpy as np

    peak = min(rounds, int((rounds + 1) * share))
    reach = _reach(rounds, share)
    first, last = max(0, peak - reach), min(rounds, peak + reach)
    odds = share / (1 - share)
    up, down = np.arange(peak, last, dtype=np.float64), np.arange(peak, first, -1, dtype=np.float64)
    above = np.cumprod((rounds - up) / (up + 1) * odds)
    below = np.cumprod(down / ((rounds - down + 1) * odds))[::-1]
    shares = np.concatenate([below, np.ones(1), above])
    return first, shares / shares.sum()


def merge_equal(
    nets: "NDArray[np.int64]", shares: "NDArray[np.float64]"
) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Sort the sums and add the probabilities of equal ones."""
    import numpy as np

    order = np.argsort(nets, kind="stable")
    nets, shares = nets[order], shares[order]
    begins = np.flatnonzero(np.concatenate([[True], nets[1:] != nets[:-1]]))
    return nets[begins], np.add.reduceat(shares, begins)


_QUICK_BITS: Final = 1_500_000_000
_MAX_BITS: Final = 6_000_000_000
_MAX_POINTS: Final = 1 << 24
_MAX_SUMS_COUNTED: Final = 1_000_000


def session(one_round: Distribution, rounds: int) -> Law:
    """Return the exact distribution if it is quick to compute, else the distribution by the fast method."""
    return _exact_within(one_round, check_rounds(rounds), _QUICK_BITS) or fast_law(one_round, rounds)


def exact_law(one_round: Distribution, rounds: int) -> Law:
    law = _exact_within(one_round, check_rounds(rounds), _MAX_BITS)
    if law is None:
        lattice = lattice_of(one_round)
        results, gigabytes = format_count(rounds * lattice.width + 1), exact_bits(lattice, rounds) / 8e9
        raise TooLarge(
            f"{rounds} rounds of this slip have {results} results, and the exact method needs {gigabytes:,.1f} GB for "
            "them; use the fast method, fewer rounds, or stakes with a larger common divisor"
        )
    return law


def fast_law(one_round: Distribution, rounds: int) -> FastLaw | SparseLaw:
    size = points(one_round, check_rounds(rounds))
    if size <= _MAX_POINTS:
        return FastLaw(one_round, rounds)
    try:
        return SparseLaw(one_round, rounds)
    except TooLarge as refused:
        limits = f"{MAX_SUMS:,} sums or {_MAX_POINTS:,} steps"
        raise TooLarge(
            f"{refused}, and the lattice between the lowest and the highest has {format_count(size)} steps; the limit "
            f"is {limits}: use fewer rounds, fewer bets, or stakes with a larger common divisor"
        ) from refused


def _exact_within(one_round: Distribution, rounds: int, max_bits: float) -> Law | None:
    if exact_bits(lattice_of(one_round), rounds) <= max_bits:
        return ExactLaw(one_round, rounds)
    if sparse_bits(one_round, rounds) <= max_bits and sums(one_round, rounds) <= _MAX_SUMS_COUNTED:
        return SparseExactLaw(one_round, rounds)
    return None
