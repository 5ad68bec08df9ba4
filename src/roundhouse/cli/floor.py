"""``roundhouse lab floor`` and ``roundhouse lab parsheet``: simulate evenings of a floor, and write PAR sheets."""

import secrets
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click
import msgspec

from roundhouse.cli.options import choose_layout, choose_terminal, game_argument, layout_option
from roundhouse.cli.output import (
    counted,
    emit_json,
    exact,
    json_option,
    plot_option,
    progress,
    show_figures,
    show_table,
    write_file,
    write_plot,
)
from roundhouse.cli.session import signed
from roundhouse.cli.simulate import (
    cluster_option,
    cores_option,
    estimate_json,
    level_option,
    seed_option,
    show_estimates,
)
from roundhouse.rulebooks import find
from roundhouse.rules.errors import UserError
from roundhouse.rules.game import Game
from roundhouse.rules.names import format_amount

if TYPE_CHECKING:
    from roundhouse.lab.plots import Figure
    from roundhouse.lab.simulate.floor import Floor, FloorPlan
    from roundhouse.lab.simulate.scenario import Scenario


@click.command()
@game_argument
@click.argument("scenario", required=False, type=click.Path(path_type=Path), metavar="[SCENARIO.toml]")
@layout_option
@click.option("--terminal", "terminal_id", metavar="T", help="Terminal whose packages the Players use.")
@click.option("--evenings", type=int, default=1_000, show_default=True, metavar="M", help="Number of evenings.")
@click.option("--write-scenario", metavar="FILE.toml", help="Write the scenario to a file and exit.")
@seed_option
@cores_option
@cluster_option
@level_option
@plot_option
@json_option
def floor(
    game: Game,
    scenario: Path | None,
    layout_id: str | None,
    terminal_id: str | None,
    evenings: int,
    write_scenario: str | None,
    seed: int | None,
    cores: int | None,
    cluster: str | None,
    level: float,
    plot: str | None,
    as_json: bool,
) -> None:
    """Simulate evenings of a floor: tables, arrivals and Players of a scenario file, or of the default scenario."""
    from roundhouse.lab.simulate import floor as floors
    from roundhouse.lab.simulate import runner
    from roundhouse.lab.simulate import scenario as scenarios

    terminal = choose_terminal(game, terminal_id) if terminal_id or not layout_id else None
    layout = terminal.layout if terminal else choose_layout(game, layout_id)
    described = scenarios.read(scenario) if scenario else scenarios.default(layout)
    if write_scenario is not None:
        write_file(write_scenario, scenarios.to_toml(described))
        return
    slips = scenarios.slips_of(described, game, layout, terminal)
    plan = floors.make_floor_plan(
        described, slips, game.wheel, evenings, secrets.randbits(63) if seed is None else seed
    )
    edges = tuple(slip.edge for slip in slips)
    with progress("evenings") as report:
        result = floors.run_floor(
            plan, edges, workers=cores or runner.cores(), cluster=cluster, level=level, report=report
        )
    if plot is not None:
        write_plot(plot, _draw(game, result))
    if as_json:
        emit_json(_json(game, described, plan, result, level))
    elif plot != "-":
        _show(game, described, plan, result, level)


def _show(game: Game, described: "Scenario", plan: "FloorPlan", result: "Floor", level: float) -> None:
    from roundhouse.lab.simulate import evening

    title = (
        f"{game.rulebook.title}: {counted(plan.evenings, 'evening')} of {described.hours:g} "
        f"{'hour' if described.hours == 1 else 'hours'}, {counted(plan.tables, 'table')}, seed {plan.seed}"
    )
    show_estimates(title, result.estimates, level)
    names = {
        "handle": (evening.HANDLE, format_amount),
        "house win": (evening.WIN, signed),
        "lowest point of the win": (evening.LOWEST, signed),
        "largest table exposure": (evening.PEAK, format_amount),
        "largest floor exposure": (evening.FLOOR_PEAK, format_amount),
    }
    levels = (0.001, 0.05, 0.5, 0.95, 0.999)
    show_table(
        "Among the simulated evenings",
        ("figure", *(f"{100 * p:g} % quantile" for p in levels)),
        ((name, *(format(result.quantile(column, p)) for p in levels)) for name, (column, format) in names.items()),
        right=tuple(f"{100 * p:g} % quantile" for p in levels),
    )
    click.echo()
    show_figures("Handle", {"expected hold, by its mix of bets": exact(result.expected_hold)})


