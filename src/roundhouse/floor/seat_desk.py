"""Tells a seat about its pause and its disputes, without names of staff."""

from typing import Final

from msgspec.structs import replace

from roundhouse.table import events as e
from roundhouse.table.names import SeatId
from roundhouse.table.state import Seat, TableState
from roundhouse.wire.messages import OwnChange
from roundhouse.wire.tables import SeatDispute

SEAT_DESK_EVENTS: Final = frozenset({e.Disputed, e.DisputeClosed, e.SeatPaused, e.SeatResumed})


def disputes_at(seat: SeatId, state: TableState) -> tuple[SeatDispute, ...]:
    """Return the open disputes of a seat, the oldest first, and then its last closed ones."""
    if not state.disputes:
        return ()
    open = (one for one in state.disputes.open.values() if one.seat == seat)
    return (
        *(SeatDispute(one.number, one.round, one.at) for one in open),
        *(
            SeatDispute(one.number, one.round, one.at, one.reason, one.paid)
            for one in state.disputes.closed.get(seat, ())
        ),
    )


def complete(change: OwnChange, seat: Seat, state: TableState) -> OwnChange:
    """Add the pause and the disputes of the seat to a change that concerns them."""
    if SEAT_DESK_EVENTS.isdisjoint(map(type, change.events)):
        return change
    return replace(change, paused=seat.paused or "", disputes=disputes_at(seat.id, state))
