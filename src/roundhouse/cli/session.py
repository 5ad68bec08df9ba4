"""``roundhouse lab slip`` and ``roundhouse lab session``: exact results of one round or of many rounds."""

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from roundhouse.cli.options import SlipInput, slip_command
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
def slip(game: Game, given: SlipInput, pace: int, plot: str | None, as_json: bool) -> None:
    """Show the return of a slip for each outcome, and its exact mean, variance, skewness and kurtosis."""
    slip = given.slip
    if plot is not None:
        from roundhouse.lab.plots import plot_outcomes

        nets = {str(pocket): returned - slip.staked for pocket, returned in slip.returns.items()}
        write_plot(plot, plot_outcomes(f"{game.rulebook.title}: net result by outcome", nets))
    if as_json:
        emit_json(slip_json(game, given, pace))
    elif plot != "-":
        _show_slip(game, slip, pace)


def slip_json(game: Game, given: SlipInput, pace: int) -> dict[str, object]:
    slip = given.slip
    return {
        "game": game.id,
        "hash": game.hash,
        "layout": given.layout.id,
        "bets": slip.bets,
        "staked": slip.staked,
        "returns": slip.returns,
        "segments": {pocket: slip.segments[pocket] for pocket in slip.returns},
        "hit": str(slip.hit),
        "ahead": str(slip.ahead),
        "net": {str(net): weight for net, weight in slip.net.weights.items()},
        **moments_json(slip.per_unit),
        "loss_per_hour_cents": str(slip.loss_per_hour(pace)),
        "pace": pace,
    }


def _show_slip(game: Game, slip: Slip, pace: int) -> None:
    whole = len(game.wheel.order)
    show_table(
        f"{game.rulebook.title}: {counted(len(slip.bets), 'bet')}, {format_amount(slip.staked)} staked",
        ("outcome", "probability", "returned", "net"),
        (
            (pocket, f"{slip.segments[pocket]}/{whole}", format_amount(returned), signed(returned - slip.staked))
            for pocket, returned in slip.returns.items()
        ),
        right=("outcome", "probability", "returned", "net"),
    )
    click.echo()
    unit = slip.per_unit
    show_figures(
        "Exact figures per unit staked on the whole slip",
        {
            "hit frequency (returns above 0)": exact(slip.hit),
            "probability of a net win": exact(slip.ahead),
            "return to player": exact(1 - slip.edge),
            "house edge": exact(slip.edge),
            "variance": exact(unit.variance),
            "standard deviation": exact(unit.deviation),
            "skewness": exact(unit.skewness),
            "kurtosis (3 is normal)": exact(unit.kurtosis),
        },
    )
    loss = slip.loss_per_hour(pace)
    show_figures("Whole slip", {f"expected loss per hour, at {counted(pace, 'round')}": exact_amount(loss)})


