"""``roundhouse report``: handle, win, hold and drop of a house, by table, day, shift or seat."""

from pathlib import Path

import click
import msgspec

from roundhouse.cli.office import check_form, csv_line, csv_option, fields_of, journal_argument
from roundhouse.cli.output import console, json_option, plain, show_table, write_file
from roundhouse.cli.proving import progress, tell_discrepancy
from roundhouse.office.report import By, Line, Question, Report
from roundhouse.office.report import report as make_report
from roundhouse.office.shifts import SHIFTS, ZONE, Calendar, day_of
from roundhouse.proof.discrepancy import DoesNotHold
from roundhouse.proof.telling import dollars
from roundhouse.table.names import TableId

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


@click.command(short_help="handle, win, hold, drop")
@journal_argument
@click.option("--by", type=click.Choice([by.value for by in By]), default=By.TABLE.value, help="What a line is of.")
@click.option("--table", "table_name", metavar="NAME", help="One table; without it, all.")
@click.option("--from", "first", metavar="DATE", help="The first gaming day, like 2026-11-16.")
@click.option("--to", "last", metavar="DATE", help="The last gaming day.")
@click.option("--shifts", default=SHIFTS, show_default=True, help="When shifts begin; the first begins the day.")
@click.option("--zone", default=ZONE, show_default=True, help="The time zone of the house.")
@csv_option
@json_option
@click.option("-o", "--output", metavar="FILE", default="-", help="Without it, standard output.")
def report(
    path: Path,
    by: str,
    table_name: str | None,
    first: str | None,
    last: str | None,
    shifts: str,
    zone: str,
    as_csv: bool,
    as_json: bool,
    output: str,
) -> int:
    """Report on a journal, or on the house in a folder, which may be running. A correction counts when it is made."""
    check_form(as_csv, as_json)
    question = Question(
        By(by),
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
        write_file(output, "".join(csv_line(cells) for cells in [Line.__struct_fields__, *map(fields_of, made.lines)]))
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
    out.print("This is what the record says; 'roundhouse verify' proves that it holds.")


def _cells(line: Line) -> list[str]:
    return [_cell(name, getattr(line, name)) for name in _PEOPLE]


def _cell(name: str, value: int | str | None) -> str:
    if value is None:
        return "–"
    return dollars(int(value)) if name in _CENTS else f"{value:,}" if isinstance(value, int) else value
