"""``roundhouse lab slip`` and ``roundhouse lab session``: exact results of one round and of many."""

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from roundhouse.cli.options import Written, slip_command
from roundhouse.cli.output import (
    counted,
    emit_json,
    exact,
    exact_amount,
    json_option,
    pace_option,
    plot_option,
    progress,
    show_figures,
    show_table,
    write_plot,
)
from roundhouse.lab.distribution import moments_json, root_json
from roundhouse.lab.numbers import Chance, percent
from roundhouse.lab.session import NoSuchSession, check_rounds
from roundhouse.lab.slip import Slip
from roundhouse.rules.game import Game
from roundhouse.rules.names import format_amount


@click.command()
@slip_command
@pace_option
@plot_option
@json_option
def slip(game: Game, written: Written, pace: int, plot: str | None, as_json: bool) -> None:
    """Show the return of a slip for each outcome, and its exact mean, variance, skewness and kurtosis."""
    made = written.slip
    if plot is not None:
        from roundhouse.lab.plots import plot_outcomes

        nets = {str(pocket): returned - made.staked for pocket, returned in made.returns.items()}
        write_plot(plot, plot_outcomes(f"{game.rulebook.title}: net result by outcome", nets))
    if as_json:
        emit_json(slip_json(game, written, pace))
    elif plot != "-":
        _show_slip(game, made, pace)


def slip_json(game: Game, written: Written, pace: int) -> dict[str, object]:
    made = written.slip
    return {
        "game": game.id,
        "hash": game.hash,
        "layout": written.layout.id,
        "bets": made.bets,
        "staked": made.staked,
        "returns": made.returns,
        "segments": {pocket: made.segments[pocket] for pocket in made.returns},
        "hit": str(made.hit),
        "ahead": str(made.ahead),
        "net": {str(net): weight for net, weight in made.net.weights.items()},
        **moments_json(made.per_unit),
        "loss_per_hour_cents": str(made.loss_per_hour(pace)),
        "pace": pace,
    }


def _show_slip(game: Game, made: Slip, pace: int) -> None:
    whole = len(game.wheel.order)
    show_table(
        f"{game.rulebook.title}: {counted(len(made.bets), 'bet')}, {format_amount(made.staked)} staked",
        ("outcome", "probability", "returned", "net"),
        (
            (pocket, f"{made.segments[pocket]}/{whole}", format_amount(returned), signed(returned - made.staked))
            for pocket, returned in made.returns.items()
        ),
        right=("outcome", "probability", "returned", "net"),
    )
    click.echo()
    unit = made.per_unit
    show_figures(
        "Exactly, for each unit staked on the whole slip",
        {
            "hit frequency (anything comes back)": exact(made.hit),
            "probability of a net win": exact(made.ahead),
            "return to player": exact(1 - made.edge),
            "house edge": exact(made.edge),
            "variance": exact(unit.variance),
            "standard deviation": exact(unit.deviation),
            "skewness": exact(unit.skewness),
            "kurtosis (3 is normal)": exact(unit.kurtosis),
        },
    )
    loss = made.loss_per_hour(pace)
    show_figures("The whole slip", {f"expected loss an hour, at {counted(pace, 'round')}": exact_amount(loss)})


def signed(cents: int) -> str:
    """
    >>> signed(150), signed(-5), signed(0)
    ('+1.50', '-0.05', '0.00')
    """
    return f"{'+' if cents > 0 else '-' if cents < 0 else ''}{format_amount(abs(cents))}"


if TYPE_CHECKING:
    from roundhouse.lab.plots import Figure
    from roundhouse.lab.session import Law

_QUANTILES = (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000))


