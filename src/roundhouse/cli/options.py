"""Options that several commands share: game, layout, terminal, slip, limits, and the automatic dealer's pace."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from roundhouse.cli.output import did_you_mean
from roundhouse.rulebooks import SHIPPED, NoSuchGame, find
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, LayoutId, PackageId, PositionId, TerminalId
from roundhouse.rules.packages import Terminal
from roundhouse.rules.settlement import Bet, NoSuchBet, make_bet

if TYPE_CHECKING:
    from roundhouse.lab.slip import Slip, SlipLimits


class NoSuchThing(UserError):
    """The game has no layout, terminal, package or other item of this name."""


class GameType(click.ParamType[Game]):
    """Parameter type of a game: an id or the path of a rulebook file."""

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


layout_option = click.option("--layout", "layout_id", metavar="L", help="Layout. Optional if the game has only one.")


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
    """Return a terminal of the game. If ``layout`` is given, only terminals with that layout are considered."""
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
        raise NoSuchThing(f"terminal {terminal.plan.id} has the layout {terminal.layout.id}, not {layout.id}")


_CENTS = re.compile(r"[1-9][0-9]{0,17}")


def slip_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a slip: ``--layout``, ``--bet``, ``--package`` and ``--terminal``."""
    for option in (
        click.option("--terminal", "terminal_id", metavar="T", help="Terminal that offers the packages."),
        click.option(
            "--package",
            "packages",
            multiple=True,
            metavar="PACKAGE=CENTS",
            help="Package with CENTS on each piece. Repeatable.",
        ),
        click.option("--bet", "bets", multiple=True, metavar="POSITION=CENTS", help="Bet. Repeatable."),
        layout_option,
    ):
        command = option(command)
    return command


def read_bets(
    game: Game, layout_id: str | None, bets: Iterable[str], packages: tuple[str, ...], terminal_id: str | None
) -> tuple[Layout, list[Bet]]:
    """Return the layout and the bets that the options name, with packages split into their bets."""
    terminal = choose_terminal(game, terminal_id, layout_id) if packages or terminal_id else None
    layout = choose_layout(game, layout_id or (terminal.layout.id if terminal else None))
    if terminal:
        check_terminal(terminal, layout)
    return layout, [*_bets(layout, bets), *(_pieces(terminal, packages) if terminal else ())]


def _bets(layout: Layout, texts: Iterable[str]) -> Iterator[Bet]:
    for text in texts:
        position, stake = split(text, "POSITION=CENTS")
        yield make_bet(layout, PositionId(position), stake)


def _pieces(terminal: Terminal, texts: Iterable[str]) -> Iterator[Bet]:
    for text in texts:
        id, unit = split(text, "PACKAGE=CENTS")
        if (package := terminal.package(PackageId(id))) is None:
            hint = did_you_mean(id, (package.id for package in terminal.packages))
            raise NoSuchThing(f"terminal {terminal.plan.id} has no package '{id}'{hint}")
        for piece in package.pieces:
            yield make_bet(terminal.layout, piece.position, Cents(piece.pieces * unit))


def split(text: str, form: str) -> tuple[str, Cents]:
    """Split ``NAME=CENTS``. ``form`` is the expected form, for the error message."""
    name, equals, cents = text.partition("=")
    if not equals:
        raise NoSuchBet(f"'{text}' is not of the form {form}")
    if not _CENTS.fullmatch(cents):
        excerpt = cents if len(cents) <= 20 else f"{cents[:17]}..."
        raise NoSuchBet(f"a stake is a whole number of cents from 1 to {MAX_STAKE_CENTS}, not '{excerpt}'")
    return name, Cents(int(cents))


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the table's limits on each position: ``--min``, ``--max`` and ``--limit``."""
    for option in (
        click.option(
            "--limit", "by_type", multiple=True, metavar="TYPE=CENTS", help="Maximum on a bet type. Repeatable."
        ),
        click.option("--max", "maximum", type=int, metavar="CENTS", help="Maximum on any position."),
        click.option("--min", "minimum", type=int, default=1, metavar="CENTS", help="Minimum on any position."),
    ):
        command = option(command)
    return command


def read_limits(layout: Layout, minimum: int, maximum: int | None, by_type: tuple[str, ...]) -> "SlipLimits":
    from roundhouse.lab.slip import SlipLimits

    kinds = {position.type for position in layout.positions}
    limits: dict[BetType, Cents] = {}
    for text in by_type:
        kind, cents = split(text, "TYPE=CENTS")
        if kind not in kinds:
            raise NoSuchThing(f"layout {layout.id} has no bet type '{kind}'; it has {', '.join(sorted(kinds))}")
        limits[BetType(kind)] = cents
    return SlipLimits(Cents(minimum), MAX_STAKE_CENTS if maximum is None else Cents(maximum), limits)


@dataclass(frozen=True, slots=True)
class SlipInput:
    """A slip given on the command line, with its layout and limits."""

    layout: Layout
    limits: "SlipLimits"
    slip: "Slip"


def slip_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a slip and of limits, and pass them to the command as one ``SlipInput``."""

    @wraps(command)
    def with_slip(
        game: Game,
        layout_id: str | None,
        bets: tuple[str, ...],
        packages: tuple[str, ...],
        terminal_id: str | None,
        minimum: int,
        maximum: int | None,
        by_type: tuple[str, ...],
        **others: Any,
    ) -> Any:
        from roundhouse.lab.slip import make_slip

        layout, all_bets = read_bets(game, layout_id, bets, packages, terminal_id)
        limits = read_limits(layout, minimum, maximum, by_type)
        return command(game, SlipInput(layout, limits, make_slip(game, layout, all_bets, limits)), **others)

    return game_argument(slip_options(limit_options(with_slip)))


_DAY_SECONDS = 86_400.0


class _SecondsType(click.FloatRange):
    """Parameter type of a duration in seconds. Rejects NaN, which a range check lets pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"'{value}' is not a number of seconds", param, ctx)
        return seconds


_SECONDS = _SecondsType(0, _DAY_SECONDS)


def wheel_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the automatic dealer's pace and of the wheel's line."""
    options = (
        click.option(
            "--betting-seconds",
            type=_SECONDS,
            default=20.0,
            show_default=True,
            metavar="SECONDS",
            help="How long bets stay open.",
        ),
        click.option(
            "--look-seconds",
            type=_SECONDS,
            default=2.0,
            show_default=True,
            metavar="SECONDS",
            help="Pause between a result and its confirmation.",
        ),
        click.option(
            "--pause-seconds",
            type=_SECONDS,
            default=4.0,
            show_default=True,
            metavar="SECONDS",
            help="Pause between two rounds.",
        ),
        click.option(
            "--closes-while-spinning",
            is_flag=True,
            help="Close bets while the ball spins, if the rulebook lets the operator choose.",
        ),
        click.option(
            "--speed",
            type=click.FloatRange(min=0, min_open=True),
            metavar="N",
            help="Run the clock N times faster than real time, to match a faster wheel.",
        ),
        click.option(
            "--code",
            "codes",
            multiple=True,
            metavar="POCKET=CODE",
            help="Code of a pocket on the wheel's line. Repeatable.",
        ),
        click.option("--no-rtscts", is_flag=True, help="Do not use hardware flow control (RTS/CTS)."),
    )
    for option in reversed(options):
        command = option(command)
    return command
