"""What the commands print: tables for people, JSON for machines. Fractions stay fractions."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import Cents, Colour, Pocket
from roundhouse.rules.wheel import Wheel

if TYPE_CHECKING:
    from rich.console import Console

json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for programs.")

_INK = {Colour("red"): "red", Colour("black"): "bold", Colour("green"): "green"}


class CannotWrite(Mistake):
    """The machine would not take the file."""


def write_file(output: str, content: str | bytes) -> None:
    """To the file that was named; ``-`` is standard output."""
    data = content.encode() if isinstance(content, str) else content
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"cannot write '{output}': {error.strerror or error}") from error


def emit_json(answer: object) -> None:
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")


def console() -> "Console":
    """Colours on a terminal; plain text, unclipped, in a pipe."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    for row in rows:
        table.add_row(*row)
    console().print(table)


def pockets(named: Iterable[Pocket], wheel: Wheel) -> str:
    """Pockets in their colours, for a table."""
    inked = ((pocket, _INK.get(wheel.colours.get(pocket, Colour("")))) for pocket in named)
    return " ".join(f"[{ink}]{pocket}[/{ink}]" if ink else pocket for pocket, ink in inked)


def money(cents: Cents) -> str:
    """
    >>> money(Cents(123456)), money(Cents(5))
    ('1,234.56', '0.05')
    """
    return f"{cents // 100:,}.{cents % 100:02d}"
