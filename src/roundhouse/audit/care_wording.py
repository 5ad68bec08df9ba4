"""Describes events about a Player's protection, and calls of an attendant, in English."""

from typing import assert_never

from roundhouse.rules.names import format_amount
from roundhouse.table import care_events as e
from roundhouse.table.protection import LIMIT_NAMES, LimitName, PlayLimits

CareEvent = e.ProtectionSet | e.BreakTaken | e.CheckAcknowledged | e.AttendantCalled | e.CallAttended
_WORDS: dict[LimitName, str] = {
    "loss_cents": "loss",
    "stake_cents": "stake of a round",
    "session_stake_cents": "stake of the session",
    "minutes": "time",
    "check_minutes": "reality checks",
}
_MINUTE = 60_000


def describe_care(event: CareEvent) -> str:
    match event:
        case e.ProtectionSet(seat, limits, pending):
            later = ", ".join(f"{_limit(name, one.value)} later" for name, one in pending.items())
            return f"seat {seat} sets its limits: {_limits(limits)}{'; ' if later else ''}{later}"
        case e.BreakTaken(seat):
            return f"seat {seat} takes a break"
        case e.CheckAcknowledged(seat, net, millis):
            return f"seat {seat} has seen its reality check: {format_amount(net)} in {millis // _MINUTE} minutes"
        case e.AttendantCalled(seat):
            return f"seat {seat} calls an attendant"
        case e.CallAttended(seat, by):
            return f"the {by.replace('_', ' ')} has come to seat {seat}"
        case _:
            assert_never(event)


def _limits(limits: PlayLimits) -> str:
    return ", ".join(_limit(name, limits.of(name)) for name in LIMIT_NAMES if limits.of(name) is not None) or "none"


def _limit(name: LimitName, value: int | None) -> str:
    if value is None:
        return f"no limit of {_WORDS[name]}"
    amount = f"{value} minutes" if name in ("minutes", "check_minutes") else format_amount(value)
    return f"{_WORDS[name]} {amount}"
