"""Plots by matplotlib. Equal input gives equal bytes. Text is drawn as outlines, so that no fonts are needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure

INK: Final = "#1d2b3a"
BLUE: Final = "#1f5f8b"
RED: Final = "#b5352c"
SHADES: Final = ("#9dbfd6", "#c6dae7", "#e4eef4")
_GRID: Final = "#d9dee3"
_TITLE_WIDTH: Final = 66
"""Characters of a title per line in the narrowest plot."""


FORMATS: Final = (".svg", ".pdf", ".png")
_METADATA: Final[Mapping[str, dict[str, str | None]]] = {
    ".svg": {"Date": None, "Creator": "roundhouse"},
    ".pdf": {"CreationDate": None, "Creator": "roundhouse"},
    ".png": {"Software": "roundhouse"},
}


def render(figure: "Figure", suffix: str) -> bytes:
    """Render a figure in one of ``FORMATS``, without a creation date in the metadata."""
    import matplotlib

    out = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "roundhouse", "svg.fonttype": "path"}):
        figure.savefig(out, format=suffix[1:], dpi=160, metadata=_METADATA[suffix])
    return out.getvalue()


def svg_of(figure: "Figure") -> str:
    return render(figure, ".svg").decode()


def axes(title: str, width: float = 7.2, height: float = 3.6) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    plot = figure.subplots()
    _style_axes(plot, title)
    return figure, plot


def _style_axes(plot: "Axes", title: str) -> None:
    plot.set_title(fill(title, _TITLE_WIDTH), loc="left", color=INK, fontsize=11, fontweight="bold")
    plot.grid(True, color=_GRID, linewidth=0.6)
    plot.set_axisbelow(True)
    plot.tick_params(colors=INK, labelsize=8)
    for side in ("top", "right"):
        plot.spines[side].set_visible(False)


def plot_outcomes(title: str, nets: Mapping[str, int], unit: str = "cents") -> "Figure":
    """Plot the net result of each outcome as bars."""
    figure, plot = axes(title, width=max(7.2, 0.24 * len(nets)))
    values = list(nets.values())
    places = range(len(values))
    plot.bar(places, values, color=[BLUE if value >= 0 else RED for value in values], width=0.78)
    plot.set_xticks(places, list(nets), rotation=90 if len(nets) > 12 else 0)
    plot.set_xlabel("outcome", fontsize=9)
    plot.set_ylabel(f"net result, {unit}", fontsize=9)
    plot.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    plot.axhline(0, color=INK, linewidth=0.8)
    return figure


@dataclass(frozen=True, slots=True)
class Curve:
    label: str
    x: Sequence[float]
    y: Sequence[float]


def plot_distribution(
    title: str, values: Sequence[float], weights: Sequence[float], marks: Mapping[str, float], unit: str = "cents"
) -> "Figure":
    """Plot a distribution as a filled curve, with a vertical line at each of ``marks`` (label → net result)."""
    figure, plot = axes(title)
    step = min((b - a for a, b in pairwise(values)), default=1.0)
    plot.fill_between(values, weights, step="mid", color=SHADES[0], linewidth=0)
    plot.step(values, weights, where="mid", color=BLUE, linewidth=0.9)
    for (label, place), colour in zip(marks.items(), (INK, RED, BLUE)):
        plot.axvline(place, color=colour, linewidth=1.1, linestyle="--", label=label)
    plot.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    plot.set_xlabel(f"net result, {unit}", fontsize=9)
    plot.set_ylabel(f"probability\n(results are {step:,.0f} {unit} apart)", fontsize=9)
    plot.set_ylim(bottom=0)
    if marks:
        plot.legend(fontsize=8, frameon=False)
    return figure


def plot_histogram(
    title: str,
    edges: Sequence[float],
    counts: Sequence[int],
    labels: tuple[str, str],
    marks: Mapping[str, float],
) -> "Figure":
    """Plot counts per interval, without the empty intervals at both ends. ``labels`` are those of the x and y axes."""
    figure, plot = axes(title)
    filled = [place for place, count in enumerate(counts) if count]
    first, last = filled[0], filled[-1] + 1
    displayed, ends = list(counts[first:last]), list(edges[first : last + 1])
    plot.stairs(displayed, ends, fill=True, color=SHADES[0])
    plot.stairs(displayed, ends, color=BLUE, linewidth=0.9)
    for (name, place), colour in zip(marks.items(), (INK, RED)):
        plot.axvline(place, color=colour, linewidth=1.1, linestyle="--", label=name)
    plot.set_xlabel(labels[0], fontsize=9)
    plot.set_ylabel(f"{labels[1]}\n({ends[1] - ends[0]:,.0f} cents per bar)", fontsize=9)
    plot.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if marks:
        plot.legend(fontsize=8, frameon=False)
    return figure


def plot_edges(title: str, edges: Mapping[str, float]) -> "Figure":
    """Plot the house edge of each kind of bet in per cent, in the given order."""
    figure, plot = axes(title, height=max(1.8, 0.21 * len(edges) + 0.9))
    names, values = list(edges), [100 * edge for edge in edges.values()]
    plot.barh(range(len(names)), values, color=BLUE, height=0.68)
    plot.set_yticks(range(len(names)), names)
    plot.invert_yaxis()
    plot.set_xlabel("edge, % of the stake", fontsize=9)
    for place, value in enumerate(values):
        plot.text(value, place, f" {value:.2f}", va="center", fontsize=8, color=INK)
    plot.set_xlim(0, max([*values, 0.01]) * 1.14)
    return figure


def plot_curves(
    title: str, curves: Sequence[Curve], x_label: str, y_label: str, level: float | None = None
) -> "Figure":
    """Plot curves on logarithmic axes, with a horizontal line at ``level``."""
    figure, plot = axes(title)
    styles = ("-", "--", ":", "-.")
    for number, curve in enumerate(curves):
        plot.plot(
            list(curve.x), list(curve.y), label=curve.label, linewidth=1.4, linestyle=styles[number // 6 % len(styles)]
        )
    if level is not None:
        plot.axhline(level, color=INK, linewidth=0.8)
    plot.set_xscale("log")
    plot.set_yscale("log")
    plot.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    plot.set_xlabel(x_label, fontsize=9)
    plot.set_ylabel(y_label, fontsize=9)
    plot.legend(fontsize=8, frameon=False)
    return figure
