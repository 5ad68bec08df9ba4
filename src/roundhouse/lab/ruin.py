"""Probability of ruin within n rounds for a player who repeats one slip.

The player is ruined when the bankroll is smaller than the slip, and stops at the target if there is one. The exact
method packs the counts of all bankrolls into one integer, one field of bits per bankroll. The fast method uses floats
and adds only positive numbers, so that its error has a provable bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import gcd, log2
from typing import TYPE_CHECKING, Final

from roundhouse.lab.distribution import Distribution
from roundhouse.lab.numbers import Chance
from roundhouse.lab.session import OUTSIDE, NoSuchSession, TooLarge, check_rounds, deviation_bound
from roundhouse.lab.sparse import merge_equal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_WORK: Final = 60_000_000_000
_QUICK_EXACT: Final = 12_000_000_000
_MAX_EXACT: Final = 4_000_000_000_000
_MAX_STEPS: Final = 1 << 26
_MAX_SPARSE_WORK: Final = 2_500_000_000
_MAX_BANKROLLS: Final = 1_000_000
_MIN_PROBABILITY: Final = 1e-24

Report = Callable[[int, int], None]
"""Progress callback. Receives the rounds done and the total number of rounds."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A session as a random walk in whole steps. Step 0 is the smallest bankroll that still covers the slip."""

    start: int
    moves: tuple[tuple[int, int], ...]
    """Possible results of a round, from the largest loss to the largest win: steps, and number of wheel segments."""
    whole: int
    target: int | None
    unit: int
    """Cents per step."""

    @property
    def deepest(self) -> int:
        return max(0, -self.moves[0][0])

    @property
    def highest(self) -> int:
        return max(0, self.moves[-1][0])


@dataclass(frozen=True, slots=True)
class RuinChances:
    """Probabilities of the two early ends of a session of at most n rounds."""

    ruined: Chance
    reached: Chance | None
    """Probability of reaching the target; None without a target."""


