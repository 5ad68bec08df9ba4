"""``roundhouse games``: which games there are."""

from pathlib import Path

import click

from roundhouse import rulebooks
from roundhouse.cli.output import emit_json, json_option, show_table


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[RULEBOOK.toml]...")
@json_option
def games(files: tuple[Path, ...], as_json: bool) -> None:
    """List the games: those shipped, those in your own folder, and any rulebook files you name."""
    found = rulebooks.games(files)
    if as_json:
        emit_json(
            [
                {
                    "id": game.id,
                    "title": game.rulebook.title,
                    "operator": game.rulebook.operator,
                    "version": game.rulebook.version,
                    "effective": game.rulebook.effective.isoformat(),
                    "hash": game.hash,
                    "pockets": game.wheel.pockets,
                    "wheel": game.wheel.order,
                    "layouts": list(game.layouts),
                    "terminals": [{"id": id, "layout": terminal.layout.id} for id, terminal in game.terminals.items()],
                }
                for game in found
            ]
        )
        return
    show_table(
        "Games",
        ("id", "title", "operator", "version", "effective", "layouts", "terminals", "hash"),
        (
            (
                game.id,
                game.rulebook.title,
                game.rulebook.operator,
                game.rulebook.version,
                f"{game.rulebook.effective:%Y-%m-%d %H:%M}",
                " ".join(game.layouts),
                " ".join(game.terminals),
                game.hash[:12],
            )
            for game in found
        ),
    )
