"""What the wheel's commands share: the game, the wheel's codes, and reading a recording piece by piece."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from roundhouse.cli.choosing import GameType
from roundhouse.rulebooks import SHIPPED, UnreadableFile
from roundhouse.rules.game import Game
from roundhouse.rules.mistakes import Mistake
from roundhouse.wheelhead.codes import Codes, codes_for

_PIECE = 1 << 16


class BadCode(Mistake):
    """A code that was not written as POCKET=CODE."""


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    game = click.option(
        "--game",
        type=GameType(),
        default=SHIPPED[0],
        show_default=True,
        help="The game whose rulebook judges the spins: its id, or the path of its rulebook file.",
    )
    codes = click.option(
        "--code",
        "chosen",
        multiple=True,
        metavar="POCKET=CODE",
        help="How this wheel writes a pocket on its line of two characters, such as 000=37. May be repeated.",
    )
    return game(codes(command))


def codes_of(game: Game, chosen: tuple[str, ...]) -> Codes:
    pairs = {}
    for word in chosen:
        pocket, equals, code = word.partition("=")
        if not equals:
            raise BadCode(f"'{word}' is no code; write POCKET=CODE, such as 000=37")
        pairs[pocket] = code
    return codes_for(game.wheel, pairs)


def pieces(path: Path) -> Iterator[bytes]:
    """A recording, piece by piece; ``-`` is standard input."""
    try:
        if str(path) == "-":
            while piece := sys.stdin.buffer.read(_PIECE):
                yield piece
            return
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except OSError as error:
        raise UnreadableFile(f"cannot read '{path}': {error.strerror or error}") from error
