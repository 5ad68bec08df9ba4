"""``roundhouse backup``: a copy of a house's journal, taken while it plays, proven before it gets its name."""

from pathlib import Path

import click

from roundhouse.cli.copies import tell_copy
from roundhouse.cli.office import journal_argument
from roundhouse.cli.output import emit_json, json_option
from roundhouse.cli.proving import progress, tell_discrepancy
from roundhouse.office.backup import back_up
from roundhouse.proof.discrepancy import DoesNotHold


@click.command(short_help="copy a live house's journal")
@journal_argument
@click.argument("target", type=click.Path(path_type=Path), metavar="TO_FILE")
@click.option("--without-key", is_flag=True, help="Leave out the key and all credentials: to be read, not to be run.")
@json_option
def backup(path: Path, target: Path, without_key: bool, as_json: bool) -> int:
    """Copy a journal, or that of the house in a folder, as it stands now. It is verified before it gets its name."""
    try:
        with progress() as told:
            copied = back_up(path, target, with_key=not without_key, progress=told)
    except DoesNotHold as wrong:
        click.echo("roundhouse: nothing was written", err=True)
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    if as_json:
        emit_json(copied)
    else:
        tell_copy("backed up", copied)
    return 0
