"""``roundhouse house cage``: the drawers of the cage, and the cash transactions that the house reports."""

from pathlib import Path

import click
import msgspec

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.house import currency_of
from roundhouse.cli.audit import NOT_VERIFIED, show_discrepancy, zone_option
from roundhouse.cli.formats import check_format, csv_line, csv_option, fields_of
from roundhouse.cli.house_paths import journal_argument
from roundhouse.cli.output import console, json_option, plain, show_table, write_file
from roundhouse.office.cage_records import CageReport, DrawerShift, ReportedCash, cage_report
from roundhouse.office.calendars import calendar_of
from roundhouse.office.gaming_days import Calendar, day_of
from roundhouse.office.records import Records
from roundhouse.rules.currency import format_amount
from roundhouse.table.names import Millis

_DRAWERS = (
    "drawer",
    "cashier",
    "opened",
    "closed",
    "float",
    "filled",
    "dropped",
    "sold",
    "paid",
    "expected",
    "variance",
)
_REPORTED = ("at", "drawer", "who", "direction", "cents", "total", "basis", "ticket", "initials", "seat")
_MONEY = {"float", "filled", "dropped", "sold", "paid", "expected", "variance", "cents", "total"}
_TIMES = {"opened", "closed", "at"}


@click.command()
@journal_argument("JOURNAL")
@click.option("--what", type=click.Choice(["drawers", "reported"]), default="drawers", show_default=True,
              help="With --csv: write drawers, or reported cash transactions.")  # fmt: skip
@click.option("--from", "first", metavar="DATE", help="First gaming day. Default: the first recorded.")
@click.option("--to", "last", metavar="DATE", help="Last gaming day. Default: the last recorded.")
@zone_option
@csv_option
@json_option
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write. Default: standard output.")
def cage(
    path: Path,
    what: str,
    first: str | None,
    last: str | None,
    zone: str | None,
    as_csv: bool,
    as_json: bool,
    output: str,
) -> int:
    """Report the drawers of the cage, and the cash transactions that the house reports. The house may be running."""
    check_format(as_csv, as_json)
    try:
        records = Records(path)
        try:
            calendar, currency = calendar_of(records, zone), currency_of(records)
        finally:
            records.close()
        days = [day_of(text) if text is not None else None for text in (first, last)]
        found = cage_report(path, calendar, *days)
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    if as_csv:
        kind, rows = (DrawerShift, found.drawers) if what == "drawers" else (ReportedCash, found.reported)
        lines = [kind.__struct_fields__, *map(fields_of, rows)]
        write_file(output, "".join(map(csv_line, lines)))
    elif as_json or output != "-":
        write_file(output, msgspec.json.encode(found) + b"\n")
    else:
        _show(found, calendar, currency)
    return 0


def _show(found: CageReport, calendar: Calendar, currency: str) -> None:
    for title, columns, rows in (
        ("Drawers", _DRAWERS, found.drawers),
        ("Reported cash transactions", _REPORTED, found.reported),
    ):
        cells = [[_cell(name, getattr(row, name), calendar, currency) for name in columns] for row in rows]
        show_table(f"{title}, {found.zone}", list(columns), cells, right=[name for name in columns if name in _MONEY])
    out = console()
    out.print(f"Voided tickets: {format_amount(found.voided, currency)}")
    out.print(f"{plain(found.head.table)} up to entry {found.head.entries:,}: {found.head.hash}")
    out.print(NOT_VERIFIED)


def _cell(name: str, value: object, calendar: Calendar, currency: str) -> str:
    if value is None:
        return "–"
    if name in _MONEY and isinstance(value, int):
        return format_amount(value, currency)
    if name in _TIMES and isinstance(value, int):
        return calendar.clock(Millis(value))
    return str(value)
