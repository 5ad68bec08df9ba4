"""``roundhouse selfcheck``: the software's own hash, its rulebooks, and known settlements worked out again."""

from pathlib import Path

import click

from roundhouse.cli.output import console, emit_json, json_option, plain, show_table, write_file
from roundhouse.proof.software import ComparedWith, SelfCheck, listing, read_manifest, self_check, written

_FAULTS = 1
_COMPARED = {
    ComparedWith.INSTALLED: "Compared with the list that the installer wrote",
    ComparedWith.GIVEN: "Compared with the list that was given",
    ComparedWith.NONE: "There is no list to compare with: this is a checkout of the sources",
}


@click.command(short_help="is the software what it was")
@click.option("--manifest", type=click.Path(path_type=Path), metavar="FILE", help="A list that --list wrote earlier.")
@click.option("--list", "as_list", is_flag=True, help="Only list the files, as sha256sum does.")
@json_option
def selfcheck(manifest: Path | None, as_list: bool, as_json: bool) -> int:
    """Hash the installed software, compare it with what was installed, and work known settlements out again."""
    if as_list:
        write_file("-", written(listing()))
        return 0
    checked = self_check(manifest=read_manifest(manifest) if manifest is not None else None)
    if as_json:
        emit_json(checked)
    else:
        _tell(checked)
    return 0 if checked.ok else _FAULTS


def _tell(checked: SelfCheck) -> None:
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
