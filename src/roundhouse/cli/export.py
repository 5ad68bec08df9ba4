"""``roundhouse export``: meters and significant events, for the systems of others."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from roundhouse.cli.office import check_form, csv_line, csv_option, fields_of, journal_argument
from roundhouse.cli.output import json_option, show_table
from roundhouse.cli.proving import progress, tell_discrepancy
from roundhouse.office.export import Export, MetersLine, Position
from roundhouse.office.shifts import ZONE, Calendar
from roundhouse.office.significant import LARGE_CENTS, Significant, Thresholds
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.telling import dollars
from roundhouse.rules.mistakes import Mistake
from roundhouse.table.names import Millis, TableId

_METERS = ("rounds", "voids", "corrections", "late_bets")
_MONEY = ("handle", "win", "drop", "tickets_out", "shortfall", "credits", "on_layout")


class NoPosition(Mistake):
    """Meters are always all of it."""


@click.command(short_help="meters and significant events")
@journal_argument
@click.option("--what", type=click.Choice(["meters", "events"]), default="meters", show_default=True)
@click.option("--since", metavar="POSITION", help="Only events after this position, which an export ended with.")
@click.option("--table", "table_name", metavar="NAME", help="One table, or @house; without it, all.")
@click.option("--large-win-cents", type=click.IntRange(min=1), default=LARGE_CENTS, show_default=True)
@click.option("--large-ticket-cents", type=click.IntRange(min=1), default=LARGE_CENTS, show_default=True)
@csv_option
@json_option
def export(
    path: Path,
    what: str,
    since: str | None,
    table_name: str | None,
    large_win_cents: int,
    large_ticket_cents: int,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Write out meters of every table and seat, or significant events as a stream that can be resumed."""
    check_form(as_csv, as_json)
    if what == "meters" and since is not None:
        raise NoPosition("--since is for --what events; meters are always all of it")
    table = TableId(table_name) if table_name is not None else None
    try:
        with progress() as told, Export(path, table, told) as journal:
            if what == "meters":
                _meters(journal, as_csv, as_json)
            else:
                _events(journal, since, Thresholds(large_win_cents, large_ticket_cents), as_csv, as_json)
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    return 0


def _meters(journal: Export, as_csv: bool, as_json: bool) -> None:
    lines = journal.meters()
    if as_json:
        _json(lines)
    elif as_csv:
        _csv(MetersLine, lines)
    else:
        columns = ["table", "seat", *_METERS, *_MONEY]
        rows = [
            (one.table, one.seat or "all", *(f"{getattr(one, name):,}" for name in _METERS), *_amounts(one))
            for one in lines
        ]
        titles = [name.replace("_", " ") for name in columns]
        show_table("Meters", titles, rows, right=titles[2:])


def _amounts(one: MetersLine) -> list[str]:
    return [dollars(getattr(one, name)) for name in _MONEY]


def _events(journal: Export, since: str | None, thresholds: Thresholds, as_csv: bool, as_json: bool) -> None:
    events, position = journal.events(since, thresholds), journal.position(since)
    if as_json:
        _json(events)
        _json(iter([Position(position)]))
        return
    if as_csv:
        _csv(Significant, events)
    else:
        calendar = Calendar(ZONE)
        rows = [(one.table, str(one.seq), calendar.written(Millis(one.at)), one.kind, *_about(one)) for one in events]
        show_table("Significant events", ["table", "entry", "at", "what", "round", "seat", "amount", "by"], rows)
    click.echo(f"position: {position}", err=True)


def _about(one: Significant) -> tuple[str, str, str, str]:
    people = ", ".join(word for word in (one.by, one.who, one.second) if word)
    amount = dollars(one.cents) if one.cents is not None else ""
    return str(one.round or ""), one.seat or "", amount, people


def _json(lines: Iterator[Struct]) -> None:
    encode = msgspec.json.Encoder().encode
    for one in lines:
        sys.stdout.write(encode(one).decode() + "\n")


def _csv(kind: type[Struct], lines: Iterator[Struct]) -> None:
    sys.stdout.write(csv_line(kind.__struct_fields__))
    for one in lines:
        cells = [msgspec.json.encode(cell).decode() if isinstance(cell, dict) else cell for cell in fields_of(one)]
        sys.stdout.write(csv_line(cells))
