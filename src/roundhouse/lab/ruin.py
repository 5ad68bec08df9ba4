"""Ruin within n rounds: a player with a bankroll repeats one slip until it cannot be staked any more.

Ruined is who holds less than the slip costs; who reaches the target, if there is one, stops. The exact method
carries all bankrolls of a round in one whole number, a slot of bits each; the fast one carries them as floats,
and only adds what is positive, so that its error has a bound that can be written down.
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
from roundhouse.lab.sparse import merged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_WORK: Final = 60_000_000_000
_QUICK_EXACT: Final = 12_000_000_000
_MOST_EXACT: Final = 4_000_000_000_000
_MOST_STEPS: Final = 1 << 26
_MOST_SPARSE_WORK: Final = 2_500_000_000
_MOST_BANKROLLS: Final = 1_000_000
_TOO_SELDOM: Final = 1e-24

Report = Callable[[int, int], None]
"""Called with rounds done and rounds in all."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Bankrolls as whole steps above the ruin line: step 0 is the least bankroll that can still be staked."""

    start: int
    moves: tuple[tuple[int, int], ...]
    """(steps up or down, segments of the wheel)."""
    whole: int
    target: int | None
    unit: int
    """Cents a step."""

    @property
    def deepest(self) -> int:
        return max(0, -self.moves[0][0])

    @property
    def highest(self) -> int:
        return max(0, self.moves[-1][0])


@dataclass(frozen=True, slots=True)
class Fate:
    """How a session of at most n rounds ends."""

    ruined: Chance
    reached: Chance | None
    """The target; nothing where there is none."""


