"""Exact figures on screen and in JSON: the fraction, and beside it a decimal that says when it is rounded."""

from fractions import Fraction

import click

from roundhouse.cli.output import console
from roundhouse.lab.chance import Chance
from roundhouse.lab.figures import Root, decimal, readable

plot_option = click.option("--plot", metavar="FILE.svg", help="Draw it as well, into this file.")
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


def as_json(value: Fraction | Root | Chance | None) -> object:
    match value:
        case None:
            return None
        case Chance():
            return value.as_json()
        case Root():
            return {"exact": str(value), "decimal": decimal(value, 12).removeprefix("≈ ")}
        case Fraction():
            return str(value)


def show_figures(title: str, figures: dict[str, str]) -> None:
    """Name and figure, a line each."""
    from rich.markup import escape

    out = console()
    out.print(f"[bold]{escape(title)}[/bold]")
    width = max(len(name) for name in figures)
    for name, figure in figures.items():
        out.print(f"  {escape(name):{width}}  {escape(figure)}", soft_wrap=True)
    out.print()
