"""Commands to a table. Each is one JSON object whose ``do`` names the command.

The sender gives a request id (``id``) and the position in which they act (``by``). The table decides whether
the command is allowed.
"""

from msgspec import UNSET, Struct, UnsetType

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Cents, IrregularityId, PackageId, Pocket, PositionId, TerminalId
from roundhouse.table.command import Command as Command
from roundhouse.table.desk_commands import CloseDispute as CloseDispute
from roundhouse.table.desk_commands import CountFloat as CountFloat
from roundhouse.table.desk_commands import Credit as Credit
from roundhouse.table.desk_commands import Dispute as Dispute
from roundhouse.table.desk_commands import DropRemoved as DropRemoved
from roundhouse.table.desk_commands import Fill as Fill
from roundhouse.table.desk_commands import HandTable as HandTable
from roundhouse.table.desk_commands import PauseSeat as PauseSeat
from roundhouse.table.desk_commands import QuestionDisplay as QuestionDisplay
from roundhouse.table.desk_commands import ResumeSeat as ResumeSeat
from roundhouse.table.desk_commands import TakeTable as TakeTable
from roundhouse.table.limits import Limits
from roundhouse.table.names import (
    ChipColour,
    ReadBy,
    RoundNumber,
    Ruling,
    SeatId,
    TicketNumber,
)


