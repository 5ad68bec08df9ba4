"""``roundhouse parsheet``: the PAR sheet of a game, as PDF, HTML or JSON."""

from pathlib import PurePath
from typing import TYPE_CHECKING

import click
import msgspec

from roundhouse.cli.choosing import game_argument
from roundhouse.cli.output import write_file
from roundhouse.cli.progress import progress
from roundhouse.rulebooks import find
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake

if TYPE_CHECKING:
    from roundhouse.lab.parsheet.blocks import Block
    from roundhouse.lab.parsheet.par import Par

_FORMATS = (".pdf", ".html", ".json")


class NoSuchFormat(Mistake):
    """A PAR sheet is written as PDF, HTML or JSON."""


@click.command()
@game_argument
@click.option("-o", "--output", required=True, metavar="FILE.pdf|.html|.json", help="Where to write it.")
@click.option("--against", metavar="GAME", help="An older rulebook; the sheet then shows what changed.")
def parsheet(game: Game, output: str, against: str | None) -> None:
    """Write a game's PAR sheet: every bet's exact figures, volatility, confidence bands, wheel and layouts."""
    kind = PurePath(output).suffix.lower()
    if kind not in _FORMATS:
        raise NoSuchFormat(f"'{output}' ends in none of {', '.join(_FORMATS)}")
    from roundhouse.lab.parsheet.changes import changes_between
    from roundhouse.lab.parsheet.contents import contents
    from roundhouse.lab.parsheet.par import par_of

    old = None if against is None else find(against)
    with progress("setting the sheet") as report:
        tell = report or (lambda done, of: None)
        tell(0, 3)
        par = par_of(game)
        changes = None if old is None else changes_between(par_of(old), par)
        tell(1, 3)
        if kind == ".json":
            from roundhouse.lab.parsheet.data import as_json

            sheet = msgspec.json.format(msgspec.json.encode(as_json(par, changes)), indent=1) + b"\n"
        else:
            blocks = list(contents(par, changes))
            tell(2, 3)
            sheet = _set(kind, par, blocks)
        tell(3, 3)
    write_file(output, sheet)
    click.echo(f"{output}: PAR sheet of {game.id}, version {game.rulebook.version}")


def _set(kind: str, par: "Par", blocks: "list[Block]") -> bytes:
    if kind == ".html":
        from roundhouse.lab.parsheet.web import to_html

        return to_html(par, blocks).encode()
    from roundhouse.lab.parsheet.printing import to_pdf

    return to_pdf(par, blocks)
