"""Bet limits: minimum and maximum per position and seat, and the maximum of the whole table.

Limits apply to the single pieces of a package, never to the package.
"""

from collections.abc import Mapping

from msgspec import Struct

from roundhouse.rules.currency import format_amount
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, Clause, PositionId, type_of
from roundhouse.table.refusals import Refusal, Refused


class Bounds(Struct, frozen=True, forbid_unknown_fields=True):
    min: Cents = Cents(1)
    max: Cents = MAX_STAKE_CENTS


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Bet limits of a table, in cents. Limits of a position override the limits of its type."""

    types: dict[BetType, Bounds] = {}
    positions: dict[PositionId, Bounds] = {}
    seat: Bounds = Bounds()
    """Minimum of any single bet, and maximum total of a seat's bets in a round."""
    table: Cents = Cents(100 * MAX_STAKE_CENTS)
    """Maximum total stakes of all seats on the layout."""

    def completed(self, house: "Limits | None") -> "Limits | None":
        """Return these limits with those of the house where they state none; ``None`` if neither states any.

        >>> Limits(table=Cents(500)).completed(Limits(seat=Bounds(Cents(1), Cents(90)))).seat.max
        90
        """
        if house is None:
            return None if self == Limits() else self
        free = Limits()
        minimum = house.seat.min if self.seat.min == free.seat.min else self.seat.min
        maximum = house.seat.max if self.seat.max == free.seat.max else self.seat.max
        return Limits(
            {**house.types, **self.types},
            {**house.positions, **self.positions},
            Bounds(minimum, maximum),
            house.table if self.table == free.table else self.table,
        )

    def bounds(self, position: PositionId) -> Bounds:
        """Return the limits of a position, else of its type. The minimum is at least ``seat.min``."""
        return self._raised(self.positions.get(position) or self.types.get(type_of(position)))

    def _raised(self, found: Bounds | None) -> Bounds:
        if found is None:
            return Bounds(min=self.seat.min)
        return found if found.min >= self.seat.min else Bounds(self.seat.min, found.max)

    def resolved(self, layout: Layout) -> "ResolvedLimits":
        """Compute the limits of all bets of a layout, so that clients need no rules to find them."""
        kinds = dict.fromkeys(type_of(position.id) for position in layout.positions)
        types = {kind: self._raised(self.types.get(kind)) for kind in kinds}
        by_position = {position.id: self.bounds(position.id) for position in layout.positions}
        return ResolvedLimits(
            _resolved(self.seat),
            {kind: _resolved(bounds) for kind, bounds in types.items()},
            {id: _resolved(bounds) for id, bounds in by_position.items() if bounds != types[type_of(id)]},
        )

    def of_layout(self, layout: Layout) -> "BoundsOf":
        """Tabulate minimum and maximum of every position of a layout, for fast checks of bets."""
        bounds = {position.id: self.bounds(position.id) for position in layout.positions}
        return {id: (id, found.min, found.max) for id, found in bounds.items()}


class ResolvedBounds(Struct, frozen=True):
    """Minimum and maximum of a bet in cents; ``max`` is ``None`` if there is no maximum."""

    min: Cents
    max: Cents | None


class ResolvedLimits(Struct, frozen=True):
    """Limits of one layout. ``positions`` lists only those that differ from their type."""

    seat: ResolvedBounds
    types: dict[BetType, ResolvedBounds]
    positions: dict[PositionId, ResolvedBounds]


def _resolved(bounds: Bounds) -> ResolvedBounds:
    return ResolvedBounds(bounds.min, bounds.max if bounds.max < MAX_STAKE_CENTS else None)


BoundsOf = dict[PositionId, tuple[PositionId, int, int]]
"""For each position: its id, minimum and maximum in cents.

The id is the string object of the layout. Stored bets refer to it instead of the string in each request, which
saves memory.
"""


def out_of_bounds(
    bounds: BoundsOf,
    current: Mapping[PositionId, int],
    changed: Mapping[PositionId, int],
    clause: Clause | None,
    currency: str,
) -> Refused | None:
    """Return the refusal of the first change that breaks the limits of its position, or ``None``."""
    for position, change in changed.items():
        _, minimum, maximum = bounds[position]
        after = current.get(position, 0) + change
        if after > maximum or 0 < after < minimum:
            refusal = Refusal.ABOVE_MAXIMUM if after > maximum else Refusal.BELOW_MINIMUM
            least, most, found = (format_amount(cents, currency) for cents in (minimum, maximum, after))
            return Refused(refusal, clause, f"'{position}' takes {least} to {most}, not {found}")
    return None


def faults_of(limits: Limits, layouts: Mapping[object, Layout]) -> str | None:
    """Check limits for a game. Return a description of the first fault, or ``None`` if they are valid."""
    known = {position.id for layout in layouts.values() for position in layout.positions}
    types = {type_of(position) for position in known}
    for name, bounds in [*limits.types.items(), *limits.positions.items(), ("seat", limits.seat)]:
        if not 0 < bounds.min <= bounds.max <= MAX_STAKE_CENTS:
            return f"the limits of {name} must satisfy 0 < min ≤ max ≤ {MAX_STAKE_CENTS}"
        if bounds.max < limits.seat.min:
            return f"the maximum of {name} is below seat.min, the minimum of any bet"
    if unknown := [*(set(limits.types) - types), *(set(limits.positions) - known)]:
        return f"this game has no bet type or position {unknown[0]}"
    return None if limits.table > 0 else "the table limit must be more than 0"
