"""The distribution of a session's net result: the same slip for n rounds, without simulation.

There are two independent methods. The exact one counts, in whole numbers, in how many of the wheel's n-fold outcomes
each result occurs. The fast one raises the characteristic function to the n-th power. It stores a window of results;
the probability of a result outside the window is below 10⁻¹⁸.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import ceil, isqrt, log, log2, sqrt
from typing import TYPE_CHECKING, Final, Protocol

from roundhouse.lab.distribution import Distribution, Lattice, lattice_of
from roundhouse.lab.numbers import Chance
from roundhouse.rules.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FAST_ERROR: Final = Fraction(1, 10**11)
"""Error bound of a probability by the fast method, for up to a million rounds. Above a million rounds, the bound grows
like √n, because the rounding errors in the n-th power do. Tests measure errors below a hundredth of the bound."""
_MILLION: Final = 1_000_000
OUTSIDE: Final = 1e-18
"""Probability outside the window of the fast method."""
MAX_ROUNDS: Final = 1_000_000_000


class TooLarge(UserError):
    """A request that would take too much time or memory with this method."""


class NoSuchSession(UserError):
    """An invalid number of rounds, bankroll or target."""


class Law(Protocol):
    """The distribution of a session's net result, in cents."""

    @property
    def rounds(self) -> int: ...

    @property
    def exact(self) -> bool: ...

    def at_least(self, net: int) -> Chance: ...

    def exactly(self, net: int) -> Chance: ...

    def quantile(self, level: Fraction) -> int:
        """Return the smallest net result that is not exceeded with probability ``level`` or more."""
        ...


def check_rounds(rounds: int) -> int:
    if not 1 <= rounds <= MAX_ROUNDS:
        raise NoSuchSession(f"a session must have 1 to {MAX_ROUNDS} rounds, not {rounds}")
    return rounds


def exact_bits(lattice: Lattice, rounds: int) -> float:
    """Estimate the work of the exact method: total bits of all counts, times the terms summed for each."""
    return (rounds * lattice.width + 1) * rounds * log2(lattice.whole + 1) * len(lattice.steps)


def counts(lattice: Lattice, rounds: int) -> Iterator[int]:
    """Count the n-fold outcomes of the wheel for each step: the coefficients of (Σ wᵢ zˣⁱ)ⁿ in ascending order.

    Let P be the polynomial of one round and Q = Pⁿ. Then P·Q′ = n·P′·Q gives each coefficient of Q from earlier ones.
    """
    first, *later = lattice.weights
    moves = list(zip(lattice.steps[1:], later))
    recent: deque[int] = deque([first**rounds], maxlen=max(1, lattice.width))
    yield recent[0]
    for k in range(1, rounds * lattice.width + 1):
        total = sum((step * (rounds + 1) - k) * weight * recent[-step] for step, weight in moves if step <= len(recent))
        count, rest = divmod(total, k * first)
        assert rest == 0, "a coefficient must be a whole number"
        recent.append(count)
        yield count


