"""The evidence of a round: who started the spin, reports of the spin, and readings of the outcome.

Nothing is assumed: a value that no sensor measured and no person attested is ``None``. The registered outcome is not
a reading. ``TableState`` keeps it beside the evidence.
"""

from itertools import combinations
from unicodedata import category, normalize

from msgspec import Struct, field

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import IrregularityId, Pocket, StaffPosition
from roundhouse.table.names import PersonName, ReadBy, SeatId

PROGRAMS = (StaffPosition.AUTOMATIC_DEALER, StaffPosition.SYSTEM)
"""Positions that are programs of the house. Their reports come from the wheel's line."""


def same_name(one: str, other: str) -> bool:
    """Return whether two names are those of one person. Case, spaces and invisible characters do not matter.

    >>> same_name("Ann Lee", " ann  lee"), same_name("ann", "an\u200bn"), same_name("ann", "anne")
    (True, True, False)
    """
    return plain_name(one) == plain_name(other)


_INVISIBLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Characters that Unicode lets a display ignore, beside controls and formats: joiners, fillers, variation selectors."""


def plain_name(name: str) -> str:
    """Return a name in the form in which names are compared."""
    words = " ".join(normalize("NFKC", name).split())
    visible = (char for char in words if char not in _INVISIBLE and category(char) not in ("Cc", "Cf"))
    return normalize("NFKC", " ".join("".join(visible).split()).casefold())


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

    def may_be(self, other: "Source") -> bool:
        """Return whether both may be one person: they have one name, or one has no name and their positions agree."""
        return same_name(self.who, other.who) if self.who and other.who else self.by is other.by

    def is_same(self, other: "Source") -> bool:
        """Return whether both are surely one person. Without names their positions must agree."""
        return bool(self.who) is bool(other.who) and self.may_be(other)


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
    def segments(self) -> frozenset[int]:
        """The different segments that were read at the clapper of a Money Wheel."""
        return frozenset(reading.segment for reading in self.readings if reading.segment is not None)

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
        same = (one for one in self.readings if one.source.is_program == source.is_program)
        return next((one for one in same if source.is_program or one.source.is_same(source)), None)

    def may_have_read(self, source: Source) -> bool:
        """Return whether a reading may be of this person. A person without a name may be any of their position."""
        people = (one.source for one in self.readings if not one.source.is_program)
        return self.reading_of(source) is not None or any(source.may_be(one) for one in people if not source.is_program)

    def outcomes_read_by_others(self, source: Source) -> frozenset[Pocket]:
        """Return the different outcomes that the wheel's line, or another person than this one, has read."""
        others = (one for one in self.readings if one.source.second is not None or not one.source.may_be(source))
        return frozenset(reading.outcome for reading in others)
