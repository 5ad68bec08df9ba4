"""Discrepancies that an audit finds, and the exception that reports the first one."""

from typing import NoReturn

import msgspec
from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.table.names import TableId

_MAX_CHARACTERS = 2000


class Discrepancy(Struct, frozen=True):
    """A difference between the recorded and the expected value."""

    what: str
    expected: str
    found: str
    table: TableId | None = None
    """Table of the discrepancy. None if it concerns the whole file."""
    entry: Seq | None = None
    """Number of the entry with the discrepancy. None if it concerns no single entry."""


class DoesNotHold(Exception):
    """A verification failed. Carries the first discrepancy that was found."""

    def __init__(self, discrepancy: Discrepancy) -> None:
        super().__init__(discrepancy.what)
        self.discrepancy = discrepancy


def fail(
    what: str, *, expected: object, found: object, table: TableId | None = None, entry: Seq | None = None
) -> NoReturn:
    """Raise ``DoesNotHold`` with a discrepancy of these values."""
    raise DoesNotHold(Discrepancy(what, _text(expected), _text(found), table, entry))


def _text(value: object) -> str:
    """Return a value as text of limited length. Values from a damaged file can be of any type and size."""
    match value:
        case None:
            text = "nothing"
        case bytes() | memoryview():
            text = bytes(value).hex() if len(value) <= 32 else bytes(value).decode(errors="replace")
        case Struct():
            text = msgspec.json.encode(value).decode()
        case _:
            text = str(value)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]} …"
