"""``roundhouse house``: backup, restore and selfcheck. A copy is verified before it gets its name."""

from pathlib import Path

import click

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.software import SelfCheckReport, listing, read_manifest, self_check, written
from roundhouse.cli.audit import key_option, progress, tell_discrepancy
from roundhouse.cli.output import console, emit_json, json_option, plain, show_table, write_file
from roundhouse.cli.reports import journal_argument
from roundhouse.office.backup import WARNING, Copied, back_up
from roundhouse.office.backup import restore as make_house
from roundhouse.office.records import Records
from roundhouse.office.report import calendar_of
from roundhouse.rules.names import format_amount
from roundhouse.wire.operations import ComparedWith

_NO_KEY = "It has no key: it can be verified and read, but no house can run from it until its key is put beside it."


def tell_copy(done: str, copied: Copied) -> None:
    out, records = console(), Records(Path(copied.path))
    try:
        calendar = calendar_of(records)
    finally:
        records.close()
    out.print(f"[bold]{plain(copied.path)}[/bold]: {done} and verified, {copied.bytes:,} bytes.")
    rows = [
        (
            head.table,
            f"{head.entries:,}",
            calendar.written(head.at) if head.at is not None else "–",
            copied.phases.get(head.table, "–"),
            head.hash,
        )
        for head in copied.tables
    ]
    show_table("Tables", ["table", "version", "last instant", "phase", "head"], rows, right=["version"])
    out.print(
        f"tickets outstanding: {copied.tickets_outstanding}, worth {format_amount(copied.tickets_outstanding_cents)}"
    )
    out.print(plain(f"its key: {copied.key}") if copied.key else _NO_KEY)
    for note in copied.notes:
        out.print(plain(f"Note: {note}"))
    out.print(WARNING)


@click.command()
@journal_argument
@click.argument("target", type=click.Path(path_type=Path), metavar="TO_FILE")
@click.option(
    "--without-key",
    is_flag=True,
    help="Omit the key and all credentials. The copy can be verified but cannot run a house.",
)
@json_option
def backup(path: Path, target: Path, without_key: bool, as_json: bool) -> int:
    """Copy a journal, or the journal in a house's data folder, while the house runs. The copy is verified."""
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


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="BACKUP")
@click.argument("folder", type=click.Path(path_type=Path), metavar="TO_FOLDER")
@key_option
@json_option
def restore(source: Path, folder: Path, key_file: Path | None, as_json: bool) -> int:
    """Verify a backup and restore it to a data folder. An existing journal is never overwritten."""
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


_FAULTS = 1
_COMPARED = {
    ComparedWith.INSTALLED: "Compared with the list that the installer wrote",
    ComparedWith.GIVEN: "Compared with the list that was given",
    ComparedWith.NONE: "There is no list to compare with: this is a checkout of the sources",
}


@click.command()
@click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with this list, which --list wrote earlier.",
)
@click.option("--list", "as_list", is_flag=True, help="List the files and their hashes, in the format of sha256sum.")
@json_option
def selfcheck(manifest: Path | None, as_list: bool, as_json: bool) -> int:
    """Hash the installed software, compare it with the installer's list, and compute known settlements."""
    if as_list:
        write_file("-", written(listing()))
        return 0
    checked = self_check(manifest=read_manifest(manifest) if manifest is not None else None)
    if as_json:
        emit_json(checked)
    else:
        _tell(checked)
    return 0 if checked.ok else _FAULTS


def _tell(checked: SelfCheckReport) -> None:
    out = console()
    out.print(f"roundhouse {checked.version}, {checked.files} files: [bold]{checked.software}[/bold]")
    out.print(f"Python {checked.python}, SQLite {checked.sqlite}")
    out.print(f"{len(checked.libraries.versions)} libraries: {checked.libraries.hash}")
    out.print(f"{_COMPARED[checked.compared_with]}.")
    for word, files in (("changed", checked.changed), ("missing", checked.missing), ("added", checked.added)):
        for file in files:
            out.print(f"[red]{word}[/red]: {plain(file)}")
    rows = [
        (tried.file, "ok" if tried.ok else "not as written down", f"{tried.settlements} bets", tried.hash)
        for tried in checked.rulebooks
    ]
    show_table("Rulebooks", ["file", "hash and settlements", "worked out again", "sha256"], rows)
    for tried in checked.rulebooks:
        for words in tried.wrong:
            out.print(f"[red]{plain(tried.file)}[/red] {plain(words)}")
    out.print("All is as it must be." if checked.ok else "[red]This is not as it must be.[/red]")
