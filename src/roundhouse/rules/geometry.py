"""Reads the picture of a layout and derives the bets on its numbers from where its cells touch.

The picture is text on a grid. Equal words fill one rectangular cell. A dot is an empty square.

    00 3 6      Here each number is two squares high, so that two zeros share the height of three
    00 3 6      numbers, as they do on a real table.
    00 2 5
    0  2 5
    0  1 4
    0  1 4

The derivation does not depend on the number of zeros, so it works for every layout.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import NamedTuple

from roundhouse.rules.names import BetType, Pocket, PositionId
from roundhouse.rules.wheel import Wheel

EMPTY = "."


class Point(NamedTuple):
    x: int
    y: int


class Rect(NamedTuple):
    """The rectangle of a cell or box. Coordinates are in half drawing units, so that midpoints are whole numbers."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def middle(self) -> Point:
        return Point((self.x0 + self.x1) // 2, (self.y0 + self.y1) // 2)

    def touches(self, point: Point) -> bool:
        return self.x0 <= point.x <= self.x1 and self.y0 <= point.y <= self.y1


class Flaw(NamedTuple):
    """A fault in the picture of a layout, with its row and a remedy."""

    wrong: str
    remedy: str
    row: int
    """Row of the picture, counted from 1; 0 for the whole picture."""


class InvalidPicture(Exception):
    """A picture is not a grid of rectangular cells. ``flaws`` lists all reasons."""

    def __init__(self, flaws: list[Flaw]) -> None:
        self.flaws = flaws
        super().__init__("; ".join(flaw.wrong for flaw in flaws))


MAX_SIDE = 100
"""Largest number of rows, and of columns, of a picture."""
MAX_CELLS = 400
"""Largest number of cells of a picture. The positions are derived from the cells that touch."""


def cells_of(picture: str, square: tuple[int, int]) -> Mapping[str, Rect]:
    """Parse a picture into its cells. ``square`` is the width and height of one square in drawing units.

    >>> cells_of("a a b", (1, 1))
    {'a': Rect(x0=0, y0=0, x1=4, y1=2), 'b': Rect(x0=4, y0=0, x1=6, y1=2)}
    """
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    if flaws := list(_uneven(lines)):
        raise InvalidPicture(flaws)
    squares: dict[str, list[Point]] = {}
    for y, line in enumerate(lines):
        for x, word in enumerate(line):
            if word != EMPTY:
                squares.setdefault(word, []).append(Point(x, y))
    if flaws := [
        Flaw(f"'{word}' does not fill a rectangle", "draw every cell as one rectangle of equal words", of[0].y + 1)
        for word, of in squares.items()
        if not _is_rectangle(of)
    ]:
        raise InvalidPicture(flaws)
    width, height = square
    return {
        word: Rect(of[0].x * 2 * width, of[0].y * 2 * height, (of[-1].x + 1) * 2 * width, (of[-1].y + 1) * 2 * height)
        for word, of in squares.items()
    }


def row_of(picture: str, word: str) -> int:
    """Return the first row of the picture that contains a word, counted from 1."""
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    return next(number for number, line in enumerate(lines, start=1) if word in line)


def _uneven(lines: list[list[str]]) -> Iterator[Flaw]:
    if not lines:
        yield Flaw("the picture is empty", "draw the layout as a grid of words", 0)
        return
    if len(lines) > MAX_SIDE or max(map(len, lines)) > MAX_SIDE:
        wrong = f"the picture has more than {MAX_SIDE} rows or columns"
        yield Flaw(wrong, "draw the layout with fewer squares", 0)
        return
    if len({word for line in lines for word in line}) > MAX_CELLS:
        yield Flaw(f"the picture has more than {MAX_CELLS} cells", "draw the layout with fewer cells", 0)
        return
    ((usual, _),) = Counter(len(line) for line in lines).most_common(1)
    for number, line in enumerate(lines, start=1):
        if len(line) != usual:
            wrong = f"row {number} has {len(line)} squares, most rows have {usual}"
            yield Flaw(wrong, "add or remove squares; a dot is an empty square", number)


def _is_rectangle(squares: Iterable[Point]) -> bool:
    points = list(squares)
    # The points are in reading order, so the first and the last are opposite corners of the rectangle.
    first, last = points[0], points[-1]
    return points == [Point(x, y) for y in range(first.y, last.y + 1) for x in range(first.x, last.x + 1)]


STRAIGHT = BetType("straight")
SPLIT = BetType("split")
STREET = BetType("street")
CORNER = BetType("corner")
LINE = BetType("line")
TOP_LINE = BetType("top_line")

ROW = 3
"""Count of numbers in one row of the layout. The first row holds 1, 2 and 3."""


class Spot(NamedTuple):
    """A point on the layout where a chip can be placed, and the pockets that it covers."""

    type: BetType
    covers: tuple[Pocket, ...]
    at: Point

    @property
    def id(self) -> PositionId:
        # A layout has at most one Top Line, so the type alone identifies it.
        return PositionId(self.type if self.type == TOP_LINE else f"{self.type}:{'-'.join(self.covers)}")


def spots(cells: Mapping[Pocket, Rect], wheel: Wheel, top_line: frozenset[Pocket] | None) -> Iterator[Spot]:
    """Derive all bets on numbers. ``top_line`` is set if the rule document lists the pockets of the Top Line."""
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
        # The overlap has length in one direction only, so the cells share an edge.
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
    """Yield the Streets. A Street is placed on the outer line, at the end of its row."""
    for (x0, x1), row in _rows(cells):
        if len(row) == ROW:
            yield STREET, row, Point((x0 + x1) // 2, _outer_line(cells))


def _border_ends(cells: Mapping[Pocket, Rect], top_line: frozenset[Pocket] | None) -> Iterator[_Placed]:
    """Yield the bets on the outer line where two rows meet: Lines, and one bet where the zeros meet 1-2-3."""
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
    """Return the rows that end at the outer line, zeros first, each with its left and right border."""
    borders = sorted({(cell.x0, cell.x1) for cell in cells.values() if cell.y1 == _outer_line(cells)})
    return [(x, frozenset(pocket for pocket, cell in cells.items() if (cell.x0, cell.x1) == x)) for x in borders]


def _outer_line(cells: Mapping[Pocket, Rect]) -> int:
    return max((cell.y1 for cell in cells.values()), default=0)
