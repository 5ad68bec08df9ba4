"""``roundhouse serve``: a house as its configuration says, until it is stopped."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roundhouse.cli.hosting import CannotServe, grace_option, say, say_ended, seconds_option
from roundhouse.cli.output import emit_json, json_option, printable

if TYPE_CHECKING:
    from roundhouse.house.configuration import Configuration
    from roundhouse.rules.faults import Fault

_GRACE_SECONDS = 75
"""A round, from the opening of bets to its settlement, at the pace that a configuration has by default."""


@click.command(short_help="run a house")
@click.option("--config", "path", required=True, type=click.Path(path_type=Path), metavar="FILE", help="house.toml")
@click.option("--check", "only_check", is_flag=True, help="Only check the configuration; every fault is named.")
@json_option
@seconds_option
@grace_option(_GRACE_SECONDS)
def serve(path: Path, only_check: bool, as_json: bool, seconds: float | None, grace: float) -> int:
    """Run the house of a configuration; 'roundhouse init' writes one. Its log goes to standard error."""
    from roundhouse.house.configuration import UnsoundConfiguration, read
    from roundhouse.server.running.process import check_certificate

    try:
        configuration = read(path)
        check_certificate(configuration)
    except UnsoundConfiguration as unsound:
        if not only_check:
            raise
        return _unsound(path, unsound.faults, as_json)
    if only_check:
        return _sound(path, configuration, as_json)
    _run(configuration, seconds, grace)
    return 0


def _run(configuration: "Configuration", seconds: float | None, grace: float) -> None:
    from roundhouse.house.opening import CannotOpen
    from roundhouse.server.logs import log_to
    from roundhouse.server.running.process import CannotListen, address_of, bind, run

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
