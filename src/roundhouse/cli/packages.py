"""``roundhouse packages``: what a terminal offers under one button."""

import click

from roundhouse.cli.choosing import choose_terminal, game_argument
from roundhouse.cli.output import emit_json, json_option, show_table
from roundhouse.rules.game import Game


@click.command(short_help="every package of a terminal")
@game_argument
@click.option("--terminal", "terminal_id", metavar="T", help="The terminal; may be left out where there is one.")
@json_option
def packages(game: Game, terminal_id: str | None, as_json: bool) -> None:
    """List every package of a terminal, with its pieces: series, Neighbours, Finales."""
    terminal = choose_terminal(game, terminal_id)
    if as_json:
        emit_json(
            [
                {
                    "id": package.id,
                    "name": package.name,
                    "pieces": [{"position": piece.position, "pieces": piece.pieces} for piece in package.pieces],
                    "total": package.total,
                    "clause": package.clause,
                }
                for package in terminal.packages
            ]
        )
        return
    if not terminal.packages:
        click.echo(f"{game.rulebook.title}, {terminal.plan.name}: it offers no packages")
        return
    show_table(
        f"{game.rulebook.title}, {terminal.plan.name}: {len(terminal.packages)} packages",
        ("package", "name", "total", "pieces", "clause"),
        (
            (
                package.id,
                package.name,
                str(package.total),
                " ".join(f"{f'{n}×' if n > 1 else ''}{position}" for position, n in package.pieces),
                package.clause,
            )
            for package in terminal.packages
        ),
        right=("total",),
    )
