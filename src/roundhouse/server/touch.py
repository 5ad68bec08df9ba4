"""Where a layout is touched: the area of each position, derived from the cells that it stands between.

A number or a box is its whole rectangle; a bet between numbers is a small area on the line or the point where
they meet. Those do not overlap one another, and lie above the rectangles.
"""

from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Colour, LayoutId, Pocket
from roundhouse.rules.picture import Rect
from roundhouse.server.sheets import row_of
from roundhouse.server.wire import games as w

_FINER = 4
"""The wire's units to the layout's own: fine enough for a quarter of the narrowest cell."""


def layout_of(game: Game, id: LayoutId) -> w.LayoutSheet:
    layout = game.layouts[id]
    reach = _reach(layout)
    positions = sorted(layout.positions, key=lambda position: _whole(layout, position) is None)
    colours = layout.wheel.colours
    return w.LayoutSheet(
        id,
        layout.clause,
        _area(_around([*layout.cells.values(), *layout.boxes.values()])),
        tuple(w.CellSheet(pocket, colours.get(pocket), _area(rect)) for pocket, rect in layout.cells.items()),
        tuple(
            w.BoxSheet(box, layout.labels[box], _colour(layout, layout.by_id[box]), _area(rect))
            for box, rect in layout.boxes.items()
        ),
        tuple(_position(game, layout, position, reach) for position in positions),
    )


def _position(game: Game, layout: Layout, position: Position, reach: int) -> w.PositionSheet:
    whole = _whole(layout, position)
    return w.PositionSheet(
        position.id,
        position.type,
        position.covers,
        w.Spot(position.at.x * _FINER, position.at.y * _FINER),
        _area(whole) if whole is not None else _between(layout, position, reach),
        position.pays,
        position.clause,
        row_of(game, layout.id, position.id, position.type),
        position.described,
    )


def _whole(layout: Layout, position: Position) -> Rect | None:
    """The rectangle that a position fills, where it fills one."""
    if position.id in layout.boxes:
        return layout.boxes[position.id]
    cell = layout.cells.get(position.covers[0]) if len(position.covers) == 1 else None
    return cell if cell is not None and cell.middle == position.at else None


def _between(layout: Layout, position: Position, reach: int) -> w.Area:
    x, y = position.at.x * _FINER, position.at.y * _FINER
    edge = _shared(layout, position.covers) if len(position.covers) == 2 else None
    if edge is None:
        return w.Area(x - reach, y - reach, x + reach, y + reach)
    # Along the line on which two cells meet, as far as the points at its ends.
    along_x, along_y = (edge.x1 - edge.x0) * _FINER // 2, (edge.y1 - edge.y0) * _FINER // 2
    return w.Area(
        x - max(reach, along_x - reach),
        y - max(reach, along_y - reach),
        x + max(reach, along_x - reach),
        y + max(reach, along_y - reach),
    )


def _shared(layout: Layout, covers: tuple[Pocket, ...]) -> Rect | None:
    a, b = (layout.cells.get(pocket) for pocket in covers)
    if a is None or b is None:
        return None
    return Rect(max(a.x0, b.x0), max(a.y0, b.y0), min(a.x1, b.x1), min(a.y1, b.y1))


def _reach(layout: Layout) -> int:
    """How far from its point a bet between numbers is felt: a quarter of the shortest line between two of them."""
    sides = [side for cell in layout.cells.values() for side in (cell.x1 - cell.x0, cell.y1 - cell.y0)]
    for position in layout.positions:
        edge = _shared(layout, position.covers) if len(position.covers) == 2 else None
        if edge is not None:
            sides.append(max(edge.x1 - edge.x0, edge.y1 - edge.y0))
    return min(sides, default=_FINER) * _FINER // 4


def _around(rects: list[Rect]) -> Rect:
    return Rect(
        min(rect.x0 for rect in rects),
        min(rect.y0 for rect in rects),
        max(rect.x1 for rect in rects),
        max(rect.y1 for rect in rects),
    )


def _area(rect: Rect) -> w.Area:
    return w.Area(rect.x0 * _FINER, rect.y0 * _FINER, rect.x1 * _FINER, rect.y1 * _FINER)


def _colour(layout: Layout, box: Position) -> Colour | None:
    """A box that covers exactly the pockets of one colour has it."""
    for colour in dict.fromkeys(layout.wheel.colours.values()):
        if set(box.covers) == {pocket for pocket, of in layout.wheel.colours.items() if of == colour}:
            return colour
    return None
