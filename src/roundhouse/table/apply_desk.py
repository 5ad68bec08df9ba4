"""Applies the events of the desk: disputes, paused seats, the Dealer of record and the float."""

from typing import assert_never

from msgspec import UNSET

from roundhouse.table import events as e
from roundhouse.table import seat_sessions as sessions
from roundhouse.table.desk_state import ClosedDispute, DealerOfRecord, DisputeRecord, Float, Tray
from roundhouse.table.disputes import KEPT_CLOSED, register_of
from roundhouse.table.floats import open_float, won_by
from roundhouse.table.names import Count, Millis
from roundhouse.table.state import TableState

DeskEvent = (
    e.Disputed
    | e.DisputeClosed
    | e.DisplayQuestioned
    | e.SeatPaused
    | e.SeatResumed
    | e.DealerChanged
    | e.FloatCounted
    | e.FloatFilled
    | e.FloatCredited
    | e.DropTaken
)


def apply_desk(state: TableState, event: DeskEvent, at: Millis) -> None:
    match event:
        case e.Disputed():
            _dispute(state, event, at)
        case e.DisputeClosed():
            _close_dispute(state, event, at)
        case e.DisplayQuestioned():
            pass
        case e.SeatPaused(seat, reason):
            state.seats[seat].paused = reason
        case e.SeatResumed(seat):
            state.seats[seat].paused = UNSET
        case e.DealerChanged(dealer):
            state.dealer = UNSET if dealer is None else DealerOfRecord(dealer, at)
        case e.FloatCounted():
            _count(state, event, at)
        case e.FloatFilled(cents):
            _float(state).fills += cents
        case e.FloatCredited(cents):
            _float(state).credits += cents
        case e.DropTaken(cents):
            _float(state).drop += cents
        case _:
            assert_never(event)


def _dispute(state: TableState, event: e.Disputed, at: Millis) -> None:
    disputes = state.disputes = register_of(state)
    disputes.last = event.dispute
    disputes.open[event.dispute] = DisputeRecord(
        event.dispute,
        event.round,
        event.seat,
        event.about,
        at,
        event.words,
        event.outcome,
        event.staked,
        event.returned,
        event.source,
    )


def _close_dispute(state: TableState, event: e.DisputeClosed, at: Millis) -> None:
    disputes = state.disputes = register_of(state)
    del disputes.open[event.dispute]
    closed = ClosedDispute(event.dispute, event.round, at, event.reason, event.paid)
    disputes.closed[event.seat] = [closed, *disputes.closed.get(event.seat, ())][:KEPT_CLOSED]
    if event.paid:
        seat = state.seats[event.seat]
        seat.credits += event.paid
        sessions.go_on(seat)
        seat.goodwill = (seat.goodwill or 0) + event.paid
        state.goodwill = (state.goodwill or 0) - event.paid


def _count(state: TableState, event: e.FloatCounted, at: Millis) -> None:
    tray = state.tray = state.tray or Tray()
    if event.count is Count.OPENER:
        tray.open = Float(event.cents, event.in_chips, at, won_before=won_by(state))
    else:
        tray.open, tray.last_closer = None, event.cents


def _float(state: TableState) -> Float:
    found = open_float(state)
    assert found is not None, "chips move only while a float is open"
    return found


def exchange(state: TableState, cents: int) -> None:
    """Add credits to the open float that its people exchanged for cash, tickets or chips."""
    _float(state).exchanged += cents
