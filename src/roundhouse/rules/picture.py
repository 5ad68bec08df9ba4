"""The picture of a layout in its rulebook: words on a grid, each word filling its rectangle.

    00 3 6      Equal words that stand together are one cell. Two squares to a number's height let two
    00 3 6      zeros share the height of three numbers, as they do on the felt. A dot is empty cloth.
    00 2 5
    0  2 5
    0  1 4
    0  1 4

The picture says where things lie; it does not know what they are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

EMPTY = "."


class Point(NamedTuple):
    x: int
    y: int


class Rect(NamedTuple):
    """A cell, in half units of drawing, so that the middle of anything is a whole number."""

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
    wrong: str
    remedy: str
    row: int
    """The row of the picture, from 1."""


class NotAPicture(Exception):
    """Every reason for which some words on a grid are not the picture of a layout."""

    def __init__(self, flaws: list[Flaw]) -> None:
        self.flaws = flaws
        super().__init__("; ".join(flaw.wrong for flaw in flaws))


def cells_of(picture: str, square: tuple[int, int]) -> Mapping[str, Rect]:
    """Each word of the picture with the rectangle that it fills.

    >>> cells_of("a a b", (1, 1))
    {'a': Rect(x0=0, y0=0, x1=4, y1=2), 'b': Rect(x0=4, y0=0, x1=6, y1=2)}
    """
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    if flaws := list(_uneven(lines)):
        raise NotAPicture(flaws)
    squares: dict[str, list[Point]] = {}
    for y, line in enumerate(lines):
        for x, word in enumerate(line):
            if word != EMPTY:
                squares.setdefault(word, []).append(Point(x, y))
    if flaws := [
        Flaw(f"'{word}' does not fill a rectangle", "give every cell one rectangle of equal words", of[0].y + 1)
        for word, of in squares.items()
        if not _is_rectangle(of)
    ]:
        raise NotAPicture(flaws)
    width, height = square
    return {
        word: Rect(of[0].x * 2 * width, of[0].y * 2 * height, (of[-1].x + 1) * 2 * width, (of[-1].y + 1) * 2 * height)
        for word, of in squares.items()
    }


def row_of(picture: str, word: str) -> int:
    """The first row in which a word stands, from 1."""
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    return next(number for number, line in enumerate(lines, start=1) if word in line)


def _uneven(lines: list[list[str]]) -> Iterator[Flaw]:
    if not lines:
        yield Flaw("the picture is empty", "draw the layout as words on a grid", 0)
        return
    ((usual, _),) = Counter(len(line) for line in lines).most_common(1)
    for number, line in enumerate(lines, start=1):
        if len(line) != usual:
            wrong = f"row {number} has {len(line)} squares, most rows have {usual}"
            yield Flaw(wrong, "add or take away squares; a dot is an empty one", number)


def _is_rectangle(squares: Iterable[Point]) -> bool:
    """Squares come in reading order, so the first and the last are opposite corners."""
    points = list(squares)
    first, last = points[0], points[-1]
    return points == [Point(x, y) for y in range(first.y, last.y + 1) for x in range(first.x, last.x + 1)]
