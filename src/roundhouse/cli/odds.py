"""``roundhouse odds``: exact odds of every position, or of every package, as fractions."""

import click

from roundhouse.cli import ranking
from roundhouse.cli.choosing import (
    NoSuchThing,
    check_terminal,
    choose_layout,
    choose_terminal,
    game_argument,
    layout_option,
)
from roundhouse.cli.figures import plot_option
from roundhouse.cli.output import did_you_mean, emit_json, json_option, show_table
from roundhouse.cli.slips import limit_options, read_limits
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal


@click.command(short_help="exact odds of every bet")
@game_argument
@layout_option
@click.option(
    "--terminal",
    "terminal_id",
    metavar="T",
    help="Odds of this terminal's packages instead; with --rank and --dominated, as well.",
)
@click.option("--of", "wanted", metavar="ID", help="One position or package only, with its return for each outcome.")
@click.option("--rank", is_flag=True, help="Positions and packages from the smallest edge to the largest.")
@click.option("--dominated", is_flag=True, help="Bets that others of the layout beat everywhere.")
@click.option("--liability", is_flag=True, help="The most one player can win at the limits.")
@click.option("--floor", "profile", metavar="PROFILE", help="Does every bet return what a jurisdiction demands?")
@limit_options
@click.option("--rounds", type=int, default=320, show_default=True, metavar="N", help="A night, for --liability.")
@plot_option
@json_option
def odds(
    game: Game,
    layout_id: str | None,
    terminal_id: str | None,
    wanted: str | None,
    rank: bool,
    dominated: bool,
    liability: bool,
    profile: str | None,
    least: int,
    most: int | None,
    by_type: tuple[str, ...],
    rounds: int,
    plot: str | None,
    as_json: bool,
) -> int:
    """Show the exact odds: win probability, house edge and variance per unit staked."""
    given = {"--rank": rank, "--dominated": dominated, "--liability": liability, "--floor": profile, "--of": wanted}
    asked = [name for name, value in given.items() if value]
    if len(asked) > 1:
        raise NoSuchThing(f"{' and '.join(asked)} are different questions; ask one at a time")
    if terminal_id is not None and layout_id is not None:
        check_terminal(choose_terminal(game, terminal_id), choose_layout(game, layout_id))
    if profile is not None:
        return ranking.check_floor(game, profile, as_json)
    terminal = choose_terminal(game, terminal_id) if terminal_id else None
    layout = terminal.layout if terminal else choose_layout(game, layout_id)
    if plot is not None:
        ranking.draw_edges(game, layout, terminal, plot)
    if plot == "-":
        return 0
    if rank:
        ranking.show_ranking(game, layout, terminal, as_json)
    elif dominated:
        ranking.show_dominated(game, layout, terminal, as_json)
    elif liability:
        ranking.show_liability(game, layout, read_limits(layout, least, most, by_type), rounds, as_json)
    else:
        _show_odds(game, layout, terminal, wanted, as_json)
    return 0


def _show_odds(game: Game, layout: Layout, terminal: Terminal | None, wanted: str | None, as_json: bool) -> None:
    kind, table = ("position", _positions(layout)) if terminal is None else ("package", _packages(terminal))
    if wanted is not None:
        if wanted not in table:
            hint = did_you_mean(wanted, table)
            raise NoSuchThing(f"there is no {kind} '{wanted}' here; leave --of out to list them all{hint}")
        _show_one(kind, wanted, table[wanted], as_json)
    elif as_json:
        emit_json([{kind: id, **_figures(of)} for id, of in table.items()])
    else:
        show_table(
            f"{game.rulebook.title}: exact odds per unit staked",
            (kind, "win", "edge", "edge in %", "variance"),
            ((id, str(of.win), str(of.edge), _percent(of), str(of.variance)) for id, of in table.items()),
            right=("win", "edge", "edge in %", "variance"),
        )


def _positions(layout: Layout) -> dict[str, Odds]:
    return {position.id: odds_of_position(position, layout.wheel) for position in layout.positions}


def _packages(terminal: Terminal) -> dict[str, Odds]:
    return {package.id: odds_of_package(package, terminal.layout) for package in terminal.packages}


def _figures(odds: Odds) -> dict[str, str]:
    return {"win": str(odds.win), "edge": str(odds.edge), "variance": str(odds.variance)}


def _percent(odds: Odds) -> str:
    """Rounded for the eye, and marked as such; the exact fraction stands beside it."""
    thousandths = round(odds.edge * 100_000)
    return f"≈ {thousandths // 1000}.{thousandths % 1000:03d}"


def _show_one(kind: str, id: str, odds: Odds, as_json: bool) -> None:
    if as_json:
        emit_json({kind: id, **_figures(odds), "staked": odds.staked, "returns": odds.returns})
        return
    show_table(
        f"{id}: win {odds.win}, edge {odds.edge}, variance {odds.variance}",
        ("outcome", "returned", "net"),
        ((pocket, str(units), f"{units - odds.staked:+d}") for pocket, units in odds.returns.items()),
        right=("outcome", "returned", "net"),
    )
