"""Decides requests about a Player's protection: limits, breaks, reality checks, and calls of an attendant."""

from typing import Final

from msgspec import UNSET

from roundhouse.rules.names import MAX_STAKE_CENTS, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, refuse
from roundhouse.table.names import Millis
from roundhouse.table.protection import (
    LIMIT_NAMES,
    MINUTE,
    NO_HOUSE_PROTECTION,
    NO_LIMITS,
    HouseProtection,
    LimitName,
    changed_limits,
    house_limits_of,
    is_stricter,
)
from roundhouse.table.refusals import Refusal
from roundhouse.table.seat_sessions import figures_of, has_ended
from roundhouse.table.state import Seat, Table

MAX_MINUTES: Final = 7 * 24 * 60
"""Longest time limit, and longest interval of reality checks."""


def set_protection(table: Table, command: c.SetProtection, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    house = facts.protection or NO_HOUSE_PROTECTION
    asked: dict[LimitName, int | None] = {
        name: value for name in LIMIT_NAMES if (value := getattr(command, name)) is not UNSET
    }
    if not asked:
        return refuse(Refusal.BAD_AMOUNT, reason=f"name at least one of {', '.join(LIMIT_NAMES)}")
    for name, value in asked.items():
        most = MAX_MINUTES if name in ("minutes", "check_minutes") else MAX_STAKE_CENTS
        if value is not None and not 0 < value <= most:
            return refuse(Refusal.BAD_AMOUNT, reason=f"{name} must be from 1 to {most}, or null for no limit")
        if not is_stricter(value, house.limits.of(name)):
            reason = f"the house allows {name} of at most {house.limits.of(name)}"
            return refuse(Refusal.LIMIT_NOT_ALLOWED, reason=reason)
        if value is None and name in house.required:
            return refuse(Refusal.LIMIT_NOT_ALLOWED, reason=f"the house requires {name}")
    ended = has_ended(seat, facts.at, house)
    kept = UNSET if ended else seat.protection
    now, pending = (NO_LIMITS, {}) if kept is UNSET else (kept.limits_at(facts.at), kept.pending)
    now = house_limits_of(now, house)
    limits, later = changed_limits(now, pending, asked, facts.at, house.raise_after)
    return Decision([e.ProtectionSet(seat.id, limits, later, house.required, ended)])


def session_after(seat: Seat, command: c.Command, facts: Facts) -> tuple[bool, HouseProtection | None]:
    """Return whether money begins a new session at a seat that had one, and the limits of the house, if it has any.

    Entries of earlier versions know neither.
    """
    if facts.money is None:
        return False, None
    house = facts.protection or NO_HOUSE_PROTECTION
    ended = has_ended(seat, facts.at, house, by_staff=command.by is not StaffPosition.PLAYER)
    return ended, house if house.has_limits else None


def take_break(table: Table, command: c.TakeBreak, facts: Facts) -> Decision:
    """Begin a break, or prolong it. It cannot be shortened."""
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    most = (facts.protection or NO_HOUSE_PROTECTION).max_break_minutes
    if not 0 < command.minutes <= most:
        return refuse(Refusal.BAD_AMOUNT, reason=f"a break lasts from 1 to {most} minutes")
    until = Millis(facts.at + command.minutes * MINUTE)
    return Decision([e.BreakTaken(seat.id, max(until, seat.protection.break_until if seat.protection else until))])


def acknowledge_check(table: Table, command: c.AcknowledgeCheck, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    due = seat.protection.check_due_at(facts.at) if seat.protection else None
    if due is None or facts.at < due or seat.session is UNSET:
        return refuse(Refusal.NO_CHECK_DUE)
    return Decision([e.CheckAcknowledged(seat.id, figures_of(seat).net, Millis(facts.at - seat.session.began))])


def call_attendant(table: Table, command: c.CallAttendant, facts: Facts) -> Decision:
    if command.seat not in table.state.seats:
        return refuse(Refusal.NO_SUCH_SEAT)
    if command.seat in (table.state.calls or ()):
        return refuse(Refusal.ALREADY_CALLED)
    return Decision([e.AttendantCalled(command.seat)])


def attend_call(table: Table, command: c.AttendCall, facts: Facts) -> Decision:
    """Clear the call of a seat after staff have answered it."""
    if command.seat not in table.state.seats:
        return refuse(Refusal.NO_SUCH_SEAT)
    if command.seat not in (table.state.calls or ()):
        return refuse(Refusal.NO_CALL)
    who = None if command.who is UNSET else command.who
    return Decision([e.CallAttended(command.seat, command.by, who)])
