"""Requests as they come over the wire: those of ``roundhouse deal``, with what the server itself fills in left out.

They are derived from the table's commands, so that the two cannot differ. In which position somebody acts may be
said, and is checked; who he is may not be said at all.

Requests as lines of JSON: understood, or refused in words that help whoever sent them.
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
from roundhouse.table.names import (
    DEALER_ID_PREFIX,
    MAX_REQUEST_ID,
    PersonName,
    RequestId,
    SeatId,
    TableId,
    is_request_id,
)
from roundhouse.table.refusals import Refusal

FILLED_IN: Final = ("by", "who", "second")
"""Fields of a command that the server sets, from who is logged in."""


class TableRequest(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True, gc=False):
    """A request. ``by`` says in which of one's own positions one acts; otherwise it is the highest."""

    id: RequestId
    by: StaffPosition | UnsetType = UNSET
    table: TableId | UnsetType = UNSET
    """Which table, on the pit's socket, which has all of them. Elsewhere it is known, and may be left out."""


def _field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    if field.name == "seat":
        # A terminal's seat is known; staff name it.
        return field.name, SeatId | UnsetType, UNSET
    if field.default_factory is not msgspec.NODEFAULT:
        return field.name, field.type, msgspec.field(default_factory=field.default_factory)
    if field.default is not msgspec.NODEFAULT:
        return field.name, field.type, field.default
    return field.name, field.type


def _own(command: type[Struct]) -> list[FieldInfo]:
    return [field for field in fields(command) if field.name not in ("id", *FILLED_IN)]


def _asked(command: type[c.Command]) -> type[TableRequest]:
    made = defstruct(
        f"Ask{command.__name__}",
        [_field(field) for field in _own(command)],
        bases=(TableRequest,),
        module=__name__,
        tag=command.__struct_config__.tag,
        frozen=True,
        kw_only=True,
        gc=False,
        namespace={"__doc__": command.__doc__} if command.__doc__ else None,
    )
    assert issubclass(made, TableRequest)
    return made


_COMMANDS: Final[dict[type[TableRequest], type[c.Command]]] = {
    # A table is read from its projection and not by a request to its writer.
    _asked(command): command
    for command in get_args(c.AnyCommand)
    if command is not c.Show
}
_FIELDS: Final = {asked: tuple(field.name for field in _own(command)) for asked, command in _COMMANDS.items()}

if TYPE_CHECKING:
    # The union is derived at run time; a type checker sees the base class.
    AnyTableRequest = TableRequest
else:
    AnyTableRequest = Union[tuple(_COMMANDS)]  # noqa: UP007
"""Every request that can come over the wire."""


class SeatMissing(Exception):
    """The request is about a seat and does not say which."""


def to_command(
    asked: TableRequest, by: StaffPosition, seat: SeatId | UnsetType, who: PersonName | UnsetType = UNSET
) -> c.AnyCommand:
    """The command that a request stands for, with who asks filled in. Raises ``NoSeat`` where one must be named."""
    values = {name: getattr(asked, name) for name in _FIELDS[type(asked)]}
    if "seat" in values:
        if seat is UNSET:
            raise SeatMissing
        values["seat"] = seat
    command: c.AnyCommand = _COMMANDS[type(asked)](id=asked.id, by=by, who=who, **values)  # type: ignore[assignment]
    return command


def seat_of(asked: TableRequest) -> SeatId | UnsetType:
    """The seat that a request names, if it names one."""
    seat: SeatId | UnsetType = getattr(asked, "seat", UNSET)
    return seat


def is_about_a_seat(asked: TableRequest) -> bool:
    return "seat" in _FIELDS[type(asked)]


class Lifetime(StrEnum):
    """How long a request without an answer stays meant, and may be sent again after a lost connection."""

    ALWAYS = "always"
    ROUND = "round"
    PHASE = "phase"


def lifetime_of(command: type[c.Command]) -> Lifetime:
    """Bets are meant for their round; what moves a seat's money holds in any; everything else was for its phase.

    >>> lifetime_of(c.Undo), lifetime_of(c.CashOut), lifetime_of(c.OpenBets)
    (<Lifetime.ROUND: 'round'>, <Lifetime.ALWAYS: 'always'>, <Lifetime.PHASE: 'phase'>)
    """
    if command in get_args(c.BetCommand):
        return Lifetime.ROUND
    return Lifetime.ALWAYS if "seat" in command.__struct_fields__ else Lifetime.PHASE


_decode = msgspec.json.Decoder(AnyCommand).decode
_SYSTEM = StaffPosition.SYSTEM
MAX_LINE = 1_000_000


class _OnlyId(Struct):
    id: str | None = None


def decode_command(line: bytes) -> AnyCommand | Answer:
    """The command on a line, or the answer that there is none."""
    if len(line) > MAX_LINE:
        return _not_understood(None, f"a request is at most {MAX_LINE} bytes")
    try:
        command: AnyCommand = _decode(line)
    except msgspec.ValidationError as error:
        return _not_understood(_id_of(line), str(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _not_understood(None, f"not one JSON object: {error}")
    id = command.id
    if not is_request_id(id):
        return _not_understood(None, f"a request's id has 1 to {MAX_REQUEST_ID} characters that can be seen")
    if (command.who is not UNSET or command.second is not UNSET) and not _are_names(command.who, command.second):
        return _not_understood(id, f"a person's name has at most {MAX_REQUEST_ID} characters")
    if id.startswith(DEALER_ID_PREFIX):
        return _not_understood(id, f"ids that begin with '{DEALER_ID_PREFIX}' are the automatic dealer's")
    if command.by is _SYSTEM:
        return _not_understood(id, "nobody acts as the system")
    return command


def _are_names(*words: str | UnsetType) -> bool:
    return all(word is UNSET or len(word) <= MAX_REQUEST_ID for word in words)


def _id_of(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _not_understood(id: str | None, reason: str) -> Answer:
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason)
