"""The messages of a socket: one JSON object each, either way.

From a client: the requests of ``requests``, and what stands here first. To a client: a snapshot, then numbered
changes and answers. Only what is durable is ever sent.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from roundhouse.rules.names import PositionId
from roundhouse.server.wire.public import AnyPublicEvent
from roundhouse.server.wire.requests import AnyAsked, Asked
from roundhouse.server.wire.tables import PublicTable, SeatShown, WheelShown
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, Phase, RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.showing import Shown

LONGEST_MESSAGE = 16_384

Words = Annotated[str, Meta(max_length=2000)]


class Resume(Asked, frozen=True, tag="resume", kw_only=True):
    """What came after these numbers; a snapshot where that is no longer at hand."""

    epoch: str
    public: int
    own: int = 0


class Ping(Asked, frozen=True, tag="ping", kw_only=True):
    pass


class Approve(Asked, frozen=True, tag="approve", kw_only=True):
    proposal: str


class Reject(Asked, frozen=True, tag="reject", kw_only=True):
    proposal: str
    reason: Words


FromClient: Any = AnyAsked | Resume | Ping | Approve | Reject


class SocketSnapshot(Struct, frozen=True, omit_defaults=True):
    """First thing after connecting. ``own`` for a terminal; ``pit``, the whole table, for staff."""

    table: PublicTable
    own: SeatShown | None = None
    pit: Shown | None = None


class SnapshotMessage(Struct, frozen=True, omit_defaults=True):
    snapshot: SocketSnapshot
    epoch: str
    """One start of the server: numbers of another epoch mean nothing."""
    public: int
    own: int = 0


class PublicChange(Struct, frozen=True, omit_defaults=True):
    """``n`` counts up by one for each change of a table that everybody sees. What is left out has not changed."""

    n: int
    version: int
    events: list[AnyPublicEvent]
    phase: Phase | UnsetType = UNSET
    round: RoundNumber | UnsetType = UNSET
    phrase: str | UnsetType | None = UNSET
    deadline: Millis | UnsetType | None = UNSET
    wheel: WheelShown | UnsetType | None = UNSET
    chips: dict[SeatId, dict[PositionId, int]] | UnsetType = UNSET
    """On a shared layout: the chips of each seat whose chips were moved."""


class OwnChange(Struct, frozen=True, omit_defaults=True):
    """``n`` counts up by one for each change of this seat."""

    n: int
    events: list[AnyEvent]
    credits: int
    bets: dict[PositionId, int]


class PitChange(Struct, frozen=True):
    """Everything of a table, for staff: whole events, and the seats that they changed."""

    version: int
    events: list[AnyEvent]
    seats: dict[SeatId, SeatShown]


class ChangeMessage(Struct, frozen=True, omit_defaults=True):
    """One frame for one batch; any part may be missing."""

    public: PublicChange | UnsetType = UNSET
    own: OwnChange | UnsetType = UNSET
    pit: PitChange | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """On the pit's socket, which table it is about."""


class PongMessage(Struct, frozen=True):
    id: RequestId
    ok: Literal[True]
    now: Millis
