"""Events about a Player's protection, and calls of an attendant."""

from msgspec import field

from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import Millis, PersonName, SeatId
from roundhouse.table.protection import LimitName, PendingLimit, PlayLimits
from roundhouse.table.round_events import Event


class ProtectionSet(Event, frozen=True, tag="protection_set.v1", gc=False):
    """A Player has set limits. It states all limits of the seat's session, also those that were not changed."""

    seat: SeatId
    limits: PlayLimits
    """Limits in force from now on."""
    pending: dict[LimitName, PendingLimit] = field(default_factory=dict)
    """Looser limits, each with the time at which it begins."""
    required: tuple[LimitName, ...] = ()
    """Limits that the house requires."""
    new_session: bool = False
    """Whether the seat's last session had ended."""


class BreakTaken(Event, frozen=True, tag="break_taken.v1", gc=False):
    """A Player takes a break. Until its end the seat cannot bet."""

    seat: SeatId
    until: Millis


class CheckAcknowledged(Event, frozen=True, tag="check_acknowledged.v1", gc=False):
    """A Player has seen a reality check: the net result and the time of the session."""

    seat: SeatId
    net_cents: int
    millis: Millis


class AttendantCalled(Event, frozen=True, tag="attendant_called.v1", gc=False):
    """A Player has called an attendant."""

    seat: SeatId


class CallAttended(Event, frozen=True, tag="call_attended.v1", gc=False):
    """Staff have answered the call of a seat."""

    seat: SeatId
    by: StaffPosition
    who: PersonName | None = None
