"""A layout as an SVG picture: its cells and boxes, and a mark where each chip can stand."""

from collections import Counter
from collections.abc import Iterator
from html import escape

from roundhouse.rules.geometry import Rect
from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import Colour

_CELL = 48
"""The shorter side of the smallest rectangle, whatever units the rulebook draws in."""
_BOX = 76
"""The same for a layout of boxes alone, which hold whole names."""
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


class _Sheet:
    """The sheet that a layout is drawn on: its scale and its size."""

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
    """The whole picture, with its source below its title. Every position has its id in ``data-position``."""
    sheet = _Sheet(layout)
    legend = list(_legend(layout))
    lines = -(-len(legend) // sheet.columns)
    height = sheet.bottom + _CAPTION + 2 * _MARGIN + lines * _LEGEND_LINE
    body = [
        *_cells(layout, sheet),
        *(_mark(position, sheet) for position in layout.positions),
        *_placed(legend, sheet),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sheet.width:g} {height:g}" width="{sheet.width:g}"'
            f' height="{height:g}" font-family="Georgia, \'Times New Roman\', serif" text-anchor="middle" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{sheet.width:g}" height="{height:g}" rx="12" fill="{_FELT}"/>',
            f'<text x="{_MARGIN}" y="{_MARGIN + 8}" font-size="16" fill="{_INK}" text-anchor="start">'
            f"{escape(title)}</text>",
            f'<text x="{_MARGIN}" y="{_MARGIN + 26}" font-size="11" fill="{_RULE}" text-anchor="start">'
            f"{escape(source)}</text>",
            f'<g transform="translate({sheet.left:g} {_MARGIN + _CAPTION - 8})">',
            *body,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _cells(layout: Layout, sheet: _Sheet) -> Iterator[str]:
    for pocket, rect in layout.cells.items():
        colour = layout.wheel.colours.get(pocket)
        yield _rect(rect, _FILL.get(colour, _CLOTH) if colour else _CLOTH, sheet)
        yield _text(rect, pocket, f"{pocket} {colour or ''}".strip(), sheet, above=True)
    for box, rect in layout.boxes.items():
        price = f"{layout.by_id[box].pays} to 1"
        label = layout.labels[box]
        yield _rect(rect, _FILL.get(Colour(box), _CLOTH), sheet)
        yield _text(rect, label, box, sheet, above=True)
        if label != price:
            yield _text(rect, price, f"pays {price}", sheet, above=False)


def _rect(rect: Rect, fill: str, sheet: _Sheet) -> str:
    x, y, w, h = map(sheet.at, (rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0))
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="{_RULE}" stroke-width="1.5"/>'


def _text(rect: Rect, words: str, label: str, sheet: _Sheet, *, above: bool) -> str:
    """Words above or below the mark in the middle of their cell, so that it hides none of them."""
    room = (rect.x1 - rect.x0) * sheet.scale - 8
    half = (rect.y1 - rect.y0) * sheet.scale / 2
    size = min(20.0 if above else 11.0, room / max(1, len(words)) * 1.8, half - 8)
    y = rect.middle.y * sheet.scale + (-8 if above else 8 + size)
    where = f'x="{sheet.at(rect.middle.x)}" y="{y:.1f}" font-size="{size:.1f}"'
    return f'<text {where} fill="{_INK}" aria-label="{escape(label)}">{escape(words)}</text>'


def _mark(position: Position, sheet: _Sheet) -> str:
    numbers = f" on {' '.join(position.covers)}" if ":" in position.id else f": {' '.join(position.covers)}"
    title = f"{position.id}{numbers}, {position.pays} to 1, clause {position.clause}"
    return (
        f'<circle data-position="{escape(position.id)}" cx="{sheet.at(position.at.x)}" cy="{sheet.at(position.at.y)}"'
        f' r="4" fill="{_colour_of(position.type)}" stroke="#000" stroke-width="1">'
        f"<title>{escape(title)}</title></circle>"
    )


def _legend(layout: Layout) -> Iterator[tuple[str, str]]:
    """Colour and words: the bets on numbers by type, the boxes together."""
    kinds = Counter(position.type for position in layout.positions if position.id not in layout.boxes)
    for kind, count in kinds.items():
        pays = next(position.pays for position in layout.positions if position.type == kind)
        colour, name = _MARK[kind]
        yield colour, f"{count} {name}, {pays} to 1"
    if layout.boxes:
        yield _BOX_MARK, f"{len(layout.boxes)} boxes, as marked"


def _placed(legend: list[tuple[str, str]], sheet: _Sheet) -> Iterator[str]:
    for i, (colour, words) in enumerate(legend):
        x = (i % sheet.columns) * _LEGEND_COLUMN + 6 + _MARGIN - sheet.left
        y = sheet.bottom + _MARGIN + (i // sheet.columns) * _LEGEND_LINE
        yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}" stroke="#000"/>'
        where = f'x="{x + 10:g}" y="{y + 4:g}" font-size="12"'
        yield f'<text {where} fill="{_INK}" text-anchor="start">{escape(words)}</text>'


def _colour_of(kind: str) -> str:
    return _MARK[kind][0] if kind in _MARK else _BOX_MARK
