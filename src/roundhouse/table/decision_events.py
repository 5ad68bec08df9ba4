"""Events of referrals and decisions, and of changes to past rounds."""

from msgspec import Struct

from roundhouse.rules.names import Cents, Clause, IrregularityId, Pocket, StaffPosition
from roundhouse.table.evidence import Source
from roundhouse.table.names import PersonName, RoundNumber, Ruling, SeatId
from roundhouse.table.round_events import Event


class RoundsSkipped(Event, frozen=True, tag="rounds_skipped.v1", gc=False):
    """Rounds that a declaration named and that were void already. Nothing changed in them."""

    rounds: tuple[RoundNumber, ...]
    irregularity: IrregularityId
    clause: Clause


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


class MatterReferred(Event, frozen=True, tag="matter_referred.v1", gc=False):
    round: RoundNumber
    """0 for a question about the rules that concerns no round."""
    question: str
    decides: StaffPosition
    clause: Clause
    source: Source | None = None
    """Source of the referral; ``None`` in the first procedure. That person does not decide it alone."""
    for_seats: tuple[SeatId, ...] = ()
    """Seats that the matter concerns. The round goes on, and seats are decided separately. Empty: the whole round."""


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
    """Whether the round was settled to an outcome without a reading on record. Two persons decided it."""
    who: PersonName | None = None
    second: PersonName | None = None
