"""``roundhouse layout``: the layout drawn from its geometry."""

import click

from roundhouse.cli.choosing import choose_layout, game_argument, layout_option
from roundhouse.cli.output import CannotWrite, emit_json, json_option, write_file
from roundhouse.drawing.layout import draw_layout
from roundhouse.rules.game import Game


@click.command(short_help="draw a layout")
@game_argument
@layout_option
@click.option("-o", "--output", metavar="FILE.svg", help="Where to write the picture; - prints it.")
@json_option
def layout(game: Game, layout_id: str | None, output: str | None, as_json: bool) -> None:
    """Draw a layout as an SVG picture, with every position marked; with --json, its geometry as numbers."""
    chosen = choose_layout(game, layout_id)
    if output is None and not as_json:
        raise CannotWrite("say where to write the picture, with -o FILE.svg")
    if output is not None:
        book = game.rulebook
        source = f"{book.operator}, version {book.version}, rulebook {game.id}, sha256 {game.hash[:12]}…"
        write_file(output, draw_layout(chosen, f"{book.title}, layout {chosen.id}", source))
    if as_json:
        emit_json(
            {
                "layout": chosen.id,
                "cells": chosen.cells,
                "boxes": chosen.boxes,
                "positions": [{"id": position.id, "at": position.at} for position in chosen.positions],
            }
        )
    elif output != "-":
        click.echo(f"{output}: {len(chosen.positions)} positions of layout {chosen.id}")
