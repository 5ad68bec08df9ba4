"""``roundhouse house rounds``. Lists rounds, or the rounds of one figure of a report."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

import click
import msgspec
from msgspec.structs import asdict, replace

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.cli.audit import NOT_VERIFIED, show_discrepancy, zone_option
from roundhouse.cli.formats import Formats, check_formats, csv_option, csv_text, parquet_option, write_parquet
from roundhouse.cli.house_paths import journal_argument
from roundhouse.cli.output import console, counted, json_option, show_table, write_file
from roundhouse.journal.entry import Seq
from roundhouse.journal.seal import read_key
from roundhouse.office.calendars import calendar_of
from roundhouse.office.columns import Column
from roundhouse.office.dealers import AUTOMATIC, UNNAMED, DealerName
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.records import Records
from roundhouse.office.round_facts import Adjustment, RoundStatus
from roundhouse.office.round_rows import RoundList, RoundRow, RoundsQuery
from roundhouse.office.round_search import exact_sum
from roundhouse.office.rounds import all_rounds
from roundhouse.office.ticket_rounds import find_ticket
from roundhouse.rules.currency import format_amount
from roundhouse.rules.errors import UserError
from roundhouse.rules.names import BetType, GameId
from roundhouse.table.names import PersonName, SeatId, TableId, TicketNumber, masked

_DEALERS = {AUTOMATIC: "Automatic dealer", UNNAMED: "Dealer (no name)"}


class NoSuchLink(UserError):
    """The text is not the ``where`` of a row of a report."""


@click.command()
@journal_argument("JOURNAL")
@click.option("--where", metavar="QUERY", help="Filters of a row of a report: the value of its column 'where'.")
@click.option("--table", metavar="NAME", help="Rounds of one table.")
@click.option("--from", "first", metavar="TIME", help="First gaming day, or a time such as 2026-11-16T06:00.")
@click.option("--to", "last", metavar="TIME", help="Last gaming day, or the first time after the period.")
@click.option("--seat", metavar="SEAT", help="Rounds in which a seat had bets; amounts are those of the seat.")
@click.option("--dealer", metavar="PERSON", help=f"Rounds of a Dealer, of {AUTOMATIC}, or of {UNNAMED} without a name.")
@click.option("--person", metavar="PERSON", help="Rounds that a person dealt, decided or approved.")
@click.option("--game", metavar="GAME", help="Rounds of a game.")
@click.option("--kind", metavar="KIND", help="Rounds with bets of a kind, such as straight; amounts are those of it.")
@click.option("--status", type=click.Choice([one.value for one in RoundStatus]), help="Rounds with a status.")
@click.option("--ticket", metavar="DIGITS", help="Rounds behind a ticket: its last four digits, or all of them.")
@click.option("--entry", type=click.IntRange(min=1), metavar="N", help="Entry that issued or redeemed the ticket.")
@click.option(
    "--column",
    type=click.Choice([one.value for one in Column]),
    help="Column of a report. Lists the rounds of its figure, each with its amount.",
)
@zone_option
@csv_option
@json_option
@parquet_option
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write. Default: standard output.")
def rounds(
    path: Path,
    where: str | None,
    table: str | None,
    first: str | None,
    last: str | None,
    seat: str | None,
    dealer: str | None,
    person: str | None,
    game: str | None,
    kind: str | None,
    status: str | None,
    ticket: str | None,
    entry: int | None,
    column: str | None,
    zone: str | None,
    as_csv: bool,
    as_json: bool,
    parquet: str | None,
    output: str,
) -> int:
    """List rounds by time, table, seat, person, ticket and status.

    A round belongs to the period in which it ended. With --column, the list has the rounds of one figure of a
    report, and a later change of a round belongs to the period in which it was made. The amounts add up to the figure.
    """
    formats = Formats(as_csv, as_json, parquet, output)
    check_formats(formats)
    query = _query_of(where) if where is not None else RoundsQuery()
    given = {
        "table": TableId(table) if table else None,
        "first": first,
        "last": last,
        "seat": SeatId(seat) if seat else None,
        "dealer": DealerName(dealer) if dealer else None,
        "person": PersonName(person) if person else None,
        "game": GameId(game) if game else None,
        "kind": BetType(kind) if kind else None,
        "status": RoundStatus(status) if status else None,
        "ticket": ticket,
        "entry": Seq(entry) if entry else None,
        "column": Column(column) if column else None,
    }
    query = replace(query, **{name: value for name, value in given.items() if value is not None})
    try:
        records = Records(path)
        try:
            calendar, currency = calendar_of(records, zone), records.currency(records.playing_tables())
            if query.ticket is not None and len(query.ticket) > 4:
                query = _with_place(records, query)
        finally:
            records.close()
        found = list(all_rounds(path, query, zone))
    except DoesNotHold as wrong:
        return show_discrepancy(path, wrong.discrepancy, as_json)
    if formats.parquet is not None:
        filters = {name: str(value) for name, value in asdict(query).items() if value is not None}
        about = {"table": "rounds", "currency": currency, "time_zone": calendar.zone}
        write_parquet(formats.parquet, RoundRow, found, about | {"query": msgspec.json.encode(filters).decode()})
    elif formats.csv:
        write_file(output, csv_text(RoundRow, found))
    elif formats.json:
        write_file(output, msgspec.json.encode(RoundList(calendar.zone, found, None)) + b"\n")
    else:
        _show(found, query, calendar, currency)
    return 0


def _query_of(where: str) -> RoundsQuery:
    try:
        return msgspec.convert(dict(parse_qsl(where.lstrip("?"))), RoundsQuery, strict=False)
    except msgspec.ValidationError as error:
        raise NoSuchLink(f"'{where}' is not the 'where' of a row of a report: {error}") from None


def _with_place(records: Records, query: RoundsQuery) -> RoundsQuery:
    """Replace the full number of a ticket by its last digits and its place. The key of the journal is needed."""
    place = find_ticket(records, TicketNumber(query.ticket or ""), read_key(records.path))
    return replace(
        query, ticket=masked(place.id)[-4:], table=query.table or place.table, entry=query.entry or place.seq
    )


def _show(found: list[RoundRow], query: RoundsQuery, calendar: Calendar, currency: str) -> None:
    amount = partial(format_amount, currency=currency)
    column = query.column
    titles = ["table", "round", "ended", "game", "outcome", "status", "dealt by", "seats", "staked", "returned", "win"]
    titles += [column.value.replace("_", " ")] if column is not None else []
    rows = [_cells(row, query, calendar, amount) for row in found]
    right = ("round", "seats", "staked", "returned", "win", *titles[11:])
    show_table(f"{counted(len(found), 'round')}; time zone {calendar.zone}", titles, rows, right=right)
    out = console()
    for row in found:
        for change in row.adjusted_by:
            out.print(
                f"{row.table} round {row.round}: {_change(change, calendar, amount)}", markup=False, soft_wrap=True
            )
    if column is not None:
        total = exact_sum(found)
        is_amount = column.is_money and total.denominator == 1
        out.print(f"total {column.value}: {amount(int(total)) if is_amount else total}")
    out.print(NOT_VERIFIED)


def _cells(row: RoundRow, query: RoundsQuery, calendar: Calendar, amount: Callable[[int], str]) -> list[str]:
    cells = [
        row.table,
        str(row.round),
        calendar.clock(row.settled_at) if row.settled_at is not None else "–",
        row.game,
        row.outcome or "–",
        row.status.value,
        ", ".join(_DEALERS.get(name, name) for name in row.dealt_by),
        str(len(row.seats)),
        *map(amount, (row.staked, row.returned, row.win)),
    ]
    if query.column is None:
        return cells
    if row.exact is not None or row.amount is None:
        return [*cells, row.exact or "–"]
    return [*cells, amount(row.amount) if query.column.is_money else f"{row.amount:,}"]


def _change(change: Adjustment, calendar: Calendar, amount: Callable[[int], str]) -> str:
    people = " and ".join(name for name in (change.who, change.second) if name) or change.by or "the table"
    clauses = ", ".join(change.clauses)
    what = change.what.value.replace("_", " ")
    return f"{what} at {calendar.clock(change.at)} by {people}, clause {clauses}: win {amount(change.win)}"
