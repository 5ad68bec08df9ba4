"""``roundhouse game``: the commands list, positions, packages, layout, check, trace and new."""

import os
from pathlib import Path

import click

from roundhouse import rulebooks
from roundhouse.cli.options import NoSuchThing, choose_layout, choose_terminal, game_argument, layout_option
from roundhouse.cli.output import (
    CannotWrite,
    console,
    did_you_mean,
    emit_json,
    json_option,
    plain,
    pockets,
    show_table,
    write_file,
)
from roundhouse.rules.clauses import MetBy, RegisterEntry, readings
from roundhouse.rules.errors import Fault, InvalidRulebook
from roundhouse.rules.game import Game
from roundhouse.rules.names import GameId, number_of


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[RULEBOOK.toml]...")
@json_option
def games(files: tuple[Path, ...], as_json: bool) -> None:
    """List the shipped games, those in the folder ROUNDHOUSE_RULEBOOKS, and the given rulebook files."""
    found, unsound = rulebooks.games_and_errors(files)
    for fault in unsound:
        click.echo(f"roundhouse: not listed: {fault}", err=True)
    if as_json:
        emit_json(
            [
                {
                    "id": game.id,
                    "title": game.rulebook.title,
                    "operator": game.rulebook.operator,
                    "version": game.rulebook.version,
                    "effective": game.rulebook.effective.isoformat(),
                    "hash": game.hash,
                    "pockets": game.wheel.pockets,
                    "wheel": game.wheel.order,
                    "layouts": list(game.layouts),
                    "terminals": [{"id": id, "layout": terminal.layout.id} for id, terminal in game.terminals.items()],
                }
                for game in found
            ]
        )
        return
    for game in found:
        book = game.rulebook
        click.echo(f"{game.id}  {book.title}")
        minute = book.effective.isoformat(" ", "minutes")
        click.echo(f"    {book.operator}, version {book.version}, in effect from {minute[:16]} ({minute[16:]})")
        click.echo(f"    {len(game.wheel.pockets)} outcomes on {len(game.wheel.order)} segments")
        click.echo(f"    layouts {', '.join(game.layouts)}")
        click.echo(f"    terminals {', '.join(game.terminals)}")
        click.echo(f"    sha256 {game.hash}")


@click.command()
@game_argument
@layout_option
@json_option
def positions(game: Game, layout_id: str | None, as_json: bool) -> None:
    """List every position of a layout with its pockets, payout and clause."""
    layout = choose_layout(game, layout_id)
    if as_json:
        emit_json(
            [
                {
                    "id": position.id,
                    "type": position.type,
                    "covers": position.covers,
                    "pays": position.pays,
                    "clause": number_of(position.clause),
                }
                for position in layout.positions
            ]
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {len(layout.positions)} positions",
        ("position", "covers", "pays", "clause", "described in"),
        (
            (
                position.id,
                pockets(position.covers, game.wheel),
                f"{position.pays} to 1",
                number_of(position.clause),
                ", ".join(position.described),
            )
            for position in layout.positions
        ),
        right=("pays",),
    )


@click.command()
@game_argument
@click.option("--terminal", "terminal_id", metavar="T", help="Terminal. Optional if the game has only one.")
@json_option
def packages(game: Game, terminal_id: str | None, as_json: bool) -> None:
    """List every package of a terminal (series, Neighbours, Finales) with its pieces."""
    terminal = choose_terminal(game, terminal_id)
    if as_json:
        emit_json(
            [
                {
                    "id": package.id,
                    "name": package.name,
                    "pieces": [{"position": piece.position, "pieces": piece.pieces} for piece in package.pieces],
                    "total": package.total,
                    "clause": package.clause,
                }
                for package in terminal.packages
            ]
        )
        return
    if not terminal.packages:
        click.echo(f"{game.rulebook.title}, {terminal.plan.name}: no packages")
        return
    show_table(
        f"{game.rulebook.title}, {terminal.plan.name}: {len(terminal.packages)} packages",
        ("package", "name", "total", "pieces", "clause"),
        (
            (
                package.id,
                package.name,
                str(package.total),
                " ".join(f"{f'{n}×' if n > 1 else ''}{position}" for position, n in package.pieces),
                package.clause,
            )
            for package in terminal.packages
        ),
        right=("total",),
    )


