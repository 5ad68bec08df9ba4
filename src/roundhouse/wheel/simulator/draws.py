"""Chance: the operating system's entropy for play, a seed for tests. Outcomes are drawn without bias from either.

What a bad cable does to the line: cut, doubled, spliced, garbage, lost ends of line. Bytes in, bytes out.

Used to try the driver, which must neither stumble nor invent an outcome whatever comes of it.
"""

from random import Random, SystemRandom

from roundhouse.rules.names import Segment
from roundhouse.rules.wheel import Wheel


class Chance:
    """``randrange`` of both generators rejects instead of folding, so that no segment is favoured."""

    __slots__ = ("_random",)

    def __init__(self, seed: int | None = None) -> None:
        self._random: Random = SystemRandom() if seed is None else Random(seed)

    def segment(self, wheel: Wheel) -> Segment:
        return Segment(self._random.randrange(len(wheel.order)))

    def below(self, count: int) -> int:
        return self._random.randrange(count)

    def between(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)

    def whole(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def happens(self, rate: float) -> bool:
        return self._random.random() < rate


END = b"\r\n"


class Cable:
    """Each line comes to harm at this rate, in one of the ways in which lines have been seen to."""

    def __init__(self, rate: float, chance: Chance) -> None:
        self._rate, self._chance = rate, chance
        self._head = b""

    def carry(self, line: bytes) -> bytes:
        if self._head:
            # The head of an earlier line runs into the tail of this one.
            head, self._head = self._head, b""
            return head + line[self._chance.below(len(line) + 1) :] + END
        if not self._chance.happens(self._rate):
            return line + END
        arrives, self._head = _harm(line, self._chance)
        return arrives


def _harm(line: bytes, chance: Chance) -> tuple[bytes, bytes]:
    """What arrives of the line now, and what of it runs into the next."""
    at = chance.below(len(line) + 1)
    match chance.below(9):
        case 0:  # its tail is lost
            return line[:at] + END, b""
        case 1:  # its head is lost
            return line[at:] + END, b""
        case 2:  # it comes twice
            return (line + END) * 2, b""
        case 3:  # its head runs into a later line
            return b"", line[:at] or line[:1]
        case 4:  # garbage stands in it
            return line[:at] + bytes(chance.below(256) for _ in range(chance.whole(1, 6))) + line[at:] + END, b""
        case 5:  # it is lost
            return b"", b""
        case 6:  # its CR is lost
            return line + b"\n", b""
        case 7:  # its end is lost
            return line, b""
        case _:  # one byte of it is lost
            return line[:at] + line[at + 1 :] + END, b""
