"""``roundhouse lab odds``: exact odds, ranking, dominated bets, minimum returns and liability."""

import click

from roundhouse.cli.options import (
    NoSuchThing,
    check_terminal,
    choose_layout,
    choose_terminal,
    game_argument,
    layout_option,
    limit_options,
    read_limits,
)
from roundhouse.cli.output import (
    console,
    counted,
    did_you_mean,
    emit_json,
    exact,
    json_option,
    plot_option,
    show_figures,
    show_table,
    write_plot,
)
from roundhouse.cli.session import signed
from roundhouse.lab.numbers import percent
from roundhouse.lab.slip import OutsideLimits, SlipLimits
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, PositionId, format_amount
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal


def show_ranking(game: Game, layout: Layout, terminal: Terminal | None, as_json: bool) -> None:
    from roundhouse.lab.dominance import odds_of, rank

    ranked = rank(odds_of(layout, terminal))
    if as_json:
        emit_json(
            [
                {"rank": each.rank, "id": each.id, "edge": str(each.odds.edge), "variance": str(each.odds.variance)}
                for each in ranked
            ]
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {counted(len(ranked), 'bet')} by house edge",
        ("rank", "bet", "edge", "edge in %", "variance"),
        ((str(e.rank), e.id, str(e.odds.edge), percent(e.odds.edge), str(e.odds.variance)) for e in ranked),
        right=("rank", "edge", "edge in %", "variance"),
    )


def show_dominated(game: Game, layout: Layout, terminal: Terminal | None, as_json: bool) -> None:
    from roundhouse.lab.dominance import dominated

    found = list(dominated(layout, terminal))
    if as_json:
        emit_json(
            [{"id": d.id, "cost": str(d.cost), "by": {id: str(part) for id, part in d.by.items()}} for d in found]
        )
        return
    if not found:
        console().print(f"{game.rulebook.title}, layout {layout.id}: no bet is dominated", soft_wrap=True)
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {counted(len(found), 'dominated bet')}",
        ("bet", "cost per unit", "same returns by"),
        ((d.id, exact(d.cost), ", ".join(f"{part} on {id}" for id, part in d.by.items())) for d in found),
        right=(),
    )


def check_floor(game: Game, name: str, as_json: bool) -> int:
    """Check every bet against a minimum return. Return exit status 1 if a bet is below it, so that a build can fail."""
    from roundhouse.lab.minimum_return import check, find

    result = check(game, find(name))
    profile = result.profile
    if as_json:
        emit_json(
            {
                "game": game.id,
                "hash": game.hash,
                "profile": profile,
                "bets": result.bets,
                "least_return": str(result.least),
                "passed": result.passed,
                "below": [{"layout": b.layout, "id": b.id, "returned": str(b.returned)} for b in result.below],
            }
        )
        return 0 if result.passed else 1
    show_figures(
        f"{game.rulebook.title}: {'passes' if result.passed else 'FAILS'} {profile.name}",
        {
            "minimum return of every bet": f"{percent(profile.minimum)} ({profile.source})",
            "lowest return found": f"{result.least}  {percent(result.least)}",
            "bets checked": str(result.bets),
            "bets below the minimum": str(len(result.below)),
            "confirmed": profile.confirmed,
            "note": profile.note or "–",
        },
    )
    if result.below:
        show_table(
            "Bets below the minimum return",
            ("layout", "bet", "return", "return in %"),
            ((b.layout, b.id, str(b.returned), percent(b.returned)) for b in result.below),
            right=("return", "return in %"),
        )
    return 0 if result.passed else 1


