"""Random draws of the simulated wheel, and a simulated bad cable.

Draws use the operating system's entropy, or a seed in tests. The cable damages lines to test that the driver neither
fails nor invents an outcome.
"""

from random import Random, SystemRandom

from roundhouse.rules.names import Segment
from roundhouse.rules.wheel import Wheel


class Chance:
    """A random generator. ``randrange`` uses rejection sampling, so all segments are equally likely."""

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
    """Damages each line with probability ``rate``, in one of the ways that occur on real serial lines."""

    def __init__(self, rate: float, chance: Chance) -> None:
        self._rate, self._chance = rate, chance
        self._carried_over = b""

    def carry(self, line: bytes) -> bytes:
        if self._carried_over:
            # Join the head of an earlier line to the tail of this one.
            head, self._carried_over = self._carried_over, b""
            return head + line[self._chance.below(len(line) + 1) :] + END
        if not self._chance.happens(self._rate):
            return line + END
        arrives, self._carried_over = _damage(line, self._chance)
        return arrives


def _damage(line: bytes, chance: Chance) -> tuple[bytes, bytes]:
    """Damage a line. Returns the bytes that arrive now, and a head that is joined to the next line."""
    at = chance.below(len(line) + 1)
    match chance.below(9):
        case 0:  # tail lost
            return line[:at] + END, b""
        case 1:  # head lost
            return line[at:] + END, b""
        case 2:  # line doubled
            return (line + END) * 2, b""
        case 3:  # head joined to the next line
            return b"", line[:at] or line[:1]
        case 4:  # garbage inserted
            return line[:at] + bytes(chance.below(256) for _ in range(chance.whole(1, 6))) + line[at:] + END, b""
        case 5:  # line lost
            return b"", b""
        case 6:  # CR lost
            return line + b"\n", b""
        case 7:  # line ending lost
            return line, b""
        case _:  # one byte lost
            return line[:at] + line[at + 1 :] + END, b""
