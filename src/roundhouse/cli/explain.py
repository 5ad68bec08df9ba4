"""``roundhouse explain``: what happened in a round and why, clause by clause, bet by bet."""

from pathlib import Path

import click

from roundhouse.cli.output import Inked, console, emit_json, json_option, plain, show_table
from roundhouse.cli.proving import (
    capsule_content,
    choose_table,
    proof_argument,
    round_option,
    table_option,
    tell_discrepancy,
)
from roundhouse.proof.capsule import read
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.encapsulate import NoSuchRound
from roundhouse.proof.evidence import from_capsule, from_journal
from roundhouse.proof.file import JournalFile
from roundhouse.proof.story import Evidence, Story, Verdict, story_of
from roundhouse.proof.telling import dollars
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.names import RoundNumber, SeatId


class NoSuchBets(Mistake):
    """The seat had no part in the round."""


@click.command(short_help="what happened in a round")
@proof_argument
@round_option
@click.option("--seat", "seat_name", metavar="SEAT", help="One seat's share of it.")
@table_option
@json_option
def explain(path: Path, number: int, seat_name: str | None, table_name: str | None, as_json: bool) -> int:
    """Tell what happened in a round and why: who did what, what stood, what each bet came to."""
    try:
        evidence = _evidence(path, RoundNumber(number), table_name)
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    seat = SeatId(seat_name) if seat_name is not None else None
    story = story_of(evidence, seat)
    if seat is not None and not story.standing and all(step.seat != seat for step in story.steps):
        raise NoSuchBets(f"seat '{seat}' had no bets in round {number} of table '{story.table}'")
    if as_json:
        emit_json(story)
    else:
        _tell(story, seat)
    return 0


def _evidence(path: Path, number: RoundNumber, table_name: str | None) -> Evidence:
    if (content := capsule_content(path)) is not None:
        capsule = read(content)
        if capsule.round != number or table_name not in (None, capsule.table):
            raise NoSuchRound(f"the capsule is of round {capsule.round} of table '{capsule.table}'")
        return from_capsule(capsule)
    file = JournalFile(path)
    try:
        return from_journal(file, choose_table(file, table_name), number)
    finally:
        file.close()


def _tell(story: Story, seat: SeatId | None) -> None:
    out = console()
    whose = f", seat {seat}" if seat else ""
    out.print(f"\n[bold]Round {story.round} of table {plain(story.table)}{whose}[/bold]")
    out.print(plain(f"{story.game}, {story.operator}, version {story.version}, rulebook {story.rulebook}") + "\n")
    rows = [
        (
            str(step.entry),
            step.at,
            plain(step.by),
            Inked(plain(step.did) + (f" — [red]refused[/red]: {plain(step.refused)}" if step.refused else "")),
            ", ".join(step.clauses),
        )
        for step in story.steps
    ]
    show_table("What happened (Singapore time)", ["entry", "at", "by", "what", "clause"], rows, right=["entry"])
    standing = [
        (plain(id), position, dollars(cents)) for id, slip in story.standing.items() for position, cents in slip.items()
    ]
    show_table("What stood at closing", ["seat", "position", "stake"], standing, right=["stake"])
    if not story.verdicts:
        out.print("The round is not over: nothing is settled yet.\n")
    for verdict in story.verdicts:
        _tell_verdict(verdict)
    out.print("[bold]The clauses, as the rulebook has them[/bold]")
    for clause, words in story.clauses.items():
        out.print(plain(f"  {clause}: {words}"))
    out.print("\nThis is what the record says; 'roundhouse verify' proves that it holds.")


def _tell_verdict(verdict: Verdict) -> None:
    bets = [
        (plain(bet.seat), bet.position, dollars(bet.staked), bet.result, dollars(bet.returned), ", ".join(bet.clauses))
        for bet in verdict.bets
    ]
    columns = ["seat", "position", "stake", "result", "gets back", "clause"]
    show_table(f"{verdict.at}: {verdict.words}", columns, bets, right=["stake", "gets back"])
    if verdict.changes:
        columns = ["seat", "had got", "is due", "credited", "taken back", "could not be taken", "owes now"]
        changes = [
            (plain(s.seat), *map(dollars, (s.was, s.now, s.credited, s.taken, s.shortfall, s.owes)))
            for s in verdict.changes
        ]
        show_table("What that changed", columns, changes, right=columns[1:])
    if verdict.disagrees:
        seats = ", ".join(verdict.disagrees)
        console().print(f"[red]The recorded amounts of {plain(seats)} are not what these bets come to.[/red]\n")
