"""``roundhouse restore``: the house of a backup in a folder of its own, after the backup has been proven."""

from pathlib import Path

import click

from roundhouse.cli.copies import tell_copy
from roundhouse.cli.output import emit_json, json_option
from roundhouse.cli.proving import key_option, progress, tell_discrepancy
from roundhouse.office.backup import restore as make_house
from roundhouse.proof.discrepancy import DoesNotHold


@click.command(short_help="a house from a backup")
@click.argument("source", type=click.Path(path_type=Path), metavar="BACKUP")
@click.argument("folder", type=click.Path(path_type=Path), metavar="TO_FOLDER")
@key_option
@json_option
def restore(source: Path, folder: Path, key_file: Path | None, as_json: bool) -> int:
    """Verify a backup and put it into a folder, from which the house can run. Nothing is ever written over."""
    try:
        with progress() as told:
            copied = make_house(source, folder, key_file, told)
    except DoesNotHold as wrong:
        click.echo("roundhouse: nothing was restored", err=True)
        return tell_discrepancy(source, wrong.discrepancy, as_json)
    if as_json:
        emit_json(copied)
    else:
        tell_copy("restored", copied)
    return 0
