"""``roundhouse trace``: every clause of the documents, and how it is met."""

import click

from roundhouse import rulebooks
from roundhouse.cli.choosing import NoSuchThing
from roundhouse.cli.output import console, did_you_mean, emit_json, json_option, plain
from roundhouse.rules.game import Game
from roundhouse.rules.register import Entry, MetBy, register_of

_INK = {MetBy.DATA: "green", MetBy.CODE: "green", MetBy.LATER: "yellow", MetBy.PEOPLE: "cyan"}

_BY = {MetBy.DATA: "by data", MetBy.CODE: "by code", MetBy.LATER: "later", MetBy.PEOPLE: "by people"}


@click.command(short_help="every clause and how it is met")
@click.argument("name", metavar="[GAME]", required=False)
@click.argument("clauses", metavar="[CLAUSE]...", nargs=-1)
@json_option
def trace(name: str | None, clauses: tuple[str, ...], as_json: bool) -> None:
    """Print the clause register of a game, or of all: what each clause demands and how it is met.

    By data: the rulebook states it. By code: a module does it. Later: a part that is still to come will do it. By
    people: what they do, and what the system records of it.
    """
    games = [rulebooks.find(name)] if name else rulebooks.games()
    registers = [(game, _only(game, clauses)) for game in games]
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


def _only(game: Game, clauses: tuple[str, ...]) -> tuple[Entry, ...]:
    register = register_of(game.rulebook, rulebooks.written_register(game))
    if strange := [clause for clause in clauses if clause not in game.rulebook.clauses]:
        raise NoSuchThing(f"{game.id} has no clause '{strange[0]}'{did_you_mean(strange[0], game.rulebook.clauses)}")
    return tuple(entry for entry in register if not clauses or entry.clause in clauses)


def _show(game: Game, register: tuple[Entry, ...]) -> None:
    from rich.padding import Padding

    out = console()
    book = game.rulebook
    out.print(f"\n[bold]{plain(book.title)}[/bold], {plain(f'{book.operator}, version {book.version}')}")
    for entry in register:
        out.print(f"\n[bold]{plain(entry.clause)}[/bold]  {plain(entry.demands)}")
        for means in entry.met:
            ink = _INK[means.by]
            line = f"[{ink}]{_BY[means.by]}[/{ink}] {plain(means.at)}: {plain(means.so)}"
            out.print(Padding(line, (0, 0, 0, 4)))
        if not entry.met:
            out.print("    [red]not met by anything that is written down[/red]")
    waiting = [entry for entry in register if entry.met and all(means.by is MetBy.LATER for means in entry.met)]
    kinds = {kind: sum(any(means.by is kind for means in entry.met) for entry in register) for kind in MetBy}
    counts = ", ".join(f"{count} {_BY[kind]}" for kind, count in kinds.items() if count)
    out.print(f"\n{len(register)} clauses, met {counts}; {len(waiting)} wait for later parts alone")
