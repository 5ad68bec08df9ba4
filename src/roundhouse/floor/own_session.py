"""The session and the call of a seat, in the changes that the seat receives."""

from typing import Final

from msgspec.structs import replace

from roundhouse.table.care_events import AttendantCalled, CallAttended
from roundhouse.table.events import BetsPlaced, BetsWithdrawn
from roundhouse.table.session_view import session_view
from roundhouse.table.state import Seat, TableState
from roundhouse.wire.messages import OwnChange

MOVES_CHIPS: Final = frozenset({BetsPlaced, BetsWithdrawn})
"""Events that do not change the net result of a session."""


def with_session(change: OwnChange, seat: Seat, state: TableState) -> OwnChange:
    """Complete a change of a seat with its session, and with its call of an attendant if that has changed."""
    session = session_view(seat, state.last_event_at)
    if any(isinstance(event, AttendantCalled | CallAttended) for event in change.events):
        return replace(change, session=session, called_at=(state.calls or {}).get(seat.id))
    return replace(change, session=session)
