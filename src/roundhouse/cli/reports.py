"""``roundhouse house report`` and ``roundhouse house export``, as tables, JSON or CSV."""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.cli.audit import progress, tell_discrepancy, zone_option
from roundhouse.cli.output import console, json_option, plain, printable, show_table, write_file
from roundhouse.office.export import Export, ExportPosition, MetersRow
from roundhouse.office.gaming_days import SHIFTS, Calendar, day_of
from roundhouse.office.records import HOUSE
from roundhouse.office.report import GroupBy, Report, ReportQuery, ReportRow
from roundhouse.office.report import report as make_report
from roundhouse.office.significant_events import LARGE_CENTS, Significant, Thresholds
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import format_amount
from roundhouse.table.names import Millis, TableId

journal_argument = click.argument("path", type=click.Path(path_type=Path), metavar="JOURNAL|FOLDER")
csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")


class OneForm(UserError):
    """Both --csv and --json were given."""


def check_form(as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise OneForm("choose --csv or --json")


def csv_line(cells: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_csv_cell(cell) for cell in cells])
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    """Return a cell of CSV. Text that a spreadsheet would read as a formula is quoted."""
    if isinstance(value, str):
        words = printable(value).replace("\n", " ")
        return f"'{words}" if words[:1] in ("=", "+", "-", "@", "\t") and not _is_ours(words) else words
    return value.isoformat() if isinstance(value, date) else value


def _is_ours(words: str) -> bool:
    """Whether a cell is the name of the house's chain or a negative hold, which need no quote."""
    return words == HOUSE or words.lstrip("-").replace("/", "", 1).replace(".", "", 1).isdigit()


def fields_of(one: Struct) -> list[Any]:
    return [getattr(one, name) for name in one.__struct_fields__]


_KEYS = ("table", "day", "shift", "seat")
_CENTS = ("handle", "paid", "win", "bought", "tickets_in", "drop", "tickets_out", "shortfall")
_PEOPLE = {
    "rounds": "rounds",
    "handle": "handle",
    "win": "win",
    "hold_percent": "hold %",
    "hold": "hold",
    "drop": "drop",
    "tickets_in": "tickets in",
    "tickets_out": "tickets out",
    "voids": "voids",
    "corrections": "corrected",
    "shortfall": "shortfall",
    "late_bets": "late bets",
}


@click.command()
@journal_argument
@click.option(
    "--by",
    type=click.Choice([by.value for by in GroupBy]),
    default=GroupBy.TABLE.value,
    show_default=True,
    help="Group rows by table, day, shift or seat.",
)
@click.option("--table", "table_name", metavar="NAME", help="Report one table. Default: all.")
@click.option("--from", "first", metavar="DATE", help="First gaming day, such as 2026-11-16.")
@click.option("--to", "last", metavar="DATE", help="Last gaming day.")
@click.option(
    "--shifts",
    metavar="TIMES",
    help=f"Start times of the shifts, such as {SHIFTS}. The first starts the gaming day. Default: those of the house.",
)
@zone_option
@csv_option
@json_option
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write. Default: standard output.")
def report(
    path: Path,
    by: str,
    table_name: str | None,
    first: str | None,
    last: str | None,
    shifts: str | None,
    zone: str | None,
    as_csv: bool,
    as_json: bool,
    output: str,
) -> int:
    """Report handle, win, hold and drop from a journal or a house's data folder. The house may be running.

    A correction counts on the gaming day on which it is made.
    """
    check_form(as_csv, as_json)
    question = ReportQuery(
        GroupBy(by),
        TableId(table_name) if table_name is not None else None,
        day_of(first) if first is not None else None,
        day_of(last) if last is not None else None,
        zone,
        shifts,
    )
    try:
        with progress() as told:
            made = make_report(path, question, told)
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    if as_csv or (output.endswith(".csv") and not as_json):
        write_file(
            output, "".join(csv_line(cells) for cells in [ReportRow.__struct_fields__, *map(fields_of, made.lines)])
        )
    elif as_json or output != "-":
        write_file(output, msgspec.json.encode(made) + b"\n")
    else:
        _tell(made)
    return 0


