"""``roundhouse trace``: every clause of the documents, and how it is met."""

import click

from roundhouse import rulebooks
from roundhouse.cli.output import console, emit_json, json_option
from roundhouse.rules.game import Game
from roundhouse.rules.register import Entry, MetBy, register_of

_INK = {MetBy.DATA: "green", MetBy.CODE: "green", MetBy.LATER: "yellow", MetBy.PEOPLE: "cyan"}


@click.command()
@click.argument("names", metavar="[GAME]", nargs=-1)
@json_option
def trace(names: tuple[str, ...], as_json: bool) -> None:
    """Print the clause register of a game, or of all: what each clause demands and how it is met."""
    games = [rulebooks.find(name) for name in names] or rulebooks.games()
    registers = [(game, register_of(game.rulebook, rulebooks.written_register(game))) for game in games]
    if as_json:
        emit_json(
            [
                {"game": game.id, "clause": entry.clause, "demands": entry.demands, "met": entry.met}
                for game, register in registers
                for entry in register
            ]
        )
        return
    for game, register in registers:
        _show(game, register)


def _show(game: Game, register: tuple[Entry, ...]) -> None:
    from rich.markup import escape

    out = console()
    out.print(f"\n[bold]{game.rulebook.title}[/bold], {game.rulebook.operator}, version {game.rulebook.version}")
    for entry in register:
        out.print(f"\n[bold]{entry.clause}[/bold]  {escape(entry.demands)}")
        for means in entry.met:
            ink = _INK[means.by]
            out.print(f"    [{ink}]{means.by}[/{ink}] {escape(means.at)}: {escape(means.so)}")
        if not entry.met:
            out.print("    [red]not met by anything that is written down[/red]")
    kinds = {kind: sum(any(means.by is kind for means in entry.met) for entry in register) for kind in MetBy}
    out.print(f"\n{len(register)} clauses: " + ", ".join(f"{count} with {kind}" for kind, count in kinds.items()))
