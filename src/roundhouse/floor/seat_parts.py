"""The part of a batch that concerns one seat, collected before it is sent to the seat's terminal."""

from msgspec import UNSET, Struct, UnsetType

from roundhouse.table.events import AnyEvent
from roundhouse.table.names import RequestId
from roundhouse.wire.messages import IssuedTicket


class SeatPart(Struct):
    """The part of a batch that concerns one seat."""

    request: RequestId | None
    """Id of the request that caused all these events; ``None`` if no request or several requests caused them."""
    version: int
    events: list[AnyEvent]
    ended: bool = False
    """Whether the seat's round has ended."""
    ticket: IssuedTicket | UnsetType = UNSET
