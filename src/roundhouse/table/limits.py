"""Limits: the least and the most that may stand on a position, for a seat, and on the whole layout.

A package has no limit of its own: it is judged by its pieces.
"""

from collections.abc import Mapping

from msgspec import Struct

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, Clause, PositionId, type_of
from roundhouse.table.refusals import Refusal, Refused


class Bounds(Struct, frozen=True, forbid_unknown_fields=True):
    min: Cents = Cents(1)
    max: Cents = MAX_STAKE_CENTS


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat may have on one position, by type or by position; in all; and all seats together."""

    types: dict[BetType, Bounds] = {}
    positions: dict[PositionId, Bounds] = {}
    seat: Bounds = Bounds()
    """Of a seat: the least of any one bet, and the most of all its bets in a round."""
    table: Cents = Cents(100 * MAX_STAKE_CENTS)
    """The most that may stand on the layout, of all seats together."""

    def bounds(self, position: PositionId) -> Bounds:
        """Those of the position, else of its type; the least of any one bet holds everywhere."""
        return self._raised(self.positions.get(position) or self.types.get(type_of(position)))

    def _raised(self, found: Bounds | None) -> Bounds:
        if found is None:
            return Bounds(min=self.seat.min)
        return found if found.min >= self.seat.min else Bounds(self.seat.min, found.max)

    def resolved(self, layout: Layout) -> "ResolvedLimits":
        """The limits of a layout for a screen, which looks them up and works nothing out."""
        kinds = dict.fromkeys(type_of(position.id) for position in layout.positions)
        types = {kind: self._raised(self.types.get(kind)) for kind in kinds}
        own = {position.id: self.bounds(position.id) for position in layout.positions}
        return ResolvedLimits(
            _resolved(self.seat),
            {kind: _resolved(bounds) for kind, bounds in types.items()},
            {id: _resolved(bounds) for id, bounds in own.items() if bounds != types[type_of(id)]},
        )

    def of_layout(self, layout: Layout) -> "BoundsOf":
        """The least and the most of every position of a layout, looked up once for all bets."""
        bounds = {position.id: self.bounds(position.id) for position in layout.positions}
        return {id: (id, found.min, found.max) for id, found in bounds.items()}


class ResolvedBounds(Struct, frozen=True):
    """The least and the most of a bet; ``max`` is nothing where no maximum is set."""

    min: Cents
    max: Cents | None


class ResolvedLimits(Struct, frozen=True):
    """The limits of one layout. A position that is not in ``positions`` has those of its type."""

    seat: ResolvedBounds
    types: dict[BetType, ResolvedBounds]
    positions: dict[PositionId, ResolvedBounds]


def _resolved(bounds: Bounds) -> ResolvedBounds:
    return ResolvedBounds(bounds.min, bounds.max if bounds.max < MAX_STAKE_CENTS else None)


BoundsOf = dict[PositionId, tuple[PositionId, int, int]]
"""Each with the layout's own word for it: a table that keeps that word keeps one of it, not one for each bet."""


def out_of_bounds(
    bounds: BoundsOf, standing: Mapping[PositionId, int], changed: Mapping[PositionId, int], clause: Clause | None
) -> Refused | None:
    """Why these changes to what a seat has standing are not allowed, position by position, and by which clause."""
    for position, change in changed.items():
        _, least, most = bounds[position]
        after = standing.get(position, 0) + change
        if after > most or 0 < after < least:
            refusal = Refusal.ABOVE_MAXIMUM if after > most else Refusal.BELOW_MINIMUM
            return Refused(refusal, clause, f"'{position}' takes {least} to {most} cents; {after} would stand there")
    return None


def faults_of(limits: Limits, layouts: Mapping[object, Layout]) -> str | None:
    """What is wrong with limits for this game, in words, or nothing."""
    known = {position.id for layout in layouts.values() for position in layout.positions}
    types = {type_of(position) for position in known}
    for name, bounds in [*limits.types.items(), *limits.positions.items(), ("seat", limits.seat)]:
        if not 0 < bounds.min <= bounds.max <= MAX_STAKE_CENTS:
            return f"the limits of {name} are not 0 < min ≤ max ≤ {MAX_STAKE_CENTS}"
        if bounds.max < limits.seat.min:
            return f"the most on {name} is less than the least of any one bet"
    if strange := [*(set(limits.types) - types), *(set(limits.positions) - known)]:
        return f"this game has no {strange[0]}"
    return None if limits.table > 0 else "the table's limit must be more than 0"
