"""``roundhouse capsule``: one round in one file that anybody can check without the journal."""

from pathlib import Path

import click

from roundhouse.cli.output import write_file
from roundhouse.cli.proving import (
    choose_table,
    file_argument,
    key_for,
    key_option,
    progress,
    round_option,
    table_option,
    tell_discrepancy,
)
from roundhouse.proof.capsule import written
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.encapsulate import encapsulate
from roundhouse.proof.file import JournalFile
from roundhouse.table.names import RoundNumber


@click.command(short_help="one round in one file")
@file_argument
@round_option
@table_option
@key_option
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Without it, standard output.")
def capsule(path: Path, number: int, table_name: str | None, key_file: Path | None, output: Path | None) -> int:
    """Write one round as a file of its own, for 'roundhouse verify'."""
    key = key_for(path, key_file)
    try:
        file = JournalFile(path)
        try:
            table = choose_table(file, table_name)
            with progress() as report:
                made = encapsulate(file, table, RoundNumber(number), key, report)
        finally:
            file.close()
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, False)
    _write(output, written(made))
    return 0


def _write(output: Path | None, content: bytes) -> None:
    write_file("-" if output is None else str(output), content)
    if output is not None:
        click.echo(f"{output}: {len(content):,} bytes; 'roundhouse verify {output}' checks it", err=True)
