"""What the single-pocket test could have seen: computed from the very test, never quoted.

The questions that are asked of a wheel's record, each with the chance that a fair wheel looks at least as odd.

Every question is held to the same level, and inside a question every pocket or arc is corrected for the others,
so that a fair wheel is suspected of anything in at most one report in twenty.
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


FEWEST = 5
"""Below this expectation in a cell, chi-square is not to be trusted."""
SPEED = "speed bands"
_ALTERNATES = 0.9
"""A wheel that turned about so often is meant to do so each time."""


class Finding(Struct, frozen=True):
    question: str
    chance: float | None
    """That a fair wheel looks at least as odd; nothing where there is too little to tell."""
    suspicious: bool
    words: str


def findings(record: Record) -> list[Finding]:
    """At level one in a hundred each: together at most one in twenty."""
    return [_pockets(record), _uniformity(record), _sectors(record), _serial(record), speed_bands(record)]


def _pockets(record: Record) -> Finding:
    """Is a single pocket too frequent, or too rare? Exact, and corrected for asking each of them."""
    spins, n = record.spins, record.segments
    question = "single pockets"
    if not spins:
        return too_little(question)
    places = [Segment(i) for i in range(n)]
    adjusted = holm([binomial_two_sided(record.counts[i], spins, 1 / n) for i in places])
    worst = min(places, key=adjusted.__getitem__)
    excess = record.counts[worst] * n / spins - 1
    named = _name(record, worst)
    return finding(question, adjusted[worst], f"{named} came {record.counts[worst]} times, {excess:+.0%} of its share")


def _uniformity(record: Record) -> Finding:
    question = "uniformity"
    if record.spins < FEWEST * record.segments:
        return too_little(question)
    value = _chi_square([record.counts[Segment(i)] for i in range(record.segments)])
    return finding(
        question,
        chi_square_tail(value, record.segments - 1),
        f"chi-square {value:.1f} with {record.segments - 1} degrees of freedom",
    )


def _sectors(record: Record) -> Finding:
    """Does one side of the rim gather the ball? All arcs of three lengths, and the mean direction."""
    n, spins = record.segments, record.spins
    question = "sectors"
    if spins < FEWEST * 4:
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
        return finding(question, adjusted[worst], f"mean direction of length {sqrt(x * x + y * y):.3f}")
    start, size = arcs[worst]
    ends = f"{_name(record, Segment(start))} to {_name(record, Segment((start + size - 1) % n))}"
    return finding(question, adjusted[worst], f"the arc of {size} from {ends}")


def _serial(record: Record) -> Finding:
    """Does an outcome tell of the next? On a fair wheel every step around the rim is as likely."""
    question = "serial dependence"
    if record.steps.total() < FEWEST * record.segments:
        return too_little(question)
    value = _chi_square([record.steps[i] for i in range(record.segments)])
    return finding(
        question,
        chi_square_tail(value, record.segments - 1),
        f"chi-square {value:.1f} over the steps from one outcome to the next",
    )


def speed_bands(record: Record) -> Finding:
    """Does the outcome hang on the speed of the rotor? Thirds of the speeds against quarters of the rim."""
    question = SPEED
    table = _bands(record.sector_by_speed)
    spins = sum(map(sum, table))
    columns = [sum(row[i] for row in table) for i in range(SECTORS)]
    if len(table) < 2 or min((sum(row) * column / spins for row in table for column in columns), default=0) < FEWEST:
        return too_little(question)
    value = sum(
        (row[i] - sum(row) * columns[i] / spins) ** 2 / (sum(row) * columns[i] / spins)
        for row in table
        for i in range(SECTORS)
    )
    freedom = (len(table) - 1) * (SECTORS - 1)
    return finding(question, chi_square_tail(value, freedom), f"chi-square {value:.1f}, {len(table)} bands of speed")


def _bands(sector_by_speed: Counter[tuple[int, int]]) -> list[list[int]]:
    """Three bands of speed with about as many spins in each; fewer where the speeds do not differ."""
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
    """What needs no probability: each with a key under which it is known."""
    turned, kept = record.turned_about, record.kept_direction
    if record.rulebook.wheel.spun is Spun.BALL and kept and turned >= _ALTERNATES * (turned + kept):
        yield (
            "direction",
            f"of {turned + kept} games the rotor kept its direction in {kept}; it turns about each game",
        )
    games = record.spins + record.voids + record.unresolved
    if record.unresolved:
        yield "unresolved", f"{record.unresolved} of {games} games ended without a number"
    if record.missed:
        yield "missed", f"the counter jumped {record.missed} times: games were not heard"
    for flag, count in sorted(record.flags.items()):
        yield f"flag-{flag}", f"warning {flag} was raised {count} times"


def _chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def _name(record: Record, segment: Segment) -> str:
    pocket = record.codes.wheel.at(segment)
    return f"segment {segment} ({pocket})" if record.codes.wheel.spun is Spun.WHEEL else pocket


def finding(question: str, chance: float, words: str) -> Finding:
    return Finding(question, chance, chance <= LEVEL, words)


def too_little(question: str) -> Finding:
    return Finding(question, None, False, "too few spins to tell")
