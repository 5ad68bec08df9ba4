"""Reads events and times from a journal, for reports and exports.

All tables are read in one database transaction. Entries are not verified here; ``roundhouse.audit`` does that.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, NotAJournal
from roundhouse.cage.entry import CageEntry
from roundhouse.cage.entry import decode as decode_cage
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.journal.entry import GENESIS, ChainHash, Seq
from roundhouse.journal.index import OPENING
from roundhouse.journal.store import Row
from roundhouse.table.events import AnyEvent, TableOpened
from roundhouse.table.names import Millis, RoundNumber, TableId
from roundhouse.table.state import RoundRecord

HOUSE_FILE = "house.db"
"""File name of the journal in a house's data folder."""

HOUSE = TableId("@house")
"""Table id of the house's own chain, which records log-ins, appointments and alerts, but no rounds and no money."""

_CAGE_EVENTS = (
    b'"event":"credits_bought.',
    b'"event":"purchase_reversed.',
    b'"event":"cashed_out.',
    b'"event":"ticket_redeemed.',
)

Progress = Callable[[int], None]
_REPORT_EVERY = 10_000
_T = TypeVar("_T")


def journal_at(path: Path) -> Path:
    """Return the path of a journal, given the journal or the data folder that contains it."""
    if not path.is_dir():
        return path
    if not (journal := path / HOUSE_FILE).is_file():
        raise NotAJournal(f"the folder '{path}' has no journal '{HOUSE_FILE}'")
    return journal


class _EntryFacts(Struct, frozen=True, gc=False):
    at: Millis


class _EntryRequest(Struct, frozen=True, gc=False):
    by: str
    who: str | None = None
    second: str | None = None


class _EntryTime(Struct, frozen=True, tag_field="entry", tag="request.v1", gc=False):
    facts: _EntryFacts


class EntryEvents(Struct, frozen=True, tag_field="entry", tag="request.v1", gc=False):
    """The fields of a table's entry that reports and exports need."""

    seq: Seq
    facts: _EntryFacts
    request: _EntryRequest | None = None
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
    """The JSON fields of an ``Actor``: kind, person, position, terminal and address."""


class ChainHead(Struct, frozen=True):
    """The last entry of a chain when it was read. ``audit verify --noted HASH`` checks it against a later journal."""

    table: TableId
    entries: Seq
    at: Millis | None
    """Time of the last entry. None if the chain is empty."""
    hash: str


_decode_events = msgspec.json.Decoder(EntryEvents).decode
_decode_time = msgspec.json.Decoder(_EntryTime).decode
_decode_record = msgspec.msgpack.Decoder(RoundRecord).decode
_decode_house = msgspec.json.Decoder(HouseRecord).decode


class Records(JournalFile):
    """A journal opened for reports and exports."""

    def __init__(self, path: Path) -> None:
        super().__init__(journal_at(path))
        self._done = 0

    def playing_tables(self) -> list[TableId]:
        return [id for id, _ in self.tables() if id != HOUSE]

    def chains(self) -> list[TableId]:
        """List every table, and the chains of the house and of the cage if they have entries."""
        return [*self.playing_tables(), *(chain for chain in (HOUSE, CAGE_CHAIN) if self.head(chain).entries)]

    def currency(self, tables: Iterable[TableId]) -> str:
        """Return the currency of the tables that were opened last, or an empty text before the first opening."""
        for table in tables:
            opening = self.last_about(table, OPENING)
            for event in opening.events if opening is not None else ():
                if isinstance(event, TableOpened) and event.currency:
                    return event.currency
        return ""

    def head(self, table: TableId) -> ChainHead:
        sql = "SELECT seq, body, hash FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1"
        row = next(self.rows(sql, (table,), (int, bytes, bytes)), None)
        if row is None:
            return ChainHead(table, Seq(0), None, GENESIS.hex())
        return ChainHead(table, Seq(row[0]), self._instant(table, Seq(row[0]), row[1]), row[2].hex())

    def first_from(self, table: TableId, instant: Millis) -> Seq:
        """Return the number of the first entry at or after an instant, by binary search over the entries' times."""
        last = self.head(table).entries
        return Seq(1 + bisect_left(range(1, last + 1), instant, key=lambda seq: self.instant_of(table, Seq(seq))))

    def instant_of(self, table: TableId, seq: Seq) -> Millis:
        """Return the time of an entry."""
        sql = "SELECT body FROM entries WHERE table_id = ? AND seq = ?"
        row = next(self.rows(sql, (table, seq), (bytes,)), None)
        if row is None:
            fail("an entry is missing", expected=f"entry {seq}", found=None, table=table, entry=seq)
        return self._instant(table, seq, row[0])

    def _instant(self, table: TableId, seq: Seq, body: bytes) -> Millis:
        if table == HOUSE:
            return _read(_decode_house, table, seq, body).at
        if table == CAGE_CHAIN:
            return _read(decode_cage, table, seq, body).facts.at
        return _read(_decode_time, table, seq, body).facts.at

    def round_record(self, table: TableId, number: RoundNumber) -> RoundRecord | None:
        """Return the record of a finished round, or None if there is none."""
        sql = "SELECT record FROM rounds WHERE table_id = ? AND number = ?"
        row = next(self.rows(sql, (table, number), (bytes,)), None)
        if row is None:
            return None
        try:
            return _decode_record(row[0])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            fail("the record of a round cannot be read", expected=f"round {number}", found=error, table=table)

    def entries_from(
        self, table: TableId, first: Seq, until: Millis | None, progress: Progress
    ) -> Iterator[EntryEvents]:
        """Yield the entries of a table from entry ``first`` on, and before the instant ``until`` if that is given."""
        for seq, body in self._bodies(table, first):
            entry = _read(_decode_events, table, seq, body)
            if until is not None and entry.at >= until:
                return
            yield entry
            self._done += 1
            if not self._done % _REPORT_EVERY:
                progress(self._done)

    def cage_entries(self, table: TableId, first: Seq, last: Seq) -> Iterator[Row]:
        """Yield the entries in a span that bought credits, or issued or redeemed a ticket. No other is decoded."""
        sql = (
            "SELECT seq, body, hash FROM entries WHERE table_id = ? AND seq BETWEEN ? AND ?"
            " AND (instr(body, ?) OR instr(body, ?) OR instr(body, ?) OR instr(body, ?)) ORDER BY seq"
        )
        for seq, body, hash in self.rows(sql, (table, first, last, *_CAGE_EVENTS), (int, bytes, bytes)):
            yield Row(Seq(seq), body, ChainHash(hash), None)

    def house_entries_from(self, first: Seq) -> Iterator[HouseRecord]:
        for seq, body in self._bodies(HOUSE, first):
            yield _read(_decode_house, HOUSE, seq, body)

    def cage_entries_from(self, first: Seq) -> Iterator[CageEntry]:
        for seq, body in self._bodies(CAGE_CHAIN, first):
            yield _read(decode_cage, CAGE_CHAIN, seq, body)

    def _bodies(self, table: TableId, first: Seq) -> Iterator[tuple[Seq, bytes]]:
        sql = "SELECT seq, body FROM entries WHERE table_id = ? AND seq >= ? ORDER BY seq"
        for seq, body in self.rows(sql, (table, first), (int, bytes)):
            yield Seq(seq), body


def _read(decode: Callable[[bytes], _T], table: TableId, seq: Seq, body: bytes) -> _T:
    try:
        return decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail("the entry cannot be read", expected="an entry of a known kind", found=error, table=table, entry=seq)
