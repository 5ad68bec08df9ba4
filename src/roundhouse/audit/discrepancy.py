"""A discrepancy: the first thing that does not hold, where it is, what was expected and what is there."""

from typing import NoReturn

import msgspec
from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.table.names import TableId

_LONGEST = 2000


class Discrepancy(Struct, frozen=True):
    what: str
    expected: str
    found: str
    table: TableId | None = None
    """Nothing when it concerns the whole file."""
    entry: Seq | None = None


class DoesNotHold(Exception):
    def __init__(self, discrepancy: Discrepancy) -> None:
        super().__init__(discrepancy.what)
        self.discrepancy = discrepancy


def fail(
    what: str, *, expected: object, found: object, table: TableId | None = None, entry: Seq | None = None
) -> NoReturn:
    raise DoesNotHold(Discrepancy(what, _words(expected), _words(found), table, entry))


def _words(value: object) -> str:
    """Something said about a value on one screen, whatever the file holds."""
    match value:
        case None:
            text = "nothing"
        case bytes() | memoryview():
            text = bytes(value).hex() if len(value) <= 32 else bytes(value).decode(errors="replace")
        case Struct():
            text = msgspec.json.encode(value).decode()
        case _:
            text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
