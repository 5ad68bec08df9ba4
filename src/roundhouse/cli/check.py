"""``roundhouse check``: is a rulebook file sound, and if not, everything that is wrong with it."""

from pathlib import Path

import click

from roundhouse import rulebooks
from roundhouse.cli.output import console, emit_json, json_option, plain
from roundhouse.rules.faults import Fault, UnsoundRulebook
from roundhouse.rules.names import GameId


@click.command(short_help="every fault of a rulebook")
@click.argument("name", metavar="FILE")
@json_option
def check(name: str, as_json: bool) -> int:
    """Check a rulebook file: all its faults, each with its place and what to do, or that it is sound."""
    file = rulebooks.shipped(GameId(name)) if name in rulebooks.SHIPPED else Path(name)
    try:
        game = rulebooks.read(file)
    except UnsoundRulebook as unsound:
        if as_json:
            emit_json({"sound": False, "hash": None, "faults": [_row(fault) for fault in unsound.faults]})
        else:
            for fault in unsound.faults:
                click.echo(f"{file}: {fault}")
        count = len(unsound.faults)
        click.echo(f"roundhouse: '{file}' is not sound: {count} {'fault' if count == 1 else 'faults'}", err=True)
        return 2
    if as_json:
        emit_json({"sound": True, "hash": game.hash, "faults": []})
        return 0
    positions = ", ".join(f"{len(layout.positions)} on layout {id}" for id, layout in game.layouts.items())
    packages = ", ".join(f"{len(terminal.packages)} at {id}" for id, terminal in game.terminals.items())
    out = console()
    out.print(
        f"[bold]{plain(str(file))} is sound[/bold]: {plain(f'{game.rulebook.title}, version {game.rulebook.version}')}"
    )
    out.print(f"  positions: {positions}")
    out.print(f"  packages: {packages}")
    out.print(f"  clauses: {len(game.rulebook.clauses)}; inferred, not stated: {len(game.rulebook.inferred)}")
    out.print(f"  sha256: {game.hash}")
    return 0


def _row(fault: Fault) -> dict[str, object]:
    return {"place": fault.place, "line": fault.line, "wrong": fault.wrong, "remedy": fault.remedy}
