"""``roundhouse slip``: one round of any slip, exactly."""

import click

from roundhouse.cli.figures import amount, counted, exact, pace_option, plot_option, show_figures, write_plot
from roundhouse.cli.output import emit_json, json_option, money, show_table
from roundhouse.cli.slips import Written, slip_command
from roundhouse.lab.slip import Slip
from roundhouse.lab.vocabulary import moments_json
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents


@click.command()
@slip_command
@pace_option
@plot_option
@json_option
def slip(game: Game, written: Written, pace: int, plot: str | None, as_json: bool) -> None:
    """Show what a slip returns for each outcome, and its exact mean, variance, skewness and kurtosis."""
    made = written.slip
    if plot is not None:
        from roundhouse.lab.plots import plot_outcomes

        nets = {str(pocket): returned - made.staked for pocket, returned in made.returns.items()}
        write_plot(plot, plot_outcomes(f"{game.rulebook.title}: net result by outcome", nets))
    if as_json:
        emit_json(slip_json(game, written, pace))
    elif plot != "-":
        _show(game, made, pace)


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


def _show(game: Game, made: Slip, pace: int) -> None:
    whole = len(game.wheel.order)
    show_table(
        f"{game.rulebook.title}: {counted(len(made.bets), 'bet')}, {money(made.staked)} staked",
        ("outcome", "probability", "returned", "net"),
        (
            (pocket, f"{made.segments[pocket]}/{whole}", money(returned), signed(returned - made.staked))
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
    show_figures("The whole slip", {f"expected loss an hour, at {counted(pace, 'round')}": amount(loss)})


def signed(cents: int) -> str:
    """
    >>> signed(150), signed(-5), signed(0)
    ('+1.50', '-0.05', '0.00')
    """
    return f"{'+' if cents > 0 else '-' if cents < 0 else ''}{money(Cents(abs(cents)))}"
