"""A layout as an SVG picture: its cells and boxes, and a mark where each chip can stand."""

from collections import Counter
from collections.abc import Iterator
from html import escape

from roundhouse.rules.layout import Layout, Position
from roundhouse.rules.names import BetType, Colour
from roundhouse.rules.picture import Rect

_SCALE = 6
_MARGIN = 24
_LEGEND_LINE = 22
_LEGEND_COLUMN = 150
_FELT, _CLOTH, _RULE, _INK = "#0b4f37", "#0e6244", "#e9dfc3", "#ffffff"
_FILL = {Colour("red"): "#b01e2b", Colour("black"): "#15181b", Colour("green"): "#15874f"}
_MARK = {
    "straight": "#ffffff",
    "split": "#7fd4ff",
    "street": "#ffd34d",
    "corner": "#ff9ad5",
    "line": "#ffa14d",
    "top_line": "#c9a0ff",
}
_BOX_MARK = "#d8e6dd"


def draw_layout(layout: Layout, title: str) -> str:
    """The whole picture. Every position is an element with its id in ``data-position``."""
    rects = [*layout.cells.values(), *layout.boxes.values()]
    width = max(rect.x1 for rect in rects) * _SCALE + 2 * _MARGIN
    bottom = max(rect.y1 for rect in rects) * _SCALE + 2 * _MARGIN
    kinds = Counter(position.type for position in layout.positions)
    columns = max(1, (width - 2 * _MARGIN) // _LEGEND_COLUMN)
    height = bottom + _LEGEND_LINE * (-(-len(kinds) // columns) + 1)
    body = [
        *_cells(layout),
        *(_mark(position) for position in layout.positions),
        *_legend(layout, kinds, columns, bottom),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="Georgia, \'Times New Roman\', serif" text-anchor="middle" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" rx="12" fill="{_FELT}"/>',
            f'<g transform="translate({_MARGIN} {_MARGIN})">',
            *body,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _cells(layout: Layout) -> Iterator[str]:
    for pocket, rect in layout.cells.items():
        colour = layout.wheel.colours.get(pocket)
        yield _rect(rect, _FILL.get(colour, _CLOTH) if colour else _CLOTH)
        yield _text(rect, pocket, f"{pocket} {colour or ''}".strip())
    for box, rect in layout.boxes.items():
        yield _rect(rect, _FILL.get(Colour(box), _CLOTH))
        yield _text(rect, layout.labels[box], box)


def _rect(rect: Rect, fill: str) -> str:
    x, y, w, h = (n * _SCALE for n in (rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0))
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="{_RULE}" stroke-width="1.5"/>'


def _text(rect: Rect, words: str, label: str) -> str:
    """Words in the upper half of their cell, so that the mark in its middle hides none of them."""
    room = (rect.x1 - rect.x0) * _SCALE - 8
    size = min(20.0, room / max(1, len(words)) * 1.8)
    x, y = rect.middle.x * _SCALE, rect.middle.y * _SCALE - 10
    where = f'x="{x}" y="{y}" font-size="{size:.1f}"'
    return f'<text {where} fill="{_INK}" aria-label="{escape(label)}">{escape(words)}</text>'


def _mark(position: Position) -> str:
    x, y = position.at.x * _SCALE, position.at.y * _SCALE
    numbers = f" on {' '.join(position.covers)}" if ":" in position.id else f": {' '.join(position.covers)}"
    title = f"{position.id}{numbers}, {position.pays} to 1, clause {position.clause}"
    return (
        f'<circle data-position="{escape(position.id)}" cx="{x}" cy="{y}" r="4" fill="{_colour_of(position.type)}"'
        f' stroke="#000" stroke-width="1"><title>{escape(title)}</title></circle>'
    )


def _legend(layout: Layout, kinds: Counter[BetType], columns: int, bottom: int) -> Iterator[str]:
    for i, (kind, count) in enumerate(kinds.items()):
        x = (i % columns) * _LEGEND_COLUMN + 6
        y = bottom - _MARGIN + (i // columns) * _LEGEND_LINE
        prices = {position.pays for position in layout.positions if position.type == kind}
        price = f"{min(prices)} to 1" if len(prices) == 1 else f"{min(prices)} to 1 up to {max(prices)} to 1"
        yield f'<circle cx="{x}" cy="{y}" r="4" fill="{_colour_of(kind)}" stroke="#000"/>'
        yield (
            f'<text x="{x + 10}" y="{y + 4}" font-size="12" fill="{_INK}" text-anchor="start">'
            f"{count} {escape(kind)}, {price}</text>"
        )


def _colour_of(kind: str) -> str:
    return _MARK.get(kind, _BOX_MARK)
