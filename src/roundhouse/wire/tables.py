"""Types for the public state of a table, a seat's own state, past rounds, answers and public events.

Public events are derived from the table's events and leave out all fields about money.
"""

from enum import StrEnum
from typing import Any, Final, Literal, Union

from msgspec import UNSET, Struct, UnsetType, defstruct
from msgspec.structs import FieldInfo, fields

from roundhouse.journal.entry import Answer
from roundhouse.people.names import HouseRefusal, ProposalId
from roundhouse.rules.names import Cents, Clause, GameId, Pocket, PositionId, StaffPosition, TerminalId
from roundhouse.table import events as e
from roundhouse.table.limits import Limits
from roundhouse.table.names import DisputeNumber, Millis, Phase, RoundNumber, SeatId, TableId
from roundhouse.table.permissions import Permissions
from roundhouse.table.session_view import SessionView
from roundhouse.table.state import ColourChips, Result
from roundhouse.table.view import TableView


class _Table(Struct, frozen=True):
    pass


class WheelUse(StrEnum):
    """Whether a table can use its wheel now. Every screen names the wheel's condition by this value."""

    READY = "ready"
    """The wheel waits for a launch, or its game is in progress."""
    NOT_READY = "not_ready"
    """The wheel has not been prepared for a launch yet."""
    OUT_OF_USE = "out_of_use"
    """The wheel had a fault. It is used again after people have checked it."""
    SILENT = "silent"
    """The connection exists, but no messages arrive."""
    NOT_CONNECTED = "not_connected"


class WheelInfoNow(_Table, frozen=True):
    """Last status of the wheel, without the winning number. The table publishes the number when it is recorded."""

    state: str
    at: Millis
    rotor: str = ""
    """Direction of the rotor."""
    rotor_decirpm: int = 0
    """Last reported rotor speed, in tenths of a revolution per minute."""
    reliable: bool = True
    """Whether the table can rely on the wheel."""
    use: WheelUse = WheelUse.NOT_READY


class TableFacts(_Table, frozen=True):
    """Settings of a table from the configuration."""

    name: str
    currency: str
    chips: tuple[Cents, ...]
    """Chip values, smallest first."""
    seats: tuple[SeatId, ...]
    """Seats that the configuration names. Empty if the table has no fixed seats."""
    betting_seconds: int | None
    """How long the automatic dealer keeps bets open. None at a table without one."""


class PublicTable(_Table, frozen=True):
    """Public state of a table. Credits are not included; bets are included only on a shared layout."""

    id: TableId
    game: GameId
    rulebook: str
    facts: TableFacts
    version: int
    phase: Phase
    round: RoundNumber
    phrase: str | None
    """The rulebook's phrase for opening or closing bets, as terminals show it."""
    outcome: Pocket | None
    """None before the outcome is read, and while readings and the registered outcome differ."""
    readings_disagree: bool
    """Whether the outcome is withheld, because readings and the registered outcome differ."""
    limits: Limits
    next_limits: Limits | None
    """Limits from the next round on. None if they stay."""
    last_results: list[Result]
    last_rounds: int | None
    mode: Literal["manual", "automatic"]
    mode_reason: str
    deadline: Millis | None
    """Time at which bets close. None if it is not known."""
    wheel: WheelInfoNow | None
    chips: dict[SeatId, dict[PositionId, int]] | None
    """On a shared layout, each seat's chips in cents by position. None on other layouts."""
    cash_chips: tuple[Cents, ...]
    """Values of the cash chips, smallest first. Empty if the game is not played with chips."""
    colours: dict[SeatId, ColourChips]
    """Colour chips issued to seats."""


class Tables(_Table, frozen=True):
    tables: tuple[PublicTable, ...]


class SeatInterruption(_Table, frozen=True):
    """Tells a seat that its terminal was interrupted in a round, and what became of its bets."""

    round: RoundNumber
    clause: Clause
    """Clause on interrupted terminals."""
    registered_clause: Clause | None
    """Clause on bets that the table had registered: they take part in the round."""
    unregistered_clause: Clause | None
    """Clause on bets that the table had not registered: they are returned, or did not take part."""
    bets: dict[PositionId, int]
    """The registered bets of the seat in that round, in cents by position."""
    referred: bool = False
    """Whether the matter of this seat waits for the person who decides under the rulebook."""


class CashOutAsked(_Table, frozen=True):
    """A request for a cash-out of the credits that a seat has now."""

    by: StaffPosition
    """``player`` if the Player asked staff. A position of staff asks the Player to confirm."""
    cents: int
    at: Millis


class SeatDispute(_Table, frozen=True, omit_defaults=True):
    """A dispute of a seat, as its terminal shows it."""

    number: DisputeNumber
    round: RoundNumber
    at: Millis
    """When it was made, or closed."""
    reason: str | None = None
    """The answer of the house. None while the dispute is open."""
    paid: Cents = Cents(0)
    """Goodwill that the seat got."""


