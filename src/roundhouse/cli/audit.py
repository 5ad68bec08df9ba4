"""``roundhouse audit``: the commands verify, explain and capsule."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from roundhouse.audit.capsule import START, NoSuchRound, encode_capsule, make_capsule, read
from roundhouse.audit.capsule_check import CapsuleSummary, verify_capsule
from roundhouse.audit.discrepancy import Discrepancy, DoesNotHold
from roundhouse.audit.explain import RoundStory, Verdict, story_of
from roundhouse.audit.journal_file import JournalFile, NotAJournal
from roundhouse.audit.origin import Origin, TrustedKeys, trusted
from roundhouse.audit.round_evidence import Evidence, from_capsule, from_journal
from roundhouse.audit.verify import Progress, Summary, verify_journal
from roundhouse.cli.house_paths import journal_argument
from roundhouse.cli.output import Inked, console, emit_json, json_option, plain, printable, show_table, write_file
from roundhouse.config.loading import JOURNAL
from roundhouse.journal.seal import Key, key_path
from roundhouse.journal.seal import read_key as read_seal_key
from roundhouse.journal.signing import public_key_beside
from roundhouse.journal.store import JournalUnavailable
from roundhouse.office.calendars import calendar_of
from roundhouse.office.gaming_days import ZONE, Calendar
from roundhouse.rules.currency import PLAY_MONEY, format_amount
from roundhouse.rules.errors import UserError
from roundhouse.table.names import RoundNumber, SeatId, TableId
from roundhouse.tlog.note import NotANote, VerifierKey, read_key

DOES_NOT_VERIFY = 1
"""Exit status if a discrepancy was found."""
ORIGIN_UNKNOWN = 3
"""Exit status if everything is consistent, but no key shows who wrote it."""
NOT_VERIFIED = "Read from the journal without verifying it; 'roundhouse audit verify' verifies it."

file_argument = journal_argument("JOURNAL")
proof_argument = journal_argument("JOURNAL|CAPSULE")
round_option = click.option("--round", "number", required=True, type=click.IntRange(min=1), help="Round number.")
table_option = click.option(
    "--table", "table_name", metavar="NAME", help="Table. Optional if the journal has only one."
)
key_option = click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Key of the house, to check the seals. Default: the key file beside the journal.",
)
keys_option = click.option(
    "--key",
    "key_files",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="Public key of the house (house.db.pub) or of a witness (witness.pub), or the secret key of the seals."
    " Repeatable. Default: the key files beside the journal.",
)
zone_option = click.option(
    "--zone",
    metavar="ZONE",
    help="Time zone of the output, such as Asia/Singapore. Default: that of the house, or UTC.",
)


class UnknownTable(UserError):
    """The journal has no such table, or it has several and none was named."""


def key_for(journal: Path | None, key_file: Path | None) -> Key | None:
    """Return the key in ``key_file``, else the key beside the journal. None if there is no key or it is unreadable."""
    if key_file is not None:
        try:
            return Key(key_file.read_bytes())
        except OSError as error:
            raise NotAJournal(f"cannot read the key '{key_file}': {error.strerror or error}") from error
    try:
        return read_seal_key(journal) if journal is not None else None
    except JournalUnavailable as error:
        if journal is not None and os.access(key_path(journal), os.R_OK):
            raise NotAJournal(f"{error}; name the right key with --key") from error
        # Without permission to read the key, an auditor can verify everything except the seals.
        return None


def keys_for(path: Path, key_files: Sequence[Path], *, is_capsule: bool) -> tuple[Key | None, TrustedKeys]:
    """Return the secret key of the seals and the public keys, from the given files or from those beside the journal.

    The public key of a capsule is found beside it under its own name, or under the name of the house's journal.
    """
    secret: Key | None = None
    public: list[VerifierKey] = []
    for file in key_files:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise NotAJournal(f"cannot read the key '{file}': {error.strerror or error}") from error
        try:
            public.append(read_key(content.decode("ascii")))
        except (NotANote, UnicodeError):
            secret = Key(content)
    if not key_files:
        secret = None if is_capsule else key_for(path, None)
        beside = [path, path.with_name(JOURNAL)] if is_capsule else [path]
        public = [key for journal in beside if (key := public_key_beside(journal)) is not None][:1]
    return secret, trusted(public)


def capsule_content(path: Path) -> bytes | None:
    """Return the content of the file if it is a capsule, or None if it is a journal."""
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
        raise UnknownTable(f"the journal has several tables; choose one with --table: {known}")
    raise UnknownTable(f"the journal has no table '{name}'; it has {known}")


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a function that shows the number of entries already read, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda entries: None
        return
    try:
        yield lambda entries: click.echo(f"\r{entries:,} entries", nl=False, err=True)
    finally:
        click.echo("\r\033[K", nl=False, err=True)


def show_discrepancy(path: Path, found: Discrepancy, as_json: bool) -> int:
    """Print the first discrepancy and return exit status 1."""
    if as_json:
        emit_json({"verifies": False, **{name: getattr(found, name) for name in found.__struct_fields__}})
        return DOES_NOT_VERIFY
    click.echo(f"{path} does not verify. The first discrepancy:")
    lines = {"table": found.table, "entry": found.entry, "what": found.what}
    lines |= {"expected": found.expected, "found": found.found}
    for name, value in lines.items():
        if value is not None:
            click.echo(f"  {name + ':':<10}{printable(str(value))}")
    return DOES_NOT_VERIFY


_SEALED = "The seals match the key of the house."
_SIGNED = "The house has signed every entry."
_UNKNOWN = "Consistent, origin unknown: no key shows who wrote it. Give the public key of the house with --key."
_HASH_LENGTH = 64


@click.command()
@proof_argument
@keys_option
@click.option(
    "--noted",
    multiple=True,
    metavar="HASH",
    help="Fail unless this chain head, recorded earlier, is in the journal. Repeatable.",
)
@json_option
def verify(path: Path, key_files: tuple[Path, ...], noted: tuple[str, ...], as_json: bool) -> int:
    """Verify a journal or capsule by replaying it, and report the first discrepancy.

    Exits with status 1 if there is a discrepancy, and with status 3 if everything is consistent but its origin is
    unknown, because no key of the house was given or found.
    """
    for hash in noted:
        if len(hash) != _HASH_LENGTH or not set(hash.lower()) <= set("0123456789abcdef"):
            raise NotAJournal(f"--noted is a hash of {_HASH_LENGTH} hexadecimal digits, not '{hash}'")
    try:
        if (content := capsule_content(path)) is not None:
            key, keys = keys_for(path, key_files, is_capsule=True)
            return _show_capsule(path, verify_capsule(read(content), key, noted, keys), as_json)
        with progress() as report:
            key, keys = keys_for(path, key_files, is_capsule=False)
            summary = verify_journal(path, key, noted, report, keys)
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    return _show_journal(path, summary, as_json)


_COUNTS = ("entries", "rounds", "voids", "corrections")
_AMOUNTS = ("bought", "tickets_in", "handle", "paid", "tickets_out", "credits", "house", "shortfall")


def _show_journal(path: Path, summary: Summary, as_json: bool) -> int:
    if as_json:
        emit_json(summary)
        return _status(summary.origin)
    out = console()
    out.print(f"[bold]{plain(str(path))} verifies[/bold]: every entry, decision, payout and balance was recomputed.")
    rows = [
        (plain(t.table), plain(t.game), *(f"{getattr(t, name):,}" for name in _COUNTS), t.phase) for t in summary.tables
    ]
    show_table("Tables", ["table", "game", *_COUNTS, "phase"], rows, right=_COUNTS)
    currency = next((t.currency for t in summary.tables if t.currency), PLAY_MONEY)
    amounts = [
        (plain(t.table), *(format_amount(getattr(t, name), t.currency) for name in _AMOUNTS)) for t in summary.tables
    ]
    titles = ["staked" if name == "handle" else name.replace("_", " ") for name in _AMOUNTS]
    show_table("Money" if currency == PLAY_MONEY else f"Money in {currency}", ["table", *titles], amounts, right=titles)
    for table in summary.tables:
        out.print(f"head of {plain(table.table)}: {table.head} (entry {table.entries}; {table.seals} seals)")
    if (house := summary.house) is not None:
        out.print(f"head of the house's chain: {house.head} (entry {house.entries}; {house.seals} seals)")
    outstanding = format_amount(summary.tickets_outstanding_cents, currency)
    out.print(f"tickets outstanding: {summary.tickets_outstanding}, worth {outstanding}")
    for note in summary.notes:
        out.print(plain(f"Note: {note}"))
    return _show_origin(summary)


def _status(origin: Origin) -> int:
    return 0 if origin is Origin.KNOWN else ORIGIN_UNKNOWN


def _show_origin(summary: Summary | CapsuleSummary) -> int:
    """Print what the keys show, and return the exit status."""
    out = console()
    if summary.origin is Origin.UNKNOWN:
        out.print(_UNKNOWN)
    else:
        out.print(_SEALED if summary.seals_checked else _SIGNED)
    for witness in summary.witnesses:
        out.print(plain(f"Cosigned by the witness {witness}."))
    return _status(summary.origin)


def _show_capsule(path: Path, summary: CapsuleSummary, as_json: bool) -> int:
    if as_json:
        emit_json(summary)
        return _status(summary.origin)
    out = console()
    ended = f"outcome {summary.outcome}" if summary.outcome else ("void" if summary.over else "not over")
    which = plain(f"round {summary.round} of table {summary.table}, {summary.game}, {ended}.")
    out.print(f"[bold]{plain(str(path))} verifies[/bold]: {which}")
    out.print(
        f"{summary.entries} entries, from entry {summary.first} on, were replayed under rulebook {summary.rulebook}"
    )
    out.print(f"hash before the round: {summary.before}; only the journal proves the state at that entry")
    out.print(
        f"head: {summary.head} (roundhouse audit verify JOURNAL --noted {summary.head} checks that the journal has it)"
    )
    return _show_origin(summary)


class NoSuchBets(UserError):
    """The seat took no part in the round."""


@click.command()
@proof_argument
@round_option
@click.option("--seat", "seat_name", metavar="SEAT", help="Show only the bets and steps of one seat.")
@table_option
@zone_option
@json_option
def explain(
    path: Path, number: int, seat_name: str | None, table_name: str | None, zone: str | None, as_json: bool
) -> int:
    """Explain a round: show every step, the bets at closing, the return of each bet, and the clauses."""
    try:
        evidence, calendar = _evidence(path, RoundNumber(number), table_name, zone)
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    seat = SeatId(seat_name) if seat_name is not None else None
    story = story_of(evidence, seat)
    if seat is not None and not story.standing and all(step.seat != seat for step in story.steps):
        raise NoSuchBets(f"seat '{seat}' had no bets in round {number} of table '{story.table}'")
    if as_json:
        emit_json(story)
    else:
        _show_story(story, seat, calendar)
    return 0


def _evidence(path: Path, number: RoundNumber, table_name: str | None, zone: str | None) -> tuple[Evidence, Calendar]:
    if (content := capsule_content(path)) is not None:
        capsule = read(content)
        if capsule.round != number or table_name not in (None, capsule.table):
            raise NoSuchRound(f"the capsule holds round {capsule.round} of table '{capsule.table}'")
        return from_capsule(capsule), Calendar(ZONE if zone is None else zone)
    file = JournalFile(path)
    try:
        return from_journal(file, choose_table(file, table_name), number), calendar_of(file, zone)
    finally:
        file.close()


def _show_story(story: RoundStory, seat: SeatId | None, calendar: Calendar) -> None:
    out = console()
    whose = f", seat {seat}" if seat else ""
    out.print(f"\n[bold]Round {story.round} of table {plain(story.table)}{whose}[/bold]")
    out.print(plain(f"{story.game}, {story.operator}, version {story.version}, rulebook {story.rulebook}") + "\n")
    rows = [
        (
            str(step.entry),
            calendar.clock(step.at),
            plain(step.actor),
            Inked(plain(step.did) + (f" — [red]refused[/red]: {plain(step.refused)}" if step.refused else "")),
            ", ".join(step.clauses),
        )
        for step in story.steps
    ]
    columns = ["entry", "at", "by", "what", "clause"]
    show_table(f"Steps (time zone {calendar.zone})", columns, rows, right=["entry"])
    currency = story.currency or PLAY_MONEY
    if story.currency:
        out.print(f"Amounts in {story.currency}\n")
    bets = [
        (plain(id), position, format_amount(cents, currency))
        for id, slip in story.standing.items()
        for position, cents in slip.items()
    ]
    if bets:
        show_table("Bets at closing", ["seat", "position", "stake"], bets, right=["stake"])
    else:
        out.print("[bold]Bets at closing[/bold]: none")
    if not story.verdicts:
        out.print("The round is not over; no bet is settled yet.\n")
    for verdict in story.verdicts:
        _show_verdict(verdict, calendar, currency)
    out.print("[bold]Clauses of the rulebook[/bold]")
    for clause, text in story.clauses.items():
        out.print(plain(f"  {clause}: {text}"))
    out.print(f"\n{NOT_VERIFIED}")


def _show_verdict(verdict: Verdict, calendar: Calendar, currency: str) -> None:
    amount = partial(format_amount, currency=currency)
    bets = [
        (
            plain(bet.seat),
            bet.position,
            amount(bet.staked),
            bet.result,
            amount(bet.returned),
            ", ".join(bet.clauses),
        )
        for bet in verdict.bets
    ]
    columns = ["seat", "position", "stake", "result", "returned", "clause"]
    show_table(f"{calendar.format(verdict.at)}: {verdict.words}", columns, bets, right=["stake", "returned"])
    if verdict.changes:
        columns = ["seat", "paid before", "due now", "credited", "taken back", "shortfall", "owes now"]
        changes = [
            (plain(s.seat), *map(amount, (s.was, s.now, s.credited, s.taken, s.shortfall, s.owes)))
            for s in verdict.changes
        ]
        show_table("Changes by this correction", columns, changes, right=columns[1:])
    if verdict.disagrees:
        seats = ", ".join(verdict.disagrees)
        console().print(f"[red]The recorded amounts of {plain(seats)} differ from the returns of these bets.[/red]\n")


@click.command()
@file_argument
@round_option
@table_option
@key_option
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="File to write. Default: standard output."
)
def capsule(path: Path, number: int, table_name: str | None, key_file: Path | None, output: Path | None) -> int:
    """Write one round to a capsule, a file that 'roundhouse audit verify' verifies without the journal."""
    key = key_for(path, key_file)
    try:
        file = JournalFile(path)
        try:
            table = choose_table(file, table_name)
            with progress() as report:
                result = make_capsule(file, table, RoundNumber(number), key, report)
        finally:
            file.close()
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, False)
    _write(output, encode_capsule(result))
    return 0


def _write(output: Path | None, content: bytes) -> None:
    write_file("-" if output is None else str(output), content)
    if output is not None:
        click.echo(f"{output}: {len(content):,} bytes; 'roundhouse audit verify {output}' verifies it", err=True)
