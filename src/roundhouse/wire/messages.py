"""WebSocket messages. Each is one JSON object.

A client sends the requests of ``wire.requests`` and those defined first in this module. The server sends a snapshot,
then numbered changes and answers. It sends only committed data.
"""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from roundhouse.rules.names import Cents, Pocket, PositionId, StaffPosition
from roundhouse.table.desk_state import DealerOfRecord, DisputeRecord
from roundhouse.table.events import AnyEvent
from roundhouse.table.evidence import Evidence
from roundhouse.table.limits import Limits, ResolvedLimits
from roundhouse.table.names import Account, Millis, Phase, RequestId, RoundNumber, SeatId, TableId, TicketNumber
from roundhouse.table.permissions import Permissions
from roundhouse.table.session_view import SessionView
from roundhouse.table.state import ColourChips, Result
from roundhouse.table.view import FloatView, SeatView, TableView
from roundhouse.wire.people import AlertRow, ProposalRow
from roundhouse.wire.requests import AnyTableRequest, TableRequest
from roundhouse.wire.tables import AnyPublicEvent, OwnSeat, PublicTable, SeatDispute, SeatInterruption, WheelInfoNow

ReasonText = Annotated[str, Meta(max_length=2000)]
Key = Annotated[str, Meta(min_length=1, max_length=512)]


class Authenticate(TableRequest, frozen=True, tag="enter", kw_only=True):
    """First message of a client that could not send its key or token with the handshake, such as a browser page."""

    key: Key


class Observe(TableRequest, frozen=True, tag="watch", kw_only=True):
    """First message of a client without a key that only reads the public state of the table."""


class Resume(TableRequest, frozen=True, tag="resume", kw_only=True):
    """Request for the changes after these numbers. If the server no longer has them all, it sends a snapshot."""

    epoch: str
    public: int
    """Number of the last public change that the client has."""
    own: int = 0
    """Number of the last change of its seat that the client has; for staff, of the last pit change."""


class Ping(TableRequest, frozen=True, tag="ping", kw_only=True):
    pass


class Approve(TableRequest, frozen=True, tag="approve", kw_only=True):
    proposal: str


class Reject(TableRequest, frozen=True, tag="reject", kw_only=True):
    proposal: str
    reason: ReasonText


FromClient: Any = AnyTableRequest | Authenticate | Observe | Resume | Ping | Approve | Reject


class SocketSnapshot(Struct, frozen=True, omit_defaults=True):
    """The current state of a table, limited to what the client may see."""

    table: PublicTable
    own: OwnSeat | None = None
    """For a terminal: its seat, if it is taken."""
    pit: TableView | None = None
    """For staff: the whole table."""
    awaiting: str = ""
    """For staff: the condition that the automatic dealer waits for. Empty if it does not wait."""
    alert: str = ""
    """For staff: the wheel's fault. Empty if the wheel is in order."""


class SnapshotMessage(Struct, frozen=True, omit_defaults=True):
    """Sent after connecting, and after a resume whose changes are no longer in the server's buffer."""

    snapshot: SocketSnapshot
    epoch: str
    """Identifies one start of the server. Change numbers are comparable only within an epoch."""
    public: int
    """Number of the last public change in the snapshot."""
    own: int = 0
    """Number of the last change of the seat in the snapshot; for staff, of the last pit change."""
    table: TableId | UnsetType = UNSET
    """On the pit's socket: the table of this message."""
    allowed: Permissions | UnsetType = UNSET
    """Commands that the client may send to the table now. Missing if unchanged since the last message."""
    bounds: ResolvedLimits | UnsetType = UNSET
    """For a terminal: the limits of its layout. Missing if unchanged since the last message."""


class PublicChange(Struct, frozen=True, omit_defaults=True):
    """A change of the public state of a table. A missing field has not changed."""

    n: int
    """Number of the change. It increases by 1 with each public change of the table."""
    version: int
    events: list[AnyPublicEvent]
    phase: Phase | UnsetType = UNSET
    round: RoundNumber | UnsetType = UNSET
    phrase: str | UnsetType | None = UNSET
    outcome: Pocket | UnsetType | None = UNSET
    readings_disagree: bool | UnsetType = UNSET
    limits: Limits | UnsetType = UNSET
    next_limits: Limits | UnsetType | None = UNSET
    """Limits from the next round on; ``None`` once they have begun."""
    results: list[Result] | UnsetType = UNSET
    """Results that are new or whose outcome was corrected, latest first."""
    last_rounds: int | UnsetType | None = UNSET
    mode: Literal["manual", "automatic"] | UnsetType = UNSET
    mode_reason: str | UnsetType = UNSET
    deadline: Millis | UnsetType | None = UNSET
    wheel: WheelInfoNow | UnsetType | None = UNSET
    chips: dict[SeatId, dict[PositionId, int]] | UnsetType = UNSET
    """On a shared layout: all chips of each seat whose chips changed, in cents by position."""
    cash_chips: tuple[Cents, ...] | UnsetType = UNSET
    colours: dict[SeatId, ColourChips] | UnsetType = UNSET
    """All colour chips that are issued to seats."""


class IssuedTicket(Struct, frozen=True):
    """A ticket that staff issued to a seat. Only the seat's terminal receives its number."""

    number: TicketNumber
    cents: int
    expires: Millis
    by: StaffPosition