def walk_of(one_round: Distribution, staked: int, bankroll: int, target: int | None) -> Walk:
    if bankroll < 0:
        raise NoSuchSession(f"the bankroll must be at least 0 cents, not {bankroll}")
    if target is not None and target <= bankroll:
        raise NoSuchSession(f"the target of {target} cents must be above the bankroll of {bankroll} cents")
    unit = reduce(gcd, one_round.weights) or 1
    # Round down: bankrolls are start + k·unit, and the ruin threshold may fall between two of them.
    start = (bankroll - staked) // unit
    goal = None if target is None else start - (bankroll - target) // unit
    moves = tuple((net // unit, weight) for net, weight in one_round.weights.items())
    return Walk(start, moves, one_round.whole, goal, unit)


def _clip(walk: Walk, rounds: int) -> Walk:
    """Reduce the bankroll by the part that n rounds cannot lose. Lower the target if n rounds cannot reach it."""
    spare = max(0, walk.start - rounds * walk.deepest)
    start = walk.start - spare
    target = None if walk.target is None else min(walk.target - spare, start + rounds * walk.highest + 1)
    return replace(walk, start=start, target=target)


def ruin_within(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> RuinChances:
    """Compute the probabilities of ruin and of the target: exactly if that is quick, else by the fast method."""
    walk = _clip(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    quick = _exact_work(walk, rounds) <= _QUICK_EXACT
    return (exact_ruin_within if quick else fast_ruin_within)(one_round, staked, bankroll, rounds, target, report)


def _top(walk: Walk, rounds: int) -> int:
    """Return the number of steps to track. Above it the target is reached, or n rounds cannot cause ruin."""
    reach = walk.start + rounds * walk.highest + 1
    limit = rounds * walk.deepest if walk.target is None else walk.target
    return max(1, min(reach, limit))


def _exact_work(walk: Walk, rounds: int) -> float:
    return _top(walk, rounds) * rounds * log2(walk.whole + 1) * rounds * len(walk.moves)


def exact_ruin_within(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> RuinChances:
    walk = _clip(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    if _exact_work(walk, rounds) > _MAX_EXACT:
        raise TooLarge(
            f"{rounds} rounds over {_top(walk, rounds):,} different bankrolls are too many for the exact method; use "
            "the fast method, or fewer rounds"
        )
    if walk.start < 0:
        return RuinChances(Chance(Fraction(1)), None if target is None else Chance(Fraction(0)))
    slot = (walk.whole**rounds).bit_length() + 1
    deepest, top = walk.deepest, _top(walk, rounds)
    # During a round, the field of step s is s + deepest, so that every shift is to the left.
    alive = 1 << (slot * walk.start)
    ruined = reached = 0
    for played in range(1, rounds + 1):
        after = sum((alive << slot * (move + deepest)) * weight for move, weight in walk.moves)
        lost = after & ((1 << slot * deepest) - 1)
        after >>= slot * deepest
        ruined = ruined * walk.whole + _slots(lost, slot)
        high = top if walk.target is not None else min(top, (rounds - played) * deepest)
        won = after >> (slot * high)
        reached = reached * walk.whole + _slots(won, slot)
        alive = after & ((1 << slot * high) - 1)
        if report:
            report(played, rounds)
    whole = walk.whole**rounds
    return RuinChances(Chance(Fraction(ruined, whole)), None if target is None else Chance(Fraction(reached, whole)))


def _slots(number: int, slot: int) -> int:
    """Add all bit fields of a number. The sum fits into one field.

    Adds the upper half to the lower until one field is left. The remainder by 2^slot − 1 would be the same number, but
    that division takes time quadratic in the field size.

    >>> _slots(0x010203, 8)
    6
    """
    while (slots := -(-number.bit_length() // slot)) > 1:
        half = slots // 2 * slot
        number = (number >> half) + (number & ((1 << half) - 1))
    return number


def fast_ruin_within(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> RuinChances:
    import numpy as np

    walk = _clip(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    if walk.start < 0:
        return RuinChances(Chance(Fraction(1)), None if target is None else Chance(Fraction(0)))
    top = min(_top(walk, rounds), walk.start + deviation_bound(one_round, rounds) // walk.unit + 1)
    if walk.start >= top:  # No ruin is possible: n rounds cannot lose the bankroll.
        return RuinChances(Chance(Fraction(0)), None if target is None else Chance(Fraction(0)))
    if top * rounds * len(walk.moves) > _MAX_WORK or top > _MAX_STEPS:
        return sparse_ruin_within(walk, rounds, report)
    alive = np.zeros(top)
    alive[walk.start] = 1.0
    ruined = reached = 0.0
    for played in range(1, rounds + 1):
        alive, lost, won = play_round(alive, walk)
        ruined += lost
        reached += won
        if walk.target is None and (safe := (rounds - played) * walk.deepest) < len(alive):
            alive = alive[: max(safe, 1)]
        if report:
            report(played, rounds)
    # Count the float operations in a sum. Each adds a relative error of at most 2⁻⁵³, because all terms are positive.
    error = Fraction(rounds * (len(walk.moves) + 3) + 64, 2**53) + Fraction(OUTSIDE)
    return RuinChances(Chance(Fraction(ruined), error), None if target is None else Chance(Fraction(reached), error))


def play_round(alive: "NDArray[np.float64]", walk: Walk) -> "tuple[NDArray[np.float64], float, float]":
    """Compute one round. Returns the probability of each bankroll, of ruin, and of a bankroll above the top step."""
    import numpy as np

    top = len(alive)
    after = np.zeros(top)
    lost = won = 0.0
    for move, weight in walk.moves:
        share = weight / walk.whole
        if move >= 0:
            after[move:] += share * alive[: max(0, top - move)]
            won += share * float(alive[max(0, top - move) :].sum())
        else:
            after[: max(0, top + move)] += share * alive[-move:]
            lost += share * float(alive[: min(-move, top)].sum())
    return after, lost, won


def sparse_ruin_within(
    walk: Walk, rounds: int, report: Report | None = None, min_probability: float = _MIN_PROBABILITY
) -> RuinChances:
    """Compute the probabilities for widely spaced results by tracking only the bankrolls that can occur.

    Bankrolls less probable than ``min_probability`` are dropped. Their total probability is part of the error.
    """
    import numpy as np

    moves = np.array([move for move, _ in walk.moves], dtype=np.int64)
    shares = np.array([weight / walk.whole for _, weight in walk.moves])
    if (walk.start + rounds * int(np.abs(moves).max())) * 2 >= 1 << 62:
        raise TooLarge(f"the sums of {rounds} rounds of this slip exceed 64 bits; use fewer rounds or smaller stakes")
    at, alive = np.array([walk.start], dtype=np.int64), np.ones(1)
    ruined = reached = dropped = 0.0
    work = 0
    for played in range(1, rounds + 1):
        at, alive = merge_equal((at + moves[:, None]).ravel(), (alive * shares[:, None]).ravel())
        safe = (rounds - played) * walk.deepest if walk.target is None else walk.target
        low, high = np.searchsorted(at, (0, safe))
        ruined += float(alive[:low].sum())
        reached += float(alive[high:].sum())
        at, alive = at[low:high], alive[low:high]
        seldom = alive < min_probability
        dropped += float(alive[seldom].sum())
        at, alive = at[~seldom], alive[~seldom]
        if not len(at):
            break
        work += len(at) * len(moves)
        # The number of bankrolls usually grows, so assuming that it stays constant underestimates the remaining work.
        if work + len(at) * len(moves) * (rounds - played) > _MAX_SPARSE_WORK or len(at) > _MAX_BANKROLLS:
            raise TooLarge(
                f"after {played} of {rounds} rounds there are {len(at):,} different bankrolls, too many to continue; "
                "use fewer rounds, fewer bets, or stakes and bankroll with a larger common divisor"
            )
        if report:
            report(played, rounds)
    # The rounding error of ``fast_ruin_within``, plus the dropped probability.
    error = Fraction(rounds * (len(moves) + 3) + 64, 2**53) + Fraction(dropped)
    return RuinChances(
        Chance(Fraction(ruined), error), None if walk.target is None else Chance(Fraction(reached), error)
    )
