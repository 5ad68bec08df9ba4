"""The evidence of a round: who started the spin, reports of the spin, and readings of the outcome.

Nothing is assumed: a value that no sensor measured and no person attested is ``None``. The registered outcome is not
a reading. ``TableState`` keeps it beside the evidence.
"""

from itertools import combinations

from msgspec import Struct, field

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import IrregularityId, Pocket, StaffPosition
from roundhouse.table.names import PersonName, ReadBy, SeatId

PROGRAMS = (StaffPosition.AUTOMATIC_DEALER, StaffPosition.SYSTEM)
"""Positions that are programs of the house. Their reports come from the wheel's line."""


def same_name(one: str, other: str) -> bool:
    """Return whether two names are those of one person. Case and surrounding spaces do not matter.

    >>> same_name("Ann", " ann"), same_name("ann", "anne")
    (True, False)
    """
    return one.strip().casefold() == other.strip().casefold()


class Source(Struct, frozen=True, omit_defaults=True, gc=False):
    """The person or program that gave a piece of evidence."""

    by: StaffPosition
    who: PersonName | None = None
    """Account of the person; ``None`` for a program, or if the person is not logged in."""
    second: PersonName | None = None
    """Account of the second person, if two attested it together."""

    @property
    def is_program(self) -> bool:
        return self.by in PROGRAMS

    def same_person(self, other: "Source") -> bool:
        """Return whether both are one person. Two persons without names in one position count as one."""
        return same_name(self.who, other.who) if self.who and other.who else self.by is other.by


class SpinReport(Struct, frozen=True, omit_defaults=True, gc=False):
    """One report of the spin. A value is measured if a program reported it, else attested. ``None``: not measured."""

    source: Source
    revolutions: int | float | None = None
    ball: Direction | None = None
    wheel: Direction | None = None
    seen: tuple[IrregularityId, ...] = ()

    def contradicts(self, other: "SpinReport") -> bool:
        """Return whether two reports differ in a value that both have, or in the irregularities they saw."""
        pairs = ((self.revolutions, other.revolutions), (self.ball, other.ball), (self.wheel, other.wheel))
        differs = any(None not in pair and pair[0] != pair[1] for pair in pairs)
        return differs or set(self.seen) != set(other.seen)


class Reading(Struct, frozen=True, omit_defaults=True, gc=False):
    """One reading of the outcome at the wheel."""

    source: Source
    outcome: Pocket
    read_by: ReadBy = ReadBy.DEALER
    segment: int | None = None
    """Segment at the clapper of a Money Wheel, if it was reported."""


class Evidence(Struct, omit_defaults=True):
    """The recorded evidence of one round."""

    started_by: Source | None = None
    """Source that started the spin; ``None`` before the spin."""
    started_from: int | None = None
    """Segment that the clapper of a Money Wheel indicated before the spin, if it is on record."""
    by_hand: bool = False
    """Whether the Dealer spun the ball by hand at a table whose wheel launches it."""
    reports: list[SpinReport] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    spin_accepted: bool = False
    """Whether a decision let the round stand although the reports of the spin differ or are incomplete."""
    dark_seats: list[SeatId] = field(default_factory=list)
    """Seats whose terminals were interrupted in this round."""

    @property
    def outcomes(self) -> frozenset[Pocket]:
        """The different outcomes that were read."""
        return frozenset(reading.outcome for reading in self.readings)

    @property
    def reports_differ(self) -> bool:
        return any(one.contradicts(other) for one, other in combinations(self.reports, 2))

    @property
    def ball(self) -> Direction | None:
        return next((report.ball for report in self.reports if report.ball is not None), None)

    @property
    def wheel(self) -> Direction | None:
        return next((report.wheel for report in self.reports if report.wheel is not None), None)

    @property
    def revolutions(self) -> int | float | None:
        return next((report.revolutions for report in self.reports if report.revolutions is not None), None)

    def reading_of(self, source: Source) -> Reading | None:
        """Return the reading of a person, or of the wheel if the source is a program; ``None`` if there is none."""
        for reading in self.readings:
            if reading.source.is_program == source.is_program and (
                source.is_program or reading.source.same_person(source)
            ):
                return reading
        return None
