"""The pictures of a PAR sheet: wheel, layouts and plots."""

import re
from fractions import Fraction
from math import sqrt

from roundhouse.drawing.layout import draw_layout
from roundhouse.drawing.wheel import draw_wheel
from roundhouse.lab.parsheet.blocks import Picture
from roundhouse.lab.parsheet.figures import BetKind, LayoutFigures, Par
from roundhouse.lab.plots import Curve, plot_curves, plot_distribution, plot_edges, svg_of
from roundhouse.lab.session import FastLaw

_ROUNDS = 1_000
_Z95 = 1.959963984540054
_MAX_CURVES = 8
_MAX_HEIGHT = 58
"""Largest height of a layout, in per cent of the text width."""


def wheel_picture(par: Par) -> Picture:
    title = f"{par.game.rulebook.title}: the wheel"
    return Picture(draw_wheel(par.game.wheel, title), "The wheel, clockwise from the mark.", "62%")


def layout_picture(par: Par, layout: LayoutFigures) -> Picture:
    title = f"{par.game.rulebook.title}, layout {layout.id}"
    svg = draw_layout(par.game.layouts[layout.id], title, f"rulebook {par.game.id}, sha256 {par.game.hash[:12]}…")
    return Picture(svg, f"Layout {layout.id}: every mark is a position for a bet.", _width_for(svg))


def _width_for(svg: str) -> str:
    """Compute the width that keeps a picture within half a page."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found, "the view box of a layout must begin at 0 0"
    wide, high = map(float, found.groups())
    return f"{min(80, round(_MAX_HEIGHT * wide / high))}%"


def edges_picture(layout: LayoutFigures) -> Picture:
    """Plot one bar for each different edge, labelled with the kinds of bet that have it."""
    groups: dict[Fraction, list[BetKind]] = {}
    for kind in sorted(layout.kinds, key=lambda kind: kind.figures.edge):
        groups.setdefault(kind.figures.edge, []).append(kind)
    edges = {_names(kinds): float(edge) for edge, kinds in groups.items()}
    return Picture(
        svg_of(plot_edges(f"Layout {layout.id}: the house's edge", edges)),
        "The figures next to the bars are rounded. The tables contain the exact figures.",
        "64%",
    )


def bands_picture(layout: LayoutFigures) -> Picture:
    """Plot half the width of the normal 95 % band of the return against the number of rounds."""
    rounds = [10 ** (step / 4) for step in range(8, 33)]
    curves = [
        Curve(name, rounds, [100 * _Z95 * float(kind.figures.moments.deviation) / sqrt(n) for n in rounds])
        for name, kind in distinct(layout)
    ]
    return Picture(
        svg_of(
            plot_curves(
                f"Layout {layout.id}: half the width of the 95 % band of the return",
                curves,
                "rounds",
                "percentage points",
            )
        ),
        "Distance from the expected return that is not exceeded with probability 95 % (normal approximation).",
        "90%",
    )


def session_pictures(layout: LayoutFigures) -> list[Picture]:
    """Plot a session of the kind of bet with the smallest variance, and of that with the largest."""
    ordered = sorted(layout.kinds, key=lambda kind: kind.figures.moments.variance)
    return [_session(layout, kind) for kind in ({ordered[0].name: ordered[0], ordered[-1].name: ordered[-1]}).values()]


def _session(layout: LayoutFigures, kind: BetKind) -> Picture:
    law = FastLaw(kind.figures.net, _ROUNDS)
    seen = law.probabilities > law.probabilities.max() * 1e-5
    mean = float(kind.figures.net.moments.mean) * _ROUNDS
    return Picture(
        svg_of(
            plot_distribution(
                f"{kind.name}: {_ROUNDS:,} rounds of one unit",
                law.results[seen].astype(float).tolist(),
                law.probabilities[seen].tolist(),
                {"expected": mean, "even": 0.0},
                "units",
            )
        ),
        f"Layout {layout.id}, {kind.name}: distribution of the net result of {_ROUNDS:,} rounds.",
        "86%",
    )


def distinct(layout: LayoutFigures) -> list[tuple[str, BetKind]]:
    """Group kinds of bets with equal variance under a joint label, and select about ``_MAX_CURVES`` groups at most."""
    groups: dict[object, list[BetKind]] = {}
    for kind in layout.kinds:
        groups.setdefault(kind.figures.moments.variance, []).append(kind)
    named = [(_names(kinds), kinds[0]) for kinds in groups.values()]
    step = max(1, -(-len(named) // _MAX_CURVES))
    return [*named[:-1:step], named[-1]]


def _names(kinds: list[BetKind]) -> str:
    names = [kind.name for kind in kinds]
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:3])} …"
