"""Draws a layout as SVG: its cells and boxes, and a mark for each position."""

from collections import Counter
from collections.abc import Iterator
from html import escape

from roundhouse.rules.geometry import Rect
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Colour

_CELL = 48
"""Pixels of the shorter side of the smallest rectangle. The picture is scaled to this size."""
_BOX = 76
"""Pixels of the shorter side in a layout that has only boxes, whose names need more room."""
_MARGIN, _CAPTION, _LEGEND_LINE, _LEGEND_COLUMN = 24, 48, 22, 170
_FELT, _CLOTH, _RULE, _INK = "#0b4f37", "#0e6244", "#e9dfc3", "#ffffff"
_FILL = {Colour("red"): "#b01e2b", Colour("black"): "#15181b", Colour("green"): "#15874f"}
_MARK = {
    "straight": ("#ffffff", "straight up"),
    "split": ["#7fd4ff", "splits"],
    "street": ["#ffd34d", "streets"],
    "corner": ["#ff9ad5", "corners"],
    "line": ["#ffa14d", "lines"],
    "top_line": ("#c9a0ff", "top line"),
}
_BOX_MARK = "#9db8aa"


class _Canvas:
    """Scale and size of a drawing."""

    def __init__(self, layout: Layout) -> None:
        rects = [*layout.cells.values(), *layout.boxes.values()]
        self.scale = (_CELL if layout.cells else _BOX) / min(
            min(rect.x1 - rect.x0, rect.y1 - rect.y0) for rect in rects
        )
        drawn = max(rect.x1 for rect in rects) * self.scale
        self.width = max(drawn, 3 * _LEGEND_COLUMN) + 2 * _MARGIN
        self.left = (self.width - drawn) / 2
        self.columns = max(1, int((self.width - 2 * _MARGIN) // _LEGEND_COLUMN))
        self.bottom = max(rect.y1 for rect in rects) * self.scale

    def at(self, length: float) -> str:
        return f"{round(length * self.scale, 2):g}"


def draw_layout(layout: Layout, title: str, source: str) -> str:
    """Draw a layout with a title, its source and a legend. Marks have the position id in ``data-position``."""
    canvas = _Canvas(layout)
    legend = list(_legend(layout))
    lines = -(-len(legend) // canvas.columns)
    height = canvas.bottom + _CAPTION + 2 * _MARGIN + lines * _LEGEND_LINE
    body = [
        *_cells(layout, canvas),
        *(_mark(position, canvas) for position in layout.positions),
        *_placed(legend, canvas),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {canvas.width:g} {height:g}"'
            f' width="{canvas.width:g}" height="{height:g}"'
            ' font-family="Georgia, \'Times New Roman\', serif" text-anchor="middle" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{canvas.width:g}" height="{height:g}" rx="12" fill="{_FELT}"/>',
            f'<text x="{_MARGIN}" y="{_MARGIN + 8}" font-size="16" fill="{_INK}" text-anchor="start">'
            f"{escape(title)}</text>",
            f'<text x="{_MARGIN}" y="{_MARGIN + 26}" font-size="11" fill="{_RULE}" text-anchor="start">'
            f"{escape(source)}</text>",
            f'<g transform="translate({canvas.left:g} {_MARGIN + _CAPTION - 8})">',
            *body,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _cells(layout: Layout, canvas: _Canvas) -> Iterator[str]:
    for pocket, rect in layout.cells.items():
        colour = layout.wheel.colours.get(pocket)
        yield _rect(rect, _FILL.get(colour, _CLOTH) if colour else _CLOTH, canvas)
        yield _text(rect, pocket, f"{pocket} {colour or ''}".strip(), canvas, above=True)
    for box, rect in layout.boxes.items():
        price = f"{layout.by_id[box].pays} to 1"
        label = layout.labels[box]
        yield _rect(rect, _FILL.get(Colour(box), _CLOTH), canvas)
        yield _text(rect, label, box, canvas, above=True)
        if label != price:
            yield _text(rect, price, f"pays {price}", canvas, above=False)


def _rect(rect: Rect, fill: str, canvas: _Canvas) -> str:
    x, y, w, h = map(canvas.at, (rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0))
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="{_RULE}" stroke-width="1.5"/>'


def _text(rect: Rect, text: str, label: str, canvas: _Canvas, *, above: bool) -> str:
    """Draw a text above or below the mark in the middle of its cell, so that the mark does not cover it."""
    room = (rect.x1 - rect.x0) * canvas.scale - 8
    half = (rect.y1 - rect.y0) * canvas.scale / 2
    size = min(20.0 if above else 11.0, room / max(1, len(text)) * 1.8, half - 8)
    y = rect.middle.y * canvas.scale + (-8 if above else 8 + size)
    where = f'x="{canvas.at(rect.middle.x)}" y="{y:.1f}" font-size="{size:.1f}"'
    return f'<text {where} fill="{_INK}" aria-label="{escape(label)}">{escape(text)}</text>'


def _mark(position: Position, canvas: _Canvas) -> str:
    numbers = f" on {' '.join(position.covers)}" if ":" in position.id else f": {' '.join(position.covers)}"
    title = f"{position.id}{numbers}, {position.pays} to 1, clause {position.clause}"
    return (
        f'<circle data-position="{escape(position.id)}" cx="{canvas.at(position.at.x)}" cy="{canvas.at(position.at.y)}"'
        f' r="4" fill="{_colour_of(position.type)}" stroke="#000" stroke-width="1">'
        f"<title>{escape(title)}</title></circle>"
    )


def _legend(layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield colour and text of each legend entry: one per type of bet on numbers, one for all boxes."""
    kinds = Counter(position.type for position in layout.positions if position.id not in layout.boxes)
    for kind, count in kinds.items():
        pays = next(position.pays for position in layout.positions if position.type == kind)
        colour, name = _MARK[kind]
        yield colour, f"{count} {name}, {pays} to 1"
    if layout.boxes:
        yield _BOX_MARK, f"{len(layout.boxes)} boxes, as marked"


def _placed(legend: list[tuple[str, str]], canvas: _Canvas) -> Iterator[str]:
    for i, (colour, text) in enumerate(legend):
        x = (i % canvas.columns) * _LEGEND_COLUMN + 6 + _MARGIN - canvas.left
        y = canvas.bottom + _MARGIN + (i // canvas.columns) * _LEGEND_LINE
        yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}" stroke="#000"/>'
        where = f'x="{x + 10:g}" y="{y + 4:g}" font-size="12"'
        yield f'<text {where} fill="{_INK}" text-anchor="start">{escape(text)}</text>'


def _colour_of(kind: str) -> str:
    return _MARK[kind][0] if kind in _MARK else _BOX_MARK
