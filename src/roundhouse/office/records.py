"""A journal read for its figures: every table in one view of the file, in the order of its entries and its times.

Only what happened and when is decoded. It is the record that is told here; proving it is for ``proof``.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, NotAJournal
from roundhouse.journal.entry import GENESIS, Seq
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Millis, TableId

HOUSE_FILE = "house.db"
"""The journal's name in the folder of a house."""

HOUSE = TableId("@house")
"""The chain of the house itself: log-ins, appointments, alerts. It has no rounds and no money."""

Progress = Callable[[int], None]
_REPORT_EVERY = 10_000
_T = TypeVar("_T")


def journal_at(path: Path) -> Path:
    """The journal that was named, or the one in the folder that was named."""
    if not path.is_dir():
        return path
    if not (journal := path / HOUSE_FILE).is_file():
        raise NotAJournal(f"the folder '{path}' has no journal '{HOUSE_FILE}'")
    return journal


class _When(Struct, frozen=True, gc=False):
    at: Millis


class _Asked(Struct, frozen=True, gc=False):
    by: str
    who: str | None = None
    second: str | None = None


class _Dated(Struct, frozen=True, tag_field="entry", tag="request.v1", gc=False):
    facts: _When


class EntryEvents(Struct, frozen=True, tag_field="entry", tag="request.v1", gc=False):
    """What an entry of a table says that a report or an export needs."""

    seq: Seq
    facts: _When
    request: _Asked | None = None
    events: list[AnyEvent] = []

    @property
    def at(self) -> Millis:
        return self.facts.at


class HouseRecord(Struct, frozen=True, tag_field="entry", tag="house.v1"):
    """An entry of the house's own chain."""

    seq: Seq
    at: Millis
    event: dict[str, Any]
    by: dict[str, Any] = {}
    """Who did it (``person``), as what (``kind``, ``position``), and from where."""


class ChainHead(Struct, frozen=True):
    """How far a chain went when it was read. The hash can be held against the journal later: ``verify --noted``."""

    table: TableId
    entries: Seq
    at: Millis | None
    hash: str


_happened = msgspec.json.Decoder(EntryEvents).decode
_dated = msgspec.json.Decoder(_Dated).decode
_of_the_house = msgspec.json.Decoder(HouseRecord).decode


class Records(JournalFile):
    def __init__(self, path: Path) -> None:
        super().__init__(journal_at(path))
        self._done = 0

    def playing_tables(self) -> list[TableId]:
        return [id for id, _ in self.tables() if id != HOUSE]

    def chains(self) -> list[TableId]:
        """Every table, and the house itself if it has a chain."""
        return [*self.playing_tables(), *([HOUSE] if self.head(HOUSE).entries else [])]

    def head(self, table: TableId) -> ChainHead:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1"
        row = next(self._rows(sql, (table,), (int, bytes, bytes)), None)
        if row is None:
            return ChainHead(table, Seq(0), None, GENESIS.hex())
        return ChainHead(table, Seq(row[0]), self._instant(table, Seq(row[0]), row[1]), row[2].hex())

    def first_from(self, table: TableId, instant: Millis) -> Seq:
        """The first entry that is not before an instant: time does not go back in a table, so it can be looked up."""
        last = self.head(table).entries
        return Seq(1 + bisect_left(range(1, last + 1), instant, key=lambda seq: self._instant_of(table, Seq(seq))))

    def _instant_of(self, table: TableId, seq: Seq) -> Millis:
        sql = "SELECT body FROM entries WHERE table_id = ? AND seq = ?"
        row = next(self._rows(sql, (table, seq), (bytes,)), None)
        if row is None:
            fail("an entry is missing", expected=f"entry {seq}", found=None, table=table, entry=seq)
        return self._instant(table, seq, row[0])

    def _instant(self, table: TableId, seq: Seq, body: bytes) -> Millis:
        if table == HOUSE:
            return _read(_of_the_house, table, seq, body).at
        return _read(_dated, table, seq, body).facts.at

    def happened(self, table: TableId, first: Seq, until: Millis | None, progress: Progress) -> Iterator[EntryEvents]:
        """Entries of a table from a place on, until an instant."""
        for seq, body in self._bodies(table, first):
            entry = _read(_happened, table, seq, body)
            if until is not None and entry.at >= until:
                return
            yield entry
            self._done += 1
            if not self._done % _REPORT_EVERY:
                progress(self._done)

    def of_the_house(self, first: Seq) -> Iterator[HouseRecord]:
        for seq, body in self._bodies(HOUSE, first):
            yield _read(_of_the_house, HOUSE, seq, body)

    def _bodies(self, table: TableId, first: Seq) -> Iterator[tuple[Seq, bytes]]:
        sql = "SELECT seq, body FROM entries WHERE table_id = ? AND seq >= ? ORDER BY seq"
        for seq, body in self._rows(sql, (table, first), (int, bytes)):
            yield Seq(seq), body


def _read(decode: Callable[[bytes], _T], table: TableId, seq: Seq, body: bytes) -> _T:
    try:
        return decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="an entry of a known kind", found=error, table=table, entry=seq)
