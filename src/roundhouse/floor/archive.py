"""Past rounds of a table, read from the store and written with the batch that changes them."""

import msgspec

from roundhouse.journal.store import Store
from roundhouse.table.names import RoundNumber, TableId
from roundhouse.table.state import RoundRecord

_decode = msgspec.msgpack.Decoder(RoundRecord).decode
_encode = msgspec.msgpack.Encoder().encode


class StoredArchive:
    def __init__(self, store: Store, table: TableId) -> None:
        self._store = store
        self._table = table
        self._staged: dict[RoundNumber, RoundRecord] = {}

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if (staged := self._staged.get(number)) is not None:
            return staged
        stored = self._store.round(self._table, number)
        return _decode(stored) if stored is not None else None

    def keep(self, record: RoundRecord) -> None:
        self._staged[record.number] = record

    def take_staged(self) -> dict[RoundNumber, bytes]:
        """What the next transaction has to write."""
        staged = {number: _encode(record) for number, record in self._staged.items()}
        self._staged.clear()
        return staged
