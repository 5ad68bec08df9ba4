"""The calendar of a journal's house, and the tables that a report or a list covers."""

from collections.abc import Sequence

from roundhouse.audit.house import times_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.office.gaming_days import SHIFTS, ZONE, Calendar
from roundhouse.rules.errors import UserError
from roundhouse.table.names import TableId


class NoSuchTable(UserError):
    """The journal has no table of that name."""


def calendar_of(file: JournalFile, zone: str | None = None, shifts: str | None = None) -> Calendar:
    """Return a calendar. Zone and shifts that are not given come from the journal's house, else from the defaults."""
    house = times_of(file)
    if zone is None:
        zone = house.time_zone if house is not None else ZONE
    if shifts is None:
        shifts = ",".join(house.shifts) if house is not None else SHIFTS
    return Calendar(zone, shifts)


def choose_tables(tables: Sequence[TableId], name: TableId | None) -> Sequence[TableId]:
    if name is None or name in tables:
        return tables if name is None else [name]
    raise NoSuchTable(f"the journal has no table '{name}'; it has {', '.join(tables) or 'none'}")
