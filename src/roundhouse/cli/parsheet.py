"""``roundhouse parsheet``: the PAR sheet of a game, as PDF, HTML or JSON."""

from pathlib import PurePath

import click
import msgspec

from roundhouse.cli.choosing import game_argument
from roundhouse.cli.output import write_file
from roundhouse.rulebooks import find
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake

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

    par = par_of(game)
    changes = None if against is None else changes_between(par_of(find(against)), par)
    if kind == ".json":
        from roundhouse.lab.parsheet.data import as_json

        write_file(output, msgspec.json.format(msgspec.json.encode(as_json(par, changes)), indent=1) + b"\n")
    elif kind == ".html":
        from roundhouse.lab.parsheet.web import to_html

        write_file(output, to_html(par, list(contents(par, changes))))
    else:
        from roundhouse.lab.parsheet.printing import to_pdf

        write_file(output, to_pdf(par, list(contents(par, changes))))
    click.echo(f"{output}: PAR sheet of {game.id}, version {game.rulebook.version}")
