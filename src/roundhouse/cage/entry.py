"""An entry of the cage's chain, the facts it was decided on, and the answer to its request."""

from typing import Final

import msgspec
from msgspec import Struct

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.events import AnyCageEvent
from roundhouse.cage.names import CageRefusal, CageRefused, Day
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table.names import Millis, SeatId, TableId, TicketId, TicketNumber


class PresentedTicket(Struct, frozen=True, omit_defaults=True):
    """A ticket that a command names, as the entry that issued it says."""

    number: TicketId
    cents: Cents
    expires: Millis
    redeemed: bool
    table: TableId
    """Chain that issued it."""
    seat: SeatId | None = None
    """Seat that was cashed out; ``None`` for a ticket that the cage sold."""
    disputed: bool = False


class CageFacts(Struct, frozen=True, omit_defaults=True):
    """External input of a decision. The chain stores it, so that the decision can be replayed."""

    at: Millis
    day: Day = Day("")
    ticket: PresentedTicket | None = None
    """The ticket that the command names, if it exists."""
    fresh_ticket: TicketId | None = None
    salt: str | None = None
    """Random text from which the house's key derives the number of a new ticket."""
    ticket_life: Millis | None = None
    """Time for which a new ticket can be redeemed; ``None`` for the usual one."""


class CageDecision(Struct, frozen=True):
    """The events of a command or its refusal."""

    events: tuple[AnyCageEvent, ...] = ()
    refused: CageRefused | None = None
    approvers: tuple[StaffPosition, ...] = ()
    """Positions of which a second person must approve the command, the lowest first. Empty if none needs to."""


class CageEntry(Struct, frozen=True, tag_field="entry", tag="cage.v1", omit_defaults=True):
    seq: int
    facts: CageFacts
    request: AnyCageCommand | None = None
    """Request that caused the entry; ``None`` for the terms that a start of the house sets."""
    events: tuple[AnyCageEvent, ...] = ()
    refusal: CageRefusal | None = None
    reason: str | None = None


class CageAnswer(Struct, frozen=True, omit_defaults=True):
    """The answer to a request, sent after its entry is durable. A resent request gets the same answer."""

    id: str
    ok: bool
    version: int | None = None
    events: tuple[AnyCageEvent, ...] | None = None
    refusal: CageRefusal | None = None
    reason: str | None = None
    ticket: TicketNumber | None = None
    """Number of the ticket that was sold. Only the cashier who sold it gets it."""


def answer_of(entry: CageEntry, ticket: TicketNumber | None = None) -> CageAnswer:
    assert entry.request is not None, "only an entry with a request has an answer"
    if entry.refusal is not None:
        return CageAnswer(entry.request.id, False, entry.seq, None, entry.refusal, entry.reason)
    return CageAnswer(entry.request.id, True, entry.seq, entry.events, ticket=ticket)


encode: Final = msgspec.json.Encoder().encode
decode: Final = msgspec.json.Decoder(CageEntry).decode
