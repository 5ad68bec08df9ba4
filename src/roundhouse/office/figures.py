"""The figures of a report, counted from events and from nothing else.

They are counted by other code than the table's own meters, and come to the same: a test holds one against the
other. Of a night's bets only what was settled counts; what was placed and withdrawn is in the journal.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from msgspec import Struct

from roundhouse.table import events as e
from roundhouse.table.names import SeatId


class Figures(Struct):
    rounds: int = 0
    """Rounds that were settled, less those that were made void afterwards."""
    handle: int = 0
    """Stakes of those rounds."""
    paid: int = 0
    """What those rounds returned, stakes of winning bets included."""
    bought: int = 0
    tickets_in: int = 0
    tickets_out: int = 0
    voids: int = 0
    corrections: int = 0
    shortfall: int = 0
    """What corrections could not take back, less what was made good."""
    late_bets: int = 0

    @property
    def win(self) -> int:
        return self.handle - self.paid

    @property
    def drop(self) -> int:
        return self.bought + self.tickets_in

    @property
    def hold(self) -> Fraction | None:
        """Win over handle. A shift in which more was taken back than was played has none."""
        return Fraction(self.win, self.handle) if self.handle > 0 else None

    def add(self, other: "Figures") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


Of = Callable[[SeatId], Figures]
"""The figures that a seat's share of an event is added to."""


def count(event: e.AnyEvent, whole: Figures) -> None:
    """What an event adds to the figures of its table."""
    match event:
        case e.BetsPlaced() | e.BetsWithdrawn():
            return
        case e.RoundSettled():
            whole.rounds += 1
            whole.handle += event.staked
            whole.paid += event.returned
        case e.RoundVoided():
            whole.voids += 1
        case e.RoundCorrected():
            whole.corrections += 1
            _restate(event, lambda seat: whole)
        case e.RoundReversed():
            whole.rounds -= 1
            whole.voids += 1
            _restate(event, lambda seat: whole)
        case e.ResultRegistered():
            whole.corrections += event.resolved_by is not None
        case e.CreditsBought(_, cents):
            whole.bought += cents
        case e.TicketRedeemed(_, cents):
            whole.tickets_in += cents
        case e.CashedOut(_, cents):
            whole.tickets_out += cents
        case e.LateBetRefused() | e.LateWithdrawalRefused():
            whole.late_bets += 1
        case (
            e.TableOpened()
            | e.LastRoundsAnnounced()
            | e.TableClosed()
            | e.TableStopped()
            | e.TableResumed()
            | e.SeatTaken()
            | e.BetsOpened()
            | e.BetsClosed()
            | e.SpinStarted()
            | e.SpinObserved()
            | e.BallRested()
            | e.ResultConfirmed()
            | e.MatterReferred()
            | e.DecisionMade()
            | e.ManualModeEntered()
            | e.AutomaticModeEntered()
            | e.InterruptionRecovered()
        ):
            return
        case _:
            assert_never(event)


def count_seats(event: e.AnyEvent, of: Of) -> None:
    """What it adds to the figures of each seat. Money adds up to the table's; a round counts for each of its seats."""
    match event:
        case e.SeatTaken(seat):
            of(seat)
        case e.RoundSettled():
            for seat, (staked, back) in event.seats.items():
                figures = of(seat)
                figures.rounds += 1
                figures.handle += staked
                figures.paid += back
        case e.RoundVoided():
            for seat in event.seats:
                of(seat).voids += 1
        case e.RoundCorrected():
            for change in event.seats:
                of(change.seat).corrections += 1
            _restate(event, of)
        case e.RoundReversed():
            for change in event.seats:
                of(change.seat).rounds -= 1
                of(change.seat).voids += 1
            _restate(event, of)
        case e.CreditsBought(seat, cents):
            of(seat).bought += cents
        case e.TicketRedeemed(seat, cents):
            of(seat).tickets_in += cents
        case e.CashedOut(seat, cents):
            of(seat).tickets_out += cents
        case e.LateBetRefused(seat) | e.LateWithdrawalRefused(seat):
            of(seat).late_bets += 1
        case _:
            return


def _restate(event: e.RoundCorrected | e.RoundReversed, of: Of) -> None:
    """Another outcome changes what was paid; no outcome takes the stakes out of the handle, too."""
    for change in event.seats:
        figures = of(change.seat)
        figures.shortfall += change.shortfall
        if isinstance(event, e.RoundCorrected):
            figures.paid += change.now - change.was
        else:
            # Of a round that is void, a seat is due what it had staked.
            figures.handle -= change.now
            figures.paid -= change.was


def percent(part: Fraction) -> str:
    """To two places; a tie goes to the even digit.

    >>> percent(Fraction(1, 19)), percent(Fraction(-1, 3)), percent(Fraction(-1, 100_000))
    ('5.26', '-33.33', '0.00')
    """
    hundredths = round(part * 10_000)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d}"
