"""The state of a table. Its single writer changes it in place by applying events.

``TableState`` is what a snapshot stores. ``Table`` adds values derived from the rulebook, and the archive of
past rounds.
"""

from operator import mul
from typing import Final, Protocol

from msgspec import UNSET, Struct, UnsetType, field

from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, LayoutId, PackageId, Pocket, PositionId, TerminalId
from roundhouse.table.desk_state import DealerOfRecord, DisputeRegister, Tray
from roundhouse.table.evidence import Evidence, Source
from roundhouse.table.limits import BoundsOf, Limits
from roundhouse.table.money_state import AskedCashOut, Purchase
from roundhouse.table.names import (
    ENTRIES,
    EVIDENCE,
    PLAY_MONEY,
    ChipColour,
    Millis,
    PersonName,
    Phase,
    ReadBy,
    RoundNumber,
    SeatId,
)
from roundhouse.table.protection import Protection
from roundhouse.table.sessions import Session
from roundhouse.table.tallies import Moved
from roundhouse.table.terms import UNBOUNDED, HouseMoney, HouseTerms

KEPT_RESULTS = 50
"""Number of most recent results in the state."""


Step = tuple[bool, dict[PositionId, int]]
"""One change of a seat's bets: whether chips were added (else removed), and cents by position."""


class ColourChips(Struct, frozen=True):
    """Colour chips issued to a seat."""

    colour: ChipColour
    value_cents: Cents


class Seat(Struct, rename={"on_layout": "standing"}):
    """A seat's credits and bets, and the totals against which its credits are checked. Amounts are in cents."""

    id: SeatId
    terminal: TerminalId
    layout: LayoutId
    credits: int = 0
    bets: dict[PositionId, int] = field(default_factory=dict)
    on_layout: int = 0
    """Total of ``bets``: the seat's chips on the layout."""
    steps: list[Step] = field(default_factory=list)
    """Changes in this round, oldest first, for undo."""
    last_slip: dict[PositionId, int] = field(default_factory=dict)
    """Bets of the previous round, for repeat."""
    bought: int = 0
    redeemed: int = 0
    returned: int = 0
    """Stakes returned without a win: withdrawn, undone, cleared or void."""
    won: int = 0
    """Amounts from settlements and corrections, including the stakes of winning bets."""
    staked: int = 0
    cashed_out: int = 0
    handle: int = 0
    """Stakes of settled rounds."""
    paid: int = 0
    """Amounts returned by settled rounds."""
    shortfall: int = 0
    colour: ColourChips | UnsetType = UNSET
    """Colour chips of the seat. Unset, and absent from snapshots, if it bets in cash chips."""
    offers: tuple[PackageId, ...] | UnsetType = UNSET
    """Packages that the terminal offers. Absent from snapshots if it offers all of its type."""
    purchases: tuple[Purchase, ...] | UnsetType = UNSET
    """The last purchases, which can be reversed while they are unspent. Absent before one, as are all fields below."""
    moved: tuple[Moved, ...] | UnsetType = UNSET
    """Money that moved at this seat in the last hour."""
    asked: AskedCashOut | UnsetType = UNSET
    """The last request for a cash-out, until the seat is cashed out."""
    enrolment_until: Millis | UnsetType = UNSET
    """Until when two persons allow another terminal here although the seat has credits."""
    goodwill: int | UnsetType = UNSET
    """Goodwill paid to the seat in disputes."""
    paused: str | UnsetType = UNSET
    """Why the seat takes no new bets. Unset, and absent from snapshots, if it takes them."""
    session: Session | UnsetType = UNSET
    """Session of the Player. Unset before the seat has received money."""
    protection: Protection | UnsetType = UNSET
    """Protection of the session. Unset if neither the Player nor the house has set any."""

    def expected_credits(self) -> int:
        """Compute the credits from the totals, for comparison with ``credits`` before a cash-out and at round start."""
        credited = self.bought + self.redeemed + self.returned + self.won + (self.goodwill or 0)
        return credited - (self.staked + self.cashed_out)


class Terms(Struct, frozen=True, omit_defaults=True):
    """Terms under which the table was opened, besides its limits."""

    procedure: int
    currency: str = ""
    chips: tuple[Cents, ...] = ()
    """Values of the cash chips, the smallest first. Empty if the game is not played with chips."""
    opens_phrase: str = ""
    closes_phrase: str = ""

    @property
    def is_play_money(self) -> bool:
        return self.currency == PLAY_MONEY


FIRST_TERMS: Final = Terms(ENTRIES)
"""Terms of a table that was opened by a version of the program without procedures."""


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
        """Net win of the house: handle minus paid."""
        return self.handle - self.paid

    @property
    def drop(self) -> int:
        return self.bought + self.tickets_in


