"""Requests to a table: the types that clients send, and the decoding of JSON lines for ``roundhouse deal``.

The request types are derived from the table's commands, without the fields that the server sets. A request may name
the position of the caller, which the server checks. It cannot name the person.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Union, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, defstruct
from msgspec.structs import FieldInfo, fields

from roundhouse.journal.entry import Answer
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.commands import AnyCommand
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.names import (
    DEALER_ID_PREFIX,
    HOUSE_ID_PREFIX,
    MAX_REQUEST_ID,
    RequestId,
    SeatId,
    TableId,
    is_request_id,
)
from roundhouse.table.refusals import Refusal

FILLED_IN: Final = ("by", "who", "second")
"""Fields of a command that the server sets from the caller's identity."""


class TableRequest(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True, gc=False):
    """A request from a client to a table."""

    id: RequestId
    by: StaffPosition | UnsetType = UNSET
    """The caller's position for this request. Default: the highest of the caller's positions."""
    table: TableId | UnsetType = UNSET
    """The table. Required on the pit's socket, which serves all tables; optional elsewhere."""


def _field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    if field.name == "seat":
        # The server knows a terminal's seat, so only staff must name one.
        return field.name, SeatId | UnsetType, UNSET
    if field.default_factory is not msgspec.NODEFAULT:
        return field.name, field.type, msgspec.field(default_factory=field.default_factory)
    if field.default is not msgspec.NODEFAULT:
        return field.name, field.type, field.default
    return field.name, field.type


def _client_fields(command: type[Struct]) -> list[FieldInfo]:
    return [field for field in fields(command) if field.name not in ("id", *FILLED_IN)]


def _request_type(command: type[c.Command]) -> type[TableRequest]:
    created = defstruct(
        f"Ask{command.__name__}",
        [_field(field) for field in _client_fields(command)],
        bases=(TableRequest,),
        module=__name__,
        tag=command.__struct_config__.tag,
        frozen=True,
        kw_only=True,
        gc=False,
        namespace={"__doc__": command.__doc__} if command.__doc__ else None,
    )
    assert issubclass(created, TableRequest)
    return created


COMMANDS: Final[dict[type[TableRequest], type[c.Command]]] = {
    # Show is left out: the server reads a table from its projection, not by a command.
    _request_type(command): command
    for command in get_args(c.AnyCommand)
    if command is not c.Show
}
"""The command that each type of request stands for."""

if TYPE_CHECKING:
    # The union is built at run time, so a type checker sees only the base class.
    AnyTableRequest = TableRequest
else:
    AnyTableRequest = Union[tuple(COMMANDS)]  # noqa: UP007
"""Union of all request types."""


def needs_seat(command: type[c.Command]) -> bool:
    """Return whether a command concerns one seat. The seat is optional in a decision.

    >>> needs_seat(c.Undo), needs_seat(c.Decide)
    (True, False)
    """
    return any(field.name == "seat" and field.required for field in fields(command))


class Lifetime(StrEnum):
    """How long a client may resend an unanswered request after a lost connection: always, or in its round or phase."""

    ALWAYS = "always"
    ROUND = "round"
    PHASE = "phase"


def lifetime_of(command: type[c.Command]) -> Lifetime:
    """Return how long a command may be resent.

    Bets may be resent in their round, other commands of a seat always, and all others in their phase.

    >>> lifetime_of(c.Undo), lifetime_of(c.CashOut), lifetime_of(c.OpenBets)
    (<Lifetime.ROUND: 'round'>, <Lifetime.ALWAYS: 'always'>, <Lifetime.PHASE: 'phase'>)
    """
    if command in get_args(c.BetCommand):
        return Lifetime.ROUND
    return Lifetime.ALWAYS if needs_seat(command) else Lifetime.PHASE


_decode = msgspec.json.Decoder(AnyCommand).decode
MAX_LINE = 1_000_000


class _OnlyId(Struct):
    id: str | None = None


def decode_command(line: bytes) -> AnyCommand | Answer:
    """Decode a JSON line to a command, or return the ``not_understood`` answer for it."""
    if len(line) > MAX_LINE:
        return _not_understood(None, f"the request has {len(line)} bytes; at most {MAX_LINE} are allowed")
    try:
        command: AnyCommand = _decode(line)
    except msgspec.ValidationError as error:
        return _not_understood(_id_of(line), str(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _not_understood(None, f"the line is not one JSON object: {error}")
    id = command.id
    if not is_request_id(id):
        return _not_understood(None, f"a request's id must have 1 to {MAX_REQUEST_ID} visible characters")
    if (command.who is not UNSET or command.second is not UNSET) and not _are_names(command.who, command.second):
        return _not_understood(id, f"a person's name must have at most {MAX_REQUEST_ID} characters")
    if wrong := acts_as_program(id, command.by):
        return Answer(id, False, refusal=Refusal.NOT_AUTHORISED, reason=wrong)
    return command


RESERVED_IDS: Final = (DEALER_ID_PREFIX, HOUSE_ID_PREFIX)
"""Prefixes of request ids that only programs of the house use."""


def acts_as_program(id: str, by: StaffPosition | UnsetType) -> str:
    """Return why a client may not send a request with this id and position, or an empty text if it may.

    >>> acts_as_program("1", StaffPosition.DEALER)
    ''
    >>> acts_as_program("1", StaffPosition.SYSTEM)
    "'system' is a program of the house; use the position of a person in 'by'"
    """
    if by in PROGRAMS:
        return f"'{by}' is a program of the house; use the position of a person in 'by'"
    if id.startswith(RESERVED_IDS):
        return f"request ids that begin with {' or '.join(RESERVED_IDS)} are reserved for programs of the house"
    return ""


def _are_names(*names: str | UnsetType) -> bool:
    return all(name is UNSET or len(name) <= MAX_REQUEST_ID for name in names)


def _id_of(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _not_authorised(id: str, reason: str) -> Answer:
    return Answer(id, False, refusal=Refusal.NOT_AUTHORISED, reason=reason)


def _not_understood(id: str | None, reason: str) -> Answer:
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason)
