"""``roundhouse verify``: a journal or a capsule derived over again from its first entry, with nothing believed."""

from pathlib import Path

import click

from roundhouse.cli.output import console, emit_json, json_option, plain, show_table
from roundhouse.cli.proving import (
    capsule_content,
    key_for,
    key_option,
    progress,
    proof_argument,
    tell_discrepancy,
)
from roundhouse.proof.capsule import read
from roundhouse.proof.checking import CapsuleSummary, verify_capsule
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.file import NotAJournal
from roundhouse.proof.summary import Summary
from roundhouse.proof.telling import dollars
from roundhouse.proof.verify import verify_journal

_UNCHECKED = "The seals could not be checked: the key is not at hand. Give it with --key."
_HASH_LENGTH = 64


@click.command(short_help="prove a journal or a capsule")
@proof_argument
@key_option
@click.option("--noted", multiple=True, metavar="HASH", help="A head that was noted down earlier: it must be there.")
@json_option
def verify(path: Path, key_file: Path | None, noted: tuple[str, ...], as_json: bool) -> int:
    """Derive a journal or a capsule over again and name the first thing that does not hold."""
    for hash in noted:
        if len(hash) != _HASH_LENGTH or not set(hash.lower()) <= set("0123456789abcdef"):
            raise NotAJournal(f"--noted is a hash of {_HASH_LENGTH} hexadecimal digits, not '{hash}'")
    try:
        if (content := capsule_content(path)) is not None:
            return _tell_capsule(path, verify_capsule(read(content), key_for(None, key_file), noted), as_json)
        with progress() as report:
            proven = verify_journal(path, key_for(path, key_file), noted, report)
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    return _tell_journal(path, proven, as_json)


def _tell_journal(path: Path, proven: Summary, as_json: bool) -> int:
    if as_json:
        emit_json(proven)
        return 0
    out = console()
    out.print(
        f"[bold]{plain(str(path))} verifies[/bold]: every entry, decision, payout and balance was derived over again."
    )
    columns = ["table", "game", "entries", "rounds", "voids", "corrections", "phase"]
    rows = [
        (
            plain(t.table),
            plain(t.game),
            f"{t.entries:,}",
            f"{t.rounds:,}",
            f"{t.voids:,}",
            f"{t.corrections:,}",
            t.phase,
        )
        for t in proven.tables
    ]
    show_table("Tables", columns, rows, right=columns[2:6])
    columns = ["table", "bought", "tickets in", "staked", "paid", "tickets out", "credits", "house", "shortfall"]
    figures = [
        (plain(t.table), t.bought, t.tickets_in, t.handle, t.paid, t.tickets_out, t.credits, t.house, t.shortfall)
        for t in proven.tables
    ]
    show_table("Money", columns, [(name, *map(dollars, cents)) for name, *cents in figures], right=columns[1:])
    for table in proven.tables:
        out.print(f"head of {plain(table.table)}: {table.head} (entry {table.entries}; {table.seals} seals)")
    if (house := proven.house) is not None:
        out.print(f"head of the house's own chain: {house.head} (entry {house.entries}; {house.seals} seals)")
    outstanding = dollars(proven.tickets_outstanding_cents)
    out.print(f"tickets outstanding: {proven.tickets_outstanding}, worth {outstanding}")
    out.print("The seals are the house's." if proven.seals_checked else _UNCHECKED)
    for note in proven.notes:
        out.print(plain(f"Note: {note}"))
    return 0


def _tell_capsule(path: Path, proven: CapsuleSummary, as_json: bool) -> int:
    if as_json:
        emit_json(proven)
        return 0
    out = console()
    ended = f"outcome {proven.outcome}" if proven.outcome else ("void" if proven.over else "not over")
    which = plain(f"round {proven.round} of table {proven.table}, {proven.game}, {ended}.")
    out.print(f"[bold]{plain(str(path))} verifies[/bold]: {which}")
    out.print(
        f"{proven.entries} entries from {proven.first} on were decided over again under rulebook {proven.rulebook}"
    )
    out.print(f"the state before it is that of the journal whose chain has {proven.before}, if that journal says so")
    out.print(f"head: {proven.head} (roundhouse verify JOURNAL --noted {proven.head} shows that it is in the journal)")
    out.print("The seals are the house's." if proven.seals_checked else _UNCHECKED)
    return 0
