"""``roundhouse layout``: the layout drawn from its geometry."""

import click

from roundhouse.cli.choosing import choose_layout, game_argument, layout_option
from roundhouse.cli.output import write_file
from roundhouse.drawing.layout import draw_layout
from roundhouse.rules.game import Game


@click.command()
@game_argument
@layout_option
@click.option("-o", "--output", required=True, metavar="FILE.svg", help="Where to write the picture; - prints it.")
def layout(game: Game, layout_id: str | None, output: str) -> None:
    """Draw a layout as an SVG picture, with every position marked."""
    chosen = choose_layout(game, layout_id)
    picture = draw_layout(chosen, f"{game.rulebook.title}, layout {chosen.id}")
    write_file(output, picture)
    if output != "-":
        click.echo(f"{output}: {len(chosen.positions)} positions of layout {chosen.id}")