def show_liability(game: Game, layout: Layout, limits: SlipLimits, rounds: int, as_json: bool) -> None:
    from roundhouse.lab.hold import NIGHT, bad_night, covering_bets, liability
    from roundhouse.lab.session import check_rounds
    from roundhouse.lab.slip import make_slip
    from roundhouse.lab.sparse import fast_law

    if limits.most == MAX_STAKE_CENTS and not limits.by_type:
        raise OutsideLimits("--liability needs the limits of a table; give --max CENTS or --limit TYPE=CENTS")
    check_rounds(rounds)
    result = liability(layout, limits)
    worst, outcomes = result.worst, result.worst_outcomes
    slip = make_slip(game, layout, covering_bets(layout, limits, outcomes[0]))
    night = bad_night(fast_law(slip.net, rounds))
    if as_json:
        emit_json(
            {
                "game": game.id,
                "layout": layout.id,
                "covering": result.covering,
                "whole_layout": result.whole_layout,
                "worst": {"outcomes": outcomes, "cents": worst, "staked": slip.staked},
                "night": {"rounds": rounds, "level": str(NIGHT), "loses_at_most_cents": night},
            }
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: most that one Player can win in a round at the limits",
        ("outcome", "every bet on it at its limit", "every bet of the layout at its limit"),
        ((p, signed(cents), signed(result.whole_layout[p])) for p, cents in result.covering.items()),
        right=("outcome", "every bet on it at its limit", "every bet of the layout at its limit"),
    )
    show_figures(
        f"Worst for the house: {' or '.join(outcomes)}, where one Player wins {format_amount(worst)}",
        {
            "stake of that Player in each round": format_amount(slip.staked),
            f"win in {counted(rounds, 'round')}, at most, in 99.9 % of nights": format_amount(max(0, night)),
        },
    )


def draw_edges(game: Game, layout: Layout, terminal: Terminal | None, file: str) -> None:
    from roundhouse.lab.dominance import odds_of, rank
    from roundhouse.lab.plots import plot_edges

    kinds: dict[str, float] = {}
    for each in rank(odds_of(layout, terminal)):
        position = layout.by_id.get(PositionId(each.id))
        name = each.id if position is None else f"{position.type}, {position.pays} to 1"
        kinds.setdefault(name, float(each.odds.edge))
    write_plot(file, plot_edges(f"{game.rulebook.title}, layout {layout.id}: house edge", kinds))


@click.command()
@game_argument
@layout_option
@click.option(
    "--terminal",
    "terminal_id",
    metavar="T",
    help="Show the packages of this terminal. --rank and --dominated then include positions and packages.",
)
@click.option("--of", "wanted", metavar="ID", help="Show one position or package, with its return for each outcome.")
@click.option("--rank", is_flag=True, help="Rank the bets from the smallest house edge to the largest.")
@click.option("--dominated", is_flag=True, help="List bets whose returns other bets give for a smaller stake.")
@click.option("--liability", is_flag=True, help="Show the most that one Player can win at the limits.")
@click.option(
    "--floor",
    "profile",
    metavar="PROFILE",
    help="Check every bet against the minimum return of a jurisdiction. Exit with status 1 if one is below it.",
)
@limit_options
@click.option(
    "--rounds", type=int, default=320, show_default=True, metavar="N", help="Rounds of a night, for --liability."
)
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
    minimum: int,
    maximum: int | None,
    by_type: tuple[str, ...],
    rounds: int,
    plot: str | None,
    as_json: bool,
) -> int:
    """Show exact odds: win probability, house edge and variance per unit staked."""
    given = {"--rank": rank, "--dominated": dominated, "--liability": liability, "--floor": profile, "--of": wanted}
    chosen = [name for name, value in given.items() if value]
    if len(chosen) > 1:
        raise NoSuchThing(f"{' and '.join(chosen)} cannot be combined; choose one")
    if terminal_id is not None and layout_id is not None:
        check_terminal(choose_terminal(game, terminal_id), choose_layout(game, layout_id))
    if profile is not None:
        return check_floor(game, profile, as_json)
    terminal = choose_terminal(game, terminal_id) if terminal_id else None
    layout = terminal.layout if terminal else choose_layout(game, layout_id)
    if plot is not None:
        draw_edges(game, layout, terminal, plot)
    if plot == "-":
        return 0
    if rank:
        show_ranking(game, layout, terminal, as_json)
    elif dominated:
        show_dominated(game, layout, terminal, as_json)
    elif liability:
        show_liability(game, layout, read_limits(layout, minimum, maximum, by_type), rounds, as_json)
    else:
        _show_odds(game, layout, terminal, wanted, as_json)
    return 0


def _show_odds(game: Game, layout: Layout, terminal: Terminal | None, wanted: str | None, as_json: bool) -> None:
    kind, table = ("position", _positions(layout)) if terminal is None else ("package", _packages(terminal))
    if wanted is not None:
        if wanted not in table:
            hint = did_you_mean(wanted, table)
            raise NoSuchThing(f"there is no {kind} '{wanted}' here; omit --of to list them all{hint}")
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
    """Return the edge in percent, rounded to three places and marked with ≈."""
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