class ExactLaw:
    """The exact distribution: every probability is a fraction over (segments of the wheel)ⁿ."""

    exact: Final = True

    def __init__(self, one_round: Distribution, rounds: int) -> None:
        self._lattice = lattice = lattice_of(one_round)
        self.rounds = check_rounds(rounds)
        self.whole = lattice.whole**rounds
        self._up_to = list(accumulate(counts(lattice, rounds)))
        assert self._up_to[-1] == self.whole

    def _step(self, net: int) -> int:
        """Return the first step with a result of at least ``net``."""
        return -((self._lattice.lowest * self.rounds - net) // self._lattice.unit)

    def at_least(self, net: int) -> Chance:
        step = self._step(net)
        below = 0 if step <= 0 else self._up_to[min(step, len(self._up_to)) - 1]
        return Chance(Fraction(self.whole - below, self.whole))

    def exactly(self, net: int) -> Chance:
        step = self._step(net)
        if step * self._lattice.unit + self._lattice.lowest * self.rounds != net or not 0 <= step < len(self._up_to):
            return Chance(Fraction(0))
        return Chance(Fraction(self._up_to[step] - (self._up_to[step - 1] if step else 0), self.whole))

    def quantile(self, level: Fraction) -> int:
        wanted = -(-level.numerator * self.whole // level.denominator)
        step = bisect_left(self._up_to, wanted)
        return self._lattice.lowest * self.rounds + self._lattice.unit * step


def points(one_round: Distribution, rounds: int) -> int:
    """Count the lattice steps that the fast law must store."""
    _, first, last = _window(one_round, rounds)
    return last - first + 1


def _window(one_round: Distribution, rounds: int) -> tuple[Fraction, int, int]:
    """Return the mean step of one round, and the first and the last step of the window after n rounds."""
    lattice = lattice_of(one_round)
    mean = Fraction(sum(s * w for s, w in zip(lattice.steps, lattice.weights)), lattice.whole)
    reach = deviation_bound(one_round, rounds) // lattice.unit + 2
    return mean, max(0, round(mean * rounds) - reach), min(rounds * lattice.width, round(mean * rounds) + reach)


class FastLaw:
    """The distribution by Fourier transform. Each probability is within ``error`` of the exact one."""

    exact: Final = False

    def __init__(self, one_round: Distribution, rounds: int) -> None:
        import numpy as np

        self._lattice = lattice = lattice_of(one_round)
        self.rounds = check_rounds(rounds)
        self.error = FAST_ERROR * (isqrt(rounds // _MILLION) + 1 if rounds > _MILLION else 1)
        mean, first, last = _window(one_round, rounds)
        self._first = first
        folded = _power(lattice, rounds, round(mean), first, last - first + 1)
        # Sum before negative rounding errors are set to 0, because removing errors of one sign only would bias the sum.
        self._up_to = np.maximum.accumulate(np.cumsum(folded))
        self.probabilities = np.maximum(folded, 0.0)

    @property
    def results(self) -> "NDArray[np.int64]":
        """Net results in cents, in the order of ``probabilities``."""
        import numpy as np

        steps = np.arange(self._first, self._first + len(self.probabilities), dtype=np.int64)
        return self._lattice.lowest * self.rounds + self._lattice.unit * steps

    def _index(self, net: int) -> int:
        return -((self._lattice.lowest * self.rounds - net) // self._lattice.unit) - self._first

    def at_least(self, net: int) -> Chance:
        index = self._index(net)
        if index <= 0:
            return Chance(Fraction(1), self.error if self._first else Fraction(0))
        if index >= len(self._up_to):
            return Chance(Fraction(0), self.error)
        return Chance(Fraction(min(1.0, max(0.0, 1.0 - float(self._up_to[index - 1])))), self.error)

    def exactly(self, net: int) -> Chance:
        index = self._index(net)
        on_lattice = (net - self._lattice.lowest * self.rounds) % self._lattice.unit == 0
        if not on_lattice:
            return Chance(Fraction(0))
        inside = 0 <= index < len(self.probabilities)
        return Chance(Fraction(float(self.probabilities[index])) if inside else Fraction(0), self.error)

    def quantile(self, level: Fraction) -> int:
        """Return the exact law's quantile, except where a cumulative probability is within ``error`` of the level.

        The search uses ``level`` − ``error``, so that a cumulative probability equal to the level is found despite
        rounding. Equality occurs, for example at 1/2 when half of the wheel wins.
        """
        import numpy as np

        step = int(np.searchsorted(self._up_to, float(level - self.error))) + self._first
        return self._lattice.lowest * self.rounds + self._lattice.unit * step


def deviation_bound(one_round: Distribution, rounds: int, outside: float = OUTSIDE) -> int:
    """Bound how far the running result deviates from its mean in n rounds, in cents.

    The bound is exceeded with a probability of at most ``outside``. It is the smaller of Hoeffding's and Bernstein's
    bounds; both hold for the maximum over the whole path.
    """
    logarithm = log(2 / outside)
    width = one_round.most - one_round.least
    hoeffding = width * sqrt(rounds * logarithm / 2)
    bernstein = sqrt(2 * rounds * float(one_round.moments.variance) * logarithm) + width * logarithm / 3
    return ceil(min(hoeffding, bernstein))


def _power(lattice: Lattice, rounds: int, centre: int, first: int, size: int) -> "NDArray[np.float64]":
    """Compute the n-fold convolution on ``size`` steps from ``first``.

    One round is centred, and its characteristic function is written as 1 + z with z computed without cancellation. The
    n-th power then loses no more digits than the transform. Angles are reduced in integer arithmetic.
    """
    import numpy as np

    points = _round_up(size)
    j = np.arange(points // 2 + 1, dtype=np.int64)
    real, imaginary = np.zeros(len(j)), np.zeros(len(j))
    for step, weight in zip(lattice.steps, lattice.weights):
        turn = (j * (step - centre) % points) / points
        real -= 2.0 * (weight / lattice.whole) * np.sin(np.pi * turn) ** 2
        imaginary -= (weight / lattice.whole) * np.sin(2.0 * np.pi * turn)
    with np.errstate(divide="ignore"):
        logarithm = 0.5 * np.log1p(np.maximum(-1.0, 2.0 * real + real**2 + imaginary**2))
    phase = rounds * np.arctan2(imaginary, 1.0 + real)
    phase -= 2.0 * np.pi * ((j * ((rounds * centre - first) % points)) % points) / points
    spectrum = np.exp(rounds * logarithm) * np.exp(1j * phase)
    folded: NDArray[np.float64] = np.fft.irfft(spectrum, points)[:size]
    return folded


def _round_up(size: int) -> int:
    """Find a small even size of at least ``size`` without prime factors above 5, for a fast Fourier transform."""
    best = 2
    while best < size:
        best *= 2
    for threes in range(5):
        for fives in range(4):
            candidate = 2 * 3**threes * 5**fives
            while candidate < size:
                candidate *= 2
            best = min(best, candidate)
    return best
