"""Events of a table, as stored in its journal.

Tags and fields never change their name or meaning. A change needs a new version (``.v2``) of the event. Stored
events are never edited; a correction is a new event.
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
    """Hash of the rulebook in use until the table is next opened."""
    limits: Limits


class LastRoundsAnnounced(Event, frozen=True, tag="last_rounds_announced.v1", gc=False):
    rounds: int


class TableClosed(Event, frozen=True, tag="table_closed.v1", gc=False):
    pass


class TableStopped(Event, frozen=True, tag="table_stopped.v1", gc=False):
    """The table stopped because its accounts do not balance, or because of an internal error.

    It refuses all commands until a person resumes it.
    """

    reason: str


class TableResumed(Event, frozen=True, tag="table_resumed.v1", gc=False):
    """A person examined the stopped table and resumed it in the phase in which it had stopped."""

    reason: str
    by: StaffPosition
    clause: Clause
    """Clause on decisions about matters that the rules do not cover."""
    stopped: str
    """Reason why the table had stopped. An approval to resume is valid for this reason only."""


class SeatTaken(Event, frozen=True, tag="seat_taken.v1", gc=False):
    seat: SeatId
    terminal: TerminalId
    layout: LayoutId | None = None
    """Layout of the terminal, stored because a later rulebook may not have that terminal."""


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
    """Bets that arrived after closing. They were returned."""

    seat: SeatId
    how: ChipAction
    late_millis: Millis
    clause: Clause
    bets: Slip = {}


class LateWithdrawalRefused(Event, frozen=True, tag="late_withdrawal_refused.v1", gc=False):
    """A withdrawal that arrived after closing. The stake stays on the layout and is won or lost."""

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
    """Total stakes of all seats on the layout at closing. Exactly these stakes are settled."""


class SpinStarted(Event, frozen=True, tag="spin_started.v1", gc=False):
    round: RoundNumber


class SpinObserved(Event, frozen=True, tag="spin_observed.v1", gc=False):
    round: RoundNumber
    revolutions: int | float
    ball: Direction | None = None
    wheel: Direction | None = None
    seen: tuple[IrregularityId, ...] = ()


class BallRested(Event, frozen=True, tag="ball_rested.v1", gc=False):
    """The ball came to rest. From now on the round has an outcome."""

    round: RoundNumber
    outcome: Pocket
    clause: Clause
    read_by: ReadBy = ReadBy.DEALER


class ResultRegistered(Event, frozen=True, tag="result_registered.v1", gc=False):
    round: RoundNumber
    outcome: Pocket
    resolved_by: StaffPosition | None = None
    """Position of the authorised person who overrode earlier readings; ``None`` for a normal registration."""
    clause: Clause | None = None
    """Clause that allows the override by ``resolved_by``; ``None`` for a normal registration."""


class ResultConfirmed(Event, frozen=True, tag="result_confirmed.v1", gc=False):
    round: RoundNumber
    dolly: Pocket
    """Number on which the dolly (the marker of the winning number) stands."""
    wheel: Pocket | None = None
    """Outcome that the wheel read, if it differs from ``dolly``. The result then needs a correction."""


class RoundSettled(Event, frozen=True, tag="round_settled.v1", gc=False):
    round: RoundNumber
    outcome: Pocket
    staked: Cents
    returned: Cents
    seats: dict[SeatId, tuple[Cents, Cents]]
    """Stake and returned amount of each seat."""


class RoundVoided(Event, frozen=True, tag="round_voided.v1", gc=False):
    round: RoundNumber
    clauses: tuple[Clause, ...]
    returns: Clause
    """Clause by which the stakes are returned."""
    seats: dict[SeatId, Cents]
    causes: tuple[IrregularityId, ...] = ()


class Restated(Struct, frozen=True, gc=False):
    """Effect of a correction on one seat. At most one of ``credited`` and ``taken`` is above 0."""

    seat: SeatId
    was: Cents
    """Amount that the round returned before the correction."""
    now: Cents
    """Amount that the round returns after the correction."""
    credited: Cents = Cents(0)
    taken: Cents = Cents(0)
    shortfall: int = 0
    """Amount that could not be taken back. Negative if an earlier shortfall is repaid."""
    owes: Cents = Cents(0)
    """Total shortfall of this seat in this round after the correction."""


class RoundCorrected(Event, frozen=True, tag="round_corrected.v1", gc=False):
    """A settled round was given its correct outcome. Later rounds are unchanged."""

    round: RoundNumber
    was: Pocket
    outcome: Pocket
    clause: Clause
    seats: tuple[Restated, ...]


class RoundReversed(Event, frozen=True, tag="round_reversed.v1", gc=False):
    """A settled round was made void. Stakes are returned and winnings taken back."""

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
    """The table switched to manual mode: people deal. Every terminal shows the reason."""

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
    """The server restarted during a round. The table acts by the rulebook's clause on interruptions."""

    round: RoundNumber
    phase: str
    """Phase at the interruption; ``held`` if the readings of wheel and console disagreed."""
    irregularity: IrregularityId
    clause: Clause

    @property
    def waits(self) -> bool:
        """Whether the round still waits for people after the interruption."""
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
