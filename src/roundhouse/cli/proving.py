"""What ``verify``, ``explain`` and ``capsule`` have in common: their file, the key, progress, and bad news."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from roundhouse.cli.output import emit_json, printable
from roundhouse.journal.seal import Key, key_path, read_key
from roundhouse.journal.store import JournalUnavailable
from roundhouse.proof.capsule import START
from roundhouse.proof.discrepancy import Discrepancy
from roundhouse.proof.file import JournalFile, NotAJournal
from roundhouse.proof.verify import Progress
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.names import TableId

DOES_NOT_VERIFY = 1

file_argument = click.argument("path", type=click.Path(path_type=Path), metavar="JOURNAL")
proof_argument = click.argument("path", type=click.Path(path_type=Path), metavar="JOURNAL|CAPSULE")
round_option = click.option("--round", "number", required=True, type=click.IntRange(min=1), help="Which round.")
table_option = click.option("--table", "table_name", metavar="NAME", help="Which table, where the journal has several.")
key_option = click.option(
    "--key", "key_file", type=click.Path(path_type=Path), metavar="FILE", help="The house's key for the seals."
)


class WhichTable(Mistake):
    """The journal has no such table, or several to choose from."""


def key_for(journal: Path | None, key_file: Path | None) -> Key | None:
    """The key that was named, or the one that lies beside the journal."""
    if key_file is not None:
        try:
            return Key(key_file.read_bytes())
        except OSError as error:
            raise NotAJournal(f"cannot read the key '{key_file}': {error.strerror or error}") from error
    try:
        return read_key(journal) if journal is not None else None
    except JournalUnavailable as error:
        if journal is not None and os.access(key_path(journal), os.R_OK):
            raise NotAJournal(f"{error}; name the right one with --key") from error
        # The key is the house's. An auditor who may not read it checks all but the seals.
        return None


def capsule_content(path: Path) -> bytes | None:
    """The content of a capsule; a journal is told by how it begins."""
    try:
        with open(path, "rb") as file:
            start = file.read(1)
            return start + file.read() if start == START[:1] else None
    except OSError as error:
        raise NotAJournal(f"cannot read '{path}': {error.strerror or error}") from error


def choose_table(file: JournalFile, name: str | None) -> TableId:
    tables = [id for id, _ in file.tables()]
    if name is None and len(tables) == 1:
        return tables[0]
    if name in tables:
        return TableId(str(name))
    known = ", ".join(tables) or "none"
    if name is None:
        raise WhichTable(f"say which table with --table; the journal has {known}")
    raise WhichTable(f"the journal has no table '{name}'; it has {known}")


@contextmanager
def progress() -> Iterator[Progress]:
    """How far it has come, on a terminal and nowhere else."""
    if not sys.stderr.isatty():
        yield lambda entries: None
        return
    try:
        yield lambda entries: click.echo(f"\r{entries:,} entries", nl=False, err=True)
    finally:
        click.echo("\r\033[K", nl=False, err=True)


def tell_discrepancy(path: Path, found: Discrepancy, as_json: bool) -> int:
    """The first thing that does not hold, and exit status 1."""
    if as_json:
        emit_json({"verifies": False, **{name: getattr(found, name) for name in found.__struct_fields__}})
        return DOES_NOT_VERIFY
    click.echo(f"{path} does not verify. The first thing that does not hold:")
    lines = {"table": found.table, "entry": found.entry, "what": found.what}
    lines |= {"expected": found.expected, "there is": found.found}
    for name, value in lines.items():
        if value is not None:
            click.echo(f"  {name + ':':<10}{printable(str(value))}")
    return DOES_NOT_VERIFY
