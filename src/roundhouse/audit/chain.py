"""Checks the hash chain of a table or of the house: no entry is missing, added, moved or changed.

Checking the seals needs the key of the house. Without it they are only counted.
"""

import hmac
from collections.abc import Callable, Iterator
from typing import Generic, NoReturn, TypeVar

import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.cage.entry import CageEntry
from roundhouse.journal.entry import BEGINNING, GENESIS, ChainHash, Entry, Seq, decode, encode, link, seal
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Row
from roundhouse.people.events import HouseEntry
from roundhouse.table.names import TableId

E = TypeVar("E", Entry, HouseEntry, CageEntry)


class Links(Generic[E]):
    """Iterates over the rows of a chain, and checks number, hash, seal and encoding of each before yielding it."""

    def __init__(
        self,
        read: Callable[[bytes], E],
        table: TableId,
        rows: Iterator[Row],
        seals: Iterator[tuple[Seq, bytes]],
        key: Key | None,
        after: Seq = BEGINNING,
        before: ChainHash = GENESIS,
    ) -> None:
        self._read: Callable[[bytes], E] = read
        self._table = table
        self._rows = rows
        self._seals = seals
        self._next_seal = next(seals, None)
        self._key = key
        self.seq = after
        self.hash = before
        self.previous = before
        """Hash before the entry yielded last."""
        self.seals = 0
        self.last_seal: bytes | None = None
        """The seal of the entry yielded last. None if a batch does not end with it."""

    def __iter__(self) -> Iterator[tuple[Row, E]]:
        for row in self._rows:
            self._check_link(row)
            self._check_seal(row)
            yield row, self._decoded(row)
        if self._next_seal is not None:
            self._fail(self._next_seal[0], "an entry is missing", "the entry of this seal", None)
        if self.seq and self.last_seal is None:
            self._fail(self.seq, "the last entry is not sealed", "a seal", None)

    def _check_link(self, row: Row) -> None:
        if row.seq != self.seq + 1:
            self._fail(Seq(self.seq + 1), "an entry is missing or out of order", f"entry {self.seq + 1}", row.seq)
        if (expected := link(self.hash, row.body)) != row.hash:
            self._fail(row.seq, "the entry does not continue the chain", expected, row.hash)
        self.previous, self.seq, self.hash = self.hash, row.seq, row.hash

    def _check_seal(self, row: Row) -> None:
        self.last_seal = None
        if self._next_seal is None or self._next_seal[0] > row.seq:
            return
        seq, found = self._next_seal
        if seq < row.seq:
            self._fail(seq, "a seal without an entry", "an entry", None)
        if self._key is not None and not hmac.compare_digest(seal(self._key, self._table, row.hash), found):
            self._fail(seq, "the seal does not match the entry and the key", "the seal of the house", found)
        self._next_seal = next(self._seals, None)
        self.last_seal = found
        self.seals += 1

    def _decoded(self, row: Row) -> E:
        try:
            entry = self._read(row.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._fail(row.seq, "the entry cannot be read", "an entry of a known kind", error)
        if entry.seq != row.seq:
            self._fail(row.seq, "the number in the entry is not that of its row", row.seq, entry.seq)
        if (expected := encode(entry)) != row.body:
            self._fail(row.seq, "the entry is not in the canonical encoding", expected, row.body)
        return entry

    def _fail(self, seq: Seq, what: str, expected: object, found: object) -> NoReturn:
        fail(what, expected=expected, found=found, table=self._table, entry=seq)


class Chain(Links[Entry]):
    """The chain of a table."""

    def __init__(
        self,
        table: TableId,
        rows: Iterator[Row],
        seals: Iterator[tuple[Seq, bytes]],
        key: Key | None,
        after: Seq = BEGINNING,
        before: ChainHash = GENESIS,
    ) -> None:
        super().__init__(decode, table, rows, seals, key, after, before)

    def _decoded(self, row: Row) -> Entry:
        """Decode an entry. The hash that a dispute freezes must be that of the entry before it."""
        entry = super()._decoded(row)
        if entry.facts.head is not None and entry.facts.head != self.previous.hex():
            what = "the hash that a dispute freezes is not that of the entry before"
            self._fail(entry.seq, what, self.previous, entry.facts.head)
        return entry
