"""What ``roundhouse play`` and ``roundhouse serve`` share: how a house is said to have started and ended."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from roundhouse.cli.output import printable
from roundhouse.rules.mistakes import Mistake

if TYPE_CHECKING:
    from roundhouse.server.running.house import LeftOpen
    from roundhouse.server.running.process import Ended


class CannotServe(Mistake):
    """The house cannot be opened, with what to do about it."""


def seconds_option(command: Callable[..., Any]) -> Callable[..., Any]:
    least = click.FloatRange(min=0, min_open=True, max=10_000_000)
    words = "Run for so long, then stop; without it, until it is stopped."
    return click.option("--for", "seconds", type=least, metavar="SECONDS", help=words)(command)


def grace_option(default: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    words = "How long rounds in progress may take to end when it is stopped; the others end by the rules later."
    kind = click.FloatRange(min=0, max=3600)
    return click.option(
        "--grace", "grace", type=kind, default=default, show_default=True, metavar="SECONDS", help=words
    )


def say(words: str) -> None:
    """At once, also where nobody reads line by line."""
    click.echo(printable(words))
    sys.stdout.flush()


def say_ended(ended: "Ended") -> None:
    for one in ended.left_open:
        say(_left_open(one))
    rounds = f"{ended.rounds} {'round' if ended.rounds == 1 else 'rounds'}"
    say(f"Stopped after {ended.seconds:.0f} s: {rounds} settled, {ended.voids} void. Started again, it goes on.")


def _left_open(one: "LeftOpen") -> str:
    from roundhouse.server.running.watch import by_clause

    return f"{one.table}: round {one.round} was in progress, and ends by {by_clause(one.clause)} at the next start."
