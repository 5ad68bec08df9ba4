"""Probability of ruin without a limit on the rounds: the slip is repeated until ruin or until a target is reached.

Without a target, ruin is certain unless the slip cannot lose: no valid rulebook favours the player, and a random walk
with bounded steps and a mean of at most 0 falls below every threshold with probability 1.

With a target, the probability solves a linear system. Small systems are solved exactly. Larger ones are solved in
floats with a proved error: the residual of the equations, computed in fractions, times a bound on the mean duration.
For the largest there are two methods, and the result with the smaller error is used: bounds from the root of the
generating function, or playing the session in floats until it has ended with a probability close to 1.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, Final

from roundhouse.lab.distribution import Distribution
from roundhouse.lab.numbers import Chance
from roundhouse.lab.ruin import Walk, play_round, walk_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_QUICK_EXACT: Final = 3_000_000_000
_MAX_ROWS: Final = 400_000
_MAX_STEPS: Final = 1 << 24
_MAX_PLAYED: Final = 8_000_000_000
_GOOD_ENOUGH: Final = Fraction(1, 10**9)
_NEGLIGIBLE: Final = 1e-14


def ruin_ever(one_round: Distribution, staked: int, bankroll: int, target: int | None = None) -> Chance:
    """Compute the probability that the player is ruined before the target is reached."""
    walk = walk_of(one_round, staked, bankroll, target)
    if walk.start < 0:
        return Chance(Fraction(1))
    mean = one_round.moments.mean
    assert mean <= 0, "a valid rulebook does not favour the player"
    if walk.deepest == 0:  # Without possible losses and with a mean of at most 0, no win is possible either.
        return Chance(Fraction(0))
    if walk.target is None or walk.highest == 0:
        return Chance(Fraction(1))
    # Elimination changes deepest × highest entries per row, and the integers grow with every row.
    if walk.target**2 * walk.deepest * (walk.deepest + walk.highest) * log2(walk.whole) < _QUICK_EXACT:
        return Chance(exact_ruin(walk))
    if walk.target * walk.deepest <= _MAX_ROWS:
        return certified_ruin(walk, one_round)
    between = enclosed_ruin(walk, mean)
    if between.error < _GOOD_ENOUGH:
        return between
    return min(between, played_out(walk), key=lambda chance: chance.error)


def played_out(walk: Walk) -> Chance:
    """Play the session in floats until it has ended with a probability close to 1.

    The probability of ruin in the rounds played is a lower bound. Adding the probability that the session has not ended
    gives an upper bound.
    """
    import numpy as np

    assert walk.target is not None
    if walk.target > _MAX_STEPS:
        return Chance(Fraction(1, 2), Fraction(1, 2))
    alive = np.zeros(walk.target)
    alive[walk.start] = 1.0
    ruined = reached = 0.0
    played = 0
    for played in range(1, _MAX_PLAYED // (walk.target * len(walk.moves)) + 2):
        alive, lost, won = play_round(alive, walk)
        ruined += lost
        reached += won
        if played % 16 == 0 and float(alive.sum()) < _NEGLIGIBLE:
            break
    low, high = Fraction(ruined), Fraction(ruined) + Fraction(float(alive.sum()))
    # Count the float operations in a sum. Each adds a relative error of at most 2⁻⁵³, because all terms are positive.
    rounding = Fraction(played * (len(walk.moves) + 3) + len(alive), 2**53)
    return Chance((low + high) / 2, (high - low) / 2 + rounding)


def exact_ruin(walk: Walk) -> Fraction:
    """Solve the linear system by elimination in fractions. Its diagonal is dominant, so it needs no pivoting."""
    assert walk.target is not None
    size = walk.target
    rows: list[dict[int, Fraction]] = []
    for here in range(size):
        row = {here: Fraction(1), size: Fraction(0)}
        for move, weight in walk.moves:
            share = Fraction(weight, walk.whole)
            if here + move < 0:
                row[size] += share
            elif here + move < size:
                row[here + move] = row.get(here + move, Fraction(0)) - share
        for column in range(max(0, here - walk.deepest), here):
            if factor := row.pop(column, Fraction(0)):
                for other, value in rows[column].items():
                    if other > column:
                        row[other] = row.get(other, Fraction(0)) - factor * value
        pivot = row[here]
        rows.append({column: value / pivot for column, value in row.items()})
    solved: dict[int, Fraction] = {}
    for here in range(size - 1, walk.start - 1, -1):
        row = rows[here]
        solved[here] = row[size] - sum(
            (value * solved[column] for column, value in row.items() if here < column < size), Fraction(0)
        )
    return solved[walk.start]


def certified_ruin(walk: Walk, one_round: Distribution) -> Chance:
    """Solve the linear system in floats and prove a bound on the error.

    Let f be any function on the bankrolls that is 1 in ruin and 0 at the target, and let r be its residual: f minus the
    mean of f after one round. Then f(start) − P(ruin) is the expected sum of r along the session, which is at most
    max|r| times the mean duration D. By optional stopping, D ≤ (start − lowest end) / −mean. For a fair game,
    D ≤ (greatest distance)² / variance.
    """
    assert walk.target is not None
    solution = [Fraction(float(value)) for value in _solve(walk)]
    residual = max(abs(value - _mean_after(walk, solution, here)) for here, value in enumerate(solution))
    unit = walk.unit
    mean = -one_round.moments.mean / unit
    farthest = walk.target + walk.highest + walk.deepest
    duration = (
        (walk.start + walk.deepest) / mean if mean else Fraction(farthest**2) / (one_round.moments.variance / unit**2)
    )
    return Chance(solution[walk.start], residual * duration)


def _mean_after(walk: Walk, values: list[Fraction], here: int) -> Fraction:
    total = Fraction(0)
    for move, weight in walk.moves:
        there = here + move
        if there < 0:
            total += weight
        elif there < len(values):
            total += weight * values[there]
    return total / walk.whole


def _solve(walk: Walk) -> "NDArray[np.float64]":
    """Solve by banded elimination: ``deepest`` entries left of the diagonal and ``highest`` entries right of it."""
    import numpy as np

    assert walk.target is not None
    size, left, right = walk.target, walk.deepest, walk.highest
    band = np.zeros((size, left + 1 + right))
    known = np.zeros(size)
    band[:, left] = 1.0
    for move, weight in walk.moves:
        band[:, left + move] -= weight / walk.whole
        if move < 0:
            known[:-move] += weight / walk.whole
    for column in range(size):
        pivot = band[column, left:]
        for row in range(column + 1, min(size, column + left + 1)):
            offset = left - (row - column)
            factor = band[row, offset] / pivot[0]
            if factor:
                band[row, offset : offset + right + 1] -= factor * pivot
                known[row] -= factor * known[column]
    solved = np.zeros(size + right)
    for here in range(size - 1, -1, -1):
        solved[here] = (known[here] - band[here, left + 1 :] @ solved[here + 1 : here + 1 + right]) / band[here, left]
    return solved[:size]


def enclosed_ruin(walk: Walk, mean: Fraction) -> Chance:
    """Bound the probability by the martingale ρ^bankroll, where ρ > 1 is the root of Σ p ρ^move = 1.

    The final bankroll is at most ``deepest`` steps below 0, or less than ``highest`` steps above the target. The two
    extremes of each give the bounds, which coincide if every move is one step.
    """
    assert walk.target is not None
    below, over = (-walk.deepest, -1), (walk.target, walk.target + walk.highest - 1)
    with localcontext() as context:
        context.prec = 80
        if mean == 0:
            low, high = (
                (Decimal(walk.start - ruined)) / Decimal(won - ruined)
                for ruined, won in zip(reversed(below), reversed(over))
            )
        else:
            ratio = _root(walk)
            # Exponents are relative to the target, so that no power overflows.
            power = [ratio ** (end - walk.target) for end in (*below, *over)]
            start = ratio ** (walk.start - walk.target)
            low = (start - power[1]) / (power[3] - power[1])
            high = (start - power[0]) / (power[2] - power[0])
        low, high = max(Decimal(0), min(low, high)), min(Decimal(1), max(low, high))
        reached, error = Fraction((low + high) / 2), Fraction((high - low) / 2)
    return Chance(1 - reached, error + Fraction(1, 10**30))


def _root(walk: Walk) -> Decimal:
    """Find ρ by bisection: Σ p ρ^move − 1 is convex, and zero and decreasing at 1."""

    def excess(ratio: Decimal) -> Decimal:
        return sum((weight * ratio**move for move, weight in walk.moves), Decimal(-walk.whole))

    # Start close enough to 1 that the power for the largest move does not overflow.
    low = high = 1 + Decimal(1) / max(abs(move) for move, _ in walk.moves)
    while excess(high) < 0:
        high = 1 + (high - 1) * 2
    while excess(low) > 0:
        low = (low + 1) / 2
    for _ in range(260):
        middle = (low + high) / 2
        if excess(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
