"""Figures of reports and meters, counted from events.

Only settled bets count. The table counts its own meters with other code, and a test compares the two.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from msgspec import Struct

from roundhouse.table import events as e
from roundhouse.table.names import SeatId


class Figures(Struct):
    """Counted figures of a table, a group or a seat. Amounts are in cents."""

    rounds: int = 0
    """Settled rounds, less rounds that were made void later, plus void rounds that were reinstated."""
    handle: int = 0
    """Total stakes of the rounds that ``rounds`` counts."""
    paid: int = 0
    """Amount returned in the rounds that ``rounds`` counts, including the stakes of winning bets."""
    bought: int = 0
    """Credits bought, less reversed purchases."""
    reversed: int = 0
    """Purchases that were reversed."""
    tickets_in: int = 0
    tickets_out: int = 0
    voids: int = 0
    corrections: int = 0
    shortfall: int = 0
    """Amount that corrections could not take back from seats, less the part recovered later."""
    late_bets: int = 0
    played: int = 0
    """Rounds that were settled, whether or not they were changed later."""
    played_handle: int = 0
    """Total stakes of the rounds that ``played`` counts, as they were settled."""
    adjustments: int = 0
    """Later changes of past rounds: corrections, voids, reinstatements and decisions on one seat."""
    adjusted_handle: int = 0
    """Change of the handle by ``adjustments``."""
    adjusted: int = 0
    """Change of the win by ``adjustments``."""

    @property
    def win(self) -> int:
        return self.handle - self.paid

    @property
    def played_win(self) -> int:
        """Win of the rounds that ``played`` counts, as they were settled."""
        return self.win - self.adjusted

    @property
    def drop(self) -> int:
        return self.bought + self.tickets_in

    @property
    def hold(self) -> Fraction | None:
        """Win divided by handle. None if the handle is not positive, which reversed rounds can cause in a shift."""
        return Fraction(self.win, self.handle) if self.handle > 0 else None

    def add(self, other: "Figures") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


SeatFigures = Callable[[SeatId], Figures]
"""Returns the figures of a seat."""


def count(event: e.AnyEvent, total: Figures) -> None:
    """Add an event to the figures of its table."""
    match event:
        case e.BetsPlaced() | e.BetsWithdrawn():
            return
        case e.RoundSettled():
            _settle(total, event.staked, event.returned)
        case e.RoundVoided():
            total.voids += 1
        case e.RoundCorrected():
            total.corrections += 1
            total.adjustments += 1
            _restate(event, lambda seat: total)
        case e.RoundReversed():
            total.rounds -= 1
            total.voids += 1
            total.adjustments += 1
            _restate(event, lambda seat: total)
        case e.RoundReinstated():
            total.rounds += 1
            total.voids -= 1
            total.adjustments += 1
            _restate(event, lambda seat: total)
        case e.SeatDecided():
            total.adjustments += 1
            _restate_seat(event, total)
        case e.ResultRegistered():
            total.corrections += event.resolved_by is not None
        case e.CreditsBought(_, cents):
            total.bought += cents
        case e.PurchaseReversed(_, cents):
            total.bought -= cents
            total.reversed += cents
        case e.TicketRedeemed(_, cents):
            total.tickets_in += cents
        case e.CashedOut(_, cents):
            total.tickets_out += cents
        case e.LateBetRefused() | e.LateWithdrawalRefused():
            total.late_bets += 1
        case (
            e.TableOpened()
            | e.ProcedureAdopted()
            | e.LastRoundsAnnounced()
            | e.TableClosed()
            | e.TableStopped()
            | e.SoftwareStopped()
            | e.TableResumed()
            | e.SeatTaken()
            | e.BetsOpened()
            | e.BetsClosed()
            | e.SpinStarted()
            | e.SpinObserved()
            | e.BallRested()
            | e.OutcomeRead()
            | e.ReadingAmended()
            | e.ResultConfirmed()
            | e.RoundsSkipped()
            | e.TerminalsInterrupted()
            | e.StakeReturned()
            | e.ColourIssued()
            | e.ProtectionSet()
            | e.BreakTaken()
            | e.CheckAcknowledged()
            | e.AttendantCalled()
            | e.CallAttended()
            | e.ColourRedeemed()
            | e.MatterReferred()
            | e.DecisionMade()
            | e.ManualModeEntered()
            | e.AutomaticModeEntered()
            | e.InterruptionRecovered()
            | e.CashOutRequested()
            | e.LimitsChanged()
            | e.EnrolmentAllowed()
            | e.Disputed()
            | e.DisputeClosed()
            | e.DisplayQuestioned()
            | e.SeatPaused()
            | e.SeatResumed()
            | e.DealerChanged()
            | e.FloatCounted()
            | e.FloatFilled()
            | e.FloatCredited()
            | e.DropTaken()
        ):
            return
        case _:
            assert_never(event)


def count_seats(event: e.AnyEvent, of: SeatFigures) -> None:
    """Add an event to the figures of its seats. Amounts of all seats add up to the table's, but rounds do not."""
    match event:
        case e.SeatTaken(seat):
            of(seat)
        case e.RoundSettled():
            for seat, (staked, back) in event.seats.items():
                _settle(of(seat), staked, back)
        case e.RoundVoided():
            for seat in event.seats:
                of(seat).voids += 1
        case e.RoundCorrected():
            for change in event.seats:
                of(change.seat).corrections += 1
                of(change.seat).adjustments += 1
            _restate(event, of)
        case e.RoundReversed():
            for change in event.seats:
                of(change.seat).rounds -= 1
                of(change.seat).voids += 1
                of(change.seat).adjustments += 1
            _restate(event, of)
        case e.RoundReinstated():
            for change in event.seats:
                of(change.seat).rounds += 1
                of(change.seat).voids -= 1
                of(change.seat).adjustments += 1
            _restate(event, of)
        case e.SeatDecided(change=change):
            figures = of(change.seat)
            was, now = event.was is not None, event.outcome is not None
            figures.rounds += now - was
            figures.voids += was - now
            figures.corrections += was and now
            figures.adjustments += 1
            _restate_seat(event, figures)
        case e.StakeReturned(seat=seat):
            of(seat).voids += 1
        case e.CreditsBought(seat, cents):
            of(seat).bought += cents
        case e.PurchaseReversed(seat, cents):
            of(seat).bought -= cents
            of(seat).reversed += cents
        case e.TicketRedeemed(seat, cents):
            of(seat).tickets_in += cents
        case e.CashedOut(seat, cents):
            of(seat).tickets_out += cents
        case e.LateBetRefused(seat) | e.LateWithdrawalRefused(seat):
            of(seat).late_bets += 1
        case _:
            return


