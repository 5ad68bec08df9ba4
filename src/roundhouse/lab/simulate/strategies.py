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
    kind: Kind, parameter: int, slip: int, units: int, net: int, a: int, b: int, line: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Units of the next stake. ``slip`` is what one unit costs, ``net`` what the round gave, both in cents."""
    # Both answers are worked out and one is taken: nobody can foresee a wheel, so a branch on it would be guessed wrong
    # half of the time, and a wrong guess costs more than the work.
    won, even = net > 0, net == 0
    if len(kind) == _FLAT:
        return parameter, a, b
    if len(kind) == _MARTINGALE:
        asked = 1 if won else min(units * parameter, _ENOUGH)
        return (units if even else asked), a, b
    if len(kind) == _DALEMBERT:
        asked = max(1, units - parameter) if won else units + parameter
        return (units if even else asked), a, b
    if len(kind) == _PAROLI:
        anew = (not won) | (a + 1 >= parameter)
        asked, wins = (1 if anew else min(2 * units, _ENOUGH)), (0 if anew else a + 1)
        return (units if even else asked), (a if even else wins), b
    if len(kind) == _FIBONACCI:
        step = max(0, a - parameter) if won else min(a + 1, LINE - 1)
        step = a if even else step
        return (units if even else line[step]), step, b
    if len(kind) == _OSCAR:
        a += net
        if a >= parameter * slip:
            return 1, 0, 0
        missing = parameter * slip - a
        # One more after a win, unless fewer do: (missing + slip - 1) // slip, divided only when it decides.
        asked = units + 1 if won else units
        return (asked if asked * slip < missing + slip or not won else (missing + slip - 1) // slip), a, b
    # Labouchère: a and b are the ends of the line that is left. What is written behind its end is not part of it.
    line[b] = units
    first = a + 1 if won else a
    last = b - 1 if won else b + 1
    first, last = (a if even else first), (b if even else last)
    if first >= last:
        return begin(kind, parameter, line)
    asked = line[first] + (line[last - 1] if last - first > 1 else 0)
    return (units if even else asked), first, last
