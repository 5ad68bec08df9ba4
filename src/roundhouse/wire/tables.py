"""Tables on the wire: what everybody sees of a table and of its events, what a seat sees of itself, and past rounds.

The public part of an event carries no money. It is derived from the event, so that the two cannot differ.
"""

from typing import Any, Final, Literal, Union

from msgspec import UNSET, Struct, UnsetType, defstruct
from msgspec.structs import FieldInfo, fields

from roundhouse.journal.entry import Answer
from roundhouse.people.names import HouseRefusal, ProposalId
from roundhouse.rules.names import Cents, GameId, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table import events as e
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, Phase, RoundNumber, SeatId, TableId
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
    undoable: bool | UnsetType = UNSET
    repeatable: dict[PositionId, int] | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket, which table has answered."""


class PublicEvent(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    """The public part of an event: the same name with fewer fields."""


PUBLIC_FIELDS: Final[dict[type[Struct], tuple[str, ...]]] = {
    # The reason of a stop names a seat and its cents.
    e.TableStopped: (),
    e.TableResumed: ("by", "clause"),
    e.BetsClosed: ("round", "phrase", "clause"),
    e.RoundSettled: ("round", "outcome"),
    e.RoundVoided: ("round", "clauses", "returns", "causes"),
    e.RoundCorrected: ("round", "was", "outcome", "clause"),
    e.RoundReversed: ("round", "was", "clauses", "causes"),
    e.MatterReferred: ("round", "decides", "clause"),
    e.DecisionMade: ("round", "ruling", "by", "clause"),
}
"""The fields that everybody may see of an event that has others."""


def _public(event: type[Struct], names: tuple[str, ...]) -> type[PublicEvent]:
    known = {field.name: field for field in fields(event)}
    made = defstruct(
        f"Public{event.__name__}",
        [_field(known[name]) for name in names],
        bases=(PublicEvent,),
        module=__name__,
        tag=event.__struct_config__.tag,
        frozen=True,
        omit_defaults=True,
        gc=False,
    )
    assert issubclass(made, PublicEvent)
    return made


def _field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    return (field.name, field.type) if field.required else (field.name, field.type, field.default)


PUBLIC_PARTS: Final = {event: _public(event, names) for event, names in PUBLIC_FIELDS.items()}

WholeEvent = (
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
"""The events of which everybody may see all."""

AnyPublicEvent: Any = Union[(WholeEvent, *PUBLIC_PARTS.values())]
