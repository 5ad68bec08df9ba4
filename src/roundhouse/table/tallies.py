"""Sums of money that moved at a seat, or by one person, within the last hour. Bounds cannot be passed in slices.

Amounts are added up in spans of five minutes, so that a seat keeps few numbers. A span counts until its end is an hour
old, so an amount counts for at least an hour.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from roundhouse.table.names import Millis

HOUR: Final = 60 * 60 * 1000
SPAN: Final = 5 * 60 * 1000


class MoneyKind(StrEnum):
    """Ways in which money moves at a seat."""

    BUY_IN = "buy_in"
    REVERSAL = "reversal"
    CASH_OUT = "cash_out"
    TICKET = "ticket"


class Moved(Struct, frozen=True, array_like=True):
    """Amounts of one kind in one span of time, in cents."""

    kind: MoneyKind
    since: Millis
    alone: int
    """Part that one person moved without a second person."""
    total: int


Tally = tuple[Moved, ...] | UnsetType


class Sums(NamedTuple):
    alone: int
    total: int


def recent(tally: Tally, kind: MoneyKind, at: Millis) -> Sums:
    """Add up the amounts of a kind in the last hour.

    >>> tally = add((), MoneyKind.BUY_IN, 30, True, Millis(0))
    >>> tally = add(tally, MoneyKind.BUY_IN, 70, False, Millis(SPAN))
    >>> recent(tally, MoneyKind.BUY_IN, Millis(HOUR)), recent(tally, MoneyKind.BUY_IN, Millis(HOUR + SPAN))
    (Sums(alone=30, total=100), Sums(alone=0, total=70))
    """
    found = [one for one in _current(tally, at) if one.kind is kind]
    return Sums(sum(one.alone for one in found), sum(one.total for one in found))


def add(tally: Tally, kind: MoneyKind, cents: int, alone: bool, at: Millis) -> tuple[Moved, ...]:
    """Return the tally with another amount, without spans that no longer count."""
    since = Millis(at - at % SPAN)
    kept = [*_current(tally, at)]
    last = next((one for one in kept if one.kind is kind and one.since == since), Moved(kind, since, 0, 0))
    grown = Moved(kind, since, last.alone + cents * alone, last.total + cents)
    return (*(one for one in kept if one is not last), grown)


def _current(tally: Tally, at: Millis) -> Iterable[Moved]:
    return () if tally is UNSET else (one for one in tally if one.since + SPAN > at - HOUR)