class OwnSeat(_Table, frozen=True, omit_defaults=True):
    """Credits and bets of a seat, in cents. Only the seat's terminal and staff receive them."""

    seat: SeatId
    terminal: TerminalId
    credits: int
    bets: dict[PositionId, int]
    staked: int
    repeatable: dict[PositionId, int]
    """Bets of the last round in which the seat bet, which ``repeat`` places again."""
    undoable: bool
    interrupted: SeatInterruption | None = None
    """The interruption of its terminal in this round or the last one. Missing if there was none, or if the seat has
    placed bets in a later round."""
    asked: CashOutAsked | None = None
    """The request for a cash-out. Missing if there is none."""
    paused: str = ""
    """Why the seat takes no new bets; empty if it takes them."""
    disputes: tuple[SeatDispute, ...] = ()
    """Open disputes of the seat, and its last closed ones."""
    session: SessionView | None = None
    """Net result and protection of the session. Missing before the seat has received money."""
    called_at: Millis | None = None
    """When the Player called an attendant who has not come yet."""


class SeatWithPermissions(OwnSeat, frozen=True, kw_only=True):
    """A seat with the commands that the caller may send to its table now."""

    allowed: Permissions


class TableWithPermissions(TableView, frozen=True, kw_only=True):
    """The whole table as staff see it, with the commands that the caller may send to it now."""

    allowed: Permissions


class SeatRound(_Table, frozen=True):
    staked: int
    returned: int


class PastRound(_Table, frozen=True):
    round: RoundNumber
    outcome: Pocket | None
    """Outcome of the round. None if the round is void."""
    rulebook: str
    seats: dict[SeatId, SeatRound]
    """Amounts of each seat whose money the caller may see."""


class History(_Table, frozen=True):
    table: TableId
    rounds: tuple[PastRound, ...]
    """Past rounds of this page, latest first."""
    before: RoundNumber | None
    """Value of ``before`` for the next page. None on the last page."""


class HouseAnswer(Struct, frozen=True, omit_defaults=True):
    """Answer to a request that did not reach the table: refused, or waiting for a second person's approval."""

    id: str
    ok: Literal[False]
    refusal: HouseRefusal
    reason: str = ""
    proposal: ProposalId | UnsetType = UNSET
    position: StaffPosition | UnsetType = UNSET
    """The lowest position that may approve the proposal."""


class NumberedAnswer(Answer, frozen=True, omit_defaults=True, gc=False):
    """A table's answer on a socket. If ``own`` is set, the answer replaces the message about the seat's next change."""

    own: int | UnsetType = UNSET
    """Number of the change of the seat."""
    credits: int | UnsetType = UNSET
    bets: dict[PositionId, int] | UnsetType = UNSET
    undoable: bool | UnsetType = UNSET
    repeatable: dict[PositionId, int] | UnsetType = UNSET
    interrupted: SeatInterruption | UnsetType | None = UNSET
    paused: str | UnsetType = UNSET
    disputes: tuple[SeatDispute, ...] | UnsetType = UNSET
    session: SessionView | UnsetType | None = UNSET
    called_at: Millis | UnsetType | None = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket: the table of this answer."""


class PublicEvent(Struct, frozen=True, tag_field="event", omit_defaults=True, gc=False):
    """Public form of an event, with the same tag and fewer fields."""


PUBLIC_FIELDS: Final[dict[type[Struct], tuple[str, ...]]] = {
    # The reason of a stop is private, because it names a seat and an amount.
    e.TableStopped: (),
    e.TableResumed: ("by", "clause"),
    e.BetsClosed: ("round", "phrase", "clause"),
    # Staff alone see who reported what. The public sees the outcome in the state, where it is withheld in a dispute.
    e.SpinStarted: ("round", "by_hand"),
    e.SpinObserved: ("round", "revolutions", "ball", "wheel", "seen"),
    e.BallRested: ("round", "clause"),
    e.ResultRegistered: ("round", "clause"),
    e.ResultConfirmed: ("round", "dolly", "not_measured"),
    e.RoundSettled: ("round", "outcome"),
    e.RoundVoided: ("round", "clauses", "returns", "causes"),
    e.RoundCorrected: ("round", "was", "outcome", "clause"),
    e.RoundReversed: ("round", "was", "clauses", "causes"),
    e.RoundReinstated: ("round", "outcome", "clause"),
    e.MatterReferred: ("round", "decides", "clause"),
    e.LimitsChanged: ("was", "now"),
    e.DecisionMade: ("round", "ruling", "by", "clause"),
}
"""Public fields of the events that also have private fields."""


def _public(event: type[Struct], names: tuple[str, ...]) -> type[PublicEvent]:
    known = {field.name: field for field in fields(event)}
    created = defstruct(
        f"Public{event.__name__}",
        [_field(known[name]) for name in names],
        bases=(PublicEvent,),
        module=__name__,
        tag=event.__struct_config__.tag,
        frozen=True,
        omit_defaults=True,
        gc=False,
    )
    assert issubclass(created, PublicEvent)
    return created


def _field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    return (field.name, field.type) if field.required else (field.name, field.type, field.default)


PUBLIC_PARTS: Final = {event: _public(event, names) for event, names in PUBLIC_FIELDS.items()}

WholeEvent = (
    e.TableOpened
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.ProcedureAdopted
    | e.BetsOpened
    | e.RoundsSkipped
    | e.SoftwareStopped
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.InterruptionRecovered
)
"""Events that are public with all their fields."""

AnyPublicEvent: Any = Union[(WholeEvent, *PUBLIC_PARTS.values())]
