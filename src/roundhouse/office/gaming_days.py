"""Days and shifts of a house: which of them an instant belongs to.

A gaming day begins with its first shift and ends where the next day's first shift begins, so that its shifts add
up to it. Each boundary is one instant, whatever the clocks of the place do in that night.
"""

import re
from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis

SHIFTS = "06:00,14:00,22:00"
ZONE = "UTC"
"""Of a journal that is of no house, unless a zone is given."""
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ONE_DAY = timedelta(days=1)


class NoSuchTime(UserError):
    """A day, a shift or a zone that no calendar has, in words for the person who wrote it."""


class Shift(NamedTuple):
    day: date
    begins: str
    """The time of day at which it begins, as it was written: its name."""
    first: Millis
    end: Millis
    """The first instant that is no longer in it."""


class Calendar:
    def __init__(self, zone: str = ZONE, shifts: str = SHIFTS) -> None:
        self.zone = zone
        self.shifts = tuple(shifts.split(","))
        self._zone = _zone(zone)
        self._starts = [_start(word) for word in self.shifts]
        if sorted(set(self._starts)) != self._starts:
            raise NoSuchTime(f"shifts are named once each, in the order of the day, not '{shifts}'")
        self._known: Shift | None = None

    def shift(self, at: Millis) -> Shift:
        """The shift of an instant. Instants mostly come in order, so the last answer is tried first."""
        known = self._known
        if known is None or not known.first <= at < known.end:
            known = self._known = self._look_up(at)
        return known

    def _look_up(self, at: Millis) -> Shift:
        try:
            today = datetime.fromtimestamp(at // 1000, UTC).astimezone(self._zone).date()
            bounds = [bound for n in (-1, 0, 1, 2) for bound in self._bounds(today + n * _ONE_DAY)]
        except (OverflowError, ValueError, OSError):
            raise NoSuchTime(f"the journal's clock says {at} ms since 1970, which is in no calendar") from None
        place = bisect_right([first for first, _, _ in bounds], at) - 1
        first, day, begins = bounds[place]
        return Shift(day, begins, first, bounds[place + 1][0])

    def _bounds(self, day: date) -> list[tuple[Millis, date, str]]:
        """When the shifts of a day begin. Where clocks jump over a boundary, no shift begins before the one before."""
        bounds: list[tuple[Millis, date, str]] = []
        for start, word in zip(self._starts, self.shifts, strict=True):
            instant = Millis(int(datetime.combine(day, start, self._zone).timestamp()) * 1000)
            bounds.append((max(instant, bounds[-1][0]) if bounds else instant, day, word))
        return bounds

    def begins(self, day: date) -> Millis:
        try:
            return self._bounds(day)[0][0]
        except (OverflowError, ValueError):
            raise NoSuchTime(f"{day} is in no calendar of {self.zone}") from None

    def ends(self, day: date) -> Millis:
        if day == date.max:
            raise NoSuchTime(f"{day} is in no calendar of {self.zone}")
        return self.begins(day + _ONE_DAY)

    def written(self, at: Millis) -> str:
        """An instant as the clocks of the place show it, with what they are ahead of UTC.

        >>> Calendar("Asia/Singapore").written(Millis(1_700_000_000_250))
        '2023-11-15T06:13:20.250+08:00'
        """
        try:
            moment = datetime.fromtimestamp(at // 1000, UTC).astimezone(self._zone)
        except (OverflowError, ValueError, OSError):
            return f"{at} ms"
        return moment.replace(microsecond=at % 1000 * 1000).isoformat(timespec="milliseconds")

    def clock(self, at: Millis) -> str:
        """The same without the offset, for a table whose heading names the zone.

        >>> Calendar("Asia/Singapore").clock(Millis(1_700_000_000_250))
        '2023-11-15 06:13:20.250'
        """
        written = self.written(at)
        return written[:23].replace("T", " ") if "T" in written else written


def day_of(word: str) -> date:
    """
    >>> day_of("2026-11-16")
    datetime.date(2026, 11, 16)
    """
    try:
        if _DAY.fullmatch(word):
            return date.fromisoformat(word)
    except ValueError:
        pass
    raise NoSuchTime(f"'{word}' is no day; write it like 2026-11-16")


def _start(word: str) -> time:
    if (found := _CLOCK.fullmatch(word)) is None:
        raise NoSuchTime(f"'{word}' is no beginning of a shift; write them like {SHIFTS}")
    return time(int(found[1]), int(found[2]))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise NoSuchTime(f"there is no time zone '{name}'; write UTC or one like Asia/Singapore") from None