def _settle(figures: Figures, staked: int, returned: int) -> None:
    figures.rounds += 1
    figures.played += 1
    figures.handle += staked
    figures.played_handle += staked
    figures.paid += returned


def _restate(event: e.RoundCorrected | e.RoundReversed | e.RoundReinstated, of: SeatFigures) -> None:
    """Apply a change of a past round to the figures of each seat."""
    was_void, is_void = isinstance(event, e.RoundReinstated), isinstance(event, e.RoundReversed)
    for change in event.seats:
        _restate_amounts(change, was_void, is_void, of(change.seat))


def _restate_seat(event: e.SeatDecided, figures: Figures) -> None:
    _restate_amounts(event.change, event.was is None, event.outcome is None, figures)


def _restate_amounts(change: e.Restated, was_void: bool, is_void: bool, figures: Figures) -> None:
    """Apply the change of one seat. A void round counts in neither handle nor paid; its amount is the stake."""
    figures.shortfall += change.shortfall
    # A void seat had back its stake, which is then the amount before or after the change.
    handle = (change.was if was_void else 0) - (change.now if is_void else 0)
    paid = (0 if is_void else change.now) - (0 if was_void else change.was)
    figures.handle += handle
    figures.paid += paid
    figures.adjusted_handle += handle
    figures.adjusted += handle - paid


def percent(part: Fraction) -> str:
    """Return a fraction in percent with two decimal places. A tie rounds to the even digit.

    >>> percent(Fraction(1, 19)), percent(Fraction(-1, 3)), percent(Fraction(-1, 100_000))
    ('5.26', '-33.33', '0.00')
    """
    hundredths = round(part * 10_000)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d}"
