"""``roundhouse new-game``: a commented rulebook to start from."""

import os

import click

from roundhouse.cli.output import CannotWrite, write_file
from roundhouse.lab.newgame import new_game as written


@click.command("new-game")
@click.option("-o", "--output", required=True, metavar="FILE.toml", help="Where to write it; - prints it.")
@click.option("--id", default="my-game", show_default=True, help="The game's id.")
@click.option("--title", default="My Game", show_default=True, help="The game's title.")
def new_game(output: str, id: str, title: str) -> None:
    """Write a commented rulebook to start from; an existing file is never overwritten."""
    rulebook = written(id, title)
    if os.path.exists(output):
        raise CannotWrite(f"'{output}' is already there; choose another name")
    write_file(output, rulebook)
    if output != "-":
        click.echo(f"{output}: a rulebook to start from; 'roundhouse check {output}' says whether it is sound")
