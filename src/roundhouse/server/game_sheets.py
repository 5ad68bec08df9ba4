"""Converts a game to wire types: rulebook, wheel, layouts, packages, odds, and the touch areas of positions.

The touch area of a number or box is its whole rectangle. A bet between numbers has a small area on the line or the
point where they meet. These small areas do not overlap each other and are above the rectangles.
"""

from collections.abc import Iterator

from roundhouse.floor import audience
from roundhouse.rules.authority import may_declare
from roundhouse.rules.clauses import readings
from roundhouse.rules.game import Game
from roundhouse.rules.geometry import Rect
from roundhouse.rules.judge import reportable_irregularities
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Colour, LayoutId, Pocket, StaffPosition
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal
from roundhouse.table.phases import courses
from roundhouse.wire import games as w

_SERIES = "series"


def row_of(game: Game) -> w.GameRow:
    rulebook = game.rulebook
    return w.GameRow(
        rulebook.id,
        rulebook.title,
        rulebook.operator,
        rulebook.version,
        rulebook.effective.isoformat(),
        game.hash,
        tuple(game.layouts),
        tuple(game.terminals),
    )


def info_of(game: Game) -> w.GameInfo:
    rulebook, wheel = game.rulebook, game.wheel
    return w.GameInfo(
        id=rulebook.id,
        title=rulebook.title,
        operator=rulebook.operator,
        version=rulebook.version,
        effective=rulebook.effective.isoformat(),
        hash=game.hash,
        wheel=w.WheelInfo(
            wheel.spun, wheel.order, wheel.pockets, dict(wheel.colours), dict(wheel.segments), rulebook.wheel.clause
        ),
        spin=rulebook.spin,
        betting=rulebook.betting,
        courses=courses(rulebook.betting.closes.moment),
        settlement=rulebook.settlement,
        chips=rulebook.chips,
        irregularities=tuple(_irregularities(game)),
        authority=rulebook.authority,
        common_layout=audience.shares_layout(game),
        layouts=tuple(game.layouts),
        terminals=tuple(_terminal(terminal) for terminal in game.terminals.values()),
        inferred=rulebook.inferred,
        clauses=rulebook.clauses,
        clause_order=tuple(rulebook.clauses),
        readings={
            clause: tuple(note.why for note in notes)
            for clause, notes in readings(rulebook).items()
            if clause is not None
        },
    )


def _irregularities(game: Game) -> Iterator[w.IrregularityInfo]:
    rulebook, observable = game.rulebook, reportable_irregularities(game.rulebook)
    for id, listed in rulebook.irregularities.items():
        by = tuple(position for position in StaffPosition if may_declare(rulebook.authority, listed, position))
        yield w.IrregularityInfo(
            id=id,
            clause=listed.clause,
            words=rulebook.clauses.get(listed.clause, ""),
            effect=listed.effect,
            until=listed.until,
            declared_by=by,
            voids=listed.effect.voids,
            by_people=any(position is not StaffPosition.SYSTEM for position in by),
            observable=listed.effect.voids and id in observable,
        )


def _terminal(terminal: Terminal) -> w.TerminalInfo:
    plan = terminal.plan
    return w.TerminalInfo(
        plan.id,
        plan.name,
        plan.layout,
        plan.clause,
        tuple(series.id for series in plan.series),
        plan.neighbours,
        plan.finales,
    )


def packages_of(terminal: Terminal) -> w.Packages:
    series = {plan.id for plan in terminal.plan.series}
    return w.Packages(
        terminal.plan.id,
        terminal.layout.id,
        tuple(
            w.PackageInfo(
                package.id,
                package.name,
                _SERIES if package.id in series else package.id.partition(":")[0],
                package.clause,
                package.total,
                tuple(w.PieceInfo(piece.position, piece.pieces) for piece in package.pieces),
            )
            for package in terminal.packages
        ),
    )


def odds_of_layout(game: Game, layout: LayoutId) -> w.OddsOfAll:
    positions = game.layouts[layout].positions
    return w.OddsOfAll(tuple(_odds(position.id, odds_of_position(position, game.wheel)) for position in positions))


