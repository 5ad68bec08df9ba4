"""Tables on the wire: what everybody sees of one, what a seat sees of itself, and past rounds."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from roundhouse.journal.entry import Answer
from roundhouse.people.names import ProposalId
from roundhouse.people.refusals import Refusal as HouseRefusal
from roundhouse.rules.names import Cents, GameId, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, Phase, RoundNumber, SeatId, TableId
from roundhouse.table.state import Result


class _Table(Struct, frozen=True):
    pass


class WheelShown(_Table, frozen=True):
    """What the wheel does, as the house hears it."""

    state: str
    at: Millis


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
    wheel: WheelShown | None
    chips: dict[SeatId, dict[PositionId, int]] | None
    """On a layout that all seats share, the chips of each; nowhere else."""


class Tables(_Table, frozen=True):
    tables: tuple[PublicTable, ...]


class SeatShown(_Table, frozen=True):
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
    """An answer on a socket. ``own`` is there when the answer is itself the seat's numbered change."""

    own: int | UnsetType = UNSET
