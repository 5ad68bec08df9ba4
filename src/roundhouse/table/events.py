"""Events: facts in the past tense, each stored under a name of its own that never changes its meaning.

A field is never renamed or given another meaning; what must change gets a new version of the name. History
is never edited: a correction is a new event.
"""

from msgspec import Struct

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import (
    Cents,
    Clause,
    GameId,
    IrregularityId,
    LayoutId,
    PackageId,
    Pocket,
    PositionId,
    StaffPosition,
    TerminalId,
)
from roundhouse.table.limits import Limits
from roundhouse.table.names import HELD, ChipAction, Millis, Phase, ReadBy, RoundNumber, Ruling, SeatId, TicketNumber

Slip = dict[PositionId, Cents]


class Event(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    pass


class TableOpened(Event, frozen=True, tag="table_opened.v1", gc=False):
    game: GameId
    version: str
    rulebook: str
    """The content hash of the rulebook by which everything until the next opening is played."""
    limits: Limits


class LastRoundsAnnounced(Event, frozen=True, tag="last_rounds_announced.v1", gc=False):
    rounds: int


class TableClosed(Event, frozen=True, tag="table_closed.v1", gc=False):
    pass


class TableStopped(Event, frozen=True, tag="table_stopped.v1", gc=False):
    """The table found its own money wrong, or a fault of its own, and accepts nothing until people have looked."""

    reason: str


class TableResumed(Event, frozen=True, tag="table_resumed.v1", gc=False):
    """People have looked at a table that had stopped, and it goes on where it stood."""

    reason: str
    by: StaffPosition
    clause: Clause
    """Of who decides what the rules do not cover."""
    stopped: str
    """Why it had stopped: what two persons agreed to for one fault is not for the next."""


class SeatTaken(Event, frozen=True, tag="seat_taken.v1", gc=False):
    seat: SeatId
    terminal: TerminalId
    layout: LayoutId | None = None
    """The layout of that terminal, so that the seat can be read under any later rulebook."""


class CreditsBought(Event, frozen=True, tag="credits_bought.v1", gc=False):
    seat: SeatId
    cents: Cents


class BetsOpened(Event, frozen=True, tag="bets_opened.v1", gc=False):
    round: RoundNumber
    phrase: str
    clause: Clause


class BetsPlaced(Event, frozen=True, tag="bets_placed.v1", gc=False):
    seat: SeatId
    bets: Slip
    how: ChipAction = ChipAction.PLACED
    package: PackageId | None = None


class BetsWithdrawn(Event, frozen=True, tag="bets_withdrawn.v1", gc=False):
    seat: SeatId
    bets: Slip
    how: ChipAction = ChipAction.WITHDRAWN


class LateBetRefused(Event, frozen=True, tag="late_bet_refused.v1", gc=False):
    """Bets that came after closing: returned, not honoured, and on record with how late they were."""

    seat: SeatId
    how: ChipAction
    late_millis: Millis
    clause: Clause
    bets: Slip = {}


class LateWithdrawalRefused(Event, frozen=True, tag="late_withdrawal_refused.v1", gc=False):
    """A withdrawal after closing: the stake stands and is won or lost."""

    seat: SeatId
    how: ChipAction
    late_millis: Millis
    clause: Clause
    bets: Slip = {}


class BetsClosed(Event, frozen=True, tag="bets_closed.v1", gc=False):
    round: RoundNumber
    phrase: str
    clause: Clause
    staked: Cents
    """What stands on the layout at closing, of all seats: this, and nothing else, is settled."""


class SpinStarted(Event, frozen=True, tag="spin_started.v1", gc=False):
    round: RoundNumber


class SpinObserved(Event, frozen=True, tag="spin_observed.v1", gc=False):
    round: RoundNumber
    revolutions: int | float
    ball: Direction | None = None
    wheel: Direction | None = None
    seen: tuple[IrregularityId, ...] = ()


class BallRested(Event, frozen=True, tag="ball_rested.v1", gc=False):
    """From here on an outcome is established."""

    round: RoundNumber
    outcome: Pocket
    clause: Clause
    read_by: ReadBy = ReadBy.DEALER


class ResultRegistered(Event, frozen=True, tag="result_registered.v1", gc=False):
    round: RoundNumber
    outcome: Pocket
    resolved_by: StaffPosition | None = None
    """Who, having the authority, said that this is the outcome, whatever was read or registered before."""
    clause: Clause | None = None
    """The clause of such a correction within the round."""


class ResultConfirmed(Event, frozen=True, tag="result_confirmed.v1", gc=False):
    round: RoundNumber
    dolly: Pocket
    """The number that is marked on the layout."""
    wheel: Pocket | None = None
    """What the ball was seen to rest in, where that is another number: a correction is due."""


class RoundSettled(Event, frozen=True, tag="round_settled.v1", gc=False):
    round: RoundNumber
    outcome: Pocket
    staked: Cents
    returned: Cents
    seats: dict[SeatId, tuple[Cents, Cents]]
    """What each seat had staked and what it gets back."""


class RoundVoided(Event, frozen=True, tag="round_voided.v1", gc=False):
    round: RoundNumber
    clauses: tuple[Clause, ...]
    returns: Clause
    """The clause by which the stakes go back."""
    seats: dict[SeatId, Cents]
    causes: tuple[IrregularityId, ...] = ()


class Restated(Struct, frozen=True, gc=False):
    """What a correction means for one seat. One of credited and taken is nothing."""

    seat: SeatId
    was: Cents
    now: Cents
    credited: Cents = Cents(0)
    taken: Cents = Cents(0)
    shortfall: int = 0
    """What could not be taken back; less than nothing where an earlier shortfall is made good."""
    owes: Cents = Cents(0)
    """The shortfall of this seat in this round, all in all, from now on."""


class RoundCorrected(Event, frozen=True, tag="round_corrected.v1", gc=False):
    """A settled round gets the outcome that the wheel showed; later rounds are untouched."""

    round: RoundNumber
    was: Pocket
    outcome: Pocket
    clause: Clause
    seats: tuple[Restated, ...]


class RoundReversed(Event, frozen=True, tag="round_reversed.v1", gc=False):
    """A settled round is void after all: every stake goes back, every winning is taken back."""

    round: RoundNumber
    was: Pocket
    clauses: tuple[Clause, ...]
    seats: tuple[Restated, ...]
    causes: tuple[IrregularityId, ...] = ()


class MatterReferred(Event, frozen=True, tag="matter_referred.v1", gc=False):
    round: RoundNumber
    question: str
    decides: StaffPosition
    clause: Clause


class DecisionMade(Event, frozen=True, tag="decision_made.v1", gc=False):
    round: RoundNumber
    ruling: Ruling
    reason: str
    by: StaffPosition
    clause: Clause


class ManualModeEntered(Event, frozen=True, tag="manual_mode_entered.v1", gc=False):
    """People deal. Why is shown at every terminal."""

    reason: str


class AutomaticModeEntered(Event, frozen=True, tag="automatic_mode_entered.v1", gc=False):
    pass


class CashedOut(Event, frozen=True, tag="cashed_out.v1", gc=False):
    seat: SeatId
    cents: Cents
    ticket: TicketNumber
    expires: Millis


class TicketRedeemed(Event, frozen=True, tag="ticket_redeemed.v1", gc=False):
    seat: SeatId
    cents: Cents
    ticket: TicketNumber


class InterruptionRecovered(Event, frozen=True, tag="interruption_recovered.v1", gc=False):
    """The table was reopened after an interruption in a round, and acts by the rulebook's clause on it."""

    round: RoundNumber
    phase: str
    """``held`` is that of a round on which wheel and console disagree."""
    irregularity: IrregularityId
    clause: Clause

    @property
    def waits(self) -> bool:
        """Whether the round waits for people as before, and has not ended."""
        return self.phase in (HELD, Phase.REFERRED)


AnyEvent = (
    TableOpened
    | LastRoundsAnnounced
    | TableClosed
    | TableStopped
    | TableResumed
    | SeatTaken
    | CreditsBought
    | BetsOpened
    | BetsPlaced
    | BetsWithdrawn
    | LateBetRefused
    | LateWithdrawalRefused
    | BetsClosed
    | SpinStarted
    | SpinObserved
    | BallRested
    | ResultRegistered
    | ResultConfirmed
    | RoundSettled
    | RoundVoided
    | RoundCorrected
    | RoundReversed
    | MatterReferred
    | DecisionMade
    | ManualModeEntered
    | AutomaticModeEntered
    | CashedOut
    | TicketRedeemed
    | InterruptionRecovered
)
