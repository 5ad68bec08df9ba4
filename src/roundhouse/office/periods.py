"""Periods of a house: parses the ends of a period, and writes them into addresses.

An end is a gaming day or a time. A time without an offset from UTC is in the house's time zone.
"""

import re
from datetime import datetime
from typing import Final, NamedTuple

from roundhouse.office.gaming_days import Calendar, NoSuchTime, day_of
from roundhouse.table.names import Millis

_TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}(:\d{2})?)?", re.ASCII
)


class Period(NamedTuple):
    """A period of time. None leaves an end open."""

    first: Millis | None
    until: Millis | None
    """First instant after the period."""

    def contains(self, at: Millis) -> bool:
        return (self.first is None or at >= self.first) and (self.until is None or at < self.until)


def period_of(calendar: Calendar, first: str | None, last: str | None) -> Period:
    """Parse the ends of a period. A last day is included; a last time is the first instant after the period."""
    period = Period(
        None if first is None else _instant(calendar, first, False),
        None if last is None else _instant(calendar, last, True),
    )
    if period.first is not None and period.until is not None and period.first > period.until:
        raise NoSuchTime(f"the period begins after its end: from {first} to {last}")
    return period


def _instant(calendar: Calendar, text: str, ends: bool) -> Millis:
    if _TIME.fullmatch(text) is None:
        day = day_of(text)
        return calendar.ends(day) if ends else calendar.begins(day)
    try:
        # Python 3.11 reads a fraction of a second with any number of digits.
        moment = datetime.fromisoformat(text)
        return calendar.instant(moment)
    except (ValueError, OverflowError):
        raise NoSuchTime(f"'{text}' is not a time; write it like 2026-11-16T06:00") from None