def signed(cents: int) -> str:
    """Return an amount of cents in the currency unit, with its sign.

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
    help="exact: integer arithmetic. fast: floats with an error bound. auto: exact if that is quick, else fast.",
)
@pace_option
@plot_option
@json_option
def session(
    game: Game,
    given: SlipInput,
    rounds: int,
    bankroll: int | None,
    target: int | None,
    method: str,
    pace: int,
    plot: str | None,
    as_json: bool,
) -> None:
    """Show the exact probabilities of the result of N rounds of a slip: ahead, at a target, ruined, and the hold."""
    from roundhouse.lab import hold, ruin, sparse, ultimate_ruin

    slip, one_round = given.slip, given.slip.net
    if target is not None and bankroll is None:
        raise NoSuchSession("--target needs --bankroll CENTS, the bankroll at the start")
    check_rounds(rounds)
    with progress("counting") as report:
        law: Law = {"auto": sparse.session, "exact": sparse.exact_law, "fast": sparse.fast_law}[method](
            one_round, rounds
        )
        chances: dict[str, Chance] = {"ahead": law.at_least(1), "even": law.exactly(0)}
        if bankroll is not None:
            fate_of = {"auto": ruin.ruin_within, "exact": ruin.exact_ruin_within, "fast": ruin.fast_ruin_within}[method]
            fate = fate_of(one_round, slip.staked, bankroll, rounds, target, report)
            chances["ruined"] = fate.ruined
            if target is not None and fate.reached is not None:
                chances["target"] = fate.reached
                chances["at_target_in_the_end"] = law.at_least(target - bankroll)
            chances["ruined_ever"] = ultimate_ruin.ruin_ever(one_round, slip.staked, bankroll, target)
    if plot is not None:
        write_plot(plot, _draw(game, given, rounds))
    if as_json:
        emit_json(
            {
                "game": game.id,
                "hash": game.hash,
                "layout": given.layout.id,
                "bets": slip.bets,
                "rounds": rounds,
                "staked": slip.staked,
                "exact": law.exact,
                "mean_cents": str(one_round.moments.mean * rounds),
                "variance_square_cents": str(one_round.moments.variance * rounds),
                "deviation_cents": root_json(one_round.moments.times(rounds).deviation),
                "chances": {name: chance.as_json() for name, chance in chances.items()},
                "quantiles_cents": {str(level): law.quantile(level) for level in _QUANTILES},
                "hold_bands": [
                    {"level": str(band.level), "low": str(band.low), "high": str(band.high)}
                    for band in hold.hold_bands(slip, law)
                ],
                "bad_night_cents": hold.bad_night(law),
                "hours": str(Fraction(rounds, pace)),
                "loss_per_hour_cents": str(slip.loss_per_hour(pace)),
            }
        )
    elif plot != "-":
        _show(game, given, law, chances, bankroll, target, pace)


def _show(
    game: Game,
    given: SlipInput,
    law: "Law",
    chances: dict[str, Chance],
    bankroll: int | None,
    target: int | None,
    pace: int,
) -> None:
    from roundhouse.lab import hold

    slip, rounds = given.slip, law.rounds
    sums = slip.net.moments.times(rounds)
    stake = f"{format_amount(slip.staked)} on {counted(len(slip.bets), 'bet')}"
    show_figures(
        f"{game.rulebook.title}: {counted(rounds, 'round')} of {stake}",
        {
            "expected result": exact_amount(sums.mean),
            "standard deviation": exact_amount(sums.deviation),
            f"expected loss per hour, at {counted(pace, 'round')}": exact_amount(slip.loss_per_hour(pace)),
            "ends ahead": exact(chances["ahead"], 12),
            "ends even": exact(chances["even"], 12),
        },
    )
    if bankroll is not None:
        goal = "" if target is None else f", stopping at {format_amount(target)}"
        titles = {
            "ruined": f"ruined within {counted(rounds, 'round')}",
            "target": f"reaches the target within {counted(rounds, 'round')}",
            "at_target_in_the_end": "at the target or above after all rounds, without stopping there",
            "ruined_ever": "ruined ever" if target is None else "ruined before the target, in any number of rounds",
        }
        named = {titles[name]: exact(chance, 12) for name, chance in chances.items() if name in titles}
        show_figures(f"With a bankroll of {format_amount(bankroll)}{goal}", named)
    quantiles = {f"{percent(p)} quantile": signed(law.quantile(p)) for p in _QUANTILES}
    show_figures("Result of the Player", quantiles)
    bands = {
        f"hold in at least {percent(band.level)} of sessions": f"{percent(band.low)} to {percent(band.high)}"
        for band in hold.hold_bands(slip, law)
    }
    night = hold.bad_night(law)
    bands["house in 99.9 % of sessions"] = (
        f"loses at most {format_amount(night)}" if night > 0 else f"wins at least {format_amount(-night)}"
    )
    show_figures(f"House: edge {exact(slip.edge)}, handle {format_amount(slip.staked * rounds)}", bands)


def _draw(game: Game, given: SlipInput, rounds: int) -> "Figure":
    from roundhouse.lab.plots import plot_distribution
    from roundhouse.lab.sparse import fast_law

    law = fast_law(given.slip.net, rounds)
    visible = law.probabilities > law.probabilities.max() * 1e-6
    mean = float(given.slip.net.moments.mean * rounds)
    return plot_distribution(
        f"{game.rulebook.title}: net result of {counted(rounds, 'round')}",
        law.results[visible].astype(float).tolist(),
        law.probabilities[visible].tolist(),
        {"expected": mean, "even": 0.0},
    )
