"""``roundhouse lab simulate``: simulate sessions of a slip, with flat stakes or a betting system."""

import secrets
from fractions import Fraction
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import click

from roundhouse.cli.options import SlipInput, slip_command
from roundhouse.cli.output import (
    counted,
    emit_json,
    exact_amount,
    json_option,
    plot_option,
    progress,
    show_figures,
    show_table,
    write_plot,
)
from roundhouse.cli.output import exact as figure
from roundhouse.cli.session import signed
from roundhouse.lab.numbers import Chance
from roundhouse.rules.game import Game
from roundhouse.rules.names import format_amount

if TYPE_CHECKING:
    from roundhouse.lab.plots import Figure
    from roundhouse.lab.simulate.estimates import Estimate, Measure, Simulation
    from roundhouse.lab.simulate.plan import CustomStrategy, SimulationPlan
    from roundhouse.lab.simulate.strategies import Strategy

_ENDED = {
    "ALL_ROUNDS": "after all rounds",
    "TARGET": "at the target",
    "RUIN": "in ruin",
    "STOP_LOSS": "at the stop-loss",
    "TABLE_LIMIT": "at the table's limit",
    "OWN_WILL": "by the strategy's choice",
}

seed_option = click.option(
    "--seed", type=int, metavar="N", help="Seed, to repeat a run. Default: random; the output shows it."
)
cores_option = click.option("--cores", type=click.IntRange(1, 4096), help="Number of cores. Default: all.")
cluster_option = click.option("--cluster", metavar="ADDRESS", help="Run on the workers of this Dask scheduler.")
level_option = click.option(
    "--level",
    type=click.FloatRange(0.5, 0.9999),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)


@click.command()
@slip_command
@click.option("--sessions", type=int, default=10_000, show_default=True, metavar="M", help="Number of sessions.")
@click.option(
    "--rounds", type=int, default=1_000, show_default=True, metavar="N", help="Maximum number of rounds per session."
)
@click.option(
    "--strategy",
    "system",
    default="flat",
    show_default=True,
    metavar="NAME|FILE.py",
    help="Betting system: flat, martingale, labouchere, dalembert, paroli, fibonacci, oscars_grind, or a Python file "
    "with a function stake(units, net, bankroll, memory).",
)
@click.option(
    "--parameter", type=int, metavar="K", help="Parameter of the betting system. Default: depends on the system."
)
@click.option("--bankroll", type=int, metavar="CENTS", help="Bankroll at the start. Default: unlimited credit.")
@click.option("--target", type=int, metavar="CENTS", help="Stop when the bankroll reaches this amount.")
@click.option("--stop-loss", type=int, metavar="CENTS", help="Stop when the bankroll falls to this amount.")
@click.option(
    "--at-limit",
    type=click.Choice(["cap", "reset", "stop"]),
    default="cap",
    show_default=True,
    help="Action when the next stake is above the limit: cap the stake, reset the system or stop the session.",
)
@seed_option
@cores_option
@cluster_option
@level_option
@plot_option
@json_option
def simulate(
    game: Game,
    given: SlipInput,
    sessions: int,
    rounds: int,
    system: str,
    parameter: int | None,
    bankroll: int | None,
    target: int | None,
    stop_loss: int | None,
    at_limit: str,
    seed: int | None,
    cores: int | None,
    cluster: str | None,
    level: float,
    plot: str | None,
    as_json: bool,
) -> None:
    """Simulate sessions of a slip under the table's limits. Show confidence intervals beside exact values."""
    from roundhouse.lab.simulate import estimates, plan, runner
    from roundhouse.lab.simulate.strategies import AtLimit

    chosen = plan.make_plan(
        given.slip,
        game.wheel,
        sessions=sessions,
        rounds=rounds,
        seed=secrets.randbits(63) if seed is None else seed,
        system=_system(system),
        parameter=parameter,
        limits=given.limits,
        at_limit=AtLimit(at_limit),
        stops=plan.Stops(bankroll, target, stop_loss),
    )
    with progress("simulating") as report:
        workers = cores or runner.cores()
        result = estimates.simulate(chosen, workers=workers, cluster=cluster, level=level, report=report)
    if plot is not None:
        write_plot(plot, _draw(game, result))
    if as_json:
        emit_json(_json(game, given, result))
    elif plot != "-":
        _show(game, given, chosen, result)


