"""Output of the commands: tables, JSON, files, exact figures and progress bars.

Exact figures are printed as fractions, with a rounded decimal marked by ≈.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

import click
import msgspec

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Colour, Pocket, format_amount
from roundhouse.rules.wheel import Wheel

# The lab is imported inside the functions that need it, because importing it is slow.
if TYPE_CHECKING:
    from fractions import Fraction

    from rich.console import Console

    from roundhouse.lab.numbers import Chance, Root
    from roundhouse.lab.plots import Figure

# Eager: parsed before --plot, whose callback rejects some combinations with --json.
json_option = click.option("--json", "as_json", is_flag=True, is_eager=True, help="Print JSON.")

_INK = {Colour("red"): "red", Colour("black"): "bold", Colour("green"): "green"}


class CannotWrite(UserError):
    """A file could not be written, or must not be overwritten."""


def could_not_write(path: object, error: OSError) -> CannotWrite:
    return CannotWrite(f"Could not write {path}: {error.strerror or error}")


def write_file(output: str, content: str | bytes) -> None:
    """Write to a file, or to standard output if ``output`` is ``-``."""
    data = content.encode() if isinstance(content, str) else content
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from roundhouse.journal.files import FILE_SUFFIXES

    path = Path(output)
    try:
        if path.name.endswith(FILE_SUFFIXES) or (path.is_file() and _is_database(path)):
            raise CannotWrite(f"'{output}' is a journal or belongs to one; journals are never overwritten")
        path.write_bytes(data)
    except OSError as error:
        raise could_not_write(output, error) from error


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def emit_json(value: object) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def console() -> "Console":
    """Return a console for standard output: coloured on a terminal, else plain and COLUMNS or 200 characters wide."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS") or 200)
    return Console(highlight=False, width=width, soft_wrap=False)


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print a table. The first column holds ids that users copy, so it is never wrapped."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, no_wrap=i == 0, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Inked) else plain(cell) for cell in row))
    out = console()
    out.print(f"[bold]{plain(title)}[/bold]")
    if not table.rows:
        return
    with out.capture() as printed:
        out.print(table)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in printed.get().splitlines()))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name closest to ``name``, or an empty string if none is close."""
    from difflib import get_close_matches

    lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), lower, n=1, cutoff=0.7)
    return f"; did you mean '{lower[close[0]]}'?" if close else ""


class Inked(str):
    """Text with colour markup. In all other text, brackets are escaped and printed literally."""


def printable(text: str) -> str:
    """Escape control characters, so that text from a file cannot control the terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text)


def plain(text: str) -> Inked:
    """Escape markup and control characters, so that the text is printed literally."""
    from rich.markup import escape

    return Inked(escape(printable(text)))


def pockets(named: Iterable[Pocket], wheel: Wheel) -> Inked:
    """Return the names of pockets, each with the markup of its colour."""
    inked = ((pocket, _INK.get(wheel.colours.get(pocket, Colour("")))) for pocket in named)
    return Inked(" ".join(f"[{ink}]{pocket}[/{ink}]" if ink else pocket for pocket, ink in inked))


class NoSuchPicture(UserError):
    """The file name of a plot has none of the known endings, or standard output is already used for JSON."""


def _check_plot(context: click.Context, option: click.Parameter, file: str | None) -> str | None:
    """Check the value of ``--plot`` before the slow computation starts."""
    from roundhouse.lab.plots import FORMATS

    if file is not None and file != "-" and PurePath(file).suffix.lower() not in FORMATS:
        raise NoSuchPicture(f"'{file}' must end in one of {', '.join(FORMATS)}")
    if file == "-" and context.params.get("as_json"):
        raise NoSuchPicture("--plot - prints only the SVG; with --json, name a file for the plot")
    return file


plot_option = click.option(
    "--plot",
    metavar="FILE.svg|.pdf|.png",
    callback=_check_plot,
    help="Also draw a plot to this file. - prints only the SVG.",
)


def write_plot(file: str, figure: "Figure") -> None:
    from roundhouse.lab.plots import render

    write_file(file, render(figure, ".svg" if file == "-" else PurePath(file).suffix.lower()))


pace_option = click.option(
    "--pace", type=click.IntRange(1, 100_000), default=40, show_default=True, help="Rounds per hour."
)


def exact(value: "Fraction | Root | Chance | None", places: int = 6) -> str:
    """Return an exact figure as a fraction, with a rounded decimal beside it.

    >>> from fractions import Fraction
    >>> exact(Fraction(1, 19)), exact(Fraction(3)), exact(None)
    ('1/19  ≈ 0.052632', '3', '–')
    """
    from fractions import Fraction

    from roundhouse.lab.numbers import Chance, Root, decimal, readable

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


def exact_amount(cents: "Fraction | Root") -> str:
    """Return an exact amount of cents as a fraction of the currency unit, with the amount rounded to a cent.

    >>> from fractions import Fraction
    >>> from roundhouse.lab.numbers import Root
    >>> exact_amount(Fraction(-10000, 19)), exact_amount(Fraction(250)), exact_amount(Root(1, Fraction(36000, 361)))
    ('-100/19  ≈ -5.26', '2.50', '√(18/1805)  ≈ 0.10')
    """
    from roundhouse.lab.numbers import Root, nearest, readable

    rounded = nearest(cents, 0).numerator
    if cents == rounded or (isinstance(cents, Root) and cents.rational == rounded):
        return format_amount(rounded)
    whole = Root(cents.sign, cents.square / 10_000) if isinstance(cents, Root) else cents / 100
    plain = readable(whole.square if isinstance(whole, Root) else whole)
    return f"{whole}  ≈ {format_amount(rounded)}" if plain else f"≈ {format_amount(rounded)}"


def counted(number: int, thing: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "bet"), counted(1200, "round")
    ('1 bet', '1,200 rounds')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def show_figures(title: str, figures: dict[str, str]) -> None:
    """Print a title, then a line with the name and value of each figure."""
    from rich.markup import escape

    out = console()
    out.print(f"[bold]{escape(title)}[/bold]")
    width = max(len(name) for name in figures)
    for name, figure in figures.items():
        out.print(f"  {escape(name):{width}}  {escape(figure)}", soft_wrap=True)
    out.print()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that updates a progress bar on standard error, or None if that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
