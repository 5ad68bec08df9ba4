"""``roundhouse house report`` and ``roundhouse house export``. Both print a table, JSON or CSV."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.cli.audit import NOT_VERIFIED, progress, show_discrepancy, zone_option
from roundhouse.cli.formats import (
    Formats,
    check_format,
    check_formats,
    csv_line,
    csv_option,
    csv_text,
    fields_of,
    parquet_option,
    write_parquet,
)
from roundhouse.cli.house_paths import journal_argument
from roundhouse.cli.output import console, json_option, plain, show_table, write_file
from roundhouse.floor.clock import SystemClock
from roundhouse.office.dictionary import is_money
from roundhouse.office.export import Export, ExportPosition, MetersRow, TicketsRow
from roundhouse.office.gaming_days import SHIFTS, Calendar, day_of
from roundhouse.office.report import GroupBy, Report, ReportQuery, ReportRow
from roundhouse.office.report import report as make_report
from roundhouse.office.significant_events import LARGE_CENTS, Significant, Thresholds
from roundhouse.rules.currency import PLAY_MONEY, format_amount
from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis, TableId

_KEYS = ("table", "day", "shift", "seat", "dealer", "game", "kind")
_COLUMN_TITLES = {
    "played": "played",
    "played_handle": "handle",
    "played_win": "win",
    "adjustments": "changes",
    "adjusted": "adjusted",
    "win": "net win",
    "hold_percent": "hold %",
    "theoretical": "theoretical",
    "z": "z",
    "drop": "drop",
    "tickets_out": "tickets out",
    "voids": "voids",
    "corrections": "corrected",
    "shortfall": "shortfall",
    "late_bets": "late bets",
}


@click.command()
@journal_argument("JOURNAL")
@click.option(
    "--by",
    type=click.Choice([by.value for by in GroupBy]),
    default=GroupBy.TABLE.value,
    show_default=True,
    help="Group rows by table, shift, day, seat, Dealer, game or kind of bet.",
)
@click.option("--table", "table_name", metavar="NAME", help="Report one table. Default: all tables.")
@click.option(
    "--from", "first", metavar="DATE", help="First gaming day, such as 2026-11-16. Default: the first recorded."
)
@click.option("--to", "last", metavar="DATE", help="Last gaming day. Default: the last recorded.")
@click.option(
    "--shifts",
    metavar="TIMES",
    help=f"Start times of the shifts, such as {SHIFTS}. The first starts the gaming day. Default: those of the house.",
)
@zone_option
@csv_option
@json_option
@parquet_option
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
    parquet: str | None,
    output: str,
) -> int:
    """Report handle, win, hold and drop of a house, or of a journal such as a backup. The house may be running.

    A correction counts on the gaming day on which it is made, as an adjustment. Theoretical win is that of the bets
    placed, beside the actual win by the final results. 'house rounds --where' lists the rounds of a row.
    """
    formats = Formats(as_csv, as_json, parquet, output)
    check_formats(formats)
    query = ReportQuery(
        GroupBy(by),
        TableId(table_name) if table_name is not None else None,
        day_of(first) if first is not None else None,
        day_of(last) if last is not None else None,
        zone,
        shifts,
    )
    try:
        with progress() as report_progress:
            result = make_report(path, query, report_progress)
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    if formats.parquet is not None:
        write_parquet(formats.parquet, ReportRow, result.lines, _about(result))
    elif formats.csv:
        write_file(output, csv_text(ReportRow, result.lines))
    elif formats.json:
        write_file(output, msgspec.json.encode(result) + b"\n")
    else:
        _show(result)
    return 0


def _about(result: Report) -> dict[str, str]:
    """Return the metadata of a Parquet file with this report."""
    heads = {head.table: f"{head.entries}:{head.hash}" for head in result.heads}
    return {
        "table": "report",
        "by": result.by.value,
        "currency": result.currency,
        "time_zone": result.zone,
        "shifts": ",".join(result.shifts),
        "heads": msgspec.json.encode(heads).decode(),
    }


def _show(result: Report) -> None:
    currency = result.currency
    keys = [key for key in _KEYS if any(getattr(row, key) is not None for row in result.lines)] or ["table"]
    rows = [[_name(getattr(row, key)) for key in keys] + _cells(row, currency) for row in result.lines]
    total = [["all", *[""] * (len(keys) - 1), *_cells(result.total, currency)]]
    columns = [*keys, *_COLUMN_TITLES.values()]
    unit = "" if currency in ("", PLAY_MONEY) else f"amounts in {currency}; "
    begins = f"{unit}a gaming day begins at {result.shifts[0]}, {result.zone}"
    span = " ".join(f"{end} {day}" for end, day in (("from", result.first), ("to", result.last)) if day is not None)
    show_table(
        f"By {result.by}{f', {span}' if span else ''}; {begins}", columns, rows + total, right=columns[len(keys) :]
    )
    calendar, out = Calendar(result.zone), console()
    for head in result.heads:
        last = f", {calendar.format(head.at)}" if head.at is not None else ""
        out.print(f"{plain(head.table)} up to entry {head.entries:,}{last}: {head.hash}")
    out.print(NOT_VERIFIED)


def _name(value: object) -> str:
    return "–" if value is None else str(value)


def _cells(row: ReportRow, currency: str) -> list[str]:
    return [_cell(name, getattr(row, name), currency) for name in _COLUMN_TITLES]


def _cell(name: str, value: int | str | None, currency: str) -> str:
    if value is None:
        return "–"
    return format_amount(int(value), currency) if is_money(name) else f"{value:,}" if isinstance(value, int) else value


_METERS = ("rounds", "voids", "corrections", "late_bets")
_MONEY = ("handle", "win", "drop", "tickets_out", "shortfall", "credits", "on_layout")


class NoPosition(UserError):
    """--since was given for an export of meters, which cannot be resumed."""


@click.command()
@journal_argument("JOURNAL")
@click.option(
    "--what",
    type=click.Choice(["meters", "events", "tickets"]),
    default="meters",
    show_default=True,
    help="Export meters, events, or tickets that are not redeemed.",
)
@click.option("--since", metavar="POSITION", help="Resume after POSITION, the last line of an earlier export.")
@click.option(
    "--table", "table_name", metavar="NAME", help="Export one table, or @house for events of the house. Default: all."
)
@click.option(
    "--large-win-cents",
    type=click.IntRange(min=1),
    default=LARGE_CENTS,
    show_default=True,
    help="Minimum amount of a win that counts as significant.",
)
@click.option(
    "--large-ticket-cents",
    type=click.IntRange(min=1),
    default=LARGE_CENTS,
    show_default=True,
    help="Minimum amount of a ticket that counts as significant.",
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
    """Export the meters of every table and seat, significant events, or tickets that are not redeemed.

    An export of events ends with a position, from which the next export can resume.
    """
    check_format(as_csv, as_json)
    if what != "events" and since is not None:
        raise NoPosition(f"--since needs --what events; {what} are always exported in full")
    table = TableId(table_name) if table_name is not None else None
    try:
        with progress() as report_progress, Export(path, table, report_progress) as journal:
            if what == "meters":
                _meters(journal, as_csv, as_json)
            elif what == "tickets":
                _tickets(journal, journal.calendar(zone), as_csv, as_json)
            else:
                thresholds = Thresholds(large_win_cents, large_ticket_cents, large_ticket_cents)
                _events(journal, since, thresholds, journal.calendar(zone), as_csv, as_json)
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    return 0


def _meters(journal: Export, as_csv: bool, as_json: bool) -> None:
    meters = journal.meters()
    if as_json:
        _json(meters)
    elif as_csv:
        _csv(MetersRow, meters)
    else:
        columns = ["table", "seat", *_METERS, *_MONEY]
        rows = [
            (
                row.table,
                row.seat or "all",
                *(f"{getattr(row, name):,}" for name in _METERS),
                *_amounts(row, journal.currency),
            )
            for row in meters
        ]
        titles = [name.replace("_", " ") for name in columns]
        show_table("Meters", titles, rows, right=titles[2:])


def _tickets(journal: Export, calendar: Calendar, as_csv: bool, as_json: bool) -> None:
    tickets = journal.tickets(SystemClock().now())
    if as_json:
        _json(tickets)
    elif as_csv:
        _csv(TicketsRow, tickets)
    else:
        columns = ["ticket", "table", "entry", "issued", "seat", "amount", "expires", ""]
        rows = [
            (
                row.ticket,
                row.table,
                str(row.seq),
                calendar.format(row.at),
                row.seat,
                format_amount(row.cents, journal.currency),
                calendar.format(row.expires),
                "expired" if row.expired else "",
            )
            for row in tickets
        ]
        title = f"Tickets that are not redeemed (time zone {calendar.zone})"
        show_table(title, columns, rows, right=("entry", "amount"))


def _amounts(row: MetersRow, currency: str) -> list[str]:
    return [format_amount(getattr(row, name), currency) for name in _MONEY]


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
        rows = [
            (
                event.table,
                str(event.seq),
                calendar.format(Millis(event.at)),
                event.kind,
                *_details(event, journal.currency),
            )
            for event in events
        ]
        columns = ["table", "entry", "at", "what", "round", "seat", "amount", "by"]
        show_table(f"Significant events (time zone {calendar.zone})", columns, rows)
    click.echo(f"position: {position}", err=True)


def _details(event: Significant, currency: str) -> tuple[str, str, str, str]:
    people = ", ".join(name for name in (event.by, event.who, event.second) if name)
    amount = format_amount(event.cents, currency) if event.cents is not None else ""
    return str(event.round or ""), event.seat or "", amount, people


def _json(rows: Iterator[Struct]) -> None:
    encode = msgspec.json.Encoder().encode
    for row in rows:
        sys.stdout.write(encode(row).decode() + "\n")


def _csv(kind: type[Struct], rows: Iterator[Struct]) -> None:
    sys.stdout.write(csv_line(kind.__struct_fields__))
    for row in rows:
        cells = [msgspec.json.encode(cell).decode() if isinstance(cell, dict) else cell for cell in fields_of(row)]
        sys.stdout.write(csv_line(cells))