@click.command()
@game_argument
@layout_option
@click.option("-o", "--output", metavar="FILE.svg", help="File to write. - prints the picture.")
@json_option
def layout(game: Game, layout_id: str | None, output: str | None, as_json: bool) -> None:
    """Draw a layout as an SVG picture with every position marked. --json prints its geometry."""
    chosen = choose_layout(game, layout_id)
    if output is None and not as_json:
        raise CannotWrite("name the file to write with -o FILE.svg")
    if output is not None:
        from roundhouse.drawing.layout import draw_layout

        book = game.rulebook
        source = f"{book.operator}, version {book.version}, rulebook {game.id}, sha256 {game.hash[:12]}…"
        write_file(output, draw_layout(chosen, f"{book.title}, layout {chosen.id}", source))
    if as_json:
        emit_json(
            {
                "layout": chosen.id,
                "cells": chosen.cells,
                "boxes": chosen.boxes,
                "positions": [{"id": position.id, "at": position.at} for position in chosen.positions],
            }
        )
    elif output != "-":
        click.echo(f"{output}: {len(chosen.positions)} positions of layout {chosen.id}")


@click.command()
@click.argument("name", metavar="FILE")
@json_option
def check(name: str, as_json: bool) -> int:
    """Check a rulebook file and list its faults, each with its location and a remedy."""
    file = rulebooks.shipped(GameId(name)) if name in rulebooks.SHIPPED else Path(name)
    try:
        game = rulebooks.read(file)
    except InvalidRulebook as unsound:
        if as_json:
            emit_json({"sound": False, "hash": None, "faults": [_row(fault) for fault in unsound.faults]})
        else:
            for fault in unsound.faults:
                click.echo(f"{file}: {fault}")
        count = len(unsound.faults)
        click.echo(f"roundhouse: '{file}' is not valid: {count} {'fault' if count == 1 else 'faults'}", err=True)
        return 2
    if as_json:
        emit_json({"sound": True, "hash": game.hash, "faults": []})
        return 0
    positions = ", ".join(f"{len(layout.positions)} on layout {id}" for id, layout in game.layouts.items())
    packages = ", ".join(f"{len(terminal.packages)} at {id}" for id, terminal in game.terminals.items())
    out = console()
    out.print(
        f"[bold]{plain(str(file))} is valid[/bold]: {plain(f'{game.rulebook.title}, version {game.rulebook.version}')}"
    )
    out.print(f"  positions: {positions}")
    out.print(f"  packages: {packages}")
    out.print(f"  clauses: {len(game.rulebook.clauses)}; inferred, not stated: {len(game.rulebook.inferred)}")
    out.print(f"  sha256: {game.hash}")
    return 0


def _row(fault: Fault) -> dict[str, object]:
    return {"place": fault.place, "line": fault.line, "wrong": fault.wrong, "remedy": fault.remedy}


_INK = {MetBy.DATA: "green", MetBy.CODE: "green", MetBy.PEOPLE: "cyan"}

_BY = {MetBy.DATA: "by data", MetBy.CODE: "by code", MetBy.PEOPLE: "by people"}