def _tell(made: Report) -> None:
    keys = [key for key in _KEYS if any(getattr(line, key) is not None for line in made.lines)] or ["table"]
    rows = [[str(getattr(line, key)) for key in keys] + _cells(line) for line in made.lines]
    whole = [["all", *[""] * (len(keys) - 1), *_cells(made.total)]]
    columns = [*keys, *_PEOPLE.values()]
    begins = f"a day begins at {made.shifts[0]}, {made.zone}"
    span = " ".join(f"{word} {day}" for word, day in (("from", made.first), ("to", made.last)) if day is not None)
    show_table(
        f"By {made.by}{f', {span}' if span else ''}; {begins}", columns, rows + whole, right=columns[len(keys) :]
    )
    calendar, out = Calendar(made.zone), console()
    for head in made.heads:
        last = f", {calendar.written(head.at)}" if head.at is not None else ""
        out.print(f"{plain(head.table)} up to entry {head.entries:,}{last}: {head.hash}")
    out.print("This is what the record says; 'roundhouse audit verify' proves that it holds.")


def _cells(line: ReportRow) -> list[str]:
    return [_cell(name, getattr(line, name)) for name in _PEOPLE]


def _cell(name: str, value: int | str | None) -> str:
    if value is None:
        return "–"
    return format_amount(int(value)) if name in _CENTS else f"{value:,}" if isinstance(value, int) else value


_METERS = ("rounds", "voids", "corrections", "late_bets")
_MONEY = ("handle", "win", "drop", "tickets_out", "shortfall", "credits", "on_layout")


class NoPosition(UserError):
    """--since was given for meters, which have no position."""


@click.command()
@journal_argument
@click.option(
    "--what", type=click.Choice(["meters", "events"]), default="meters", show_default=True, help="What to export."
)
@click.option("--since", metavar="POSITION", help="Resume after POSITION, the last line of an earlier export.")
@click.option("--table", "table_name", metavar="NAME", help="Export one table, or @house. Default: all.")
@click.option(
    "--large-win-cents",
    type=click.IntRange(min=1),
    default=LARGE_CENTS,
    show_default=True,
    help="Amount from which a win is significant.",
)
@click.option(
    "--large-ticket-cents",
    type=click.IntRange(min=1),
    default=LARGE_CENTS,
    show_default=True,
    help="Amount from which a ticket is significant.",
)
@zone_option
@csv_option
@json_option
def export(
    path: Path,
    what: str,
    since: str | None,
    table_name: str | None,
    large_win_cents: int,
    large_ticket_cents: int,
    zone: str | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Export the meters of every table and seat, or significant events. An export of events can be resumed."""
    check_form(as_csv, as_json)
    if what == "meters" and since is not None:
        raise NoPosition("--since is for --what events; meters are always exported in full")
    table = TableId(table_name) if table_name is not None else None
    try:
        with progress() as told, Export(path, table, told) as journal:
            if what == "meters":
                _meters(journal, as_csv, as_json)
            else:
                thresholds = Thresholds(large_win_cents, large_ticket_cents)
                _events(journal, since, thresholds, journal.calendar(zone), as_csv, as_json)
    except DoesNotHold as wrong:
        return tell_discrepancy(path, wrong.discrepancy, as_json)
    return 0


def _meters(journal: Export, as_csv: bool, as_json: bool) -> None:
    lines = journal.meters()
    if as_json:
        _json(lines)
    elif as_csv:
        _csv(MetersRow, lines)
    else:
        columns = ["table", "seat", *_METERS, *_MONEY]
        rows = [
            (one.table, one.seat or "all", *(f"{getattr(one, name):,}" for name in _METERS), *_amounts(one))
            for one in lines
        ]
        titles = [name.replace("_", " ") for name in columns]
        show_table("Meters", titles, rows, right=titles[2:])


def _amounts(one: MetersRow) -> list[str]:
    return [format_amount(getattr(one, name)) for name in _MONEY]


def _events(
    journal: Export, since: str | None, thresholds: Thresholds, calendar: Calendar, as_csv: bool, as_json: bool
) -> None:
    events, position = journal.events(since, thresholds), journal.position(since)
    if as_json:
        _json(events)
        _json(iter([ExportPosition(position)]))
        return
    if as_csv:
        _csv(Significant, events)
    else:
        rows = [(one.table, str(one.seq), calendar.written(Millis(one.at)), one.kind, *_about(one)) for one in events]
        columns = ["table", "entry", "at", "what", "round", "seat", "amount", "by"]
        show_table(f"Significant events (time zone {calendar.zone})", columns, rows)
    click.echo(f"position: {position}", err=True)


def _about(one: Significant) -> tuple[str, str, str, str]:
    people = ", ".join(word for word in (one.by, one.who, one.second) if word)
    amount = format_amount(one.cents) if one.cents is not None else ""
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
