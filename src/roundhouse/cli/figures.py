"""Exact figures on screen and in JSON: the fraction, and beside it a decimal that says when it is rounded."""

from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from roundhouse.cli.output import console, write_file
from roundhouse.lab.chance import Chance
from roundhouse.lab.figures import Root, decimal, nearest, readable
from roundhouse.lab.plots import FORMATS
from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import written

if TYPE_CHECKING:
    from roundhouse.lab.plots import Figure


class NoSuchPicture(Mistake):
    """A plot is written as SVG, PDF or PNG, and by the file's name alone one knows which."""


def _a_picture(context: click.Context, option: click.Parameter, file: str | None) -> str | None:
    """Asked before anything is computed, so that nobody waits for a plot that cannot be written."""
    if file is not None and file != "-" and PurePath(file).suffix.lower() not in FORMATS:
        raise NoSuchPicture(f"'{file}' ends in none of {', '.join(FORMATS)}")
    if file == "-" and context.params.get("as_json"):
        raise NoSuchPicture("--plot - prints an SVG and nothing else; with --json, name a file for the plot")
    return file


plot_option = click.option(
    "--plot",
    metavar="FILE.svg|.pdf|.png",
    callback=_a_picture,
    help="Draw it as well, into this file; - prints an SVG and nothing else.",
)


def write_plot(file: str, figure: "Figure") -> None:
    from roundhouse.lab.plots import drawn

    write_file(file, drawn(figure, ".svg" if file == "-" else PurePath(file).suffix.lower()))


pace_option = click.option(
    "--pace", type=click.IntRange(1, 100_000), default=40, show_default=True, help="Rounds an hour."
)


def exact(value: Fraction | Root | Chance | None, places: int = 6) -> str:
    """
    >>> exact(Fraction(1, 19)), exact(Fraction(3)), exact(None)
    ('1/19  ≈ 0.052632', '3', '–')
    """
    match value:
        case None:
            return "–"
        case Chance():
            if not value.exact or not readable(value.value):
                return str(value)
            return exact(value.value, places)
        case Root():
            return f"{value}  {decimal(value, places)}" if readable(value.square) else decimal(value, places)
        case Fraction():
            if value.denominator == 1:
                return str(value)
            return f"{value}  {decimal(value, places)}" if readable(value) else decimal(value, places)


def amount(cents: Fraction | Root) -> str:
    """Cents as people read money: the exact fraction of the whole currency, and beside it the nearest cent.

    >>> amount(Fraction(-10000, 19)), amount(Fraction(250)), amount(Root(1, Fraction(36000, 361)))
    ('-100/19  ≈ -5.26', '2.50', '√(18/1805)  ≈ 0.10')
    """
    rounded = nearest(cents, 0).numerator
    if cents == rounded or (isinstance(cents, Root) and cents.rational == rounded):
        return written(rounded)
    whole = Root(cents.sign, cents.square / 10_000) if isinstance(cents, Root) else cents / 100
    plain = readable(whole.square if isinstance(whole, Root) else whole)
    return f"{whole}  ≈ {written(rounded)}" if plain else f"≈ {written(rounded)}"


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "bet"), counted(1200, "round")
    ('1 bet', '1,200 rounds')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def show_figures(title: str, figures: dict[str, str]) -> None:
    """Name and figure, a line each."""
    from rich.markup import escape

    out = console()
    out.print(f"[bold]{escape(title)}[/bold]")
    width = max(len(name) for name in figures)
    for name, figure in figures.items():
        out.print(f"  {escape(name):{width}}  {escape(figure)}", soft_wrap=True)
    out.print()
