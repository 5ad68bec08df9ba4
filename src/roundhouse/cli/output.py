"""What the commands print: tables for people, JSON for machines. Fractions stay fractions."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec

from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import Cents, Colour, Pocket, written
from roundhouse.rules.wheel import Wheel

if TYPE_CHECKING:
    from rich.console import Console

# Eager: read before the others, so that an option can tell that it does not go with JSON.
json_option = click.option("--json", "as_json", is_flag=True, is_eager=True, help="Answer in JSON, for programs.")

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
    from roundhouse.journal.files import BESIDE

    path = Path(output)
    try:
        if path.name.endswith(BESIDE) or (path.is_file() and _is_database(path)):
            raise CannotWrite(f"'{output}' is a journal or belongs to one; nothing is ever written over it")
        path.write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"cannot write '{output}': {error.strerror or error}") from error


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def emit_json(answer: object) -> None:
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")


def console() -> "Console":
    """Colours on a terminal; plain text in a pipe, as wide as COLUMNS says, or wide enough."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS") or 200)
    return Console(highlight=False, width=width, soft_wrap=False)


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """A table whose first column, the id that people copy, is never cut."""
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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for somebody who mistyped, or nothing."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.7)
    return f"; did you mean '{lower[close[0]]}'?" if close else ""


class Inked(str):
    """Words with marks of colour in them. Everything else is printed as it stands, brackets and all."""


def printable(words: str) -> str:
    """What somebody wrote must not steer a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in words)


def plain(words: str) -> Inked:
    """Words of others, in a line of ours: neither markup nor control characters have an effect."""
    from rich.markup import escape

    return Inked(escape(printable(words)))


def pockets(named: Iterable[Pocket], wheel: Wheel) -> Inked:
    """Pockets in their colours, for a table."""
    inked = ((pocket, _INK.get(wheel.colours.get(pocket, Colour("")))) for pocket in named)
    return Inked(" ".join(f"[{ink}]{pocket}[/{ink}]" if ink else pocket for pocket, ink in inked))


def money(cents: Cents) -> str:
    return written(cents)
