"""``roundhouse games``: which games there are."""

from pathlib import Path

import click

from roundhouse import rulebooks
from roundhouse.cli.output import emit_json, json_option


@click.command(short_help="which games there are")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[RULEBOOK.toml]...")
@json_option
def games(files: tuple[Path, ...], as_json: bool) -> None:
    """List the games: those shipped, those in your own folder, and any rulebook files you name."""
    found, unsound = rulebooks.games_and_faults(files)
    for mistake in unsound:
        click.echo(f"roundhouse: left out: {mistake}", err=True)
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
    for game in found:
        book = game.rulebook
        click.echo(f"{game.id}  {book.title}")
        click.echo(
            f"    {book.operator}, version {book.version}, in effect from {book.effective:%Y-%m-%d %H:%M} (+08:00)"
        )
        click.echo(f"    {len(game.wheel.pockets)} outcomes on {len(game.wheel.order)} segments")
        click.echo(f"    layouts {', '.join(game.layouts)}")
        click.echo(f"    terminals {', '.join(game.terminals)}")
        click.echo(f"    sha256 {game.hash}")
