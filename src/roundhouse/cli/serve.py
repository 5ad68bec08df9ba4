"""``roundhouse house init`` and ``roundhouse house serve``, with options and messages that ``play`` shares."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roundhouse.cli.house_paths import config_option
from roundhouse.cli.output import CannotWrite, could_not_write, emit_json, json_option, printable
from roundhouse.config.loading import TEMPLATE
from roundhouse.rules.errors import UserError

if TYPE_CHECKING:
    from roundhouse.floor.house import UnfinishedRound
    from roundhouse.server.process import RunSummary


class CannotServe(UserError):
    """The house cannot be opened. The message explains what to do."""


def seconds_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--for``."""
    kind = click.FloatRange(min=0, min_open=True, max=10_000_000)
    text = "Stop after SECONDS. Default: run until stopped."
    return click.option("--for", "seconds", type=kind, metavar="SECONDS", help=text)(command)


def grace_option(default: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the option ``--grace``."""
    text = (
        "On shutdown, wait up to SECONDS for rounds in progress. "
        "Rounds that do not end in this time are referred and wait for a decision."
    )
    kind = click.FloatRange(min=0, max=3600)
    return click.option("--grace", "grace", type=kind, default=default, show_default=True, metavar="SECONDS", help=text)


def accept_time_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--accept-time``."""
    text = "Open a journal whose last entry is more than five minutes in the future, and record that."
    return click.option("--accept-time", is_flag=True, help=text)(command)


def print_line(text: str) -> None:
    """Print a line and flush it, so that it also reaches a pipe at once."""
    click.echo(printable(text))
    sys.stdout.flush()


def print_summary(summary: "RunSummary") -> None:
    for unfinished in summary.left_open:
        print_line(_unfinished(unfinished))
    rounds = f"{summary.rounds} {'round' if summary.rounds == 1 else 'rounds'}"
    print_line(
        f"Stopped after {summary.seconds:.0f} s: {rounds} settled, {summary.voids} void. "
        "The next start continues from here."
    )


def stopping_message(grace: float) -> str:
    return f"Stopping. Rounds in progress have {grace:g} s to finish. Press Ctrl-C again to stop at once."


def _unfinished(left: "UnfinishedRound") -> str:
    from roundhouse.floor.alerts import format_clause

    ended = f"{left.table}: round {left.round} had not ended"
    if left.unattended:
        stakes = "A spin without an outcome on record is then void, and all stakes are returned."
        return f"{ended}. At the next start it continues. {stakes}"
    return f"{ended} and was referred; it waits for a decision ({format_clause(left.clause)})."


if TYPE_CHECKING:
    from roundhouse.config.loading import Configuration
    from roundhouse.rules.errors import Fault

_GRACE_SECONDS = 75
"""Longer than a round at the default pace, from opening bets to settlement."""


@click.command()
@config_option
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Check the configuration, the journal and the devices of wheels, list all faults and exit.",
)
@json_option
@seconds_option
@grace_option(_GRACE_SECONDS)
@accept_time_option
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="Least severe messages to log.",
)
@click.option("--log-polls", is_flag=True, help="Also log the requests that screens and monitors repeat.")
def serve(
    config: Path | None,
    only_check: bool,
    as_json: bool,
    seconds: float | None,
    grace: float,
    accept_time: bool,
    log_level: str,
    log_polls: bool,
) -> int:
    """Run a house from its configuration file, which 'roundhouse house init' writes. Logs go to standard error.

    SIGHUP reads the TLS certificate and the pace of the automatic dealers again.
    """
    from roundhouse.cli.house_paths import NoHouse, config_file
    from roundhouse.config.loading import InvalidConfiguration, read
    from roundhouse.floor.clock import SystemClock
    from roundhouse.server.process import check_certificate

    if config is None:
        raise NoHouse("name the house with --config, such as --config house.toml")
    path = config_file(config)

    def reread() -> "Configuration":
        configuration = read(path, SystemClock().now())
        check_certificate(configuration)
        return configuration

    try:
        configuration = reread()
    except InvalidConfiguration as unsound:
        if not only_check:
            raise
        return _show_faults(path, unsound.faults, as_json)
    if only_check:
        if faults := _faults_on_this_machine(path, configuration):
            return _show_faults(path, faults, as_json)
        return _show_valid(path, configuration, as_json)
    _set_up_log(log_level, log_polls)
    _run(configuration, seconds, grace, accept_time, reread)
    return 0


