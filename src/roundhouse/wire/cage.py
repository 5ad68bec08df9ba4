"""Requests to the cage and what its screen shows.

The request types are derived from the commands, without the fields that the server sets. A request has the number of
a ticket and the name of a customer; a command has their digests.
"""

from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, defstruct
from msgspec.structs import FieldInfo, fields

from roundhouse.cage import commands as c
from roundhouse.cage.names import (
    BarredId,
    CageRefusal,
    CageTerms,
    CashDirection,
    Day,
    DrawerId,
    ReportBasis,
    TicketStatus,
)
from roundhouse.people.names import PersonId
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import Command
from roundhouse.table.names import Millis, RequestId, SeatId, TableId, TicketNumber
from roundhouse.wire.people import ProposalRow
from roundhouse.wire.requests import FILLED_IN

_Text = Annotated[str, Meta(max_length=120)]


class NamedCustomer(Struct, frozen=True, forbid_unknown_fields=True):
    """A customer by name, by the number of a document, or by both. Neither is stored; the journal keeps digests."""

    name: _Text = ""
    document: _Text = ""


class CageRequest(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True):
    """A request from a client to the cage."""

    id: RequestId
    by: StaffPosition | UnsetType = UNSET
    """The caller's position for this request. Default: the highest that may send it."""


_FORMS: Final[dict[str, Any]] = {"ticket": Annotated[TicketNumber, Meta(max_length=40)], "person": NamedCustomer}


def _field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    kind = _FORMS.get(field.name, field.type)
    if field.default is msgspec.NODEFAULT:
        return field.name, kind
    return field.name, kind | UnsetType if field.name in _FORMS else kind, field.default


def _request_type(command: type[Command]) -> type[CageRequest]:
    created = defstruct(
        f"Cage{command.__name__}",
        [_field(field) for field in fields(command) if field.name not in ("id", *FILLED_IN)],
        bases=(CageRequest,),
        module=__name__,
        tag=command.__struct_config__.tag,
        frozen=True,
        kw_only=True,
        namespace={"__doc__": command.__doc__},
    )
    assert issubclass(created, CageRequest)
    return created


CAGE_COMMANDS: Final[dict[type[CageRequest], type[Command]]] = {
    _request_type(command): command for command in get_args(c.AnyCageCommand)
}
"""The command that each type of request stands for."""

if TYPE_CHECKING:
    # The union is built at run time, so a type checker sees only the base class.
    AnyCageRequest = CageRequest
else:
    AnyCageRequest = Union[tuple(CAGE_COMMANDS)]  # noqa: UP007
"""Union of all request types."""


class DrawerRow(Struct, frozen=True):
    """A drawer since it was last opened. Amounts are in cents."""

    drawer: DrawerId
    cashier: PersonId | None
    """Person who opened it. None while it is closed."""
    opened: Millis | None
    cash: int
    """Cash that the drawer must contain."""
    float: int
    filled: int
    dropped: int
    sold: int
    paid: int
    counted: int | None
    variance: int
    """Variance of the last count: negative if cash was missing."""
    usable: bool
    """Whether ``house.toml`` still has this drawer, so that it can be opened."""


class CageTransaction(Struct, frozen=True, omit_defaults=True):
    """A request to the cage of this gaming day, as the list of transactions shows it."""

    seq: int
    id: RequestId
    at: Millis
    do: str
    who: PersonId
    second: PersonId | None = None
    drawer: DrawerId | None = None
    cents: int | None = None
    ticket: str | None = None
    """The last four digits of the ticket."""
    variance: int | None = None
    status: TicketStatus | None = None
    reported: bool = False
    refusal: CageRefusal | None = None


class CageView(Struct, frozen=True):
    """The cage as its screen shows it."""

    version: int
    day: Day
    now: Millis
    terms: CageTerms
    drawers: tuple[DrawerRow, ...]
    vault: int
    """Cash that the vault gave to drawers, minus what it got back."""
    tickets: int
    """Tickets that the cage issued, minus those that it paid or voided."""
    voided: int
    variance: int
    transactions: tuple[CageTransaction, ...]
    """Transactions of this gaming day, the latest first."""
    proposals: tuple[ProposalRow, ...]
    """Commands that wait for a second person. A Cashier gets their own only."""


class BarredRow(Struct, frozen=True):
    """An entry of the list of barred Players. It has no name."""

    barred: BarredId
    initials: str
    reason: str
    since: Millis
    by: PersonId | None


class BarredList(Struct, frozen=True):
    barred: tuple[BarredRow, ...]


class CashReportRow(Struct, frozen=True):
    """A cash transaction that the house reports."""

    seq: int
    at: Millis
    drawer: DrawerId
    who: PersonId | None
    direction: CashDirection
    cents: int
    total: int
    """The amount that reached the threshold."""
    basis: ReportBasis
    ticket: str
    """The last four digits of the ticket."""
    initials: str
    person: str
    """Digests of the customer, by which reports about one customer can be told. Empty if no customer was named."""
    table: TableId | None
    seat: SeatId | None
