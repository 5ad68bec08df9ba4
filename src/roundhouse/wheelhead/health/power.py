"""What the single-pocket test could have seen: computed from the very test, never quoted."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Final

from roundhouse.wheelhead.health.chances import binomial_upper

LEVEL: Final = 0.01
"""A fair wheel is suspected by one question in a hundred reports at most."""
POWER: Final = 0.9


@dataclass(frozen=True, slots=True)
class Power:
    spins: int
    segments: int
    excess: float | None
    """Relative: 0.55 is a pocket 55 % too frequent. Nothing when not even the largest would have been seen."""

    def __str__(self) -> str:
        if self.excess is None:
            return f"after {self.spins:,} spins no excess of a single pocket could have been seen with 90 % power"
        # Rounded up, so that the promise holds.
        return (
            f"after {self.spins:,} spins a single pocket {ceil(self.excess * 100)} % too frequent "
            "would have been seen with 90 % power"
        )


@lru_cache(maxsize=64)
def critical_count(spins: int, segments: int) -> int:
    """The smallest count of one pocket that is suspicious when every pocket is asked, from either side."""
    chance, bar = 1 / segments, LEVEL / segments / 2
    low, high = 0, spins + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial_upper(middle, spins, chance) <= bar else (middle + 1, high)
    return low


def power_against(excess: float, spins: int, segments: int) -> float:
    """The chance that a pocket so much too frequent is suspected after so many spins."""
    return binomial_upper(critical_count(spins, segments), spins, min(1.0, (1 + excess) / segments))


def detectable(spins: int, segments: int) -> Power:
    """The smallest excess that would have been seen.

    >>> str(detectable(3400, 38))
    'after 3,400 spins a single pocket 57 % too frequent would have been seen with 90 % power'
    """
    low, high = 0.0, segments - 1.0
    if spins < 1 or power_against(high, spins, segments) < POWER:
        return Power(spins, segments, None)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power_against(middle, spins, segments) >= POWER else (middle, high)
    return Power(spins, segments, high)


def spins_needed(excess: float, segments: int) -> int:
    """How many spins it takes to see a pocket so much too frequent, and from then on always."""
    high = 64
    while power_against(excess, high, segments) < POWER:
        high *= 2
    low = high // 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_against(excess, middle, segments) >= POWER else (middle + 1, high)
    # Counts are whole, so that power moves in a saw-tooth: a few more spins can lose a little of it again.
    return round(high * 1.01) + 1
