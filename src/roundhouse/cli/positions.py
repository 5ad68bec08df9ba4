"""``roundhouse positions``: every bet of a layout."""

import click

from roundhouse.cli.choosing import choose_layout, game_argument, layout_option
from roundhouse.cli.output import emit_json, json_option, pockets, show_table
from roundhouse.rules.game import Game
from roundhouse.rules.names import number_of


@click.command(short_help="every bet of a layout")
@game_argument
@layout_option
@json_option
def positions(game: Game, layout_id: str | None, as_json: bool) -> None:
    """List every position of a layout: what it covers, what it pays, and by which clause."""
    layout = choose_layout(game, layout_id)
    if as_json:
        emit_json(
            [
                {
                    "id": position.id,
                    "type": position.type,
                    "covers": position.covers,
                    "pays": position.pays,
                    "clause": number_of(position.clause),
                }
                for position in layout.positions
            ]
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {len(layout.positions)} positions",
        ("position", "covers", "pays", "clause", "described in"),
        (
            (
                position.id,
                pockets(position.covers, game.wheel),
                f"{position.pays} to 1",
                number_of(position.clause),
                ", ".join(position.described),
            )
            for position in layout.positions
        ),
        right=("pays",),
    )
