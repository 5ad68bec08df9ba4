"""Blocks of a document (headings, paragraphs, tables, pictures), and the packages section of a PAR sheet.

Every output format is rendered from the same list of blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from roundhouse.lab.numbers import percent
from roundhouse.lab.parsheet.figures import Par, TerminalFigures


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: Literal[1, 2] = 1
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    """For each column, whether it is right-aligned."""
    caption: str = ""
    wide: tuple[int, ...] = ()
    """Indexes of the columns that share the remaining width and wrap their lines."""
    size: float = 8.0
    """Font size in points."""


@dataclass(frozen=True, slots=True)
class Picture:
    svg: str
    caption: str
    width: str = "100%"
    """Share of the text width."""


Block = Heading | Paragraph | Table | Picture


def table(
    columns: str,
    rows: Sequence[tuple[str, ...]],
    caption: str = "",
    *,
    right: str = "",
    wide: str = "",
    size: float = 8.0,
) -> Table:
    """Create a table. ``columns``, ``right`` and ``wide`` are column names separated by bars."""
    names = tuple(name.strip() for name in columns.split("|"))
    to_right = {name.strip() for name in right.split("|")}
    wider = {name.strip() for name in wide.split("|")}
    assert all(len(row) == len(names) for row in rows), "every row must have a cell for each column"
    return Table(
        names,
        tuple(rows),
        tuple(name in to_right for name in names),
        caption,
        tuple(i for i, name in enumerate(names) if name in wider),
        size,
    )


def packages(par: Par) -> Iterator[Block]:
    """Yield the section on packages: their figures and their pieces."""
    terminals = [terminal for terminal in par.terminals if terminal.packages]
    if not terminals:
        return
    yield Heading("Packages", new_page=True)
    yield Paragraph(
        "A package is a set of pieces, each settled at its own odds. Figures are per unit staked on the whole package."
    )
    for terminal in terminals:
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
    """List the pieces of one package of each kind. The JSON sheet lists every package."""
    for kind in terminal.packages:
        several = f"{kind.ids[0]}: {kind.made_of[0]}; the others are built alike"
        yield kind.name, kind.made_of[0] if len(kind.ids) == 1 else several
