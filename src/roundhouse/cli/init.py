"""``roundhouse init``: a commented configuration to start a house from."""

import os
from pathlib import Path

import click

from roundhouse.cli.output import CannotWrite, printable
from roundhouse.house.configuration import TEMPLATE

_FILE = "house.toml"


@click.command(short_help="a configuration to start from")
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[FOLDER]")
def init(folder: Path) -> None:
    """Write a commented house.toml into FOLDER, or where you are; an existing one is never overwritten."""
    path = folder / _FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Made only if it is not there: between looking and writing somebody else might write one.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            file.write(TEMPLATE.read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise CannotWrite(f"'{error.filename}' is already there; nothing is written over it") from error
    except OSError as error:
        raise CannotWrite(f"cannot write '{path}': {error.strerror or error}") from error
    where = printable(str(path))
    data = printable(str(folder / "data"))
    click.echo(f"{where}: a configuration that is sound as it is, and explains itself.")
    click.echo(f"Next: roundhouse staff add NAME --position casino_manager --data {data}")
    click.echo(f"Then: roundhouse serve --config {where}")
