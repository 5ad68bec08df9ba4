"""Which game, layout and terminal a command is about, and the one line when there is no such thing.

A slip on the command line: bets, packages and the table's limits, read once for every command that takes them.

The options of the automatic dealer: its pace, and its wheel's codes and cable.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from math import isnan
from typing import Any

import click

from roundhouse.cli.output import did_you_mean
from roundhouse.lab.slip import Slip, SlipLimits, make_slip
from roundhouse.rulebooks import SHIPPED, NoSuchGame, find
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, LayoutId, PackageId, PositionId, TerminalId
from roundhouse.rules.packages import Terminal
from roundhouse.rules.settlement import Bet, NoSuchBet, make_bet


class NoSuchThing(UserError):
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


_CENTS = re.compile(r"[1-9][0-9]{0,17}")


def slip_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--layout``, ``--bet``, ``--package`` and ``--terminal``."""
    for option in (
        click.option("--terminal", "terminal_id", metavar="T", help="The terminal whose packages these are."),
        click.option(
            "--package", "packages", multiple=True, metavar="PACKAGE=CENTS", help="A package; CENTS on each piece."
        ),
        click.option("--bet", "bets", multiple=True, metavar="POSITION=CENTS", help="A bet; give as many as you like."),
        layout_option,
    ):
        command = option(command)
    return command


def read_bets(
    game: Game, layout_id: str | None, bets: Iterable[str], packages: tuple[str, ...], terminal_id: str | None
) -> tuple[Layout, list[Bet]]:
    """The layout meant, and every bet that was written."""
    terminal = choose_terminal(game, terminal_id, layout_id) if packages or terminal_id else None
    layout = choose_layout(game, layout_id or (terminal.layout.id if terminal else None))
    if terminal:
        check_terminal(terminal, layout)
    return layout, [*_bets(layout, bets), *(_pieces(terminal, packages) if terminal else ())]


def _bets(layout: Layout, written: Iterable[str]) -> Iterator[Bet]:
    for text in written:
        position, stake = split(text, "POSITION=CENTS")
        yield make_bet(layout, PositionId(position), stake)


def _pieces(terminal: Terminal, written: Iterable[str]) -> Iterator[Bet]:
    for text in written:
        id, unit = split(text, "PACKAGE=CENTS")
        if (package := terminal.package(PackageId(id))) is None:
            hint = did_you_mean(id, (package.id for package in terminal.packages))
            raise NoSuchThing(f"terminal {terminal.plan.id} has no package '{id}'{hint}")
        for piece in package.pieces:
            yield make_bet(terminal.layout, piece.position, Cents(piece.pieces * unit))


def split(text: str, form: str) -> tuple[str, Cents]:
    name, equals, cents = text.partition("=")
    if not equals:
        raise NoSuchBet(f"'{text}' is not of the form {form}")
    if not _CENTS.fullmatch(cents):
        shown = cents if len(cents) <= 20 else f"{cents[:17]}..."
        raise NoSuchBet(f"a stake is a whole number of cents from 1 to {MAX_STAKE_CENTS}, not '{shown}'")
    return name, Cents(int(cents))


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--min``, ``--max`` and ``--limit``: the table's, on each position."""
    for option in (
        click.option("--limit", "by_type", multiple=True, metavar="TYPE=CENTS", help="The most on a type of bet."),
        click.option("--max", "most", type=int, metavar="CENTS", help="The most on any position."),
        click.option("--min", "least", type=int, default=1, metavar="CENTS", help="The least on any position."),
    ):
        command = option(command)
    return command


def read_limits(layout: Layout, least: int, most: int | None, by_type: tuple[str, ...]) -> SlipLimits:
    kinds = {position.type for position in layout.positions}
    limits: dict[BetType, Cents] = {}
    for text in by_type:
        kind, cents = split(text, "TYPE=CENTS")
        if kind not in kinds:
            raise NoSuchThing(f"layout {layout.id} has no type of bet '{kind}'; it has {', '.join(sorted(kinds))}")
        limits[BetType(kind)] = cents
    return SlipLimits(Cents(least), MAX_STAKE_CENTS if most is None else Cents(most), limits)


@dataclass(frozen=True, slots=True)
class Written:
    """A slip as it was written, with the layout and the limits that it stands under."""

    layout: Layout
    limits: SlipLimits
    slip: Slip


def slip_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of a slip and of a table's limits, handed on as one ``written``."""

    @wraps(command)
    def with_slip(
        game: Game,
        layout_id: str | None,
        bets: tuple[str, ...],
        packages: tuple[str, ...],
        terminal_id: str | None,
        least: int,
        most: int | None,
        by_type: tuple[str, ...],
        **others: Any,
    ) -> Any:
        layout, made = read_bets(game, layout_id, bets, packages, terminal_id)
        limits = read_limits(layout, least, most, by_type)
        return command(game, Written(layout, limits, make_slip(game, layout, made, limits)), **others)

    return game_argument(slip_options(limit_options(with_slip)))


_DAY = 86_400.0


class _Seconds(click.FloatRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"'{value}' is no number of seconds", param, ctx)
        return seconds


_SECONDS = _Seconds(0, _DAY)


def wheel_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.option("--betting-seconds", type=_SECONDS, default=20.0, help="How long bets are open."),
        click.option("--look-seconds", type=_SECONDS, default=2.0, help="Between a result and its confirmation."),
        click.option("--pause-seconds", type=_SECONDS, default=4.0, help="Between two rounds."),
        click.option(
            "--closes-while-spinning", is_flag=True, help="Where the rulebook leaves the moment to the operator."
        ),
        click.option(
            "--speed", type=click.FloatRange(min=0, min_open=True), help="A faster clock, for a faster wheel."
        ),
        click.option("--code", "codes", multiple=True, metavar="POCKET=CODE", help="How the wheel writes a pocket."),
        click.option("--no-rtscts", is_flag=True, help="The serial cable has no RTS and CTS wires."),
    )
    for option in reversed(options):
        command = option(command)
    return command
