"""``roundhouse wheel decode``: a recording of a wheel's line, game by game."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from roundhouse.cli.output import Inked, json_option, plain, show_table
from roundhouse.cli.wheel.common import codes_of, game_options, pieces
from roundhouse.rules.game import Game
from roundhouse.wheelhead.decoding import decode as read_games
from roundhouse.wheelhead.spins import OutcomeRead, Reading, UnresolvedRead, VoidRead


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@game_options
@json_option
def decode(file: Path, game: Game, chosen: tuple[str, ...], as_json: bool) -> None:
    """Read a recording: the outcome of each game, or why it has none."""
    readings = read_games(pieces(file), game.rulebook, codes_of(game, chosen))
    if as_json:
        _write_list(readings)
    else:
        show_table(f"{file}, by the rules of {game.id}", ("game", "result", "why"), map(_row, readings))


def _write_list(readings: Iterable[Reading]) -> None:
    """One list, written as it is read, so that the longest recording needs no memory."""
    sys.stdout.write("[")
    for i, reading in enumerate(readings):
        sys.stdout.write((",\n " if i else "") + msgspec.json.encode(reading).decode())
    sys.stdout.write("]\n")


def _row(reading: Reading) -> tuple[str, str, str]:
    match reading:
        case OutcomeRead(game, outcome):
            return game, Inked(f"[bold]{plain(outcome)}[/bold]"), ""
        case VoidRead(game, clauses, flags):
            return game, "void", f"under {', '.join(clauses)}{_warnings(flags)}"
        case UnresolvedRead(game, why, flags):
            return game, "unresolved", f"{why}{_warnings(flags)}"


def _warnings(flags: tuple[int, ...]) -> str:
    return f" (warnings {', '.join(map(str, flags))})" if flags else ""
