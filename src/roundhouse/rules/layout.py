"""The layout: every position a chip can stand on, with what it covers, what it pays and by which clause."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from roundhouse.rules.names import BetType, Clause, LayoutId, Pocket, PositionId
from roundhouse.rules.picture import Point, Rect
from roundhouse.rules.rulebook import Box
from roundhouse.rules.wheel import Wheel


class Position(Struct, frozen=True):
    id: PositionId
    type: BetType
    covers: tuple[Pocket, ...]
    at: Point
    pays: int
    """The n of "n to 1": a bet that wins gets its stake back and n times that."""
    clause: Clause
    """The pay table that prices it."""
    described: tuple[Clause, ...]
    """The clauses that say what this bet is and where it is placed."""


@dataclass(frozen=True)
class Layout:
    id: LayoutId
    clause: Clause
    wheel: Wheel
    cells: Mapping[Pocket, Rect]
    boxes: Mapping[PositionId, Rect]
    labels: Mapping[PositionId, str]
    positions: tuple[Position, ...]
    by_id: Mapping[PositionId, Position] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {position.id: position for position in self.positions})


def covered_by(box: Box, wheel: Wheel) -> tuple[Pocket, ...]:
    """The pockets that a box covers. A zero has a numeral but no number: no run contains it."""
    match box:
        case Box(run=(first, last)):
            covered = {Pocket(str(number)) for number in range(first, last + 1, box.step)}
        case Box(colour=str(colour)):
            covered = {pocket for pocket in wheel.pockets if wheel.colours.get(pocket) == colour}
        case _:
            covered = {box.pocket} if box.pocket is not None else set()
    return wheel.canonical(covered)
