"""Ranges of the numbers in ``house.toml``, and checks that all of its sections share."""

from roundhouse.rules.errors import Faults
from roundhouse.rules.names import MAX_STAKE_CENTS

_HOUR = 3600
RANGES = {
    "request_bytes": (1024, 10_000_000),
    "message_bytes": (1024, 1_000_000),
    "connections": (1, 1_000_000),
    "connections_per_address": (1, 1_000_000),
    "requests_per_second": (1, 100_000),
    "frames_per_second": (50, 1_000_000),
    "frames_per_second_per_address": (50, 10_000_000),
    "log_ins_per_minute": (1, 10_000),
    "silent_seconds": (1, _HOUR),
    "interrupted_seconds": (1, _HOUR),
    "terminal_rounds": (0, 10_000),
    "betting_seconds": (1, _HOUR),
    "look_seconds": (0, _HOUR),
    "pause_seconds": (0, _HOUR),
    "port": (1, 65_535),
    "ticket_days": (1, 3650),
    "timeout_seconds": (1, 60),
    "keep": (1, 10_000),
    "goodwill_max": (0, MAX_STAKE_CENTS),
    "variance_from": (1, MAX_STAKE_CENTS),
    "raise_after_hours": (0, 24 * 365),
    "loss_cents": (0, 10**12),
    "stake_cents": (0, 10**12),
    "session_stake_cents": (0, 10**12),
    "minutes": (0, 7 * 24 * 60),
    "check_minutes": (0, 7 * 24 * 60),
    "max_break_minutes": (1, 366 * 24 * 60),
    "new_session_after_minutes": (0, 7 * 24 * 60),
}
"""Smallest and largest value of each numeric key."""


def is_missing(place: str, value: str, wanted: str, faults: Faults) -> bool:
    """Return whether a required value is empty. Report it as missing, unless another fault removed it."""
    if not value.strip() and not faults.omitted_in(place):
        faults.add(place, "missing", f"write {wanted}")
    return not value.strip()


def check_numbers(place: str, section: object, faults: Faults) -> None:
    """Report numbers that are out of range."""
    for name, (minimum, maximum) in RANGES.items():
        value = getattr(section, name, None)
        if isinstance(value, int) and not minimum <= value <= maximum:
            faults.add(f"{place}.{name}", f"{value} is out of range", f"write a number from {minimum} to {maximum}")
