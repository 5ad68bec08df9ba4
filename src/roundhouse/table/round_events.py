"""Events of a round in progress: bets, the spin, readings, the result and how the round ends."""

from msgspec import Struct, field

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Cents, Clause, IrregularityId, PackageId, Pocket, PositionId, StaffPosition
from roundhouse.table.evidence import Source
from roundhouse.table.names import ChipAction, Millis, ReadBy, RoundNumber, SeatId

Slip = dict[PositionId, Cents]


class Event(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    """Base class of all events of a table."""


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
    bets: Slip = field(default_factory=dict)


class LateWithdrawalRefused(Event, frozen=True, tag="late_withdrawal_refused.v1", gc=False):
    """A withdrawal that arrived after closing. The stake stays on the layout and is won or lost."""

    seat: SeatId
    how: ChipAction
    late_millis: Millis
    clause: Clause
    bets: Slip = field(default_factory=dict)


class BetsClosed(Event, frozen=True, tag="bets_closed.v1", gc=False):
    round: RoundNumber
    phrase: str
    clause: Clause
    staked: Cents
    """Total stakes of all seats on the layout at closing. Exactly these stakes are settled."""


class SpinStarted(Event, frozen=True, tag="spin_started.v1", gc=False):
    round: RoundNumber
    source: Source | None = None
    """Source that started the spin; ``None`` in the first procedure."""
    by_hand: bool = False
    """Whether the ball was spun by hand at a table whose wheel launches it."""
    from_segment: int | None = None
    """Segment that the clapper of a Money Wheel indicated before, if it is on record. Revolutions count from it."""


class SpinObserved(Event, frozen=True, tag="spin_observed.v1", gc=False):
    """A report of the spin. In the current procedure ``None`` means that a value was not measured."""

    round: RoundNumber
    revolutions: int | float | None
    ball: Direction | None = None
    wheel: Direction | None = None
    seen: tuple[IrregularityId, ...] = ()
    source: Source | None = None
    """Source that attested or measured the spin; ``None`` in the first procedure."""


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
    was_segment: int | None = None


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
    """Values of the spin that are neither measured nor attested: ``ball``, ``wheel``, ``revolutions``."""


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


class StakeReturned(Event, frozen=True, tag="stake_returned.v1", gc=False):
    """A decision voided the bets of one seat in a round that is in progress."""

    round: RoundNumber
    seat: SeatId
    cents: Cents
    clause: Clause