@click.command()
@slip_command
@click.option("--rounds", type=int, required=True, metavar="N", help="Number of rounds.")
@click.option("--bankroll", type=int, metavar="CENTS", help="Bankroll of the Player. Adds the probability of ruin.")
@click.option("--target", type=int, metavar="CENTS", help="Bankroll at which the Player stops.")
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "fast"]),
    default="auto",
    show_default=True,
    help="exact: whole numbers. fast: floats with a bound on the error. auto: exact where that is quick.",
)
@pace_option
@plot_option
@json_option
def session(
    game: Game,
    written: Written,
    rounds: int,
    bankroll: int | None,
    target: int | None,
    method: str,
    pace: int,
    plot: str | None,
    as_json: bool,
) -> None:
    """Show how N rounds of a slip end (ahead, at a target, ruined) and the hold of the house."""
    from roundhouse.lab import hold, ruin, sparse, ultimate_ruin

    made, one_round = written.slip, written.slip.net
    if target is not None and bankroll is None:
        raise NoSuchSession("a --target is a bankroll to reach; say what the player starts with, --bankroll CENTS")
    check_rounds(rounds)
    with progress("counting") as report:
        law: Law = {"auto": sparse.session, "exact": sparse.exact_law, "fast": sparse.fast_law}[method](
            one_round, rounds
        )
        chances: dict[str, Chance] = {"ahead": law.at_least(1), "even": law.exactly(0)}
        if bankroll is not None:
            fate_of = {"auto": ruin.ruin_within, "exact": ruin.exact_ruin_within, "fast": ruin.fast_ruin_within}[method]
            fate = fate_of(one_round, made.staked, bankroll, rounds, target, report)
            chances["ruined"] = fate.ruined
            if target is not None and fate.reached is not None:
                chances["target"] = fate.reached
                chances["at_target_in_the_end"] = law.at_least(target - bankroll)
            chances["ruined_ever"] = ultimate_ruin.ruin_ever(one_round, made.staked, bankroll, target)
    if plot is not None:
        write_plot(plot, _draw(game, written, rounds))
    if as_json:
        emit_json(
            {
                "game": game.id,
                "hash": game.hash,
                "layout": written.layout.id,
                "bets": made.bets,
                "rounds": rounds,
                "staked": made.staked,
                "exact": law.exact,
                "mean_cents": str(one_round.moments.mean * rounds),
                "variance_square_cents": str(one_round.moments.variance * rounds),
                "deviation_cents": root_json(one_round.moments.times(rounds).deviation),
                "chances": {name: chance.as_json() for name, chance in chances.items()},
                "quantiles_cents": {str(level): law.quantile(level) for level in _QUANTILES},
                "hold_bands": [
                    {"level": str(band.level), "low": str(band.low), "high": str(band.high)}
                    for band in hold.hold_bands(made, law)
                ],
                "bad_night_cents": hold.bad_night(law),
                "hours": str(Fraction(rounds, pace)),
                "loss_per_hour_cents": str(made.loss_per_hour(pace)),
            }
        )
    elif plot != "-":
        _show(game, written, law, chances, bankroll, target, pace)


def _show(
    game: Game,
    written: Written,
    law: "Law",
    chances: dict[str, Chance],
    bankroll: int | None,
    target: int | None,
    pace: int,
) -> None:
    from roundhouse.lab import hold

    made, rounds = written.slip, law.rounds
    sums = made.net.moments.times(rounds)
    stake = f"{format_amount(made.staked)} on {counted(len(made.bets), 'bet')}"
    show_figures(
        f"{game.rulebook.title}: {counted(rounds, 'round')} of {stake}",
        {
            "expected result": exact_amount(sums.mean),
            "standard deviation": exact_amount(sums.deviation),
            f"expected loss an hour, at {counted(pace, 'round')}": exact_amount(made.loss_per_hour(pace)),
            "ends ahead": exact(chances["ahead"], 12),
            "ends even": exact(chances["even"], 12),
        },
    )
    if bankroll is not None:
        goal = "" if target is None else f", stopping at {format_amount(target)}"
        words = {
            "ruined": f"ruined within {counted(rounds, 'round')}",
            "target": f"reaches the target within {counted(rounds, 'round')}",
            "at_target_in_the_end": "is at the target or above after all rounds, never stopping",
            "ruined_ever": "ruined ever" if target is None else "ruined before the target, however long it takes",
        }
        named = {words[name]: exact(chance, 12) for name, chance in chances.items() if name in words}
        show_figures(f"With a bankroll of {format_amount(bankroll)}{goal}", named)
    quantiles = {f"at most this in {percent(p)} of sessions": signed(law.quantile(p)) for p in _QUANTILES}
    show_figures("The player's result", quantiles)
    bands = {
        f"hold, in {percent(band.level)} of sessions or more": f"{percent(band.low)} to {percent(band.high)}"
        for band in hold.hold_bands(made, law)
    }
    night = hold.bad_night(law)
    bands["the 99.9 % night"] = (
        f"loses no more than {format_amount(night)}" if night > 0 else f"wins {format_amount(-night)} or more"
    )
    show_figures(f"The house: edge {exact(made.edge)}, handle {format_amount(made.staked * rounds)}", bands)


def _draw(game: Game, written: Written, rounds: int) -> "Figure":
    from roundhouse.lab.plots import plot_distribution
    from roundhouse.lab.sparse import fast_law

    law = fast_law(written.slip.net, rounds)
    seen = law.probabilities > law.probabilities.max() * 1e-6
    mean = float(written.slip.net.moments.mean * rounds)
    return plot_distribution(
        f"{game.rulebook.title}: net result of {counted(rounds, 'round')}",
        law.results[seen].astype(float).tolist(),
        law.probabilities[seen].tolist(),
        {"expected": mean, "even": 0.0},
    )