def _system(name: str) -> "Strategy | CustomStrategy":
    from roundhouse.lab.simulate.custom import BadStrategy
    from roundhouse.lab.simulate.plan import CustomStrategy
    from roundhouse.lab.simulate.strategies import Strategy

    if name.endswith(".py"):
        try:
            return CustomStrategy(name, Path(name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadStrategy(f"cannot read '{name}': {getattr(error, 'strerror', None) or error}") from error
    if name not in list(Strategy):
        raise BadStrategy(f"there is no strategy '{name}'; choose {', '.join(Strategy)} or a file FILE.py")
    return Strategy(name)


def estimate_json(estimate: "Estimate") -> dict[str, object]:
    exact = estimate.exact
    return {
        "name": estimate.name,
        "measure": estimate.measure,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "exact": exact.as_json() if isinstance(exact, Chance) else None if exact is None else str(exact),
    }


def _rounded(value: float, measure: "Measure") -> str:
    """Round a simulated figure: an amount to the cent, a share to six places."""
    from roundhouse.lab.simulate.estimates import Measure

    match measure:
        case Measure.CENTS:
            return format_amount(round(value))
        case Measure.SHARE:
            return f"{value:.6f}"
        case Measure.COUNT:
            return f"{value:,.2f}"
        case never:
            assert_never(never)


def _interval(estimate: "Estimate") -> str:
    if isinf(estimate.low):
        return "too few sessions"
    return f"{_rounded(estimate.low, estimate.measure)} to {_rounded(estimate.high, estimate.measure)}"


def _exact(estimate: "Estimate") -> str:
    """Return the exact value, or an empty string if it is unknown."""
    from roundhouse.lab.simulate.estimates import Measure

    if estimate.exact is None:
        return ""
    if isinstance(estimate.exact, Fraction) and estimate.measure is Measure.CENTS:
        return exact_amount(estimate.exact)
    return figure(estimate.exact)


def show_estimates(title: str, estimates: "tuple[Estimate, ...]", level: float) -> None:
    show_table(
        title,
        ("figure", "simulated", f"{100 * level:g} % confidence interval", "exact"),
        ((each.name, _rounded(each.value, each.measure), _interval(each), _exact(each)) for each in estimates),
        right=("simulated",),
    )
    click.echo()


def _show(game: Game, given: SlipInput, plan: "SimulationPlan", result: "Simulation") -> None:
    from roundhouse.lab.simulate.sessions import Ending

    tally = result.tally
    name = plan.system if isinstance(plan.system, str) else plan.system.name
    show_estimates(
        f"{game.rulebook.title}: {counted(tally.sessions, 'session')}, {counted(tally.rounds, 'spin')}, {name}, "
        f"{format_amount(given.slip.staked)} per unit, seed {plan.seed}",
        result.estimates,
        result.level,
    )
    lines = {
        "handle": format_amount(tally.handle),
        "house win": signed(-tally.net),
        "bankroll relative to its start": f"lowest {signed(tally.lowest)}, highest {signed(tally.highest)}",
        "largest stake in a round": format_amount(tally.most),
    }
    if not plan.plain:
        lines["sessions that ended"] = ", ".join(
            f"{tally.endings[ending]:,} {_ENDED[ending.name]}" for ending in Ending if tally.endings[ending]
        )
        because = (
            " (no limit was set; this is the largest that 64-bit sums allow)" if plan.limited_by_integer_range else ""
        )
        lines["largest stake allowed"] = f"{counted(plan.most_units, 'unit')}{because}"
    show_figures("Total", lines)


def _json(game: Game, given: SlipInput, result: "Simulation") -> dict[str, object]:
    from roundhouse.lab.simulate.sessions import Ending

    tally, plan = result.tally, result.plan
    return {
        "game": game.id,
        "hash": game.hash,
        "bets": given.slip.bets,
        "strategy": plan.system if isinstance(plan.system, str) else plan.system.name,
        "seed": str(plan.seed),
        "sessions": tally.sessions,
        "spins": tally.rounds,
        "most_units": plan.most_units,
        "handle_cents": tally.handle,
        "net_cents": tally.net,
        "lowest_cents": tally.lowest,
        "highest_cents": tally.highest,
        "largest_stake_cents": tally.most,
        "endings": {ending.name.lower(): tally.endings[ending] for ending in Ending},
        "level": result.level,
        "estimates": [estimate_json(estimate) for estimate in result.estimates],
    }


def _draw(game: Game, result: "Simulation") -> "Figure":
    from roundhouse.lab.plots import plot_histogram

    tally = result.tally
    assert tally.edges is not None
    mean = float(tally.by_session.mean[0])
    return plot_histogram(
        f"{game.rulebook.title}: {counted(tally.sessions, 'session')}",
        tally.edges.tolist(),
        tally.histogram.tolist(),
        ("net result of a session, cents", "sessions"),
        {"mean": mean, "even": 0.0},
    )
