"""Gaming days and shifts of a house, and the formatting of times in its time zone.

A gaming day lasts from the start of its first shift to the start of the next day's first shift. Each boundary is
one instant, also in a night in which the clocks change.
"""

import re
from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis

SHIFTS = "06:00,14:00,22:00"
"""Default start times of the shifts."""
ZONE = "UTC"
"""Default time zone, for a journal that records no house."""
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ONE_DAY = timedelta(days=1)


class NoSuchTime(UserError):
    """A day, a shift or a time zone is invalid. The message names it and the expected form."""


class Shift(NamedTuple):
    day: date
    """The gaming day that the shift belongs to."""
    begins: str
    """Start time, such as 06:00. It is also the name of the shift."""
    first: Millis
    """First instant of the shift."""
    end: Millis
    """First instant after the shift."""


class Calendar:
    """The gaming days and shifts of a time zone."""

    def __init__(self, zone: str = ZONE, shifts: str = SHIFTS) -> None:
        self.zone = zone
        self.shifts = tuple(shifts.split(","))
        self._zone = _zone(zone)
        self._starts = [_start(text) for text in self.shifts]
        if sorted(set(self._starts)) != self._starts:
            raise NoSuchTime(f"start times of shifts must be in ascending order, without repetition, not '{shifts}'")
        self._last: Shift | None = None

    def shift(self, at: Millis) -> Shift:
        """Return the shift of an instant. The shift found last is tried first, because most instants are in order."""
        last = self._last
        if last is None or not last.first <= at < last.end:
            last = self._last = self._look_up(at)
        return last

    def _look_up(self, at: Millis) -> Shift:
        try:
            today = datetime.fromtimestamp(at // 1000, UTC).astimezone(self._zone).date()
            bounds = [bound for n in (-1, 0, 1, 2) for bound in self._bounds(today + n * _ONE_DAY)]
        except (OverflowError, ValueError, OSError):
            raise NoSuchTime(f"a time in the journal is outside the calendar: {at} ms since 1970") from None
        place = bisect_right([first for first, _, _ in bounds], at) - 1
        first, day, begins = bounds[place]
        return Shift(day, begins, first, bounds[place + 1][0])

    def _bounds(self, day: date) -> list[tuple[Millis, date, str]]:
        """Return start, day and name of each shift of a gaming day.

        A clock change could move a start before that of the previous shift; then both start at the same instant.
        """
        bounds: list[tuple[Millis, date, str]] = []
        for start, name in zip(self._starts, self.shifts, strict=True):
            instant = Millis(int(datetime.combine(day, start, self._zone).timestamp()) * 1000)
            bounds.append((max(instant, bounds[-1][0]) if bounds else instant, day, name))
        return bounds

    def begins(self, day: date) -> Millis:
        """Return the first instant of a gaming day."""
        try:
            return self._bounds(day)[0][0]
        except (OverflowError, ValueError):
            raise NoSuchTime(f"the day {day} is outside the calendar of {self.zone}") from None

    def ends(self, day: date) -> Millis:
        """Return the first instant after a gaming day."""
        if day == date.max:
            raise NoSuchTime(f"the day {day} is outside the calendar of {self.zone}")
        return self.begins(day + _ONE_DAY)

    def shift_bounds(self, day: date, begins: str) -> tuple[Millis, Millis]:
        """Return the first instant of a shift of a gaming day, and the first one after it."""
        starts = [first for first, _, _ in self._bounds(day)] + [self.ends(day)]
        place = self.shifts.index(begins)
        return starts[place], starts[place + 1]

    def instant(self, moment: datetime) -> Millis:
        """Return the instant of a time. Without an offset from UTC it is local; of a repeated hour it is the first."""
        local = moment if moment.tzinfo is not None else moment.replace(tzinfo=self._zone)
        whole = local.replace(microsecond=0)
        return Millis(int(whole.timestamp()) * 1000 + local.microsecond // 1000)

    def format(self, at: Millis) -> str:
        """Return an instant in local time, with its offset from UTC.

        >>> Calendar("Asia/Singapore").format(Millis(1_700_000_000_250))
        '2023-11-15T06:13:20.250+08:00'
        """
        try:
            moment = datetime.fromtimestamp(at // 1000, UTC).astimezone(self._zone)
        except (OverflowError, ValueError, OSError):
            return f"{at} ms"
        return moment.replace(microsecond=at % 1000 * 1000).isoformat(timespec="milliseconds")

    def clock(self, at: Millis) -> str:
        """Return an instant in local time, without the offset, for output that names the zone elsewhere.

        >>> Calendar("Asia/Singapore").clock(Millis(1_700_000_000_250))
        '2023-11-15 06:13:20.250'
        """
        text = self.format(at)
        return text[:23].replace("T", " ") if "T" in text else text


def day_of(text: str) -> date:
    """Parse a day written as year, month and day.

    >>> day_of("2026-11-16")
    datetime.date(2026, 11, 16)
    """
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise NoSuchTime(f"'{text}' is not a day; write it like 2026-11-16")


def _start(text: str) -> time:
    if (found := _CLOCK.fullmatch(text)) is None:
        raise NoSuchTime(f"'{text}' is not the start time of a shift; write the shifts like {SHIFTS}")
    return time(int(found[1]), int(found[2]))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise NoSuchTime(f"there is no time zone '{name}'; write UTC or one like Asia/Singapore") from None
