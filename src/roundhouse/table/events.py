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
from roundhouse.table.evidence import Source
from roundhouse.table.limits import Limits
from roundhouse.table.names import (
    ENTRIES,
    HELD,
    ChipAction,
    ChipColour,
    Millis,
    PersonName,
    Phase,
    ReadBy,
    RoundNumber,
    Ruling,
    SeatId,
    TicketNumber,
)

Slip = dict[PositionId, Cents]


class Event(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    pass


class TableOpened(Event, frozen=True, tag="table_opened.v1", gc=False):
    game: GameId
    version: str
    rulebook: str
    """Hash of the rulebook in use until the table is next opened."""
    limits: Limits
    procedure: int = ENTRIES
    currency: str = ""
    """ISO 4217 code of the money; ``XXX`` for play money. Empty in the first procedure."""
    chips: tuple[Cents, ...] = ()
    """Values of the cash chips, the smallest first. Empty if the game is not played with chips."""
    opens_phrase: str = ""
    """Phrase of the rulebook that announces the opening of bets, as the house chose it."""
    closes_phrase: str = ""


class ProcedureAdopted(Event, frozen=True, tag="procedure_adopted.v1", gc=False):
    """A table of an earlier version of the program goes on under the current procedure."""

    procedure: int
    currency: str = ""
    chips: tuple[Cents, ...] = ()
    opens_phrase: str = ""
    closes_phrase: str = ""


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
    offers: tuple[PackageId, ...] | None = None
    """Packages that the house offers at this terminal; ``None`` for all packages of its type."""


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
    source: Source | None = None
    """Who or what started the spin; ``None`` in the first procedure."""
    by_hand: bool = False
    """Whether the ball was spun by hand at a table whose wheel launches it."""


class SpinObserved(Event, frozen=True, tag="spin_observed.v1", gc=False):
    """A report of the spin. In the current procedure ``None`` means that a value was not measured."""

    round: RoundNumber
    revolutions: int | float | None
    ball: Direction | None = None
    wheel: Direction | None = None
    seen: tuple[IrregularityId, ...] = ()
    source: Source | None = None
    """Who attested or what measured the spin; ``None`` in the first procedure."""


class BallRested(Event, frozen=True, tag="ball_rested.v1", gc=False):
    """The ball came to rest: the first reading of the outcome."""

    round: RoundNumber
    outcome: Pocket
    clause: Clause
    read_by: ReadBy = ReadBy.DEALER
    source: Source | None = None
    segment: int | None = None
    """Segment at the clapper of a Money Wheel, if it was reported."""
    reason: str = ""
    """Why the outcome was read although the wheel's line reported no ball."""


class OutcomeRead(Event, frozen=True, tag="outcome_read.v1", gc=False):
    """A further reading of the outcome, by the wheel or by another person."""

    round: RoundNumber
    outcome: Pocket
    source: Source
    read_by: ReadBy = ReadBy.DEALER
    segment: int | None = None


class ReadingAmended(Event, frozen=True, tag="reading_amended.v1", gc=False):
    """A person changed their own reading before the result was confirmed."""

    round: RoundNumber
    was: Pocket
    outcome: Pocket
    source: Source
    segment: int | None = None


class ResultRegistered(Event, frozen=True, tag="result_registered.v1", gc=False):
    round: RoundNumber
    outcome: Pocket
    resolved_by: StaffPosition | None = None
    """Position of the authorised person who overrode earlier readings; ``None`` for a normal registration."""
    clause: Clause | None = None
    """Clause that authorises such a correction within the round."""
    was: Pocket | None = None
    """Outcome that was registered before, if the registration is changed."""
    source: Source | None = None


class ResultConfirmed(Event, frozen=True, tag="result_confirmed.v1", gc=False):
    round: RoundNumber
    dolly: Pocket
    """Number on which the dolly (the marker of the winning number) stands."""
    wheel: Pocket | None = None
    """Outcome that the wheel read, if it differs from ``dolly``. The result then needs a correction."""
    source: Source | None = None
    not_measured: tuple[str, ...] = ()
    """Values of the spin that nobody measured or attested: ``ball``, ``wheel``, ``revolutions``."""


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
    reason: str = ""
    """The suspicion of a "no spin" call."""


class RoundsSkipped(Event, frozen=True, tag="rounds_skipped.v1", gc=False):
    """Rounds that a declaration named and that were void already. Nothing changed in them."""

    rounds: tuple[RoundNumber, ...]
    irregularity: IrregularityId
    clause: Clause


class TerminalsInterrupted(Event, frozen=True, tag="terminals_interrupted.v1", gc=False):
    """Terminals of seats lost their power or connection. The round goes on."""

    round: RoundNumber
    terminals: tuple[SeatId, ...]
    """Seats of the terminals."""
    clause: Clause
    registered: Clause | None = None
    """Clause on bets that were registered before: they are settled."""
    unregistered: Clause | None = None
    """Clause on bets that were not registered: they are returned, or did not take part."""


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


class RoundReinstated(Event, frozen=True, tag="round_reinstated.v1", gc=False):
    """A decision settled a void round after all. Each seat stakes its bets again and is paid."""

    round: RoundNumber
    outcome: Pocket
    clause: Clause
    seats: tuple[Restated, ...]


class SeatDecided(Event, frozen=True, tag="seat_decided.v1", gc=False):
    """A decision on one seat of a past round. The round's outcome and the other seats are unchanged."""

    round: RoundNumber
    ruling: Ruling
    clause: Clause
    change: Restated
    outcome: Pocket | None = None
    """Outcome by which the seat is settled; ``None`` if its bets are void."""
    was: Pocket | None = None
    """Outcome by which the seat was settled before; ``None`` if its bets were void."""


class StakeReturned(Event, frozen=True, tag="stake_returned.v1", gc=False):
    """A decision voided the bets of one seat in a round that is in progress."""

    round: RoundNumber
    seat: SeatId
    cents: Cents
    clause: Clause


class MatterReferred(Event, frozen=True, tag="matter_referred.v1", gc=False):
    round: RoundNumber
    """0 for a question about the rules that concerns no round."""
    question: str
    decides: StaffPosition
    clause: Clause
    source: Source | None = None
    """Who referred the matter; ``None`` in the first procedure. That person does not decide it alone."""
    for_seats: tuple[SeatId, ...] = ()
    """Seats that the matter concerns. The round goes on, and each seat is decided by itself. Empty: the whole round."""


class DecisionMade(Event, frozen=True, tag="decision_made.v1", gc=False):
    round: RoundNumber
    ruling: Ruling
    reason: str
    by: StaffPosition
    clause: Clause
    outcome: Pocket | None = None
    for_seat: SeatId | None = None
    """The only seat that the decision concerns; ``None`` for the whole round."""
    off_record: bool = False
    """Whether the round was settled to an outcome that nobody read. Two persons decided it."""
    who: PersonName | None = None
    second: PersonName | None = None


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


class ColourIssued(Event, frozen=True, tag="colour_issued.v1", gc=False):
    seat: SeatId
    colour: ChipColour
    value_cents: Cents
    clause: Clause


class ColourRedeemed(Event, frozen=True, tag="colour_redeemed.v1", gc=False):
    seat: SeatId
    colour: ChipColour
    value_cents: Cents
    clause: Clause


class InterruptionRecovered(Event, frozen=True, tag="interruption_recovered.v1", gc=False):
    """The server restarted during a round. The table acts by the rulebook's clause on interruptions."""

    round: RoundNumber
    phase: str
    """Phase at the interruption; ``held`` if the readings of wheel and console disagreed."""
    irregularity: IrregularityId
    clause: Clause
    asks: bool = False
    """Whether the table waits for a report of what the wheel shows."""

    @property
    def waits(self) -> bool:
        """Whether the round still waits for people after the interruption."""
        return self.phase in (HELD, Phase.REFERRED)


AnyEvent = (
    TableOpened
    | LastRoundsAnnounced
    | ProcedureAdopted
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
    | OutcomeRead
    | ReadingAmended
    | ResultRegistered
    | ResultConfirmed
    | RoundSettled
    | RoundVoided
    | RoundsSkipped
    | TerminalsInterrupted
    | RoundCorrected
    | RoundReversed
    | RoundReinstated
    | SeatDecided
    | StakeReturned
    | MatterReferred
    | DecisionMade
    | ManualModeEntered
    | AutomaticModeEntered
    | CashedOut
    | TicketRedeemed
    | ColourIssued
    | ColourRedeemed
    | InterruptionRecovered
)
