"""The systems that players believe in, each as what it stakes next.

A system stakes a whole number of slips (units). It sees what it really staked, which the table's limit or an empty
pocket may have cut, and whether that won or lost; a round that gives back exactly the stake changes nothing.
"""

from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roundhouse.lab.simulate.compiled import compiled


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
_ENOUGH: Final = 1 << 50
"""No system asks for more units than this; every table's limit lies below."""


@compiled
def begin(kind: Kind, parameter: int, line: NDArray[np.int64]) -> tuple[int, int, int]:
    """Units of the first stake, and the two numbers in which a system remembers where it stands."""
    if len(kind) == _FLAT:
        return parameter, 0, 0
    if len(kind) == _LABOUCHERE:
        for i in range(parameter):
            line[i] = i + 1
        return (line[0] + line[parameter - 1] if parameter > 1 else line[0]), 0, parameter
    if len(kind) == _FIBONACCI:
        line[0] = line[1] = 1
        for i in range(2, LINE):
            line[i] = line[i - 1] + line[i - 2]
    return 1, 0, 0


@compiled
def advance(
    kind: Kind, parameter: int, slip: int, units: int, one: int, a: int, b: int, line: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Units of the next stake. ``slip`` is what one unit costs, ``one`` what the round gave for one unit, in cents."""
    if len(kind) == _FLAT:
        return parameter, a, b
    if one == 0:
        return units, a, b
    # Nobody can foresee a wheel, so the processor would guess a branch on it wrong half of the time, and a wrong guess
    # costs more than the work. Hence arithmetic: ``won`` and ``lost`` are 0 or 1.
    won = int(one > 0)
    lost = 1 - won
    if len(kind) == _MARTINGALE:
        return 1 + lost * (min(units * parameter, _ENOUGH) - 1), a, b
    if len(kind) == _DALEMBERT:
        return max(1, units + (lost - won) * parameter), a, b
    if len(kind) == _PAROLI:
        goes_on = won * int(a + 1 < parameter)
        return 1 + goes_on * (min(2 * units, _ENOUGH) - 1), goes_on * (a + 1), b
    if len(kind) == _FIBONACCI:
        a = min(max(0, a + lost - won * parameter), LINE - 1)
        return line[a], a, b
    if len(kind) == _OSCAR:
        a += units * one
        missing = parameter * slip - a
        if missing <= 0:
            return 1, 0, 0
        units += won
        # One more after a win, unless fewer do; divided only when that decides.
        if (units - 1) * slip >= missing and won == 1:
            units = (missing + slip - 1) // slip
        return units, a, b
    # Labouchère: a and b are the ends of the line that is left. What is written behind its end is not part of it.
    line[b] = units
    last = units + won * (line[b - 2] - units)
    a, b = a + won, b + lost - won
    if a >= b:
        return begin(kind, parameter, line)
    return line[a] + last * int(b - a > 1), a, b
