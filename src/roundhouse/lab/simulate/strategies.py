"""The systems that players believe in, each as what it stakes next.

A system stakes a whole number of slips (units). It sees what it really staked, which the table's limit or an empty
pocket may have cut, and whether that won or lost; a round that gives back exactly the stake changes nothing.
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
    """What a player does whose system asks for more than the table takes."""

    CAP = "cap"
    RESET = "reset"
    STOP = "stop"


Kind = tuple[int, ...]
"""A strategy for the compiler: a tuple whose *length* is the strategy's number. A length is part of a type, so each
system gets a kernel of its own, twice as fast as one that asks in every round which system it is."""

KIND: Final = {strategy: (0,) * number for number, strategy in enumerate(Strategy, start=1)}
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
"""What each system starts with unless told otherwise."""

MEANING: Final = {
    Strategy.FLAT: "units staked every round",
    Strategy.MARTINGALE: "factor after a loss; a win starts anew with one unit",
    Strategy.LABOUCHERE: "length n of the first line 1, 2 … n; the stake is its two ends",
    Strategy.DALEMBERT: "units more after a loss, fewer after a win",
    Strategy.PAROLI: "wins in a row, each staked double, after which it starts anew",
    Strategy.FIBONACCI: "steps back along the sequence after a win; a loss goes one on",
    Strategy.OSCARS_GRIND: "units of profit that end a run; after a win one unit more, never more than is missing",
}
LINE: Final = 64
"""Room for the Fibonacci numbers; the line of Labouchère gets room for every round besides."""

_FLAT, _MARTINGALE, _LABOUCHERE, _DALEMBERT, _PAROLI, _FIBONACCI, _OSCAR = range(1, 8)
ENOUGH: Final = 1 << 50
"""No system asks for more units than this and no table takes more; a thousand times as much still fits 64 bits."""

Move = tuple[int, int, int]
"""What a round gives for one unit staked; −1 where it won, else 0; −1 where it lost, else 0."""


def moves_of(nets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Four numbers for each segment of the wheel: its ``Move``, and one that only makes them four."""
    moves = np.zeros((len(nets), 4), dtype=np.int64)
    moves[:, 0], moves[:, 1], moves[:, 2] = nets, -(nets > 0).astype(np.int64), -(nets < 0).astype(np.int64)
    return moves.ravel()


@compiled
def begin(kind: Kind, parameter: int, line: NDArray[np.int64]) -> tuple[int, int, int]:
    """Units of the first stake, and the two numbers in which a system remembers where it stands."""
    if len(kind) == _FLAT:
        return parameter, 0, 0
    if len(kind) == _LABOUCHERE:
        # Place 0 stays free: a line of one number looks two places back, and what it finds there is not used.
        for i in range(1, parameter + 1):
            line[i] = i
        return 1 + parameter * int(parameter > 1), 1, parameter + 1
    if len(kind) == _FIBONACCI:
        line[0] = line[1] = 1
        for i in range(2, LINE):
            line[i] = line[i - 1] + line[i - 2]
    return 1, 0, 0


@compiled
def advance(
    kind: Kind, parameter: int, slip: int, units: int, move: Move, a: int, b: int, line: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Units of the next stake. ``slip`` is what one unit costs, ``move`` what the round gave for one unit.

    Nobody can foresee a wheel, so the processor would guess a branch on it wrong half of the time, and a wrong guess
    costs more than all the work. Hence masks, that come from a table: what the compiler can see to be a comparison, it
    would turn into a branch again.
    """
    one, won, lost = move
    if len(kind) == _FLAT:
        return parameter, a, b
    if len(kind) == _MARTINGALE:
        return (won & 1) + (lost & min(units * parameter, ENOUGH)) + (units & ~(won | lost)), a, b
    if len(kind) == _DALEMBERT:
        return max(1, units + (won - lost) * parameter), a, b
    if len(kind) == _PAROLI:
        goes_on, over = won & ((a + 1 - parameter) >> 63), won | lost
        units = (goes_on & min(2 * units, ENOUGH)) + (over & ~goes_on & 1) + (units & ~over)
        return units, (goes_on & (a + 1)) + (a & ~over), b
    if len(kind) == _FIBONACCI:
        a = min(max(0, a - lost + won * parameter), LINE - 1)
        return ((won | lost) & line[np.uint64(a)]) + (units & ~(won | lost)), a, b
    if len(kind) == _OSCAR:
        a += units * one
        missing = parameter * slip - a
        # One more after a win, unless fewer do; and one when nothing is missing, which only a win can bring about.
        enough = missing if slip == 1 else _parts(missing, slip)
        return (won & max(1, min(units + 1, enough))) + (units & ~won), a & (-missing >> 63), b
    # Labouchère: the line that is left stands at places a to b − 1. What is written behind its end is not part of it.
    line[np.uint64(b)] = units
    last = line[np.uint64(b - 2)]
    a, b = a - won, b - lost + won
    if a >= b:
        return begin(kind, parameter, line)
    several = (a + 1 - b) >> 63
    # The last number after a loss is what was lost just now. It is added late, for everything else is known before it.
    known = ((won | lost) & line[np.uint64(a)]) + (won & several & last)
    return known + (units & ((lost & several) | ~(won | lost))), a, b


@compiled
def _parts(whole: int, size: int) -> int:
    """How many of ``size`` are needed to make up ``whole``."""
    return (whole + size - 1) // size
