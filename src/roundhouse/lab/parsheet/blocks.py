"""A document as blocks: headings, words, tables and pictures. What a sheet says is decided once, for every format."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Heading:
    words: str
    level: Literal[1, 2] = 1
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    """Which columns are set to the right."""
    caption: str = ""
    wide: tuple[int, ...] = ()
    """Columns that take the room that is left and break their lines."""
    size: float = 8.0


@dataclass(frozen=True, slots=True)
class Picture:
    svg: str
    caption: str
    width: str = "100%"


Block = Heading | Words | Table | Picture


def table(
    columns: str,
    rows: Sequence[tuple[str, ...]],
    caption: str = "",
    *,
    right: str = "",
    wide: str = "",
    size: float = 8.0,
) -> Table:
    """Columns are written as one line, parted by bars; ``right`` and ``wide`` name some of them in the same way."""
    names = tuple(name.strip() for name in columns.split("|"))
    to_right = {name.strip() for name in right.split("|")}
    wider = {name.strip() for name in wide.split("|")}
    assert all(len(row) == len(names) for row in rows), "a cell for every column"
    return Table(
        names,
        tuple(rows),
        tuple(name in to_right for name in names),
        caption,
        tuple(i for i, name in enumerate(names) if name in wider),
        size,
    )
