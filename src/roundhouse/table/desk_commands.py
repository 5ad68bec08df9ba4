"""Commands about the desk of a table: disputes, paused seats, the Dealer of record and the float."""

from msgspec import UNSET, UnsetType

from roundhouse.rules.names import Cents
from roundhouse.table.command import Command
from roundhouse.table.names import Contested, Count, DisputeNumber, RoundNumber, SeatId


class Dispute(Command, frozen=True, tag="dispute", kw_only=True, gc=False, omit_defaults=True):
    """Contests a round on behalf of a seat. The table goes on."""

    seat: SeatId
    round: RoundNumber
    about: Contested
    words: str = ""
    """The words of the Player, in at most 300 characters. Required if ``about`` is ``other``."""


class CloseDispute(Command, frozen=True, tag="close_dispute", kw_only=True, gc=False, omit_defaults=True):
    """Closes a dispute with the answer to the Player, and pays goodwill to the seat if ``paid`` is given."""

    dispute: DisputeNumber
    reason: str
    paid: Cents = Cents(0)
    """Goodwill in cents, which needs a second person. Corrections of the round are commands of their own."""


class QuestionDisplay(Command, frozen=True, tag="question_display", kw_only=True, gc=False):
    """Puts on record that a display may have shown something wrong. No money changes."""

    words: str
    round: RoundNumber | UnsetType = UNSET
    """The round that the display showed, if it is known."""


class PauseSeat(Command, frozen=True, tag="pause_seat", kw_only=True, gc=False):
    """Stops new bets of a seat. Its bets on the layout stay live."""

    seat: SeatId
    reason: str
    """Shown to the Player."""


class ResumeSeat(Command, frozen=True, tag="resume_seat", kw_only=True, gc=False):
    seat: SeatId


class TakeTable(Command, frozen=True, tag="take_table", kw_only=True, gc=False):
    """Makes the sender the Dealer of record."""

    reason: str | UnsetType = UNSET
    """Required from a Pit Supervisor who takes the table from another Dealer."""


class HandTable(Command, frozen=True, tag="hand_table", kw_only=True, gc=False):
    """Ends the duty of the Dealer of record. The next Dealer takes the table."""

    reason: str | UnsetType = UNSET
    """Required if a Pit Supervisor ends the duty of another person."""


class CountFloat(Command, frozen=True, tag="count_float", kw_only=True, gc=False):
    """Records a count of the float by two persons: the opener or the closer."""

    count: Count
    cents: Cents


class Fill(Command, frozen=True, tag="fill", kw_only=True, gc=False):
    """Adds chips or cash from the cage to the float."""

    cents: Cents


class Credit(Command, frozen=True, tag="credit", kw_only=True, gc=False):
    """Returns chips or cash from the float to the cage."""

    cents: Cents


class DropRemoved(Command, frozen=True, tag="drop_removed", kw_only=True, gc=False):
    """Takes the drop, which is the cash and the redeemed tickets of the table, to the count room."""

    cents: Cents
