"""The packages of a PAR sheet: their figures, and of which bets each is made. A package has no price of its own."""

from collections.abc import Iterator

from roundhouse.lab.figures import percent
from roundhouse.lab.parsheet.blocks import Block, Heading, Words, table
from roundhouse.lab.parsheet.par import Par, TerminalSheet


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


def _package_rows(terminal: TerminalSheet) -> Iterator[tuple[str, ...]]:
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


def _piece_rows(terminal: TerminalSheet) -> Iterator[tuple[str, str]]:
    """One of each kind; the others of a family are made likewise, and the JSON sheet lists every one."""
    for kind in terminal.packages:
        shown = kind.made_of[0] if len(kind.ids) == 1 else f"{kind.ids[0]} is {kind.made_of[0]}; the others likewise"
        yield kind.name, shown
