"""Requests as lines of JSON: understood, or refused in words that help whoever sent them."""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse.journal.entry import Answer
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import DEALERS_IDS, LONGEST_REQUEST_ID, is_request_id
from roundhouse.table.refusals import Refusal

_decode = msgspec.json.Decoder(AnyCommand).decode
_SYSTEM = StaffPosition.SYSTEM
LONGEST_LINE = 1_000_000


class _OnlyId(Struct):
    id: str | None = None


def understand(line: bytes) -> AnyCommand | Answer:
    """The command on a line, or the answer that there is none."""
    if len(line) > LONGEST_LINE:
        return _not_understood(None, f"a request is at most {LONGEST_LINE} bytes")
    try:
        command: AnyCommand = _decode(line)
    except msgspec.ValidationError as error:
        return _not_understood(_id_of(line), str(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _not_understood(None, f"not one JSON object: {error}")
    id = command.id
    if not is_request_id(id):
        return _not_understood(None, f"a request's id has 1 to {LONGEST_REQUEST_ID} characters that can be seen")
    if (command.who is not UNSET or command.second is not UNSET) and not _are_names(command.who, command.second):
        return _not_understood(id, f"a person's name has at most {LONGEST_REQUEST_ID} characters")
    if id.startswith(DEALERS_IDS):
        return _not_understood(id, f"ids that begin with '{DEALERS_IDS}' are the automatic dealer's")
    if command.by is _SYSTEM:
        return _not_understood(id, "nobody acts as the system")
    return command


def _are_names(*words: str | UnsetType) -> bool:
    return all(word is UNSET or len(word) <= LONGEST_REQUEST_ID for word in words)


def _id_of(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _not_understood(id: str | None, reason: str) -> Answer:
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason)
