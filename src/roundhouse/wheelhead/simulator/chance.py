"""Chance: the operating system's entropy for play, a seed for tests. Outcomes are drawn without bias from either."""

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