class Result(Struct, frozen=True):
    round: RoundNumber
    outcome: Pocket | None
    """Outcome of the round; ``None`` if the round was void."""


# Snapshots use the field names of the first version, because stored names never change.
_STORED_STATE = {
    "wheel_outcome": "rested",
    "registered_outcome": "registered",
    "referrals": "matters",
    "last_event_at": "at",
}


class TableState(Struct, rename=_STORED_STATE):
    """State of a table, as rebuilt from its events. Amounts are in cents."""

    phase: Phase = Phase.CLOSED
    round: RoundNumber = RoundNumber(0)
    seats: dict[SeatId, Seat] = field(default_factory=dict)
    limits: Limits = Limits()
    rulebook: str = ""
    """Hash of the rulebook in use."""
    last_event_at: Millis = Millis(0)
    closed_at: Millis = Millis(0)
    wheel_outcome: Pocket | None = None
    registered_outcome: Pocket | None = None
    before_referral: Phase | None = None
    referrals: dict[RoundNumber, str] = field(default_factory=dict)
    """Questions that wait for a decision, by round."""
    last_rounds: int | None = None
    """Rounds left before the table closes; ``None`` if closing was not announced."""
    results: list[Result] = field(default_factory=list)
    meters: Meters = field(default_factory=Meters)
    layout: int = 0
    house: int = 0
    cashier: int = 0
    tickets: int = 0
    shortfall: int = 0
    stopped: str = ""
    """Reason why the table stopped; empty if it did not."""
    before_stop: Phase | UnsetType = UNSET
    """Phase before the table stopped. Unset, and absent from snapshots, if it did not stop."""
    interrupted: bool | UnsetType = UNSET
    """Whether the server restarted while the round waited for people. Absent from snapshots if unset."""
    rested_by: ReadBy = ReadBy.DEALER
    resolved: bool = False
    """Whether an authorised person has set the result of this round."""
    automatic: bool = False
    mode_reason: str = ""
    """Reason for manual mode; empty in automatic mode, or if the table was never automatic."""
    opened_under: Terms | UnsetType = UNSET
    """Absent from snapshots of the first procedure, as are all fields below."""
    evidence: Evidence | UnsetType = UNSET
    """Evidence of the round in progress; unset between rounds."""
    before_interruption: Phase | UnsetType = UNSET
    """Phase before the interruption, while the table waits for a report of what the wheel shows."""
    referred_by: dict[RoundNumber, Source] | UnsetType = UNSET
    """Sources of the referrals that wait for a decision, by round."""
    earlier_referrers: dict[RoundNumber, list[Source]] | UnsetType = UNSET
    """Sources of earlier referrals of the same rounds, such as the matter of a seat before that of the round."""
    referred_seats: dict[RoundNumber, tuple[SeatId, ...]] | UnsetType = UNSET
    """Seats whose matters wait for a decision, by round."""
    orderly_stop_at: Millis | UnsetType = UNSET
    """When the software was last stopped in an orderly way during a round."""
    server_stopped: bool | UnsetType = UNSET
    """Whether the server stopped or restarted in the round in progress."""
    power_cut: bool | UnsetType = UNSET
    """Whether the spin of the round in progress was interrupted, if it has begun. A planned stop is no interruption."""
    returned_slips: dict[SeatId, dict[PositionId, int]] | UnsetType = UNSET
    """Bets of this round that a decision returned before its end, by seat."""
    purchases: int | UnsetType = UNSET
    """Number of the last purchase of credits at this table."""
    moved_by: dict[PersonName, tuple[Moved, ...]] | UnsetType = UNSET
    """Money that each person moved in the last hour at this table."""
    next_limits: Limits | UnsetType = UNSET
    """Limits from the next round on, if they change."""
    segment: int | UnsetType = UNSET
    """Segment that the clapper of a Money Wheel indicated last. The next spin is counted from it."""
    goodwill: int | UnsetType = UNSET
    """Balance of the account ``goodwill``: negative. Absent from snapshots before the first payment."""
    disputes: DisputeRegister | UnsetType = UNSET
    """Absent from snapshots before the first dispute."""
    dealer: DealerOfRecord | UnsetType = UNSET
    """The Dealer of record. Unset, and absent from snapshots, if there is none: then any Dealer may deal."""
    tray: Tray | UnsetType = UNSET
    """The float. Absent from snapshots before its first count."""
    calls: dict[SeatId, Millis] | UnsetType = UNSET
    """Seats that have called an attendant who has not come yet, with the time of the call."""

    @property
    def terms(self) -> Terms:
        return FIRST_TERMS if self.opened_under is UNSET else self.opened_under

    @property
    def by_evidence(self) -> bool:
        """Whether the table is under the current procedure, by which a result needs evidence."""
        return self.terms.procedure >= EVIDENCE

    @property
    def phase_before_stop(self) -> Phase:
        """The phase before the table stopped, or the current phase if it did not."""
        return self.phase if self.before_stop is UNSET else self.before_stop

    @property
    def phase_of_round(self) -> Phase:
        """The phase, or the one in which the round was referred if it waits for a decision."""
        return self.before_referral or self.phase if self.phase is Phase.REFERRED else self.phase

    def referrers_of(self, number: RoundNumber) -> list[Source]:
        """Return who referred the open matters of a round, the last one first."""
        last = (self.referred_by or {}).get(number)
        return [] if last is None else [last, *(self.earlier_referrers or {}).get(number, ())]

    @property
    def outcomes_differ(self) -> bool:
        """Whether readings and registration name more than one outcome or segment, and it is not resolved."""
        if self.evidence is UNSET or self.resolved:
            return False
        return len(self.evidence.outcomes | {self.registered_outcome} - {None}) > 1 or len(self.evidence.segments) > 1

    @property
    def readings_disagree(self) -> bool:
        """Whether wheel and console have different outcomes, so that an authorised person must decide."""
        return self.disagree_in(self.phase) if self.evidence is UNSET else self.outcomes_differ

    def disagree_in(self, phase: Phase) -> bool:
        """Return whether the readings disagree if the round is in this phase."""
        if self.evidence is not UNSET:
            return phase in (Phase.AT_REST, Phase.REGISTERED) and self.outcomes_differ
        return (
            phase is Phase.REGISTERED
            and self.rested_by is ReadBy.WHEEL
            and self.registered_outcome != self.wheel_outcome
        )


