"""SVG pictures of outcome counts and of ticket codes."""

from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from math import sqrt
from typing import NamedTuple

import segno

_WIDE, _HIGH, _LEFT, _LOW, _TOP = 960, 320, 44, 36, 16
_INK, _BAR, _ODD, _BAND, _LINE = "#e8e6dd", "#7fb59a", "#e0a94a", "#33463d", "#b9b39c"
_BAND_WIDTH = 1.96
"""Half width of the band in standard deviations: it contains 95 % of the pockets of a fair wheel."""


class Bar(NamedTuple):
    name: str
    times: int
    expected: float


def draw_counts(bars: Sequence[Bar], spins: int, title: str) -> str:
    """Draw a bar chart of counts relative to the expected count of each pocket.

    The grey band contains 95 % of the pockets of a fair wheel. Bars that end outside it are hatched.
    """
    highest = max((_share(bar) for bar in bars), default=1.0)
    top = max(2.0, highest * 1.1)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" role="img"'
            ' font-family="system-ui, sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            '<defs><pattern id="odd" width="6" height="6" patternUnits="userSpaceOnUse">'
            f'<rect width="6" height="6" fill="{_ODD}"/><path d="M0 6 L6 0" stroke="#14201b" stroke-width="1.5"/>'
            "</pattern></defs>",
            *_bars(bars, spins, top),
            *_scale(top),
            "</svg>",
            "",
        ]
    )


def _share(bar: Bar) -> float:
    return bar.times / bar.expected if bar.expected else 0.0


def _bars(bars: Sequence[Bar], spins: int, top: float) -> Iterator[str]:
    step = (_WIDE - _LEFT - 8) / max(1, len(bars))
    for number, bar in enumerate(bars):
        x, share = _LEFT + number * step, _share(bar)
        chance = bar.expected / spins if spins else 0.0
        spread = _BAND_WIDTH * sqrt((1 - chance) / bar.expected) if bar.expected else 0.0
        upper, lower = _y(1 + spread, top), _y(max(0.0, 1 - spread), top)
        odd = abs(share - 1) > spread and spins > 0
        yield f'<rect x="{x:.1f}" y="{upper:.1f}" width="{step:.1f}" height="{lower - upper:.1f}" fill="{_BAND}"/>'
        yield (
            f'<rect x="{x + step * 0.15:.1f}" y="{_y(share, top):.1f}" width="{step * 0.7:.1f}"'
            f' height="{_y(0, top) - _y(share, top):.1f}" fill="{"url(#odd)" if odd else _BAR}">'
            f"<title>{escape(bar.name)}: {bar.times}, expected {bar.expected:.1f}</title></rect>"
        )
        yield (
            f'<text x="{x + step / 2:.1f}" y="{_HIGH - _LOW + 16}" text-anchor="middle" fill="{_INK}"'
            f' font-size="{11 if len(bars) > 20 else 13}">{escape(bar.name)}</text>'
        )


def _scale(top: float) -> Iterator[str]:
    for share in (0, 1, 2):
        if share <= top:
            y = _y(share, top)
            dashes = "" if share == 0 else ' stroke-dasharray="4 4"'
            yield f'<path d="M{_LEFT} {y:.1f} H{_WIDE - 8}" stroke="{_LINE}"{dashes}/>'
            yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="{_INK}">{share} ×</text>'


def _y(share: float, top: float) -> float:
    return _TOP + (_HIGH - _LOW - _TOP) * (1 - min(share, top) / top)


_QUIET_ZONE = 4
"""Width of the white border that QR readers need, in modules."""


def draw_ticket(number: str) -> str:
    """Draw a ticket number as a QR code. It stays readable with up to a quarter of it damaged.

    >>> draw_ticket("01234567890123456789").count("<path")
    2
    """
    drawn = BytesIO()
    code = segno.make_qr(number, error="q")
    code.save(drawn, kind="svg", xmldecl=False, omitsize=True, border=_QUIET_ZONE, dark="#000", light="#fff", nl=False)
    return drawn.getvalue().decode()
