"""Events of authority over money: reversed purchases, requested cash-outs, changed limits, replaced terminals."""

from roundhouse.rules.names import Cents
from roundhouse.table.evidence import Source
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, SeatId
from roundhouse.table.round_events import Event


class PurchaseReversed(Event, frozen=True, tag="purchase_reversed.v1", gc=False):
    """A purchase was reversed while its credits were unspent. The money went back to the Player."""

    seat: SeatId
    cents: Cents
    purchase: int
    """Number of the purchase at this table."""
    source: Source
    reason: str = ""
    in_float: bool = False
    """Whether the cash came out of the counted float of the table."""


class CashOutRequested(Event, frozen=True, tag="cash_out_requested.v1", gc=False):
    """The Player of a seat asked for a cash-out, or staff asked the Player to confirm one."""

    seat: SeatId
    cents: Cents
    """Credits of the seat. The request covers this amount only."""
    source: Source


class LimitsChanged(Event, frozen=True, tag="limits_changed.v1", gc=False):
    """The limits change from the next round on."""

    was: Limits
    """Limits of the round in progress, or of the last one."""
    now: Limits
    reason: str
    source: Source
    above_configuration: bool = False


class EnrolmentAllowed(Event, frozen=True, tag="enrolment_allowed.v1", gc=False):
    """Two persons allow another terminal at a seat that has credits or bets."""

    seat: SeatId
    cents: Cents
    """Credits and stakes of the seat."""
    until: Millis
    reason: str
    source: Source
