"""Events of a table, as stored in its journal.

Tags and fields never change their name or meaning. A change needs a new version (``.v2``) of the event. Stored
events are never edited; a correction is a new event.
"""

from roundhouse.rules.names import Cents, Clause, GameId, IrregularityId, LayoutId, PackageId, StaffPosition, TerminalId
from roundhouse.table.care_events import (
    AttendantCalled,
    BreakTaken,
    CallAttended,
    CheckAcknowledged,
    ProtectionSet,
)
from roundhouse.table.decision_events import (
    DecisionMade,
    MatterReferred,
    Restated,
    RoundCorrected,
    RoundReinstated,
    RoundReversed,
    RoundsSkipped,
    SeatDecided,
)
from roundhouse.table.desk_events import (
    DealerChanged,
    DisplayQuestioned,
    DisputeClosed,
    Disputed,
    DropTaken,
    FloatCounted,
    FloatCredited,
    FloatFilled,
    SeatPaused,
    SeatResumed,
)
from roundhouse.table.evidence import Source
from roundhouse.table.limits import Limits
from roundhouse.table.money_events import CashOutRequested, EnrolmentAllowed, LimitsChanged, PurchaseReversed
from roundhouse.table.names import ENTRIES, HELD, ChipColour, Millis, Phase, RoundNumber, SeatId, TicketId
from roundhouse.table.protection import CarriedProtection, HouseProtection
from roundhouse.table.round_events import (
    BallRested,
    BetsClosed,
    BetsOpened,
    BetsPlaced,
    BetsWithdrawn,
    Event,
    LateBetRefused,
    LateWithdrawalRefused,
    OutcomeRead,
    ReadingAmended,
    ResultConfirmed,
    ResultRegistered,
    RoundSettled,
    RoundVoided,
    Slip,
    SpinObserved,
    SpinStarted,
    StakeReturned,
    TerminalsInterrupted,
)
from roundhouse.table.sessions import CarriedSession


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


class SoftwareStopped(Event, frozen=True, tag="software_stopped.v1", gc=False):
    """The software was stopped in an orderly way during a round. This is no interruption; the round is referred."""

    round: RoundNumber
    phase: Phase


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
    number: int = 0
    """Number of the purchase at this table, from 1. Purchases of earlier versions have none."""
    source: Source | None = None
    """Who sold the credits. ``None`` in entries of earlier versions, as in other events about money."""
    in_float: bool = False
    """Whether the cash went into the counted float of the table."""
    new_session: bool = False
    """Whether the seat's last session had ended. The first money at a seat begins a session anyway."""
    house: HouseProtection | None = None
    """Limits of the house, if it has any. The session is under them from now on."""


class ManualModeEntered(Event, frozen=True, tag="manual_mode_entered.v1", gc=False):
    """The table switched to manual mode: people deal. Every terminal shows the reason."""

    reason: str


class AutomaticModeEntered(Event, frozen=True, tag="automatic_mode_entered.v1", gc=False):
    pass


class CashedOut(Event, frozen=True, tag="cashed_out.v1", gc=False):
    """A ticket was issued, with its number. Journals before format 3 contain it; now it is only an answer."""

    seat: SeatId
    cents: Cents
    ticket: TicketId
    expires: Millis
    source: Source | None = None


class ConcealedCashOut(CashedOut, frozen=True, tag="cashed_out.v2", gc=False):
    """A ticket was issued. ``ticket`` is its id in the journal, which conceals the number."""

    in_float: bool = False
    """Whether the chips went back into the counted float of the table."""
    session: CarriedSession | None = None
    """Session that the ticket carries along. Not in journals of earlier versions, and not in the answer."""
    protection: CarriedProtection | None = None
    """Protection that the ticket carries along, if the session has any."""


class TicketRedeemed(Event, frozen=True, tag="ticket_redeemed.v1", gc=False):
    """A ticket was redeemed, named by its number."""

    seat: SeatId
    cents: Cents
    ticket: TicketId
    source: Source | None = None
    new_session: bool = False
    """Whether the seat's last session had ended, or gives way to that of the ticket."""
    house: HouseProtection | None = None
    """Limits of the house, if it has any. The session is under them from now on."""


class ConcealedRedemption(TicketRedeemed, frozen=True, tag="ticket_redeemed.v2", gc=False):
    """A ticket was redeemed. ``ticket`` is its id in the journal, which conceals the number."""

    in_float: bool = False
    """Whether the ticket went into the counted float of the table."""
    session: CarriedSession | None = None
    """Session that the ticket brought along."""
    protection: CarriedProtection | None = None
    """Protection that the ticket brought along."""


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
    | SoftwareStopped
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
    | ConcealedCashOut
    | TicketRedeemed
    | ConcealedRedemption
    | ProtectionSet
    | BreakTaken
    | CheckAcknowledged
    | AttendantCalled
    | CallAttended
    | ColourIssued
    | ColourRedeemed
    | InterruptionRecovered
    | PurchaseReversed
    | CashOutRequested
    | LimitsChanged
    | EnrolmentAllowed
    | Disputed
    | DisputeClosed
    | DisplayQuestioned
    | SeatPaused
    | SeatResumed
    | DealerChanged
    | FloatCounted
    | FloatFilled
    | FloatCredited
    | DropTaken
)

__all__ = [
    "AnyEvent",
    "AttendantCalled",
    "AutomaticModeEntered",
    "BallRested",
    "BetsClosed",
    "BetsOpened",
    "BetsPlaced",
    "BetsWithdrawn",
    "BreakTaken",
    "CallAttended",
    "CashOutRequested",
    "CashedOut",
    "CheckAcknowledged",
    "ColourIssued",
    "ColourRedeemed",
    "ConcealedCashOut",
    "ConcealedRedemption",
    "CreditsBought",
    "DealerChanged",
    "DecisionMade",
    "DisplayQuestioned",
    "DisputeClosed",
    "Disputed",
    "DropTaken",
    "EnrolmentAllowed",
    "Event",
    "FloatCounted",
    "FloatCredited",
    "FloatFilled",
    "InterruptionRecovered",
    "LastRoundsAnnounced",
    "LateBetRefused",
    "LateWithdrawalRefused",
    "LimitsChanged",
    "ManualModeEntered",
    "MatterReferred",
    "OutcomeRead",
    "ProcedureAdopted",
    "ProtectionSet",
    "PurchaseReversed",
    "ReadingAmended",
    "Restated",
    "ResultConfirmed",
    "ResultRegistered",
    "RoundCorrected",
    "RoundReinstated",
    "RoundReversed",
    "RoundSettled",
    "RoundVoided",
    "RoundsSkipped",
    "SeatDecided",
    "SeatPaused",
    "SeatResumed",
    "SeatTaken",
    "Slip",
    "SoftwareStopped",
    "SpinObserved",
    "SpinStarted",
    "StakeReturned",
    "TableClosed",
    "TableOpened",
    "TableResumed",
    "TableStopped",
    "TerminalsInterrupted",
    "TicketRedeemed",
]
"""Other modules import all events from here."""