def odds_of_terminal(terminal: Terminal) -> w.OddsOfAll:
    return w.OddsOfAll(
        tuple(_odds(package.id, odds_of_package(package, terminal.layout)) for package in terminal.packages)
    )


def _odds(id: str, odds: Odds) -> w.OddsInfo:
    return w.OddsInfo(id, odds.staked, str(odds.win), str(odds.edge), str(odds.variance), dict(odds.returns))


_SCALE = 4
"""Wire units per layout unit. With this factor, a quarter of the narrowest cell is a whole number of wire units."""


def layout_of(game: Game, id: LayoutId) -> w.LayoutInfo:
    layout = game.layouts[id]
    reach = _reach(layout)
    positions = sorted(layout.positions, key=lambda position: _whole(layout, position) is None)
    colours = layout.wheel.colours
    return w.LayoutInfo(
        id,
        layout.clause,
        _area(_around([*layout.cells.values(), *layout.boxes.values()])),
        tuple(w.CellInfo(pocket, colours.get(pocket), _area(rect)) for pocket, rect in layout.cells.items()),
        tuple(
            w.BoxInfo(box, layout.labels[box], _colour(layout, layout.by_id[box]), _area(rect))
            for box, rect in layout.boxes.items()
        ),
        tuple(_position(game, layout, position, reach) for position in positions),
    )


def _position(game: Game, layout: Layout, position: Position, reach: int) -> w.PositionInfo:
    whole = _whole(layout, position)
    return w.PositionInfo(
        position.id,
        position.type,
        position.covers,
        w.Spot(position.at.x * _SCALE, position.at.y * _SCALE),
        _area(whole) if whole is not None else _between(layout, position, reach),
        position.pays,
        position.clause,
        game.pay_row(layout.id, position.id),
        position.described,
    )


def _whole(layout: Layout, position: Position) -> Rect | None:
    """Return the rectangle of a position that is a whole cell or box, or None for a bet between numbers."""
    if position.id in layout.boxes:
        return layout.boxes[position.id]
    cell = layout.cells.get(position.covers[0]) if len(position.covers) == 1 else None
    return cell if cell is not None and cell.middle == position.at else None


def _between(layout: Layout, position: Position, reach: int) -> w.Area:
    x, y = position.at.x * _SCALE, position.at.y * _SCALE
    edge = _shared(layout, position.covers) if len(position.covers) == 2 else None
    if edge is None:
        return w.Area(x - reach, y - reach, x + reach, y + reach)
    # The area follows the edge that the two cells share, but leaves out the corner areas at its ends.
    along_x, along_y = (edge.x1 - edge.x0) * _SCALE // 2, (edge.y1 - edge.y0) * _SCALE // 2
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
    """Return half the width of a touch area between numbers: a quarter of the shortest edge in the layout."""
    sides = [side for cell in layout.cells.values() for side in (cell.x1 - cell.x0, cell.y1 - cell.y0)]
    for position in layout.positions:
        edge = _shared(layout, position.covers) if len(position.covers) == 2 else None
        if edge is not None:
            sides.append(max(edge.x1 - edge.x0, edge.y1 - edge.y0))
    return min(sides, default=_SCALE) * _SCALE // 4


def _around(rects: list[Rect]) -> Rect:
    return Rect(
        min(rect.x0 for rect in rects),
        min(rect.y0 for rect in rects),
        max(rect.x1 for rect in rects),
        max(rect.y1 for rect in rects),
    )


def _area(rect: Rect) -> w.Area:
    return w.Area(rect.x0 * _SCALE, rect.y0 * _SCALE, rect.x1 * _SCALE, rect.y1 * _SCALE)


def _colour(layout: Layout, box: Position) -> Colour | None:
    """Return the colour of a box that covers exactly the pockets of one colour, or None."""
    for colour in dict.fromkeys(layout.wheel.colours.values()):
        if set(box.covers) == {pocket for pocket, of in layout.wheel.colours.items() if of == colour}:
            return colour
    return None