class RoundRecord(Struct):
    """A past round, including its corrections: the bets, the outcome and the amounts returned."""

    number: RoundNumber
    outcome: Pocket | None
    """Outcome of the round after corrections; ``None`` if the round is void."""
    slips: dict[SeatId, dict[PositionId, int]]
    """Bets of each seat, in cents by position."""
    returned: dict[SeatId, int]
    shortfall: dict[SeatId, int] = field(default_factory=dict)
    rulebook: str = ""
    """Hash of the rulebook it was played by. Corrections use the same rulebook."""
    evidence: Evidence | UnsetType = UNSET
    """Evidence of the round. Absent from records of the first procedure."""
    decided: dict[SeatId, Pocket | None] | UnsetType = UNSET
    """Seats that a decision settled by another outcome than the round's, or made void (``None``)."""

    @property
    def void(self) -> bool:
        return self.outcome is None

    def outcome_of(self, seat: SeatId) -> Pocket | None:
        """Return the outcome by which a seat is settled; ``None`` if its bets are void."""
        return (self.decided or {}).get(seat, self.outcome)


class Archive(Protocol):
    """Store of past rounds. It is separate from the state, so that the state stays small over years."""

    def round(self, number: RoundNumber) -> RoundRecord | None: ...

    def keep(self, record: RoundRecord) -> None: ...

    def game(self, rulebook: str) -> Game | None:
        """Return the game of a rulebook that rounds of this table were played by, or ``None`` if it is unknown."""


class Table:
    """One table with its game, state and archive of past rounds."""

    def __init__(self, game: Game, state: TableState, archive: Archive) -> None:
        self.game = game
        self.state = state
        self.archive = archive
        self.terminals = game.terminals
        self.prices = {id: game.prices(id) for id in game.layouts}
        self.bounds: dict[LayoutId, BoundsOf] = {}
        self.has_chips = bool(state.terms.chips)
        self.terms, self.money = HouseTerms(), UNBOUNDED
        """Terms of the house for a dry run of a command. A decision gets its terms as facts."""
        self.set_limits(state.limits)

    def set_house(self, terms: HouseTerms, money: HouseMoney) -> None:
        self.terms, self.money = terms, money

    def game_of(self, record: RoundRecord) -> Game | None:
        """Return the game that a past round was played by, or ``None`` if its rulebook is unknown."""
        return self.game if record.rulebook == self.game.hash else self.archive.game(record.rulebook)

    def set_limits(self, limits: Limits) -> None:
        self.state.limits = limits
        self.max_of_a_seat, self.max_of_all = limits.seat.max, limits.table
        self.bounds = {id: limits.of_layout(layout) for id, layout in self.game.layouts.items()}

    def seat_returns(
        self, seat: SeatId, slip: dict[PositionId, int], outcome: Pocket, game: Game | None = None
    ) -> Cents:
        """Compute the amount that a seat's bets return for an outcome, by this game's prices or another's."""
        layout = self.state.seats[seat].layout
        times = (self.prices[layout] if game is None else game.prices(layout)).all_times(outcome)
        return Cents(sum(map(mul, slip.values(), map(times.__getitem__, slip))))