class Chips(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A stake on one position."""

    position: PositionId
    cents: Cents


class OpenTable(Command, frozen=True, tag="open_table", kw_only=True, gc=False):
    limits: Limits | None = None
    """Bet limits; the house's limits of this table if not given."""
    chips: tuple[Cents, ...] | UnsetType = UNSET
    """Values of the cash chips; the house's chips of this table if not given."""


class CloseTable(Command, frozen=True, tag="close_table", kw_only=True, gc=False):
    last_rounds: int = 0
    """Number of rounds to play before the table closes; 0 closes it after the current round."""


class TakeSeat(Command, frozen=True, tag="take_seat", kw_only=True, gc=False):
    seat: SeatId
    terminal: TerminalId


class BuyCredits(Command, frozen=True, tag="buy_credits", kw_only=True, gc=False):
    seat: SeatId
    cents: Cents


class ReversePurchase(Command, frozen=True, tag="reverse_purchase", kw_only=True, gc=False):
    """Reverses a purchase of credits at a seat while they are unspent."""

    seat: SeatId
    purchase: int | UnsetType = UNSET
    """Number of the purchase; the seat's last one if not given."""
    reason: str | UnsetType = UNSET


class RequestCashOut(Command, frozen=True, tag="request_cash_out", kw_only=True, gc=False):
    """Asks for a cash-out: a Player asks staff to do it, or staff ask the Player to confirm at the terminal."""

    seat: SeatId


class ChangeLimits(Command, frozen=True, tag="change_limits", kw_only=True, gc=False):
    """Changes the limits of an open table from the next round on. Limits that are not given stay."""

    limits: Limits
    reason: str


class AllowEnrolment(Command, frozen=True, tag="allow_enrolment", kw_only=True, gc=False):
    """Allows another terminal at a seat that has credits or bets, for ten minutes."""

    seat: SeatId
    reason: str


class OpenBets(Command, frozen=True, tag="open_bets", kw_only=True, gc=False):
    pass


class PlaceBets(Command, frozen=True, tag="place_bets", kw_only=True, gc=False):
    seat: SeatId
    bets: tuple[Chips, ...]


class PlacePackage(Command, frozen=True, tag="place_package", kw_only=True, gc=False):
    seat: SeatId
    package: PackageId
    unit_cents: Cents


class WithdrawBets(Command, frozen=True, tag="withdraw_bets", kw_only=True, gc=False):
    seat: SeatId
    bets: tuple[Chips, ...]


class Undo(Command, frozen=True, tag="undo", kw_only=True, gc=False):
    seat: SeatId


class Clear(Command, frozen=True, tag="clear", kw_only=True, gc=False):
    seat: SeatId


class Repeat(Command, frozen=True, tag="repeat", kw_only=True, gc=False):
    seat: SeatId


class Double(Command, frozen=True, tag="double", kw_only=True, gc=False):
    seat: SeatId


class CloseBets(Command, frozen=True, tag="close_bets", kw_only=True, gc=False):
    pass


class StartSpin(Command, frozen=True, tag="start_spin", kw_only=True, gc=False):
    by_hand: bool | UnsetType = UNSET
    """Whether the Dealer spun the ball by hand at a table whose wheel launches it. Such a wheel is not started."""


class ObserveSpin(Command, frozen=True, tag="observe_spin", kw_only=True, gc=False):
    """Reports a spin. ``None`` means that a value was not measured."""

    revolutions: int | float | None
    ball: Direction | UnsetType | None = UNSET
    wheel: Direction | UnsetType | None = UNSET
    seen: tuple[IrregularityId, ...] = ()


class BallAtRest(Command, frozen=True, tag="ball_at_rest", kw_only=True, gc=False, omit_defaults=True):
    """Reads the outcome at the wheel. A second report by another person is a second reading."""

    outcome: Pocket
    read_by: ReadBy = ReadBy.DEALER
    """Only the wheel's driver may read for the wheel."""
    segment: int | UnsetType = UNSET
    """Segment at the clapper of a Money Wheel."""
    reason: str | UnsetType = UNSET
    """Why the outcome is read although the wheel's line reported no ball."""


class AmendReading(Command, frozen=True, tag="amend_reading", kw_only=True, gc=False):
    """Changes the sender's own reading before the result is confirmed."""

    outcome: Pocket
    segment: int | UnsetType = UNSET


class RegisterResult(Command, frozen=True, tag="register_result", kw_only=True, gc=False):
    outcome: Pocket


class ConfirmResult(Command, frozen=True, tag="confirm_result", kw_only=True, gc=False):
    pass


class Declare(Command, frozen=True, tag="declare", kw_only=True, gc=False):
    irregularity: IrregularityId
    rounds: tuple[RoundNumber, ...] | None = None
    seats: tuple[SeatId, ...] | UnsetType = UNSET
    """Seats whose terminals were interrupted."""


class CallNoSpin(Command, frozen=True, tag="call_no_spin", kw_only=True, gc=False):
    reason: str | UnsetType = UNSET
    """The suspected irregularity."""


class CorrectResult(Command, frozen=True, tag="correct_result", kw_only=True, gc=False):
    round: RoundNumber
    outcome: Pocket
    reason: str | UnsetType = UNSET
    """Why a settled round is corrected."""


class Refer(Command, frozen=True, tag="refer", kw_only=True, gc=False):
    """Refers a matter to the person who decides. Without a round it is a question about the rules."""

    # The order of fields is the order in stored requests, so it never changes.
    round: RoundNumber | UnsetType = UNSET
    question: str


class Decide(Command, frozen=True, tag="decide", kw_only=True, gc=False):
    round: RoundNumber | UnsetType = UNSET
    ruling: Ruling
    reason: str
    outcome: Pocket | None = None
    seat: SeatId | UnsetType = UNSET
    """The only seat that the decision concerns; the whole round if not given."""


class TakeOver(Command, frozen=True, tag="take_over", kw_only=True, gc=False):
    """Switches to manual mode: people deal, and the automatic dealer sends no commands."""

    reason: str


class HandBack(Command, frozen=True, tag="hand_back", kw_only=True, gc=False):
    pass


class ResumeTable(Command, frozen=True, tag="resume_table", kw_only=True, gc=False):
    """Resumes a stopped table after people have examined it. Refused if its accounts do not balance."""

    reason: str


class CashOut(Command, frozen=True, tag="cash_out", kw_only=True, gc=False):
    seat: SeatId
    cents: Cents | UnsetType = UNSET
    """Credits that the seat must have. An approved cash-out carries the amount that was approved."""


class RedeemTicket(Command, frozen=True, tag="redeem_ticket", kw_only=True, gc=False):
    seat: SeatId
    ticket: TicketNumber
    """The number, as its holder presents it. The journal stores the ticket's id instead."""


class SetProtection(Command, frozen=True, tag="set_protection", kw_only=True, gc=False):
    """Sets limits of the Player's session. A field that is not given stays as it is; ``None`` removes the limit."""

    seat: SeatId
    loss_cents: int | UnsetType | None = UNSET
    stake_cents: int | UnsetType | None = UNSET
    session_stake_cents: int | UnsetType | None = UNSET
    minutes: int | UnsetType | None = UNSET
    check_minutes: int | UnsetType | None = UNSET


class TakeBreak(Command, frozen=True, tag="take_break", kw_only=True, gc=False):
    """Refuses all bets of the seat for a time."""

    seat: SeatId
    minutes: int


class AcknowledgeCheck(Command, frozen=True, tag="acknowledge_check", kw_only=True, gc=False):
    """Confirms that the Player has seen the reality check that is due."""

    seat: SeatId


class CallAttendant(Command, frozen=True, tag="call_attendant", kw_only=True, gc=False):
    seat: SeatId


class AttendCall(Command, frozen=True, tag="attend_call", kw_only=True, gc=False):
    """Answers the call of a seat."""

    seat: SeatId


class IssueColour(Command, frozen=True, tag="issue_colour", kw_only=True, gc=False):
    """Issues colour chips to a seat. Each chip is worth ``value_cents`` until the colour is redeemed."""

    seat: SeatId
    colour: ChipColour
    value_cents: Cents


class RedeemColour(Command, frozen=True, tag="redeem_colour", kw_only=True, gc=False):
    """Takes back the colour chips of a seat. The seat then bets in cash chips."""

    seat: SeatId


class Show(Command, frozen=True, tag="show", kw_only=True, gc=False):
    """Requests the current state. It is not recorded in the journal."""


BetCommand = PlaceBets | PlacePackage | WithdrawBets | Undo | Clear | Repeat | Double

AnyCommand = (
    OpenTable
    | CloseTable
    | TakeSeat
    | BuyCredits
    | OpenBets
    | PlaceBets
    | PlacePackage
    | WithdrawBets
    | Undo
    | Clear
    | Repeat
    | Double
    | CloseBets
    | StartSpin
    | ObserveSpin
    | BallAtRest
    | AmendReading
    | RegisterResult
    | ConfirmResult
    | Declare
    | CallNoSpin
    | CorrectResult
    | Refer
    | Decide
    | TakeOver
    | HandBack
    | ResumeTable
    | CashOut
    | RedeemTicket
    | SetProtection
    | TakeBreak
    | AcknowledgeCheck
    | CallAttendant
    | AttendCall
    | IssueColour
    | RedeemColour
    | ReversePurchase
    | RequestCashOut
    | ChangeLimits
    | AllowEnrolment
    | Dispute
    | CloseDispute
    | QuestionDisplay
    | PauseSeat
    | ResumeSeat
    | TakeTable
    | HandTable
    | CountFloat
    | Fill
    | Credit
    | DropRemoved
    | Show
)
