"""Decides pauses of seats: a paused seat places no new bets. Its bets on the layout stay live."""

from typing import Final

from msgspec import UNSET

from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, refuse
from roundhouse.table.disputes import refuse_text
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Seat, Table

_ADDS: Final = (c.PlaceBets, c.PlacePackage, c.Repeat, c.Double)


def pause_seat(table: Table, command: c.PauseSeat, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if seat.paused is not UNSET:
        return refuse(Refusal.SEAT_IS_PAUSED, reason=seat.paused)
    if refused := refuse_text(command.reason, "give the reason; the Player reads it"):
        return refused
    return Decision([e.SeatPaused(command.seat, command.reason.strip())])


def resume_seat(table: Table, command: c.ResumeSeat, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if seat.paused is UNSET:
        return refuse(Refusal.SEAT_IS_NOT_PAUSED)
    return Decision([e.SeatResumed(command.seat)])


def refuse_new_bets(seat: Seat, command: c.BetCommand) -> Refused | None:
    """Refuse a command of a paused seat that adds chips. Taking chips back is allowed, while bets are open."""
    if seat.paused is UNSET:
        return None
    undoes_withdrawal = isinstance(command, c.Undo) and bool(seat.steps) and not seat.steps[-1][0]
    if isinstance(command, _ADDS) or undoes_withdrawal:
        return Refused(Refusal.SEAT_IS_PAUSED, None, seat.paused)
    return None
