"""What a box must mean by its name: red is red, a dozen stands under its numbers, a symbol is itself.

A rulebook may invent boxes of other names; of those with a name that everybody knows, the name is kept.
"""

from collections.abc import Mapping

from roundhouse.rules.faults import Faults
from roundhouse.rules.names import Colour, Pocket, PositionId, type_of
from roundhouse.rules.picture import Point, Rect
from roundhouse.rules.wheel import Wheel


def check_boxes_against_cells(
    place: str,
    stands: list[tuple[PositionId, tuple[Pocket, ...], Point]],
    cells: Mapping[Pocket, Rect],
    drawn: Mapping[PositionId, Rect],
    wheel: Wheel,
    faults: Faults,
) -> None:
    covers = {id: frozenset(of) for id, of, _ in stands if id in drawn and of}
    for id, of in covers.items():
        expected = _expected(id, drawn[id], cells, wheel)
        if expected is not None and of != expected:
            some = " ".join(wheel.canonical(expected)[:4])
            faults.add(f"boxes.{id}", f"a box of this name covers {some} …", "correct what it covers, or its name")
    kinds = sorted({type_of(id) for id in covers})
    for kind in kinds:
        of_kind = [(id, of) for id, of in covers.items() if type_of(id) == kind]
        for (a, of_a), (b, of_b) in ((x, y) for i, x in enumerate(of_kind) for y in of_kind[i + 1 :]):
            if of_a & of_b:
                faults.add(f"boxes.{b}", f"it shares {min(of_a & of_b)} with {a}", f"no two of type {kind} may overlap")
    low, high = covers.get(PositionId("low")), covers.get(PositionId("high"))
    if low and high and max(map(_number, low)) >= min(map(_number, high)):
        faults.add("boxes.low", "its numbers are not all lower than those of high", "correct the two runs")


def _expected(id: PositionId, box: Rect, cells: Mapping[Pocket, Rect], wheel: Wheel) -> frozenset[Pocket] | None:
    """What the name of a box promises, where it promises anything."""
    kind, _, name = id.partition(":")
    numbers = {pocket for pocket in wheel.pockets if _number(pocket) > 0}
    match kind:
        case "symbol":
            return frozenset({Pocket(name)})
        case "column":
            return frozenset(p for p, cell in cells.items() if (cell.y0, cell.y1) == (box.y0, box.y1)) or None
        case "dozen":
            under = {p for p, cell in cells.items() if box.x0 <= cell.x0 and cell.x1 <= box.x1}
            return frozenset(under) or None
        case "odd" | "even":
            return frozenset(pocket for pocket in numbers if _number(pocket) % 2 == (kind == "odd"))
        case colour if Colour(colour) in wheel.colours.values():
            return frozenset(pocket for pocket, of in wheel.colours.items() if of == colour)
        case _:
            return None


def _number(pocket: Pocket) -> int:
    """A pocket's number; a zero or a letter has none."""
    return int(pocket) if pocket.isdecimal() else 0
