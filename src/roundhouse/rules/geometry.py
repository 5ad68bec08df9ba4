"""Geometry in, bets out: which bets the cells of a layout offer.

Spots are *derived* from where cells touch. Nothing here knows how many zeros there are, so one derivation
serves every layout; nothing here knows what a bet pays.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from typing import NamedTuple

from roundhouse.rules.names import BetType, Pocket, PositionId
from roundhouse.rules.picture import Point, Rect
from roundhouse.rules.wheel import Wheel

STRAIGHT = BetType("straight")
SPLIT = BetType("split")
STREET = BetType("street")
CORNER = BetType("corner")
LINE = BetType("line")
TOP_LINE = BetType("top_line")

ROW = 3
"""Numbers in a row of the layout, across from the outer line: 1, 2 and 3."""


class Spot(NamedTuple):
    """A place where a chip can stand, and the pockets it stands for."""

    type: BetType
    covers: tuple[Pocket, ...]
    at: Point

    @property
    def id(self) -> PositionId:
        # There is one Top Line on a layout: its name is its id.
        return PositionId(self.type if self.type == TOP_LINE else f"{self.type}:{'-'.join(self.covers)}")


def spots(cells: Mapping[Pocket, Rect], wheel: Wheel, top_line: frozenset[Pocket] | None) -> Iterator[Spot]:
    """Every bet on the numbers. ``top_line`` is its definition where the document gives one."""
    placed = [
        *_straights(cells),
        *_shared_edges(cells),
        *_shared_points(cells),
        *_row_ends(cells),
        *_border_ends(cells, top_line),
    ]
    return (Spot(kind, wheel.canonical(covers), at) for kind, covers, at in placed)


_Placed = tuple[BetType, frozenset[Pocket], Point]


def _straights(cells: Mapping[Pocket, Rect]) -> Iterator[_Placed]:
    for pocket, cell in cells.items():
        yield STRAIGHT, frozenset({pocket}), cell.middle


def _shared_edges(cells: Mapping[Pocket, Rect]) -> Iterator[_Placed]:
    for (a, cell_a), (b, cell_b) in combinations(cells.items(), 2):
        x0, x1 = max(cell_a.x0, cell_b.x0), min(cell_a.x1, cell_b.x1)
        y0, y1 = max(cell_a.y0, cell_b.y0), min(cell_a.y1, cell_b.y1)
        # One side of the overlap is a line, the other has length: they share an edge.
        if (x0 == x1 and y0 < y1) or (x0 < x1 and y0 == y1):
            yield SPLIT, frozenset({a, b}), Rect(x0, y0, x1, y1).middle


def _shared_points(cells: Mapping[Pocket, Rect]) -> Iterator[_Placed]:
    points = {Point(x, y) for cell in cells.values() for x in (cell.x0, cell.x1) for y in (cell.y0, cell.y1)}
    for point in sorted(points):
        meeting = frozenset(pocket for pocket, cell in cells.items() if cell.touches(point))
        if len(meeting) == 3:
            yield STREET, meeting, point
        elif len(meeting) == 4:
            yield CORNER, meeting, point


def _row_ends(cells: Mapping[Pocket, Rect]) -> Iterator[_Placed]:
    """A Street stands on the outer line, at the end of its row."""
    for (x0, x1), row in _rows(cells):
        if len(row) == ROW:
            yield STREET, row, Point((x0 + x1) // 2, _outer_line(cells))


def _border_ends(cells: Mapping[Pocket, Rect], top_line: frozenset[Pocket] | None) -> Iterator[_Placed]:
    """What stands on the outer line where two rows meet: Lines, and one bet where the zeros meet 1-2-3."""
    for ((_, border), row), ((x0, _), next_row) in pairwise(_rows(cells)):
        if border != x0 or ROW not in (len(row), len(next_row)):
            continue
        at = Point(border, _outer_line(cells))
        if len(row) == len(next_row):
            yield LINE, row | next_row, at
        elif len(row | next_row) == 4:
            yield CORNER, row | next_row, at
        else:
            yield TOP_LINE, top_line or row | next_row, at


def _rows(cells: Mapping[Pocket, Rect]) -> list[tuple[tuple[int, int], frozenset[Pocket]]]:
    """The rows that end at the outer line, from the zeros on: cells between the same two borders."""
    borders = sorted({(cell.x0, cell.x1) for cell in cells.values() if cell.y1 == _outer_line(cells)})
    return [(x, frozenset(pocket for pocket, cell in cells.items() if (cell.x0, cell.x1) == x)) for x in borders]


def _outer_line(cells: Mapping[Pocket, Rect]) -> int:
    return max((cell.y1 for cell in cells.values()), default=0)
