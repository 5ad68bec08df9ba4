"""Past rounds of a table, read from the store and written with the batch that changes them."""

from collections.abc import Mapping

import msgspec

from roundhouse.journal.store import Store
from roundhouse.table.names import RoundNumber, TableId
from roundhouse.table.state import RoundRecord

_decode = msgspec.msgpack.Decoder(RoundRecord).decode
encode_round = msgspec.msgpack.Encoder().encode


class RoundArchive:
    def __init__(self, store: Store, table: TableId) -> None:
        self._store = store
        self._table = table
        self._kept: dict[RoundNumber, RoundRecord] = {}
        """What is decided and not durable yet."""
        self._changed: list[RoundNumber] = []

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if (kept := self._kept.get(number)) is not None:
            return kept
        stored = self._store.round(self._table, number)
        return _decode(stored) if stored is not None else None

    def keep(self, record: RoundRecord) -> None:
        self._kept[record.number] = record
        self._changed.append(record.number)

    def take_changed(self) -> dict[RoundNumber, RoundRecord]:
        """What the next transaction has to write."""
        changed = {number: self._kept[number] for number in self._changed}
        self._changed.clear()
        return changed

    def forget(self, durable: Mapping[RoundNumber, RoundRecord]) -> None:
        """The store has these now, unless they were changed again meanwhile."""
        for number, record in durable.items():
            if self._kept.get(number) is record:
                del self._kept[number]