def _json(game: Game, described: "Scenario", plan: "FloorPlan", result: "Floor", level: float) -> dict[str, object]:
    from roundhouse.lab.simulate import evening

    columns = {
        "handle": evening.HANDLE,
        "win": evening.WIN,
        "lowest": evening.LOWEST,
        "table_exposure": evening.PEAK,
        "floor_exposure": evening.FLOOR_PEAK,
    }
    return {
        "game": game.id,
        "hash": game.hash,
        "scenario": described,
        "seed": str(plan.seed),
        "evenings": plan.evenings,
        "level": level,
        "expected_hold": str(result.expected_hold),
        "estimates": [estimate_json(estimate) for estimate in result.estimates],
        "quantiles_cents": {
            name: {str(p): result.quantile(column, p) for p in (0.001, 0.05, 0.5, 0.95, 0.999)}
            for name, column in columns.items()
        },
    }


def _draw(game: Game, result: "Floor") -> "Figure":
    from roundhouse.lab.plots import plot_histogram
    from roundhouse.lab.simulate import evening

    wins = result.evenings[:, evening.WIN]
    counts, edges = result.histogram(evening.WIN)
    return plot_histogram(
        f"{game.rulebook.title}: win of the house in {counted(len(wins), 'evening')}",
        edges.tolist(),
        counts.tolist(),
        ("win of an evening, cents", "evenings"),
        {"mean": float(wins.mean()), "even": 0.0},
    )


if TYPE_CHECKING:
    from roundhouse.lab.parsheet.blocks import Block
    from roundhouse.lab.parsheet.figures import Par

_FORMATS = (".pdf", ".html", ".json")


class NoSuchFormat(UserError):
    """The file name of a PAR sheet has none of the known endings."""


@click.command()
@game_argument
@click.option("-o", "--output", required=True, metavar="FILE.pdf|.html|.json", help="File to write.")
@click.option("--against", metavar="GAME", help="Also show the changes since this older rulebook.")
def parsheet(game: Game, output: str, against: str | None) -> None:
    """Write the PAR sheet of a game: exact figures of every bet, volatility, confidence bands, wheel and layouts."""
    kind = PurePath(output).suffix.lower()
    if kind not in _FORMATS:
        raise NoSuchFormat(f"'{output}' must end in one of {', '.join(_FORMATS)}")
    from roundhouse.lab.parsheet.changes import changes_between
    from roundhouse.lab.parsheet.contents import contents
    from roundhouse.lab.parsheet.figures import par_of

    old = None if against is None else find(against)
    with progress("PAR sheet") as report:
        show_progress = report or (lambda done, total: None)
        show_progress(0, 3)
        par = par_of(game)
        changes = None if old is None else changes_between(par_of(old), par)
        show_progress(1, 3)
        if kind == ".json":
            from roundhouse.lab.parsheet.formats import as_json

            sheet = msgspec.json.format(msgspec.json.encode(as_json(par, changes)), indent=1) + b"\n"
        else:
            blocks = list(contents(par, changes))
            show_progress(2, 3)
            sheet = _render(kind, par, blocks)
        show_progress(3, 3)
    write_file(output, sheet)
    click.echo(f"{output}: PAR sheet of {game.id}, version {game.rulebook.version}")


def _render(kind: str, par: "Par", blocks: "list[Block]") -> bytes:
    if kind == ".html":
        from roundhouse.lab.parsheet.formats import to_html

        return to_html(par, blocks).encode()
    from roundhouse.lab.parsheet.formats import to_pdf

    return to_pdf(par, blocks)
