"""Events about the desk of a table: disputes, paused seats, the Dealer of record and the float."""

from roundhouse.rules.names import Cents, Clause, Pocket, StaffPosition
from roundhouse.table.evidence import Source
from roundhouse.table.names import Contested, Count, DisputeNumber, PersonName, RoundNumber, SeatId
from roundhouse.table.round_events import Event


class Disputed(Event, frozen=True, tag="dispute.v1", gc=False):
    """A Player contested a round. Two hashes freeze the record of that moment."""

    dispute: DisputeNumber
    round: RoundNumber
    seat: SeatId
    about: Contested
    head: str
    """Hash of the chain before this event. It covers every earlier entry."""
    decides: StaffPosition
    """Position that closes the dispute under the rulebook."""
    clause: Clause
    words: str = ""
    outcome: Pocket | None = None
    """Outcome by which the seat was settled then; ``None`` if its bets were void or the round was not over."""
    staked: Cents = Cents(0)
    returned: Cents = Cents(0)
    record: str = ""
    """SHA-256 of the record of the round as it was then; empty if the round was not over."""
    source: Source | None = None
    """The member of staff who wrote it down; ``None`` if the Player sent it."""


class DisputeClosed(Event, frozen=True, tag="dispute_closed.v1", gc=False):
    """A dispute ended. The seat is told the reason."""

    dispute: DisputeNumber
    round: RoundNumber
    seat: SeatId
    reason: str
    by: StaffPosition
    clause: Clause
    paid: Cents = Cents(0)
    """Goodwill that the seat got."""
    returned: Cents = Cents(0)
    """Amount that the round has returned to the seat by now, with all corrections."""
    who: PersonName | None = None
    second: PersonName | None = None


class DisplayQuestioned(Event, frozen=True, tag="display_questioned.v1", gc=False):
    """Staff put on record that a display may have been wrong. The table's own outcome is not touched."""

    words: str
    round: RoundNumber = RoundNumber(0)
    """0 if it concerns no round."""


class SeatPaused(Event, frozen=True, tag="seat_paused.v1", gc=False):
    seat: SeatId
    reason: str


class SeatResumed(Event, frozen=True, tag="seat_resumed.v1", gc=False):
    seat: SeatId


class DealerChanged(Event, frozen=True, tag="dealer_changed.v1", gc=False):
    """The Dealer of record changed. Without ``dealer`` the table has none, and any Dealer may deal."""

    dealer: PersonName | None = None
    was: PersonName | None = None
    reason: str = ""
    """Why a Pit Supervisor, or the end of the session, ended the duty of the Dealer before."""


class FloatCounted(Event, frozen=True, tag="float_counted.v1", gc=False):
    """Two persons counted the float. A closer is compared with what the events since the opener give:

    ``expected = opener + fills - credits + win + exchanged - drop`` and ``variance = cents - expected``. An opener is
    compared with the closer before it.
    """

    count: Count
    cents: Cents
    expected: int
    variance: int
    in_chips: bool = False
    """Whether the table is played with chips. Without chips its float is cash only, and ``win`` is 0."""
    opener: Cents = Cents(0)
    fills: Cents = Cents(0)
    credits: Cents = Cents(0)
    win: int = 0
    """Win of the house in chips, less goodwill and less the amounts that corrections could not take back."""
    exchanged: int = 0
    """With chips: credits that became tickets. Without: credits that the table's Dealers sold."""
    drop: Cents = Cents(0)


class FloatFilled(Event, frozen=True, tag="float_filled.v1", gc=False):
    cents: Cents


class FloatCredited(Event, frozen=True, tag="float_credited.v1", gc=False):
    cents: Cents


class DropTaken(Event, frozen=True, tag="drop_removed.v1", gc=False):
    cents: Cents
