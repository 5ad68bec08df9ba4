"""The options of the automatic dealer: its pace, and its wheel's codes and cable."""

from collections.abc import Callable
from math import isnan
from typing import Any

import click

_DAY = 86_400.0


class _Seconds(click.FloatRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"'{value}' is no number of seconds", param, ctx)
        return seconds


_SECONDS = _Seconds(0, _DAY)


def wheel_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.option("--betting-seconds", type=_SECONDS, default=20.0, help="How long bets are open."),
        click.option("--look-seconds", type=_SECONDS, default=2.0, help="Between a result and its confirmation."),
        click.option("--pause-seconds", type=_SECONDS, default=4.0, help="Between two rounds."),
        click.option(
            "--closes-while-spinning", is_flag=True, help="Where the rulebook leaves the moment to the operator."
        ),
        click.option(
            "--speed", type=click.FloatRange(min=0, min_open=True), help="A faster clock, for a faster wheel."
        ),
        click.option("--code", "codes", multiple=True, metavar="POCKET=CODE", help="How the wheel writes a pocket."),
        click.option("--no-rtscts", is_flag=True, help="The serial cable has no RTS and CTS wires."),
    )
    for option in reversed(options):
        command = option(command)
    return command
