"""Betting systems, each as a rule for the next stake.

A system stakes a whole number of slips (units). Its rule receives the units actually staked, which the table limit or
the bankroll may have reduced, and whether the round won or lost. A round that returns exactly the stake is neither: the
next stake is the same.
"""

from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.jit import compiled


class Strategy(StrEnum):
    FLAT = "flat"
    MARTINGALE = "martingale"
    LABOUCHERE = "labouchere"
    DALEMBERT = "dalembert"
    PAROLI = "paroli"
    FIBONACCI = "fibonacci"
    OSCARS_GRIND = "oscars_grind"


class AtLimit(StrEnum):
    """Action when a system requests more than the table limit: stake the limit, restart the system, or leave."""

    CAP = "cap"
    RESET = "reset"
    STOP = "stop"


StrategyTag = tuple[int, ...]
"""A strategy as a compile-time constant: a tuple with the strategy's number as its *length*. The length is part of the
type, so Numba compiles one kernel per system. That is twice as fast as a test of the system in every round."""

STRATEGY_TAGS: Final = {strategy: (0,) * number for number, strategy in enumerate(Strategy, start=1)}
NUMBER_AT_LIMIT: Final = {at_limit: number for number, at_limit in enumerate(AtLimit)}
PARAMETER: Final = {
    Strategy.FLAT: 1,
    Strategy.MARTINGALE: 2,
    Strategy.LABOUCHERE: 4,
    Strategy.DALEMBERT: 1,
    Strategy.PAROLI: 3,
    Strategy.FIBONACCI: 2,
    Strategy.OSCARS_GRIND: 1,
}
"""Default parameter of each system."""

MEANING: Final = {
    Strategy.FLAT: "units staked every round",
    Strategy.MARTINGALE: "factor of the stake after a loss; after a win the stake is one unit again",
    Strategy.LABOUCHERE: "length n of the first line 1, 2 … n; the stake is the sum of its two ends",
    Strategy.DALEMBERT: "units added to the stake after a loss and subtracted after a win",
    Strategy.PAROLI: "consecutive wins, each followed by a doubled stake, after which the system restarts",
    Strategy.FIBONACCI: "steps back along the sequence after a win; a loss moves one step forward",
    Strategy.OSCARS_GRIND: (
        "units of profit that end a run; a win adds one unit to the stake, up to the missing profit"
    ),
}
"""Meaning of each system's parameter, for messages."""
LINE: Final = 64
"""Length of the table of Fibonacci numbers. Labouchère's line additionally needs one number per round."""

_FLAT, _MARTINGALE, _LABOUCHERE, _DALEMBERT, _PAROLI, _FIBONACCI, _OSCAR = range(1, 8)
MAX_UNITS: Final = 1 << 50
"""Largest stake of any system and table, in units. A thousand times as much still fits into 64 bits."""

Move = tuple[int, int, int]
"""Net result of one unit, and two bit masks: −1 if the round won, else 0; −1 if it lost, else 0."""


def moves_of(nets: NDArray[np.int64]) -> NDArray[np.int64]:
    """List four numbers for each segment of the wheel: its ``Move`` and one number of padding."""
    moves = np.zeros((len(nets), 4), dtype=np.int64)
    moves[:, 0], moves[:, 1], moves[:, 2] = nets, -(nets > 0).astype(np.int64), -(nets < 0).astype(np.int64)
    return moves.ravel()


@compiled
def begin(tag: StrategyTag, parameter: int, line: NDArray[np.int64]) -> tuple[int, int, int]:
    """Start a system. Returns the units of the first stake and the two numbers of the system's state."""
    if len(tag) == _FLAT:
        return parameter, 0, 0
    if len(tag) == _LABOUCHERE:
        # Index 0 stays unused: ``advance`` reads two places before the end, even from a line of one number.
        for i in range(1, parameter + 1):
            line[i] = i
        return 1 + parameter * int(parameter > 1), 1, parameter + 1
    if len(tag) == _FIBONACCI:
        line[0] = line[1] = 1
        for i in range(2, LINE):
            line[i] = line[i - 1] + line[i - 2]
    return 1, 0, 0


@compiled
def advance(
    tag: StrategyTag, parameter: int, slip: int, units: int, move: Move, a: int, b: int, line: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Compute the units of the next stake and the new state. ``slip`` is the cost of one unit.

    Uses bit masks instead of branches on the outcome: the processor would mispredict half of such branches, and a
    misprediction takes longer than the rest of the work. The masks come from a table (``moves_of``), because the
    compiler would turn a visible comparison into a branch.
    """
    one, won, lost = move
    if len(tag) == _FLAT:
        return parameter, a, b
    if len(tag) == _MARTINGALE:
        return (won & 1) + (lost & min(units * parameter, MAX_UNITS)) + (units & ~(won | lost)), a, b
    if len(tag) == _DALEMBERT:
        return max(1, units + (won - lost) * parameter), a, b
    if len(tag) == _PAROLI:
        doubles, decided = won & ((a + 1 - parameter) >> 63), won | lost
        units = (doubles & min(2 * units, MAX_UNITS)) + (decided & ~doubles & 1) + (units & ~decided)
        return units, (doubles & (a + 1)) + (a & ~decided), b
    if len(tag) == _FIBONACCI:
        a = min(max(0, a - lost + won * parameter), LINE - 1)
        return ((won | lost) & line[np.uint64(a)]) + (units & ~(won | lost)), a, b
    if len(tag) == _OSCAR:
        a += units * one
        missing = parameter * slip - a
        # After a win, Oscar's system adds one unit, but stakes no more than the missing profit and at least one unit.
        enough = missing if slip == 1 else _parts(missing, slip)
        return (won & max(1, min(units + 1, enough))) + (units & ~won), a & (-missing >> 63), b
    # Labouchère: the current line is at indexes a to b − 1. After a loss it also includes the number written at b.
    line[np.uint64(b)] = units
    last = line[np.uint64(b - 2)]
    a, b = a - won, b - lost + won
    if a >= b:
        return begin(tag, parameter, line)
    several = (a + 1 - b) >> 63
    # After a loss, the last number is the stake just lost. It is added last, because the rest can be computed earlier.
    known = ((won | lost) & line[np.uint64(a)]) + (won & several & last)
    return known + (units & ((lost & several) | ~(won | lost))), a, b


@compiled
def _parts(whole: int, size: int) -> int:
    """Divide ``whole`` by ``size`` and round up."""
    return (whole + size - 1) // size