def _faults_on_this_machine(path: Path, configuration: "Configuration") -> "tuple[Fault, ...]":
    from roundhouse.floor.clock import SystemClock
    from roundhouse.floor.inspection import inspect_house

    return inspect_house(configuration, path.read_text(encoding="utf-8-sig"), SystemClock().now())


def _set_up_log(level: str, polls: bool) -> None:
    from roundhouse.logs import LEVELS, log_to

    log_to(sys.stderr, LEVELS[level], polls)


def _run(
    configuration: "Configuration",
    seconds: float | None,
    grace: float,
    accept_time: bool,
    reread: "Callable[[], Configuration]",
) -> None:
    from roundhouse.floor.opening import CannotOpen
    from roundhouse.server.process import CannotListen, address_of, bind, run

    listen, name = configuration.plan.listen, configuration.plan.house.name
    try:
        bound = bind(listen.address, listen.port)
    except CannotListen as taken:
        raise CannotServe(f"{taken}; set another 'port' under [listen]") from taken
    with bound:
        tables = len(configuration.plan.tables)
        message = f"{name}: {tables} {'table' if tables == 1 else 'tables'} at {address_of(configuration, bound)}"
        try:
            summary = run(
                configuration,
                bound,
                ready=lambda _: print_line(message),
                stopping=lambda: print_line(stopping_message(grace)),
                grace_seconds=grace,
                seconds=seconds,
                accept_time=accept_time,
                reread=reread,
            )
        except CannotOpen as error:
            raise CannotServe(f"{error}; 'data' under [house] sets the data folder") from error
    print_summary(summary)


def _show_faults(path: Path, faults: "tuple[Fault, ...]", as_json: bool) -> int:
    if as_json:
        rows = [
            {"place": fault.place, "line": fault.line, "wrong": fault.wrong, "remedy": fault.remedy} for fault in faults
        ]
        emit_json({"sound": False, "faults": rows})
    else:
        for fault in faults:
            click.echo(printable(f"{path}: {fault}"))
    count = len(faults)
    click.echo(f"roundhouse: '{path}' is not valid: {count} {'fault' if count == 1 else 'faults'}", err=True)
    return 2


def _show_valid(path: Path, configuration: "Configuration", as_json: bool) -> int:
    plan = configuration.plan
    if as_json:
        emit_json({"sound": True, "faults": [], "hash": configuration.hash})
        return 0
    seats = sum(len(terminals.seats) for terminals in plan.terminals)
    tables = len(plan.tables)
    counts = f"{tables} {'table' if tables == 1 else 'tables'}, {seats} {'seat' if seats == 1 else 'seats'}"
    print_line(f"{path} is valid: {plan.house.name}, {counts}, data in {configuration.data}")
    return 0


_FILE = "house.toml"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[FOLDER]")
def init(folder: Path) -> None:
    """Write a commented house.toml to FOLDER or the working directory. An existing file is never overwritten."""
    path = folder / _FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # O_EXCL, because another process could create the file between a check and the write.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            file.write(TEMPLATE.read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise CannotWrite(f"'{error.filename}' already exists and is not overwritten; name another folder") from error
    except OSError as error:
        raise could_not_write(path, error) from error
    name = printable(str(path))
    click.echo(f"{name}: a commented configuration, ready to run.")
    click.echo(f"Next: roundhouse house staff add NAME --position casino_manager --config {name}")
    click.echo(f"Then: roundhouse house serve --config {name}")