@click.command()
@click.argument("name", metavar="[GAME]", required=False)
@click.argument("clauses", metavar="[CLAUSE]...", nargs=-1)
@json_option
def trace(name: str | None, clauses: tuple[str, ...], as_json: bool) -> None:
    """Print the clause register of a game, or of all games: the demand of each clause and how it is met.

    Demands are in the words of the rulebook, not of the document. By data: the rulebook file states it. By code: a
    function, a class or a screen implements it. By people: they do it, and the line tells what is recorded of it.
    Reading: the rulebook states more than the document does. Test: a test of the source tree that shows it.
    """
    games = [rulebooks.find(name)] if name else rulebooks.games()
    registers = [(game, _only(game, clauses)) for game in games]
    if as_json:
        emit_json(
            [
                {
                    "game": game.id,
                    "clause": entry.clause,
                    "demands": entry.demands,
                    "met": entry.met,
                    "readings": readings(game.rulebook).get(entry.clause, ()),
                    "tests": entry.tests,
                }
                for game, register in registers
                for entry in register
            ]
        )
        return
    for game, register in registers:
        _show(game, register, whole=not clauses)


def _only(game: Game, clauses: tuple[str, ...]) -> tuple[RegisterEntry, ...]:
    register = rulebooks.register(game)
    if unknown := [clause for clause in clauses if clause not in game.rulebook.clauses]:
        raise NoSuchThing(f"{game.id} has no clause '{unknown[0]}'{did_you_mean(unknown[0], game.rulebook.clauses)}")
    return tuple(entry for entry in register if not clauses or entry.clause in clauses)


def _show(game: Game, register: tuple[RegisterEntry, ...], whole: bool) -> None:
    from rich.padding import Padding

    out = console()
    book, inferred = game.rulebook, readings(game.rulebook)
    out.print(f"\n[bold]{plain(book.title)}[/bold], {plain(f'{book.operator}, version {book.version}')}")
    out.print(f"In force from {book.effective.isoformat()}. A table is not opened under these rules before that.")
    for entry in register:
        out.print(f"\n[bold]{plain(entry.clause)}[/bold]  {plain(entry.demands)}")
        for means in entry.met:
            ink = _INK[means.by]
            line = f"[{ink}]{_BY[means.by]}[/{ink}] {plain(means.at)}: {plain(means.so)}"
            out.print(Padding(line, (0, 0, 0, 4), expand=False))
        for note in inferred.get(entry.clause, ()):
            out.print(
                Padding(f"[yellow]reading[/yellow] {plain(note.at)}: {plain(note.why)}", (0, 0, 0, 4), expand=False)
            )
        for test in entry.tests:
            out.print(Padding(f"[green]test[/green] {plain(test)}", (0, 0, 0, 4), expand=False))
        if not entry.met:
            out.print("    [red]not met[/red]")
    if whole and (other := inferred.get(None)):
        out.print("\n[bold]Values without a clause[/bold]")
        for note in other:
            out.print(
                Padding(f"[yellow]reading[/yellow] {plain(note.at)}: {plain(note.why)}", (0, 0, 0, 4), expand=False)
            )
    kinds = {kind: sum(any(means.by is kind for means in entry.met) for entry in register) for kind in MetBy}
    counts = ", ".join(f"{count} {_BY[kind]}" for kind, count in kinds.items() if count)
    unmet = sum(not entry.met for entry in register)
    tested = sum(bool(entry.tests) for entry in register)
    out.print(f"\n{len(register)} clauses, met {counts}; {tested} cited by tests; {unmet} not met")


@click.command("new-game")
@click.option("-o", "--output", required=True, metavar="FILE.toml", help="File to write. - prints the rulebook.")
@click.option("--id", default="my-game", show_default=True, help="Id of the game.")
@click.option("--title", default="My Game", show_default=True, help="Title of the game.")
def new_game(output: str, id: str, title: str) -> None:
    """Write a commented rulebook to start from. An existing file is never overwritten."""
    from roundhouse.lab.template import new_game as make_rulebook

    rulebook = make_rulebook(id, title)
    if os.path.exists(output):
        raise CannotWrite(f"'{output}' already exists; choose another name")
    write_file(output, rulebook)
    if output != "-":
        click.echo(f"{output}: a rulebook to start from; 'roundhouse game check {output}' checks it")
