"""The messages of a socket: one JSON object each, either way.

From a client: the requests of ``requests``, and what stands here first. To a client: a snapshot, then numbered
changes and answers. Only what is durable is ever sent.
"""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from roundhouse.rules.names import Pocket, PositionId
from roundhouse.table.events import AnyEvent
from roundhouse.table.limits import Limits, ResolvedLimits
from roundhouse.table.names import Account, Millis, Phase, RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.permissions import Permissions
from roundhouse.table.state import Result
from roundhouse.table.view import SeatView, TableView
from roundhouse.wire.people import AlertRow, ProposalRow
from roundhouse.wire.requests import AnyTableRequest, TableRequest
from roundhouse.wire.tables import AnyPublicEvent, OwnSeat, PublicTable, WheelInfoNow

Words = Annotated[str, Meta(max_length=2000)]
Key = Annotated[str, Meta(min_length=1, max_length=512)]


class Authenticate(TableRequest, frozen=True, tag="enter", kw_only=True):
    """First message of whoever could not show his key or token when he connected."""

    key: Key


class Observe(TableRequest, frozen=True, tag="watch", kw_only=True):
    """First message of whoever only wants to see what everybody may see."""


class Resume(TableRequest, frozen=True, tag="resume", kw_only=True):
    """What came after these numbers; a snapshot where that is no longer at hand."""

    epoch: str
    public: int
    own: int = 0


class Ping(TableRequest, frozen=True, tag="ping", kw_only=True):
    pass


class Approve(TableRequest, frozen=True, tag="approve", kw_only=True):
    proposal: str


class Reject(TableRequest, frozen=True, tag="reject", kw_only=True):
    proposal: str
    reason: Words


FromClient: Any = AnyTableRequest | Authenticate | Observe | Resume | Ping | Approve | Reject


class SocketSnapshot(Struct, frozen=True, omit_defaults=True):
    """A table as it stands. ``own`` for a terminal whose seat is taken; ``pit``, the whole table, for staff."""

    table: PublicTable
    own: OwnSeat | None = None
    pit: TableView | None = None
    awaiting: str = ""
    """For staff: what the automatic dealer waits for."""
    alert: str = ""
    """For staff: what is wrong with the wheel."""


class SnapshotMessage(Struct, frozen=True, omit_defaults=True):
    """First thing after connecting, and whenever a resume cannot be served from what is at hand."""

    snapshot: SocketSnapshot
    epoch: str
    """One start of the server: numbers of another epoch mean nothing."""
    public: int
    own: int = 0
    """The number of the seat's last change; for staff, of the pit's."""
    table: TableId | UnsetType = UNSET
    """On the pit's socket, which table it is about."""
    allowed: Permissions | UnsetType = UNSET
    """What the client may ask of the table now, wherever it differs from what it was last told."""
    bounds: ResolvedLimits | UnsetType = UNSET
    """For a terminal: the limits of its layout, wherever they differ from what it was last told."""


class PublicChange(Struct, frozen=True, omit_defaults=True):
    """``n`` counts up by one for each change of a table that everybody sees. What is left out has not changed."""

    n: int
    version: int
    events: list[AnyPublicEvent]
    phase: Phase | UnsetType = UNSET
    round: RoundNumber | UnsetType = UNSET
    phrase: str | UnsetType | None = UNSET
    outcome: Pocket | UnsetType | None = UNSET
    limits: Limits | UnsetType = UNSET
    results: list[Result] | UnsetType = UNSET
    """Those that are new or have another outcome now, the last one first."""
    last_rounds: int | UnsetType | None = UNSET
    mode: Literal["manual", "automatic"] | UnsetType = UNSET
    mode_reason: str | UnsetType = UNSET
    deadline: Millis | UnsetType | None = UNSET
    wheel: WheelInfoNow | UnsetType | None = UNSET
    chips: dict[SeatId, dict[PositionId, int]] | UnsetType = UNSET
    """On a shared layout: the chips of each seat whose chips were moved."""


class OwnChange(Struct, frozen=True, omit_defaults=True):
    """``n`` counts up by one for each change of this seat; ``credits`` and ``bets`` are what it has after it."""

    n: int
    events: list[AnyEvent]
    credits: int
    bets: dict[PositionId, int]
    undoable: bool | UnsetType = UNSET
    """Left out where it has not changed, like ``repeatable``."""
    repeatable: dict[PositionId, int] | UnsetType = UNSET


class PitChange(Struct, frozen=True, omit_defaults=True):
    """Everything of a table, for staff: whole events, the seats that they changed, and what the dealer waits for."""

    n: int
    version: int
    events: list[AnyEvent]
    seats: dict[SeatId, SeatView] = {}
    accounts: dict[Account, int] = {}
    """The balances that may have changed."""
    meters: dict[str, int | str] | UnsetType = UNSET
    matters: dict[RoundNumber, str] | UnsetType = UNSET
    """Every matter that waits for a decision."""
    interrupted: bool | UnsetType = UNSET
    awaiting: str | UnsetType = UNSET
    """What the automatic dealer waits for."""
    alert: str | UnsetType = UNSET
    """What is wrong with the wheel; empty when nothing is any more."""


class ChangeMessage(Struct, frozen=True, omit_defaults=True):
    """One frame for one batch; any part may be missing."""

    public: PublicChange | UnsetType = UNSET
    own: OwnChange | UnsetType = UNSET
    pit: PitChange | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket, which table it is about."""
    allowed: Permissions | UnsetType = UNSET
    """What the client may ask of the table from now on; left out where it is what it was."""
    bounds: ResolvedLimits | UnsetType = UNSET
    """For a terminal: the limits of its layout from now on; left out where they are what they were."""


class HouseDesk(Struct, frozen=True):
    """What waits at the pit's desk, all of it."""

    alerts: tuple[AlertRow, ...]
    proposals: tuple[ProposalRow, ...]


class HouseMessage(Struct, frozen=True):
    """On the pit's socket: after connecting, and whenever something of it has changed."""

    house: HouseDesk


class DoneMessage(Struct, frozen=True, omit_defaults=True):
    """The answer to what no table is asked for: ping, resume, reject."""

    id: RequestId
    ok: Literal[True]
    now: Millis


class CloseReason(StrEnum):
    """The reason that stands in the frame by which the house closes a socket."""

    SAYS_NOTHING = "says_nothing"
    NOT_LOGGED_IN = "not_logged_in"
    NOT_AUTHORISED = "not_authorised"
    TERMINAL_IS_REVOKED = "terminal_is_revoked"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    OUR_OWN_BUG = "our_own_bug"


CODES: Final = {
    CloseReason.TOO_LARGE: 1009,
    CloseReason.OUR_OWN_BUG: 1011,
    CloseReason.TOO_SLOW: 1013,
    CloseReason.TOO_MANY_CONNECTIONS: 1013,
}
POLICY: Final = 1008
"""The code of every other reason."""
