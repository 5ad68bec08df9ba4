"""Tests of a wheel's record for bias, each with its p-value, and the power of the single-pocket test.

Each of the five tests has the level 0.01, and inside a test the pockets or arcs are corrected for multiple comparisons
(Holm). The probability that a report suspects a fair wheel is therefore at most 0.05.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, pi, sin, sqrt
from typing import Final

from msgspec import Struct

from roundhouse.rules.names import Segment
from roundhouse.rules.rulebook import Spun
from roundhouse.wheel.health.probability import binomial_two_sided, binomial_upper, chi_square_tail, holm, rayleigh_tail
from roundhouse.wheel.health.record import SECTORS, Record
from roundhouse.wheel.protocol import WARNINGS, Flag

LEVEL: Final = 0.01
"""Level of one test: the largest probability that it suspects a fair wheel."""
POWER: Final = 0.9
"""Probability of detection for which ``detectable`` and ``spins_needed`` are computed."""


@dataclass(frozen=True, slots=True)
class Power:
    """The smallest excess that the single-pocket test detects with probability ``POWER``."""

    spins: int
    segments: int
    excess: float | None
    """Relative excess: 0.55 is a pocket that is 55 % too frequent. None if no excess is detectable."""

    def __str__(self) -> str:
        if self.excess is None:
            return f"with {self.spins:,} spins, no excess of a single pocket is detected with a probability of 90 %"
        # Round up, because rounding down would state an excess that is detected less often.
        return (
            f"with {self.spins:,} spins, a single pocket that is {ceil(self.excess * 100)} % too frequent "
            "is detected with a probability of at least 90 %"
        )


@lru_cache(maxsize=64)
def critical_count(spins: int, segments: int) -> int:
    """Return the smallest suspicious count of one pocket, at the two-sided level divided by the number of pockets."""
    chance, bar = 1 / segments, LEVEL / segments / 2
    low, high = 0, spins + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial_upper(middle, spins, chance) <= bar else (middle + 1, high)
    return low


def power_against(excess: float, spins: int, segments: int) -> float:
    """Compute the probability that a pocket with this relative excess is detected."""
    return binomial_upper(critical_count(spins, segments), spins, min(1.0, (1 + excess) / segments))


def detectable(spins: int, segments: int) -> Power:
    """Find the smallest relative excess of one pocket that is detected with probability ``POWER``.

    >>> str(detectable(3400, 38))
    'with 3,400 spins, a single pocket that is 57 % too frequent is detected with a probability of at least 90 %'
    """
    low, high = 0.0, segments - 1.0
    if spins < 1 or power_against(high, spins, segments) < POWER:
        return Power(spins, segments, None)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power_against(middle, spins, segments) >= POWER else (middle, high)
    return Power(spins, segments, high)


def spins_needed(excess: float, segments: int) -> int:
    """Compute the spins needed to detect a pocket with this relative excess with probability ``POWER``."""
    high = 64
    while power_against(excess, high, segments) < POWER:
        high *= 2
    low = high // 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_against(excess, middle, segments) >= POWER else (middle + 1, high)
    # Add a margin: counts are whole numbers, so a few more spins can reduce the power slightly.
    return round(high * 1.01) + 1


MIN_EXPECTED = 5
"""Smallest expected count in a cell for which the chi-square test is valid."""
SPEED = "speed bands"
_ALTERNATES = 0.9
"""A wheel that reversed its rotor in at least this share of games is expected to reverse it in every game."""


class Finding(Struct, frozen=True):
    """Result of one test."""

    question: str
    """Name of the test."""
    chance: float | None
    """The p-value: probability that a fair wheel deviates at least as much. None if there are too few spins."""
    suspicious: bool
    """Whether the p-value is at most ``LEVEL``."""
    words: str
    """The statistic, as a message."""


def findings(record: Record) -> list[Finding]:
    """Run the five tests of the record and return their findings."""
    return [_pockets(record), _uniformity(record), _sectors(record), _serial(record), speed_bands(record)]


def _pockets(record: Record) -> Finding:
    """Test whether a single pocket is too frequent or too rare: exact binomial tests with Holm's correction."""
    spins, n = record.spins, record.segments
    question = "single pockets"
    if not spins:
        return too_little(question)
    places = [Segment(i) for i in range(n)]
    adjusted = holm([binomial_two_sided(record.counts[i], spins, 1 / n) for i in places])
    worst = min(places, key=adjusted.__getitem__)
    excess = record.counts[worst] * n / spins - 1
    named = _name(record, worst)
    expected = f"expected {spins / n:.1f} ({excess:+.0%})"
    return finding(question, adjusted[worst], f"{named} occurred {record.counts[worst]} times, {expected}")


def _uniformity(record: Record) -> Finding:
    question = "uniformity"
    if record.spins < MIN_EXPECTED * record.segments:
        return too_little(question)
    value = _chi_square([record.counts[Segment(i)] for i in range(record.segments)])
    return finding(
        question,
        chi_square_tail(value, record.segments - 1),
        f"chi-square {value:.1f} with {record.segments - 1} degrees of freedom",
    )


