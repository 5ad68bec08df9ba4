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
_HIGHEST = 58
"""Per cent of the text's width."""


def wheel_picture(par: Par) -> Picture:
    title = f"{par.game.rulebook.title}: the wheel"
    return Picture(draw_wheel(par.game.wheel, title), "The wheel, clockwise from the mark.", "62%")


def layout_picture(par: Par, layout: LayoutFigures) -> Picture:
    drawn = par.game.layouts[layout.id]
    title = f"{par.game.rulebook.title}, layout {layout.id}"
    svg = draw_layout(drawn, title, f"rulebook {par.game.id}, sha256 {par.game.hash[:12]}…")
    return Picture(svg, f"Layout {layout.id}: every mark is a position that can be bet on.", _fit(svg))


def _fit(svg: str) -> str:
    """The width at which a picture is no higher than half a page."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found, "the layout is drawn from a corner"
    wide, high = map(float, found.groups())
    return f"{min(80, round(_HIGHEST * wide / high))}%"


def edges_picture(layout: LayoutFigures) -> Picture:
    """One bar for each edge, named after the kinds of bet that have it."""
    groups: dict[Fraction, list[BetKind]] = {}
    for kind in sorted(layout.kinds, key=lambda kind: kind.figures.edge):
        groups.setdefault(kind.figures.edge, []).append(kind)
    edges = {_names(kinds): float(edge) for edge, kinds in groups.items()}
    return Picture(
        svg_of(plot_edges(f"Layout {layout.id}: the house's edge", edges)),
        "The figures beside the bars are rounded; the tables give them exactly.",
        "64%",
    )


def bands_picture(layout: LayoutFigures) -> Picture:
    """How slowly the return settles: half the width of the normal band, by rounds."""
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
        "After so many rounds the return lies within so much of its expected value, 95 times in 100 (normal curve).",
        "90%",
    )


def session_pictures(layout: LayoutFigures) -> list[Picture]:
    """A session of the least and of the most volatile kind of bet."""
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
    """Kinds with one variance are one curve, named after all of them."""
    groups: dict[object, list[BetKind]] = {}
    for kind in layout.kinds:
        groups.setdefault(kind.figures.moments.variance, []).append(kind)
    named = [(_names(kinds), kinds[0]) for kinds in groups.values()]
    step = max(1, -(-len(named) // _MAX_CURVES))
    return [*named[:-1:step], named[-1]]


def _names(kinds: list[BetKind]) -> str:
    names = [kind.name for kind in kinds]
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:3])} …"
