"""Tables on the wire: what everybody sees of one, what a seat sees of itself, and past rounds.

What of a table's events everybody may see: the same names, without anybody's money.

Events that carry none are sent as they are. Under a name that stands here, the public part has fewer fields.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from roundhouse.journal.entry import Answer
from roundhouse.people.names import ProposalId
from roundhouse.people.names import Refusal as HouseRefusal
from roundhouse.rules.names import Cents, Clause, GameId, IrregularityId, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table import events as e
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, Phase, RoundNumber, Ruling, SeatId, TableId
from roundhouse.table.state import Result


class _Table(Struct, frozen=True):
    pass


class WheelInfoNow(_Table, frozen=True):
    """What the wheel does, as the house hears it. What number it shows is told when the table has it on record."""

    state: str
    at: Millis
    rotor: str = ""
    """Which way the rotor turns."""
    rotor_decirpm: int = 0
    """How fast, in tenths of a revolution a minute, when it was last told."""
    reliable: bool = True
    """Whether the table can rely on it."""


class TableFacts(_Table, frozen=True):
    """What the house has set for a table."""

    name: str
    currency: str
    chips: tuple[Cents, ...]
    """The values of chips, smallest first."""
    seats: tuple[SeatId, ...]
    """Empty where seats are not fixed."""
    betting_seconds: int | None
    """How long bets stay open where the house deals by itself."""


class PublicTable(_Table, frozen=True):
    """What everybody may see of a table: nobody's credits, nobody's bets."""

    id: TableId
    game: GameId
    rulebook: str
    facts: TableFacts
    version: int
    phase: Phase
    round: RoundNumber
    phrase: str | None
    """The words that stand at the terminals: of opening or of closing."""
    outcome: Pocket | None
    limits: Limits
    last_results: list[Result]
    last_rounds: int | None
    mode: Literal["manual", "automatic"]
    mode_reason: str
    deadline: Millis | None
    """When bets are going to be closed, where that is known."""
    wheel: WheelInfoNow | None
    chips: dict[SeatId, dict[PositionId, int]] | None
    """On a layout that all seats share, the chips of each; nowhere else."""


class Tables(_Table, frozen=True):
    tables: tuple[PublicTable, ...]


class OwnSeat(_Table, frozen=True):
    """A seat's own money and bets."""

    seat: SeatId
    terminal: TerminalId
    credits: int
    bets: dict[PositionId, int]
    staked: int
    repeatable: dict[PositionId, int]
    """The slip of the last round that it had bets in."""
    undoable: bool


class SeatRound(_Table, frozen=True):
    staked: int
    returned: int


class PastRound(_Table, frozen=True):
    round: RoundNumber
    outcome: Pocket | None
    """Nothing when it is void."""
    rulebook: str
    seats: dict[SeatId, SeatRound]
    """Those whose money whoever asked may see."""


class History(_Table, frozen=True):
    table: TableId
    rounds: tuple[PastRound, ...]
    """The last one first."""
    before: RoundNumber | None
    """Ask for rounds before this one to go on; nothing at the beginning."""


class HouseAnswer(Struct, frozen=True, omit_defaults=True):
    """The house's own answer to what it does not put to the table: not allowed, or for a second person to approve."""

    id: str
    ok: Literal[False]
    refusal: HouseRefusal
    reason: str = ""
    proposal: ProposalId | UnsetType = UNSET
    position: StaffPosition | UnsetType = UNSET
    """The lowest position in which the proposal can be approved."""


class NumberedAnswer(Answer, frozen=True, omit_defaults=True, gc=False):
    """An answer on a socket. With ``own`` it is itself the seat's numbered change, and is not sent a second time."""

    own: int | UnsetType = UNSET
    credits: int | UnsetType = UNSET
    bets: dict[PositionId, int] | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket, which table has answered."""


class PublicEvent(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    pass


class PublicTableStopped(PublicEvent, frozen=True, tag="table_stopped.v1", gc=False):
    pass


class PublicTableResumed(PublicEvent, frozen=True, tag="table_resumed.v1", gc=False):
    by: StaffPosition
    clause: Clause


class PublicBetsClosed(PublicEvent, frozen=True, tag="bets_closed.v1", gc=False):
    round: RoundNumber
    phrase: str
    clause: Clause


class PublicRoundSettled(PublicEvent, frozen=True, tag="round_settled.v1", gc=False):
    round: RoundNumber
    outcome: Pocket


class PublicRoundVoided(PublicEvent, frozen=True, tag="round_voided.v1", gc=False):
    round: RoundNumber
    clauses: tuple[Clause, ...]
    returns: Clause
    causes: tuple[IrregularityId, ...] = ()


class PublicRoundCorrected(PublicEvent, frozen=True, tag="round_corrected.v1", gc=False):
    round: RoundNumber
    was: Pocket
    outcome: Pocket
    clause: Clause


class PublicRoundReversed(PublicEvent, frozen=True, tag="round_reversed.v1", gc=False):
    round: RoundNumber
    was: Pocket
    clauses: tuple[Clause, ...]
    causes: tuple[IrregularityId, ...] = ()


class PublicMatterReferred(PublicEvent, frozen=True, tag="matter_referred.v1", gc=False):
    round: RoundNumber
    decides: StaffPosition
    clause: Clause


class PublicDecisionMade(PublicEvent, frozen=True, tag="decision_made.v1", gc=False):
    round: RoundNumber
    ruling: Ruling
    by: StaffPosition
    clause: Clause


AsItIs = (
    e.TableOpened
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.BetsOpened
    | e.SpinStarted
    | e.SpinObserved
    | e.BallRested
    | e.ResultRegistered
    | e.ResultConfirmed
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.InterruptionRecovered
)

AnyPublicEvent = (
    AsItIs
    | PublicTableStopped
    | PublicTableResumed
    | PublicBetsClosed
    | PublicRoundSettled
    | PublicRoundVoided
    | PublicRoundCorrected
    | PublicRoundReversed
    | PublicMatterReferred
    | PublicDecisionMade
)
