"""``roundhouse wheel``: read a wheel's line, watch it, record it, simulate it, and look after its health."""

from importlib import import_module

import click

_COMMANDS = ("decode", "watch", "record", "simulate", "health")


class _WheelCommands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"roundhouse.cli.wheel.{name}"), name)
        return command


@click.group(cls=_WheelCommands)
def wheel() -> None:
    """A real wheel on its serial line, or a simulated one that speaks the same line."""
