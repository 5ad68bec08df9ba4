"""``roundhouse house``: the commands backup, restore and selfcheck."""

from pathlib import Path

import click

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.software import SelfCheckReport, format_manifest, hash_files, read_manifest, self_check
from roundhouse.cli.audit import key_option, progress, show_discrepancy
from roundhouse.cli.house_paths import config_option, journal_path
from roundhouse.cli.output import console, emit_json, json_option, plain, show_table, write_file
from roundhouse.floor.clock import SystemClock
from roundhouse.office.backup import WARNING, CopySummary, back_up, backup_name, prune
from roundhouse.office.backup import restore as restore_house
from roundhouse.office.calendars import calendar_of
from roundhouse.office.records import Records
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import format_amount
from roundhouse.wire.operations import ComparedWith

_NO_KEY = "The copy has no key. It can be verified and read. To run a house from it, put the key beside it."


def show_copy(action: str, copied: CopySummary) -> None:
    """Print what ``backup`` or ``restore`` wrote."""
    out, records = console(), Records(Path(copied.path))
    try:
        calendar = calendar_of(records)
    finally:
        records.close()
    out.print(f"[bold]{plain(copied.path)}[/bold]: {action} and verified, {copied.bytes:,} bytes.")
    rows = [
        (
            head.table,
            f"{head.entries:,}",
            calendar.format(head.at) if head.at is not None else "–",
            copied.phases.get(head.table, "–"),
            head.hash,
        )
        for head in copied.tables
    ]
    show_table("Tables", ["table", "version", "time of last entry", "phase", "head"], rows, right=["version"])
    worth = format_amount(copied.tickets_outstanding_cents, copied.currency)
    out.print(f"tickets outstanding: {copied.tickets_outstanding}, worth {worth}")
    out.print(plain(f"key: {copied.key}") if copied.key else _NO_KEY)
    for note in copied.notes:
        out.print(plain(f"Note: {note}"))
    out.print(WARNING)


class BadTarget(UserError):
    """The arguments do not name one target, or --keep is used with a single file."""


@click.command()
@click.argument(
    "paths", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="[JOURNAL] TO_FILE|TO_FOLDER"
)
@config_option
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the newest N backups in TO_FOLDER, and remove older ones.",
)
@click.option(
    "--without-key",
    is_flag=True,
    help="Omit the key and all credentials. The copy can be verified but cannot run a house.",
)
@json_option
def backup(paths: tuple[Path, ...], config: Path | None, keep: int | None, without_key: bool, as_json: bool) -> int:
    """Copy the journal of a house and verify the copy. The house may be running.

    With --keep the copy gets a name with the time, in TO_FOLDER.
    """
    *sources, target = paths
    if len(sources) > 1 or (len(sources) == 1) == (config is not None):
        raise BadTarget("name the house with --config and one file or folder to write")
    path = journal_path(sources[0] if sources else None, config)
    folder = target
    if keep is not None:
        if not folder.is_dir():
            raise BadTarget(f"--keep needs a folder of backups, and '{folder}' is not a folder")
        target = folder / backup_name(SystemClock().now())
    try:
        with progress() as report_progress:
            copied = back_up(path, target, with_key=not without_key, progress=report_progress)
    except DoesNotHold as wrong:
        click.echo("roundhouse: nothing was written", err=True)
        return show_discrepancy(path, wrong.discrepancy, as_json)
    removed = prune(folder, keep) if keep is not None else []
    if as_json:
        emit_json(copied)
    else:
        show_copy("backed up", copied)
        for old in removed:
            click.echo(f"removed {old}")
    return 0


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="BACKUP")
@click.argument("folder", type=click.Path(path_type=Path), metavar="TO_FOLDER")
@key_option
@json_option
def restore(source: Path, folder: Path, key_file: Path | None, as_json: bool) -> int:
    """Verify a backup and restore it to a data folder. An existing journal is never overwritten.

    The restoration is recorded and begins a new epoch. At its first start the house asks its witnesses what was lost,
    and lists the tickets that may have been paid since the backup: each needs a second person's approval.
    """
    try:
        with progress() as report_progress:
            copied = restore_house(source, folder, key_file, report_progress, SystemClock().now())
    except DoesNotHold as wrong:
        click.echo("roundhouse: nothing was restored", err=True)
        return show_discrepancy(source, wrong.discrepancy, as_json)
    if as_json:
        emit_json(copied)
    else:
        show_copy("restored", copied)
    return 0


_FAULTS = 1
_COMPARED = {
    ComparedWith.INSTALLED: "Compared with the installer's list of files",
    ComparedWith.GIVEN: "Compared with the list of --manifest",
    ComparedWith.NONE: "Not compared: a source checkout has no installer's list. Use --manifest",
}


@click.command()
@click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with FILE, a list that --list wrote earlier.",
)
@click.option("--list", "as_list", is_flag=True, help="List the files and their hashes, in the format of sha256sum.")
@json_option
def selfcheck(manifest: Path | None, as_list: bool, as_json: bool) -> int:
    """Check the installed software: compare its files with the installer's list and compute known settlements.

    Exits with status 1 if a file differs or a settlement is wrong.
    """
    if as_list:
        write_file("-", format_manifest(hash_files()))
        return 0
    checked = self_check(manifest=read_manifest(manifest) if manifest is not None else None)
    if as_json:
        emit_json(checked)
    else:
        _show(checked)
    return 0 if checked.ok else _FAULTS


def _show(checked: SelfCheckReport) -> None:
    out = console()
    out.print(f"roundhouse {checked.version}, {checked.files} files: [bold]{checked.software}[/bold]")
    out.print(f"Python {checked.python}, SQLite {checked.sqlite}")
    out.print(f"{len(checked.libraries.versions)} libraries: {checked.libraries.hash}")
    out.print(f"{_COMPARED[checked.compared_with]}.")
    for change, files in (("changed", checked.changed), ("missing", checked.missing), ("added", checked.added)):
        for file in files:
            out.print(f"[red]{change}[/red]: {plain(file)}")
    rows = [
        (rulebook.file, "ok" if rulebook.ok else "FAILED", f"{rulebook.settlements} bets", rulebook.hash)
        for rulebook in checked.rulebooks
    ]
    show_table("Rulebooks", ["file", "hash and settlements", "settled", "sha256"], rows)
    for rulebook in checked.rulebooks:
        for problem in rulebook.wrong:
            out.print(f"[red]{plain(rulebook.file)}[/red] {plain(problem)}")
    out.print("All checks passed." if checked.ok else "[red]The check FAILED.[/red]")
