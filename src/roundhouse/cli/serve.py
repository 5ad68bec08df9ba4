"""``roundhouse house init`` and ``roundhouse house serve``, and what ``serve`` and ``play`` both print."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roundhouse.cli.output import CannotWrite, could_not_write, emit_json, json_option, printable
from roundhouse.config.loading import TEMPLATE
from roundhouse.rules.errors import UserError

if TYPE_CHECKING:
    from roundhouse.floor.house import UnfinishedRound
    from roundhouse.server.process import RunSummary


class CannotServe(UserError):
    """The house cannot be opened; the message says what to do."""


def seconds_option(command: Callable[..., Any]) -> Callable[..., Any]:
    least = click.FloatRange(min=0, min_open=True, max=10_000_000)
    words = "Stop after SECONDS. Default: run until stopped."
    return click.option("--for", "seconds", type=least, metavar="SECONDS", help=words)(command)


def grace_option(default: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    words = (
        "On shutdown, wait up to SECONDS for rounds in progress. "
        "Unfinished rounds are resolved by their rulebook at the next start."
    )
    kind = click.FloatRange(min=0, max=3600)
    return click.option(
        "--grace", "grace", type=kind, default=default, show_default=True, metavar="SECONDS", help=words
    )


def say(words: str) -> None:
    """Print a line and flush it, also into a pipe."""
    click.echo(printable(words))
    sys.stdout.flush()


def say_ended(ended: "RunSummary") -> None:
    for one in ended.left_open:
        say(_left_open(one))
    rounds = f"{ended.rounds} {'round' if ended.rounds == 1 else 'rounds'}"
    say(f"Stopped after {ended.seconds:.0f} s: {rounds} settled, {ended.voids} void. Started again, it goes on.")


def _left_open(one: "UnfinishedRound") -> str:
    from roundhouse.floor.alerts import format_clause

    return f"{one.table}: round {one.round} was in progress, and ends by {format_clause(one.clause)} at the next start."


if TYPE_CHECKING:
    from roundhouse.config.loading import Configuration
    from roundhouse.rules.errors import Fault

_GRACE_SECONDS = 75
"""Long enough for a round from opening bets to settlement at the default pace."""


@click.command()
@click.option(
    "--config",
    "path",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file, house.toml.",
)
@click.option("--check", "only_check", is_flag=True, help="Check the configuration, list every fault, and stop.")
@json_option
@seconds_option
@grace_option(_GRACE_SECONDS)
def serve(path: Path, only_check: bool, as_json: bool, seconds: float | None, grace: float) -> int:
    """Run the house of a configuration, which 'roundhouse house init' writes. The log goes to standard error."""
    from roundhouse.config.loading import InvalidConfiguration, read
    from roundhouse.server.process import check_certificate

    try:
        configuration = read(path)
        check_certificate(configuration)
    except InvalidConfiguration as unsound:
        if not only_check:
            raise
        return _unsound(path, unsound.faults, as_json)
    if only_check:
        return _sound(path, configuration, as_json)
    _run(configuration, seconds, grace)
    return 0


def _run(configuration: "Configuration", seconds: float | None, grace: float) -> None:
    from roundhouse.floor.opening import CannotOpen
    from roundhouse.logs import log_to
    from roundhouse.server.process import CannotListen, address_of, bind, run

    listen, name = configuration.plan.listen, configuration.plan.house.name
    try:
        bound = bind(listen.address, listen.port)
    except CannotListen as taken:
        raise CannotServe(f"{taken}; 'port' under [listen] names another") from taken
    with bound:
        log_to(sys.stderr)
        tables = len(configuration.plan.tables)
        words = f"{name}: {tables} {'table' if tables == 1 else 'tables'} at {address_of(configuration, bound)}"
        try:
            ended = run(
                configuration,
                bound,
                ready=lambda _: say(words),
                stopping=lambda: say(f"Stopping; rounds in progress have {grace:g} s. Again, and it ends at once."),
                grace_seconds=grace,
                seconds=seconds,
            )
        except CannotOpen as error:
            raise CannotServe(f"{error}; 'data' under [house] names the folder") from error
    say_ended(ended)


def _unsound(path: Path, faults: "tuple[Fault, ...]", as_json: bool) -> int:
    if as_json:
        rows = [{"place": one.place, "line": one.line, "wrong": one.wrong, "remedy": one.remedy} for one in faults]
        emit_json({"sound": False, "faults": rows})
    else:
        for fault in faults:
            click.echo(printable(f"{path}: {fault}"))
    count = len(faults)
    click.echo(f"roundhouse: '{path}' is not sound: {count} {'fault' if count == 1 else 'faults'}", err=True)
    return 2


def _sound(path: Path, configuration: "Configuration", as_json: bool) -> int:
    plan = configuration.plan
    if as_json:
        emit_json({"sound": True, "faults": [], "hash": configuration.hash})
        return 0
    seats = sum(len(terminals.seats) for terminals in plan.terminals)
    tables = len(plan.tables)
    words = f"{tables} {'table' if tables == 1 else 'tables'}, {seats} {'seat' if seats == 1 else 'seats'}"
    say(f"{path} is sound: {plan.house.name}, {words}, data in {configuration.data}")
    return 0


_FILE = "house.toml"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[FOLDER]")
def init(folder: Path) -> None:
    """Write a commented house.toml to FOLDER or the working directory. An existing file is never overwritten."""
    path = folder / _FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # O_EXCL: another process could create the file between a check and the write.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            file.write(TEMPLATE.read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise CannotWrite(f"'{error.filename}' is already there; nothing is written over it") from error
    except OSError as error:
        raise could_not_write(path, error) from error
    where = printable(str(path))
    data = printable(str(folder / "data"))
    click.echo(f"{where}: a configuration that is sound as it is, and explains itself.")
    click.echo(f"Next: roundhouse house staff add NAME --position casino_manager --data {data}")
    click.echo(f"Then: roundhouse house serve --config {where}")
