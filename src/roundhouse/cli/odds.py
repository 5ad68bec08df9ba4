"""``roundhouse odds``: exact odds of every position, or of every package, as fractions."""

import click

from roundhouse.cli import ranking
from roundhouse.cli.choosing import NoSuchThing, choose_layout, choose_terminal, game_argument, layout_option
from roundhouse.cli.figures import plot_option
from roundhouse.cli.output import did_you_mean, emit_json, json_option, show_table
from roundhouse.cli.slips import limit_options, read_limits
from roundhouse.rules.game import Game
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position


@click.command(short_help="exact odds of every bet")
@game_argument
@layout_option
@click.option("--terminal", "terminal_id", metavar="T", help="Odds of this terminal's packages instead.")
@click.option("--of", "wanted", metavar="ID", help="One position or package only, with its return for each outcome.")
@click.option(
    "--rank", "question", flag_value="rank", help="Positions and packages from the smallest edge to the largest."
)
@click.option("--dominated", "question", flag_value="dominated", help="Bets that others of the layout beat everywhere.")
@click.option("--liability", "question", flag_value="liability", help="The most one player can win at the limits.")
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
    question: str | None,
    profile: str | None,
    least: int,
    most: int | None,
    by_type: tuple[str, ...],
    rounds: int,
    plot: str | None,
    as_json: bool,
) -> int:
    """Show the exact odds: win probability, house edge and variance per unit staked."""
    if profile is not None:
        return ranking.check_floor(game, profile, as_json)
    if plot is not None or question is not None:
        terminal = choose_terminal(game, terminal_id) if terminal_id else None
        layout = terminal.layout if terminal else choose_layout(game, layout_id)
        if plot is not None:
            ranking.draw_edges(game, layout, terminal, plot)
        match question:
            case "rank":
                ranking.show_ranking(game, layout, terminal, as_json)
            case "dominated":
                ranking.show_dominated(game, layout, terminal, as_json)
            case "liability":
                ranking.show_liability(game, layout, read_limits(layout, least, most, by_type), rounds, as_json)
        return 0
    _show_odds(game, layout_id, terminal_id, wanted, as_json)
    return 0


def _show_odds(game: Game, layout_id: str | None, terminal_id: str | None, wanted: str | None, as_json: bool) -> None:
    kind, table = ("position", _positions(game, layout_id)) if terminal_id is None else _packages(game, terminal_id)
    if terminal_id is not None and layout_id is not None:
        raise NoSuchThing("give --layout for positions or --terminal for its packages, not both")
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


def _positions(game: Game, layout_id: str | None) -> dict[str, Odds]:
    layout = choose_layout(game, layout_id)
    return {position.id: odds_of_position(position, game.wheel) for position in layout.positions}


def _packages(game: Game, terminal_id: str) -> tuple[str, dict[str, Odds]]:
    terminal = choose_terminal(game, terminal_id)
    return "package", {package.id: odds_of_package(package, terminal.layout) for package in terminal.packages}


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