class OwnChange(Struct, frozen=True, omit_defaults=True):
    """A change of the client's own seat, with the seat's credits and bets after it."""

    n: int
    """Number of the change. It increases by 1 with each change of the seat."""
    events: list[AnyEvent]
    credits: int
    bets: dict[PositionId, int]
    undoable: bool | UnsetType = UNSET
    """Whether the seat can undo a change of its bets. Missing if unchanged."""
    repeatable: dict[PositionId, int] | UnsetType = UNSET
    """Bets in cents by position that ``repeat`` places again. Missing if unchanged."""
    interrupted: SeatInterruption | UnsetType | None = UNSET
    """The interruption of the seat's terminal; ``None`` when it no longer matters. Missing if unchanged."""
    ticket: IssuedTicket | UnsetType = UNSET
    """The ticket, if staff cashed out the seat."""
    paused: str | UnsetType = UNSET
    """Why the seat takes no new bets; empty if it takes them. Missing if unchanged."""
    disputes: tuple[SeatDispute, ...] | UnsetType = UNSET
    """All disputes of the seat that its terminal shows. Missing if unchanged."""
    session: SessionView | UnsetType | None = UNSET
    """Net result and protection of the session. Missing if only chips were moved by a seat without protection."""
    called_at: Millis | UnsetType | None = UNSET
    """When the Player called an attendant; ``None`` after staff have answered. Missing if unchanged."""


class PitChange(Struct, frozen=True, omit_defaults=True):
    """A change of a table as staff see it: complete events, changed seats and the automatic dealer's status."""

    n: int
    """Number of the change. It increases by 1 with each pit change of the table."""
    version: int
    events: list[AnyEvent]
    seats: dict[SeatId, SeatView] = {}
    """Complete state of each seat that changed."""
    accounts: dict[Account, int] = {}
    """Balances in cents of the accounts that may have changed."""
    meters: dict[str, int | str] | UnsetType = UNSET
    matters: dict[RoundNumber, str] | UnsetType = UNSET
    """All matters that await a decision, by round."""
    matter_seats: dict[RoundNumber, tuple[SeatId, ...]] | UnsetType = UNSET
    """Seats whose matters wait for a decision, by round."""
    interrupted: bool | UnsetType = UNSET
    evidence: Evidence | UnsetType | None = UNSET
    """All evidence of the round in progress; ``None`` between rounds."""
    registered: Pocket | UnsetType | None = UNSET
    reports_disagree: bool | UnsetType = UNSET
    disputes: tuple[DisputeRecord, ...] | UnsetType = UNSET
    """All open disputes."""
    dealer: DealerOfRecord | UnsetType | None = UNSET
    float: FloatView | UnsetType | None = UNSET
    awaiting: str | UnsetType = UNSET
    """The condition that the automatic dealer waits for. Empty if it no longer waits."""
    alert: str | UnsetType = UNSET
    """The wheel's fault. Empty if the wheel is in order again."""
    calls: dict[SeatId, Millis] | UnsetType = UNSET
    """All seats that wait for an attendant, with the time of the call."""


class ChangeMessage(Struct, frozen=True, omit_defaults=True):
    """The changes of one committed batch. Each part is missing if the batch did not change it."""

    public: PublicChange | UnsetType = UNSET
    own: OwnChange | UnsetType = UNSET
    pit: PitChange | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket: the table of this message."""
    allowed: Permissions | UnsetType = UNSET
    """Commands that the client may send to the table from now on. Missing if unchanged."""
    bounds: ResolvedLimits | UnsetType = UNSET
    """For a terminal: the limits of its layout from now on. Missing if unchanged."""


class HouseDesk(Struct, frozen=True):
    """All alerts and proposals that wait for the pit."""

    alerts: tuple[AlertRow, ...]
    proposals: tuple[ProposalRow, ...]


class HouseMessage(Struct, frozen=True):
    """Sent on the pit's socket after connecting and whenever an alert or a proposal changes."""

    house: HouseDesk


class StopNotice(Struct, frozen=True):
    """A planned stop of the house. No new round begins, and rounds in progress are finished until the deadline."""

    until: Millis
    """Deadline. Rounds that have not ended by then are referred."""


class StoppingMessage(Struct, frozen=True):
    """Sent on every socket when the house begins to stop, and after connecting while it stops."""

    stopping: StopNotice


class DoneMessage(Struct, frozen=True, omit_defaults=True):
    """Answer to a request that does not go to a table: enter, watch, ping, resume or reject."""

    id: RequestId
    ok: Literal[True]
    now: Millis
    """Server time."""


class CloseReason(StrEnum):
    """The reason in the close frame when the server closes a socket."""

    SAYS_NOTHING = "says_nothing"
    NOT_LOGGED_IN = "not_logged_in"
    NOT_AUTHORISED = "not_authorised"
    TERMINAL_IS_REVOKED = "terminal_is_revoked"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    TOO_FAST = "too_fast"
    OUR_OWN_BUG = "our_own_bug"


CODES: Final = {
    CloseReason.TOO_LARGE: 1009,
    CloseReason.OUR_OWN_BUG: 1011,
    CloseReason.TOO_SLOW: 1013,
    CloseReason.TOO_FAST: 1013,
    CloseReason.TOO_MANY_CONNECTIONS: 1013,
}
"""WebSocket close codes. Other reasons have the code ``POLICY``."""
POLICY: Final = 1008
"""WebSocket close code "policy violation", for every reason that is not in ``CODES``."""