def _sectors(record: Record) -> Finding:
    """Test whether outcomes cluster in a part of the rim: arcs of three lengths, and the mean direction (Rayleigh)."""
    n, spins = record.segments, record.spins
    question = "sectors"
    if spins < MIN_EXPECTED * 4:
        return too_little(question)
    counts = [record.counts[Segment(i)] for i in range(n)]
    arcs = [(start, size) for size in sorted({max(2, n // 12), n // 5, n // 3}) for start in range(n)]
    chances = [
        binomial_two_sided(sum(counts[(start + k) % n] for k in range(size)), spins, size / n) for start, size in arcs
    ]
    x = sum(count * cos(2 * pi * i / n) for i, count in enumerate(counts)) / spins
    y = sum(count * sin(2 * pi * i / n) for i, count in enumerate(counts)) / spins
    adjusted = holm([*chances, rayleigh_tail(x * x + y * y, spins)])
    worst = min(range(len(adjusted)), key=adjusted.__getitem__)
    if worst == len(arcs):
        return finding(question, adjusted[worst], f"mean direction, resultant length {sqrt(x * x + y * y):.3f}")
    start, size = arcs[worst]
    ends = f"{_name(record, Segment(start))} to {_name(record, Segment((start + size - 1) % n))}"
    observed = sum(counts[(start + k) % n] for k in range(size))
    return finding(
        question,
        adjusted[worst],
        f"{observed} outcomes in the arc of {size} segments from {ends}, expected {spins * size / n:.1f}",
    )


def _serial(record: Record) -> Finding:
    """Test whether an outcome depends on the previous one. On a fair wheel all steps are equally likely."""
    question = "serial dependence"
    if record.steps.total() < MIN_EXPECTED * record.segments:
        return too_little(question)
    value = _chi_square([record.steps[i] for i in range(record.segments)])
    return finding(
        question,
        chi_square_tail(value, record.segments - 1),
        f"chi-square {value:.1f} with {record.segments - 1} degrees of freedom, steps between consecutive outcomes",
    )


def speed_bands(record: Record) -> Finding:
    """Test whether the outcome depends on the rotor speed: thirds of the speeds against quarters of the rim."""
    question = SPEED
    table = _bands(record.sector_by_speed)
    spins = sum(map(sum, table))
    columns = [sum(row[i] for row in table) for i in range(SECTORS)]
    if (
        len(table) < 2
        or min((sum(row) * column / spins for row in table for column in columns), default=0) < MIN_EXPECTED
    ):
        return too_little(question)
    value = sum(
        (row[i] - sum(row) * columns[i] / spins) ** 2 / (sum(row) * columns[i] / spins)
        for row in table
        for i in range(SECTORS)
    )
    freedom = (len(table) - 1) * (SECTORS - 1)
    return finding(
        question,
        chi_square_tail(value, freedom),
        f"chi-square {value:.1f} with {freedom} degrees of freedom, {len(table)} speed bands",
    )


def _bands(sector_by_speed: Counter[tuple[int, int]]) -> list[list[int]]:
    """Divide the spins by speed into three bands of similar size, or fewer if the speeds do not differ enough."""
    bands: list[list[int]] = []
    total, taken, row = sector_by_speed.total(), 0, [0] * SECTORS
    for speed in sorted({speed for speed, _ in sector_by_speed}):
        for sector in range(SECTORS):
            row[sector] += sector_by_speed[speed, sector]
            taken += sector_by_speed[speed, sector]
        if taken * 3 >= total * (len(bands) + 1):
            bands.append(row)
            row = [0] * SECTORS
    return bands


def troubles(record: Record) -> Iterator[tuple[str, str]]:
    """Yield a key and a message for each problem that needs no statistical test."""
    turned, same = record.turned_about, record.kept_direction
    if record.rulebook.wheel.spun is Spun.BALL and same and turned >= _ALTERNATES * (turned + same):
        yield (
            "direction",
            f"the rotor kept its direction in {same} of {turned + same} games; it should reverse in every game",
        )
    games = record.spins + record.voids + record.unresolved
    if record.unresolved:
        yield "unresolved", f"{record.unresolved} of {games} games ended without a number"
    if record.missed:
        yield "missed", f"the game counter jumped {record.missed} times: games were not received"
    for flag, count in sorted(record.flags.items()):
        yield f"flag-{flag}", f"warning {flag} ({WARNINGS[Flag(flag)]}) was raised {count} times"


def _chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def _name(record: Record, segment: Segment) -> str:
    pocket = record.codes.wheel.at(segment)
    return f"segment {segment} ({pocket})" if record.codes.wheel.spun is Spun.WHEEL else pocket


def finding(question: str, chance: float, text: str) -> Finding:
    return Finding(question, chance, chance <= LEVEL, text)


def too_little(question: str) -> Finding:
    return Finding(question, None, False, "too few spins for this test")
