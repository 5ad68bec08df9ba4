"""Draws a wheel as SVG: every segment of the rim in its colour, clockwise from the top."""

from collections.abc import Iterator
from html import escape
from math import cos, pi, sin

from roundhouse.rules.names import Colour, Pocket
from roundhouse.rules.wheel import Wheel

_SIZE = 480
_RIM, _INNER, _HUB = 228.0, 150.0, 60.0
_FILL = {Colour("red"): "#b01e2b", Colour("black"): "#15181b", Colour("green"): "#15874f"}
_PLAIN = ("#7b4b2a", "#8a6d1f", "#1f5f8b", "#6b3f7a", "#15874f", "#b01e2b", "#15181b", "#2f6f6b")
_RULE, _INK, _WOOD = "#e9dfc3", "#ffffff", "#3a2416"
_MAX_UPRIGHT_LABEL = 3
"""Labels with more characters are written along the radius."""


def draw_wheel(wheel: Wheel, title: str) -> str:
    """Draw a wheel. Each segment is an element with its index in ``data-segment``."""
    middle = _SIZE / 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}"'
            ' font-family="Georgia, \'Times New Roman\', serif" text-anchor="middle" role="img">',
            f"<title>{escape(title)}</title>",
            f'<g transform="translate({middle:g} {middle:g})">',
            f'<circle r="{_RIM + 8:g}" fill="{_WOOD}"/>',
            *_segments(wheel),
            f'<circle r="{_HUB:g}" fill="{_WOOD}" stroke="{_RULE}" stroke-width="2"/>',
            # Draw a pointer at segment 0, where the order of the rim begins.
            f'<path d="M -9 {-_RIM - 9:g} L 9 {-_RIM - 9:g} L 0 {-_RIM + 7:g} Z" fill="{_RULE}"/>',
            "</g>",
            "</svg>",
            "",
        ]
    )


def _segments(wheel: Wheel) -> Iterator[str]:
    turn = 2 * pi / len(wheel.order)
    for number, pocket in enumerate(wheel.order):
        start, end = (number - 0.5) * turn, (number + 0.5) * turn
        outer, inner = (_at(_RIM, start), _at(_RIM, end)), (_at(_INNER, end), _at(_INNER, start))
        fill = colour_of(pocket, wheel)
        yield (
            f'<path data-segment="{number}" d="M {outer[0]} A {_RIM:g} {_RIM:g} 0 0 1 {outer[1]} L {inner[0]}'
            f' A {_INNER:g} {_INNER:g} 0 0 0 {inner[1]} Z" fill="{fill}" stroke="{_RULE}" stroke-width="1">'
            f"<title>{escape(pocket)}</title></path>"
        )
        yield (
            f'<path d="M {inner[1]} A {_INNER:g} {_INNER:g} 0 0 1 {inner[0]} L {_at(_HUB, end)}'
            f' A {_HUB:g} {_HUB:g} 0 0 0 {_at(_HUB, start)} Z" fill="{fill}" fill-opacity="0.72"'
            f' stroke="{_RULE}" stroke-width="0.6"/>'
        )
        yield _label(pocket, number * turn, len(wheel.order))


def _label(pocket: Pocket, angle: float, segments: int) -> str:
    degrees = f"{angle * 180 / pi:.2f}"
    if len(pocket) <= _MAX_UPRIGHT_LABEL:
        size = min(17.0, 640 / segments)
        return (
            f'<text transform="rotate({degrees}) translate(0 {-_RIM + 22:g})" font-size="{size:.1f}"'
            f' fill="{_INK}">{escape(pocket)}</text>'
        )
    # A long label is written along the radius.
    return (
        f'<text transform="rotate({degrees}) translate(3.5 {-(_RIM + _INNER) / 2:g}) rotate(-90)" font-size="10"'
        f' fill="{_INK}">{escape(pocket)}</text>'
    )


def colour_of(pocket: Pocket, wheel: Wheel) -> str:
    """Return the pocket's colour, or a colour by its rank if the wheel defines none."""
    colour = wheel.colours.get(pocket)
    if colour is not None and colour in _FILL:
        return _FILL[colour]
    return _PLAIN[wheel.rank[pocket] % len(_PLAIN)]


def _at(radius: float, angle: float) -> str:
    """Return SVG coordinates of a point. Angles are clockwise from the top."""
    return f"{radius * sin(angle):.2f} {-radius * cos(angle):.2f}"