def walk_of(one_round: Distribution, staked: int, bankroll: int, target: int | None) -> Walk:
    if bankroll < 0:
        raise NoSuchSession(f"a bankroll is 0 cents or more, not {bankroll}")
    if target is not None and target <= bankroll:
        raise NoSuchSession(f"the target of {target} cents must lie above the bankroll of {bankroll}")
    unit = reduce(gcd, one_round.weights) or 1
    # Floor: bankrolls are start + k·unit, and the ruin line lies between two of them.
    start = (bankroll - staked) // unit
    goal = None if target is None else start - (bankroll - target) // unit
    moves = tuple((net // unit, weight) for net, weight in one_round.weights.items())
    return Walk(start, moves, one_round.whole, goal, unit)


def _near(walk: Walk, rounds: int) -> Walk:
    """The same session with no more below it than n rounds can lose, and no more above it than they can win."""
    spare = max(0, walk.start - rounds * walk.deepest)
    start = walk.start - spare
    target = None if walk.target is None else min(walk.target - spare, start + rounds * walk.highest + 1)
    return replace(walk, start=start, target=target)


def fate(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> Fate:
    """Exactly where that is quick, else by the fast method."""
    walk = _near(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    quick = _exact_work(walk, rounds) <= _QUICK_EXACT
    return (exact_fate if quick else fast_fate)(one_round, staked, bankroll, rounds, target, report)


def _top(walk: Walk, rounds: int) -> int:
    """The number of steps to keep: beyond, the target is reached, or ruin cannot come in the rounds that are left."""
    reach = walk.start + rounds * walk.highest + 1
    limit = rounds * walk.deepest if walk.target is None else walk.target
    return max(1, min(reach, limit))


def _exact_work(walk: Walk, rounds: int) -> float:
    return _top(walk, rounds) * rounds * log2(walk.whole + 1) * rounds * len(walk.moves)


def exact_fate(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> Fate:
    walk = _near(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    if _exact_work(walk, rounds) > _MOST_EXACT:
        raise TooLarge(
            f"{rounds} rounds over {_top(walk, rounds):,} different bankrolls are too many to count exactly; use the "
            "fast method, or fewer rounds"
        )
    if walk.start < 0:
        return Fate(Chance(Fraction(1)), None if target is None else Chance(Fraction(0)))
    slot = (walk.whole**rounds).bit_length() + 1
    deepest, top = walk.deepest, _top(walk, rounds)
    # Slots are counted from the deepest that a round can fall to, so that every shift is to the left.
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
    return Fate(Chance(Fraction(ruined, whole)), None if target is None else Chance(Fraction(reached, whole)))


def _slots(number: int, slot: int) -> int:
    """The sum of all slots, which fits into one: the upper half is laid on the lower until one is left.

    The remainder by 2^slot − 1 is the same number, and a division that grows with the square of a slot.

    >>> _slots(0x010203, 8)
    6
    """
    while (slots := -(-number.bit_length() // slot)) > 1:
        half = slots // 2 * slot
        number = (number >> half) + (number & ((1 << half) - 1))
    return number


def fast_fate(
    one_round: Distribution,
    staked: int,
    bankroll: int,
    rounds: int,
    target: int | None = None,
    report: Report | None = None,
) -> Fate:
    import numpy as np

    walk = _near(walk_of(one_round, staked, bankroll, target), check_rounds(rounds))
    if walk.start < 0:
        return Fate(Chance(Fraction(1)), None if target is None else Chance(Fraction(0)))
    top = min(_top(walk, rounds), walk.start + deviation_bound(one_round, rounds) // walk.unit + 1)
    if walk.start >= top:  # so rich that n rounds cannot ruin
        return Fate(Chance(Fraction(0)), None if target is None else Chance(Fraction(0)))
    if top * rounds * len(walk.moves) > _MOST_WORK or top > _MOST_STEPS:
        return sparse_fate(walk, rounds, report)
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
    # Each sum has at most so many additions and products of positive floats, each off by 2⁻⁵³ of itself.
    error = Fraction(rounds * (len(walk.moves) + 3) + 64, 2**53) + Fraction(OUTSIDE)
    return Fate(Chance(Fraction(ruined), error), None if target is None else Chance(Fraction(reached), error))


def play_round(alive: "NDArray[np.float64]", walk: Walk) -> "tuple[NDArray[np.float64], float, float]":
    """Bankrolls after one more round, what of them was ruined, and what went beyond the last."""
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


def sparse_fate(walk: Walk, rounds: int, report: Report | None = None, too_seldom: float = _TOO_SELDOM) -> Fate:
    """The same for results that lie far apart: only bankrolls that can come are carried, in order.

    Those less probable than ``too_seldom`` are dropped, and what they were is part of the error.
    """
    import numpy as np

    moves = np.array([move for move, _ in walk.moves], dtype=np.int64)
    shares = np.array([weight / walk.whole for _, weight in walk.moves])
    if (walk.start + rounds * int(np.abs(moves).max())) * 2 >= 1 << 62:
        raise TooLarge(f"{rounds} rounds of such stakes exceed 64-bit sums; use fewer rounds, or smaller stakes")
    at, alive = np.array([walk.start], dtype=np.int64), np.ones(1)
    ruined = reached = dropped = 0.0
    work = 0
    for played in range(1, rounds + 1):
        at, alive = merged((at + moves[:, None]).ravel(), (alive * shares[:, None]).ravel())
        safe = (rounds - played) * walk.deepest if walk.target is None else walk.target
        low, high = np.searchsorted(at, (0, safe))
        ruined += float(alive[:low].sum())
        reached += float(alive[high:].sum())
        at, alive = at[low:high], alive[low:high]
        seldom = alive < too_seldom
        dropped += float(alive[seldom].sum())
        at, alive = at[~seldom], alive[~seldom]
        if not len(at):
            break
        work += len(at) * len(moves)
        # They grow in number as a rule, so that what is left to do is at least as much as if they did not.
        if work + len(at) * len(moves) * (rounds - played) > _MOST_SPARSE_WORK or len(at) > _MOST_BANKROLLS:
            raise TooLarge(
                f"after {played} of {rounds} rounds there are {len(at):,} different bankrolls, too many to go on; use "
                "fewer rounds, fewer bets, or stakes and bankroll with a larger common divisor"
            )
        if report:
            report(played, rounds)
    # As in ``fast_fate``, and what was dropped besides.
    error = Fraction(rounds * (len(moves) + 3) + 64, 2**53) + Fraction(dropped)
    return Fate(Chance(Fraction(ruined), error), None if walk.target is None else Chance(Fraction(reached), error))
