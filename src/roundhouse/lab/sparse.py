"""Sessions of few results that lie far apart: only sums that can come are held, never the empty steps between them.

A result is a choice of how often each of the slip's few results came. The exact law counts every such choice in whole
numbers; the fast one leaves out those that are rarer than anybody can tell. Nothing here is asked while a lattice of
equal steps does as well.

Which law of a session to ask: exact or fast, on a lattice of equal steps or on the few sums that can come.
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

MOST_SUMS: Final = 8_000_000
"""So many sums the fast law holds: some hundred megabytes."""
_MOST_ROUNDS: Final = 1_000_000
_LOGARITHM: Final = log(2e20)
"""Of what is left out on either side of a count: less than 10⁻²⁰."""


def sums(one_round: Distribution, rounds: int) -> int:
    """In how many ways the results of one round can be shared out: at least as many as there are different sums."""
    return comb(rounds + len(one_round.weights) - 1, len(one_round.weights) - 1)


def sparse_bits(one_round: Distribution, rounds: int) -> float:
    """The size of all counts of the exact law together."""
    return min(sums(one_round, rounds), 10**30) * rounds * log2(one_round.whole + 1)


class SparseExactLaw:
    """Every probability as a fraction over (segments of the wheel)ⁿ."""

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
    """Net result and number of the wheel's outcomes, for every way to share out the rounds."""
    (net, weight), *others = results
    if not others:
        yield net * rounds, weight**rounds
        return
    for often in range(rounds + 1):
        ways = comb(rounds, often) * weight**often
        for rest, count in _counts(tuple(others), rounds - often):
            yield net * often + rest, ways * count


class SparseLaw:
    """The same in floats: each count of a result is binomial, given those before it."""

    exact: Final = False

    def __init__(self, one_round: Distribution, rounds: int) -> None:
        import numpy as np

        self.rounds = check_rounds(rounds)
        self.error = FAST_ERROR
        # The rarest first: they vary least, so that few of their counts must be told apart.
        results = sorted(one_round.weights.items(), key=lambda item: item[1])
        if (size := within_reach(one_round, rounds)) > MOST_SUMS or rounds > _MOST_ROUNDS:
            raise TooLarge(f"{rounds} rounds of {len(results)} different results have {about(size)} sums within reach")
        if rounds * max(abs(net) for net, _ in results) >= 1 << 62:
            raise TooLarge(f"{rounds} rounds of such stakes exceed 64-bit sums")
        pieces = list(_pieces(results, one_round.whole, rounds))
        nets, shares = np.concatenate([net for net, _ in pieces]), np.concatenate([share for _, share in pieces])
        self.results, self.probabilities = merged(nets, shares)
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
        """As the exact one, unless a cumulated probability misses the level by less than ``error``."""
        import numpy as np

        place = int(np.searchsorted(self._up_to, float(level - self.error)))
        return int(self.results[min(place, len(self.results) - 1)])

    def _place(self, net: int) -> int:
        import numpy as np

        return int(np.searchsorted(self.results, net))


def within_reach(one_round: Distribution, rounds: int) -> int:
    """About how many sums the fast law must hold."""
    weights = sorted(one_round.weights.values())
    return prod(2 * _reach(rounds, weight / one_round.whole) + 1 for weight in weights[:-1])


def about(size: int) -> str:
    """
    >>> about(1_200_000), about(12 * 10**40)
    ('1,200,000', 'about 10^41')
    """
    return f"{size:,}" if size < 10**15 else f"about 10^{len(str(size)) - 1}"


def _reach(rounds: int, share: float) -> int:
    """So far does a count stray from its mean, by Bernstein's bound."""
    return min(rounds, int(sqrt(2 * rounds * share * (1 - share) * _LOGARITHM) + _LOGARITHM / 3) + 1)


def _pieces(
    results: list[tuple[int, int]], whole: int, rounds: int
) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]":
    """Sums and their probabilities, an array for each choice of the rarer counts."""
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
    """The first count within reach, and the probability of it and of those that follow.

    From the likeliest count outwards by ratios, and scaled to one: every step adds one rounding or two, no more.
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


def merged(nets: "NDArray[np.int64]", shares: "NDArray[np.float64]") -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """In order, equal sums added up."""
    import numpy as np

    order = np.argsort(nets, kind="stable")
    nets, shares = nets[order], shares[order]
    begins = np.flatnonzero(np.concatenate([[True], nets[1:] != nets[:-1]]))
    return nets[begins], np.add.reduceat(shares, begins)


_QUICK_BITS: Final = 1_500_000_000
_MOST_BITS: Final = 6_000_000_000
_MOST_POINTS: Final = 1 << 24
_MOST_SUMS_COUNTED: Final = 1_000_000


def session(one_round: Distribution, rounds: int) -> Law:
    """The exact distribution where it is quickly counted, else the fast one."""
    return _counted(one_round, check_rounds(rounds), _QUICK_BITS) or fast_law(one_round, rounds)


def exact_law(one_round: Distribution, rounds: int) -> Law:
    law = _counted(one_round, check_rounds(rounds), _MOST_BITS)
    if law is None:
        lattice = lattice_of(one_round)
        results, gigabytes = about(rounds * lattice.width + 1), exact_bits(lattice, rounds) / 8e9
        raise TooLarge(
            f"{rounds} rounds of this slip have {results} results, and to count them exactly takes {gigabytes:,.1f} GB "
            "of digits; use the fast method, fewer rounds, or stakes with a larger common divisor"
        )
    return law


def fast_law(one_round: Distribution, rounds: int) -> FastLaw | SparseLaw:
    size = points(one_round, check_rounds(rounds))
    if size <= _MOST_POINTS:
        return FastLaw(one_round, rounds)
    try:
        return SparseLaw(one_round, rounds)
    except TooLarge as refused:
        most = f"{MOST_SUMS:,} sums or {_MOST_POINTS:,} steps"
        raise TooLarge(
            f"{refused}, and {about(size)} steps lie between the lowest and the highest of them; the most are "
            f"{most}: use fewer rounds, fewer bets, or stakes with a larger common divisor"
        ) from refused


def _counted(one_round: Distribution, rounds: int, most: float) -> Law | None:
    if exact_bits(lattice_of(one_round), rounds) <= most:
        return ExactLaw(one_round, rounds)
    if sparse_bits(one_round, rounds) <= most and sums(one_round, rounds) <= _MOST_SUMS_COUNTED:
        return SparseExactLaw(one_round, rounds)
    return None
