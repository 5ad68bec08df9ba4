"""Lists rounds by time, table, seat, person, ticket and status, in pages.

With a column of a report, a list has exactly the rounds of which a figure of that column is made, each with its
amount. The amounts add up to the figure. A later change of a round belongs to the period in which it was made, as it
does in a report.
"""

import heapq
from collections.abc import Iterator
from pathlib import Path

from roundhouse.office.calendars import calendar_of, choose_tables
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.periods import period_of
from roundhouse.office.records import Records
from roundhouse.office.round_rows import RoundList, RoundRow, RoundsQuery
from roundhouse.office.round_search import Found, Place, RoundSearch
from roundhouse.office.ticket_rounds import play_of_ticket
from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis, RoundNumber, TableId

EXAMINED = 20_000
"""Most rounds that one page looks at. A page may then have fewer rows, and still a next page."""


class NoSuchPage(UserError):
    """The value of ``after`` is not the ``next`` of a page."""


def rounds(path: Path, query: RoundsQuery, zone: str | None = None, shifts: str | None = None) -> RoundList:
    """List a page of the rounds of a journal, or of the journal in a house's data folder.

    Time zone and shifts are those of the house if they are not given. They tell when a gaming day begins.
    """
    records = Records(path)
    try:
        return rounds_of(records, query, calendar_of(records, zone, shifts))
    finally:
        records.close()


def all_rounds(
    path: Path, query: RoundsQuery, zone: str | None = None, shifts: str | None = None
) -> Iterator[RoundRow]:
    """Yield every round that a query lists."""
    records = Records(path)
    try:
        yield from (
            found.row for found in _search(records, query, calendar_of(records, zone, shifts)) if found.row is not None
        )
    finally:
        records.close()


def rounds_of(records: Records, query: RoundsQuery, calendar: Calendar) -> RoundList:
    rows: list[RoundRow] = []
    following: str | None = None
    last: Place | None = None
    for examined, found in enumerate(_search(records, query, calendar)):
        if last is not None and (len(rows) == query.limit or examined == EXAMINED):
            following = _text(last)
            break
        last = found.place
        if found.row is not None:
            rows.append(found.row)
    return RoundList(calendar.zone, rows, following)


def _search(records: Records, query: RoundsQuery, calendar: Calendar) -> Iterator[Found]:
    """Yield the examined rounds of all tables in the order of their beginning."""
    period = period_of(calendar, query.first, query.last)
    play = play_of_ticket(records, query) if query.ticket is not None else None
    after = _place(query.after) if query.after is not None else None
    tables = choose_tables(records.playing_tables(), query.table)
    searches = (RoundSearch(records, table, query, period, play).found(after) for table in tables)
    return heapq.merge(*searches, key=lambda found: found.place, reverse=query.newest)


def _text(place: Place) -> str:
    return f"{place[0]}.{place[2]}.{place[1]}"


def _place(text: str) -> Place:
    at, _, rest = text.partition(".")
    number, _, table = rest.partition(".")
    if not (at.isdecimal() and number.isdecimal() and table and max(len(at), len(number)) <= 18):
        raise NoSuchPage(f"'{text}' is not a page; give the 'next' of the page before")
    return Millis(int(at)), TableId(table), RoundNumber(int(number))
