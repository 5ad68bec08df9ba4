"""``roundhouse layout``: the layout drawn from its geometry."""

import sys
from pathlib import Path

import click

from roundhouse.cli.choosing import choose_layout, game_argument, layout_option
from roundhouse.drawing.layout import draw_layout
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake


class CannotWrite(Mistake):
    """The machine would not take the file."""


@click.command(short_help="draw a layout")
@game_argument
@layout_option
@click.option("-o", "--output", required=True, metavar="FILE.svg", help="Where to write the picture; - prints it.")
def layout(game: Game, layout_id: str | None, output: str) -> None:
    """Draw a layout as an SVG picture, with every position marked."""
    chosen = choose_layout(game, layout_id)
    picture = draw_layout(chosen, f"{game.rulebook.title}, layout {chosen.id}")
    if output == "-":
        sys.stdout.write(picture)
        return
    try:
        Path(output).write_text(picture, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot write '{output}': {error.strerror or error}") from error
    click.echo(f"{output}: {len(chosen.positions)} positions of layout {chosen.id}")
