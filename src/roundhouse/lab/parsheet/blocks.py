"""A document as blocks: headings, words, tables and pictures. What a sheet says is decided once, for every format.

The packages of a PAR sheet: their figures, and of which bets each is made. A package has no price of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from roundhouse.lab.numbers import percent
from roundhouse.lab.parsheet.figures import Par, TerminalFigures


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


def packages(par: Par) -> Iterator[Block]:
    shown = [terminal for terminal in par.terminals if terminal.packages]
    if not shown:
        return
    yield Heading("Packages", new_page=True)
    yield Words(
        "A package is its pieces and has no price of its own. Figures are for each unit staked on the whole package."
    )
    for terminal in shown:
        where = f"layout {terminal.layout}"
        yield Heading(terminal.name if where in terminal.name else f"{terminal.name}, {where}", 2)
        yield table(
            "package | pieces | hit | return | edge | edge in % | variance | skewness | kurtosis | clause",
            [*_package_rows(terminal)],
            right="pieces | hit | return | edge | edge in % | variance | skewness | kurtosis",
            wide="package",
            size=7.2,
        )
        yield table("package | its pieces", [*_piece_rows(terminal)], wide="its pieces", size=7.2)


def _package_rows(terminal: TerminalFigures) -> Iterator[tuple[str, ...]]:
    for kind in terminal.packages:
        figures, moments = kind.figures, kind.figures.moments
        yield (
            kind.name,
            str(kind.pieces),
            str(figures.hit),
            str(figures.returned),
            str(figures.edge),
            percent(figures.edge),
            str(moments.variance),
            "–" if moments.skewness is None else str(moments.skewness),
            "–" if moments.kurtosis is None else str(moments.kurtosis),
            kind.clause,
        )


def _piece_rows(terminal: TerminalFigures) -> Iterator[tuple[str, str]]:
    """One of each kind; the others of a family are made likewise, and the JSON sheet lists every one."""
    for kind in terminal.packages:
        shown = kind.made_of[0] if len(kind.ids) == 1 else f"{kind.ids[0]} is {kind.made_of[0]}; the others likewise"
        yield kind.name, shown
