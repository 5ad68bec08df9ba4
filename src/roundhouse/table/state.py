"""The state of a table: owned by its one writer and changed in place by applied events.

``Memory`` is all that must survive in a snapshot. ``Table`` adds what can be derived from the rulebook, and
the archive of past rounds, which lives with the journal.
"""

from operator import mul
from typing import Protocol

from msgspec import UNSET, Struct, UnsetType, field

from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, LayoutId, Pocket, PositionId, TerminalId
from roundhouse.table.limits import BoundsOf, Limits
from roundhouse.table.names import Millis, Phase, ReadBy, RoundNumber, SeatId

KEPT_RESULTS = 50


Step = tuple[bool, dict[PositionId, int]]
"""One change of what a seat has on the layout: whether chips were added, and which."""


class Seat(Struct, rename={"on_layout": "standing"}):
    """A seat's credits, its chips, and the sums by which its credits can be checked."""

    id: SeatId
    terminal: TerminalId
    layout: LayoutId
    credits: int = 0
    bets: dict[PositionId, int] = field(default_factory=dict)
    on_layout: int = 0
    """The sum of ``bets``."""
    steps: list[Step] = field(default_factory=list)
    """Changes of this round, the last one last, for undoing."""
    last_slip: dict[PositionId, int] = field(default_factory=dict)
    bought: int = 0
    redeemed: int = 0
    returned: int = 0
    """Stakes that came back without being won: withdrawn, undone, cleared, void."""
    won: int = 0
    """What settlements and their corrections brought, stakes of winning bets included."""
    staked: int = 0
    cashed_out: int = 0
    handle: int = 0
    """Stakes of settled rounds."""
    paid: int = 0
    """What settled rounds returned."""
    shortfall: int = 0

    def expected_credits(self) -> int:
        """The identity that must hold before any value leaves and at every round's start."""
        return (self.bought + self.redeemed + self.returned + self.won) - (self.staked + self.cashed_out)


class Meters(Struct):
    rounds: int = 0
    handle: int = 0
    paid: int = 0
    bought: int = 0
    tickets_in: int = 0
    tickets_out: int = 0
    voids: int = 0
    corrections: int = 0
    late_bets: int = 0

    @property
    def win(self) -> int:
        """What the house won: handle less what was paid."""
        return self.handle - self.paid

    @property
    def drop(self) -> int:
        return self.bought + self.tickets_in


class Result(Struct, frozen=True):
    round: RoundNumber
    outcome: Pocket | None
    """Nothing when the round was void."""


# Snapshots keep the field names of the first version: stored names never change.
_STORED_STATE = {
    "wheel_outcome": "rested",
    "registered_outcome": "registered",
    "referrals": "matters",
    "last_event_at": "at",
}


class TableState(Struct, rename=_STORED_STATE):
    """Everything a table remembers, rebuilt from its events. The writer changes it in place."""

    phase: Phase = Phase.CLOSED
    round: RoundNumber = RoundNumber(0)
    seats: dict[SeatId, Seat] = field(default_factory=dict)
    limits: Limits = Limits()
    rulebook: str = ""
    last_event_at: Millis = Millis(0)
    """The time of the last event."""
    closed_at: Millis = Millis(0)
    wheel_outcome: Pocket | None = None
    registered_outcome: Pocket | None = None
    before_referral: Phase | None = None
    referrals: dict[RoundNumber, str] = field(default_factory=dict)
    """What was referred and waits for a decision."""
    last_rounds: int | None = None
    results: list[Result] = field(default_factory=list)
    meters: Meters = field(default_factory=Meters)
    layout: int = 0
    house: int = 0
    cashier: int = 0
    tickets: int = 0
    shortfall: int = 0
    stopped: str = ""
    before_stop: Phase | UnsetType = UNSET
    """Where a table stood that has stopped. In no snapshot otherwise, and in none of a version without this word."""
    interrupted: bool | UnsetType = UNSET
    """Whether the table was opened again while a round waited for people; like the word above in few snapshots."""
    rested_by: ReadBy = ReadBy.DEALER
    resolved: bool = False
    """Whether somebody with the authority has named the result of this round."""
    automatic: bool = False
    mode_reason: str = ""
    """Why people deal; empty where the automatic dealer does, or never did."""

    @property
    def phase_before_stop(self) -> Phase:
        """The phase; of a table that has stopped, the one before."""
        return self.phase if self.before_stop is UNSET else self.before_stop

    @property
    def readings_disagree(self) -> bool:
        """The wheel reads one outcome and the console has another: somebody with the authority must say which."""
        return self.held_in(self.phase)

    def held_in(self, phase: Phase) -> bool:
        return (
            phase is Phase.REGISTERED
            and self.rested_by is ReadBy.WHEEL
            and self.registered_outcome != self.wheel_outcome
        )


class RoundRecord(Struct):
    """A past round as it stands now: what stood on the layout, the outcome, what each seat got."""

    number: RoundNumber
    outcome: Pocket | None
    """Nothing when the round is void."""
    slips: dict[SeatId, dict[PositionId, int]]
    returned: dict[SeatId, int]
    shortfall: dict[SeatId, int] = field(default_factory=dict)
    rulebook: str = ""
    """The hash of the rulebook by which it was played, and by which alone it can be priced again."""

    @property
    def void(self) -> bool:
        return self.outcome is None


class Archive(Protocol):
    """Past rounds. Kept with the journal, because a table may run for years."""

    def round(self, number: RoundNumber) -> RoundRecord | None: ...

    def keep(self, record: RoundRecord) -> None: ...


class Table:
    """One table: its game, its state, its archive."""

    def __init__(self, game: Game, state: TableState, archive: Archive) -> None:
        self.game = game
        self.state = state
        self.archive = archive
        self.terminals = game.terminals
        self.prices = {id: game.prices(id) for id in game.layouts}
        self.bounds: dict[LayoutId, BoundsOf] = {}
        self.set_limits(state.limits)

    def set_limits(self, limits: Limits) -> None:
        self.state.limits = limits
        self.max_of_a_seat, self.max_of_all = limits.seat.max, limits.table
        self.bounds = {id: limits.of_layout(layout) for id, layout in self.game.layouts.items()}

    def seat_returns(self, seat: SeatId, slip: dict[PositionId, int], outcome: Pocket) -> Cents:
        """What a seat's bets get back for an outcome."""
        times = self.prices[self.state.seats[seat].layout].all_times(outcome)
        return Cents(sum(map(mul, slip.values(), map(times.__getitem__, slip))))
