"""Numbers of tickets. They are derived from the journal's key, so that the journal need not contain them.

The entry of a cash-out stores a random salt and the ticket's id. With the key, the salt gives the number; without the
key, neither the salt nor the id reveals it. So a resent cash-out gets the same number after a restart, and a reader of
the journal, of an export or of a backup without its key sees the last four digits only.
"""

import hmac
from typing import Final

from roundhouse.journal.seal import Key, subkey
from roundhouse.table.names import TableId, TicketId, TicketNumber

DIGITS: Final = 20
_NUMBERS: Final = 10**DIGITS
_UNBIASED: Final = (1 << 128) // _NUMBERS * _NUMBERS
"""Values below this bound give every number with the same probability."""
_ID_DIGITS: Final = 32


class TicketNumbers:
    """Derives numbers and ids of tickets from the key of a journal."""

    def __init__(self, key: Key) -> None:
        self._number_key, self._id_key = subkey(key, "ticket number"), subkey(key, "ticket id")

    def number(self, table: TableId, salt: str) -> TicketNumber:
        """Derive the number of the ticket that a table issued with this salt."""
        for attempt in range(256):
            digest = hmac.digest(self._number_key, f"{table}\0{salt}\0{attempt}".encode(), "sha256")
            if (value := int.from_bytes(digest[:16])) < _UNBIASED:
                return TicketNumber(str(value % _NUMBERS).zfill(DIGITS))
        raise AssertionError("256 digests in a row cannot be out of bounds")

    def id(self, number: TicketNumber) -> TicketId:
        """Return the id under which the journal keeps a ticket."""
        digest = hmac.digest(self._id_key, number.encode(), "sha256").hex()
        return TicketId(f"{digest[:_ID_DIGITS]}-{number[-4:]}")
