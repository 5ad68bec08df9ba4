"""Which game, layout and terminal a command is about, and the one line when there is no such thing."""

from collections.abc import Callable
from typing import Any

import click

from roundhouse.cli.output import did_you_mean
from roundhouse.rulebooks import SHIPPED, NoSuchGame, find
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import LayoutId, TerminalId
from roundhouse.rules.packages import Terminal


class NoSuchThing(Mistake):
    """A layout, terminal, package or other thing that this game does not have."""


class GameType(click.ParamType[Game]):
    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        if isinstance(value, Game):
            return value
        try:
            return find(value)
        except NoSuchGame as unknown:
            raise NoSuchGame(f"{unknown}{did_you_mean(value, SHIPPED)}") from unknown


def game_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("game", type=GameType())(command)


layout_option = click.option(
    "--layout", "layout_id", metavar="L", help="The layout; may be left out where there is one."
)


def choose_layout(game: Game, id: str | None) -> Layout:
    if id is None and len(game.layouts) == 1:
        return next(iter(game.layouts.values()))
    known = ", ".join(game.layouts)
    if id is None:
        raise NoSuchThing(f"{game.id} has the layouts {known}; choose one with --layout")
    if (layout := game.layouts.get(LayoutId(id))) is None:
        raise NoSuchThing(f"{game.id} has no layout '{id}'; it has {known}{did_you_mean(id, game.layouts)}")
    return layout


def choose_terminal(game: Game, id: str | None, layout: str | None = None) -> Terminal:
    """One of the game's terminals; where a layout was chosen before, one that has it."""
    fitting = {
        name: terminal for name, terminal in game.terminals.items() if layout is None or terminal.layout.id == layout
    }
    if id is None and len(fitting) == 1:
        return next(iter(fitting.values()))
    known = ", ".join(fitting or game.terminals)
    if id is None and layout is not None and fitting:
        raise NoSuchThing(f"layout {layout} of {game.id} has the terminals {known}; choose one with --terminal")
    if id is None:
        raise NoSuchThing(f"{game.id} has the terminals {known}; choose one with --terminal")
    if (terminal := game.terminals.get(TerminalId(id))) is None:
        raise NoSuchThing(f"{game.id} has no terminal '{id}'; it has {known}{did_you_mean(id, game.terminals)}")
    return terminal


def check_terminal(terminal: Terminal, layout: Layout) -> None:
    if terminal.layout.id != layout.id:
        raise NoSuchThing(f"terminal {terminal.plan.id} has layout {terminal.layout.id}, not {layout.id}")
