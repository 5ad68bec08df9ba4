"""Loads a table from its journal: the last snapshot, then every later entry. Also reads past rounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import UNSET

from roundhouse.floor.batch import Rounds
from roundhouse.journal.entry import GENESIS, ChainHash, Entry, Seq, decode, link
from roundhouse.journal.store import JournalDamaged, Snapshot, Store
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.apply import apply
from roundhouse.table.events import (
    RoundCorrected,
    RoundReinstated,
    RoundReversed,
    RoundSettled,
    RoundVoided,
    SeatDecided,
)
from roundhouse.table.names import Phase, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, Table, TableState

_ROUND_EVENTS = (RoundCorrected, RoundReinstated, RoundReversed, RoundSettled, RoundVoided, SeatDecided)
_decode_round = msgspec.msgpack.Decoder(RoundRecord).decode
_decode_state = msgspec.json.Decoder(TableState).decode


class RoundArchive:
    """Past rounds of a table. They are read from the store, and written in the batch that changes them."""

    def __init__(self, store: Store, table: TableId) -> None:
        self._store = store
        self._table = table
        self._uncommitted: dict[RoundNumber, RoundRecord] = {}
        """Records of rounds that uncommitted batches changed."""
        self._games: dict[str, Game | None] = {}
        self.changed: list[RoundNumber] = []
        """Rounds that changed since the last ``take_changed``."""

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if (uncommitted := self._uncommitted.get(number)) is not None:
            return uncommitted
        stored = self._store.round(self._table, number)
        return _decode_round(stored) if stored is not None else None

    def keep(self, record: RoundRecord) -> None:
        self._uncommitted[record.number] = record
        self.changed.append(record.number)

    def game(self, rulebook: str) -> Game | None:
        """Return the game of a rulebook in the journal, or ``None`` if it is not there."""
        if rulebook not in self._games:
            content = self._store.rulebook(rulebook)
            self._games[rulebook] = load(content) if content is not None else None
        return self._games[rulebook]

    def take_changed(self) -> dict[RoundNumber, RoundRecord]:
        """Return the records changed since the last call, for the next transaction to write."""
        changed = {number: self._uncommitted[number] for number in self.changed}
        self.changed.clear()
        return changed

    def forget(self, committed: Mapping[RoundNumber, RoundRecord]) -> None:
        """Remove records that the store contains now, unless a later batch changed them again."""
        for number, record in committed.items():
            if self._uncommitted.get(number) is record:
                del self._uncommitted[number]


@dataclass
class LoadedTable:
    """A table loaded from its journal, with the position in its hash chain."""

    table: Table
    archive: RoundArchive
    seq: Seq
    hash: ChainHash
    snapshot_seq: Seq


def load_table(store: Store, id: TableId, latest: Game) -> LoadedTable:
    """Load a table. A round that began under an older rulebook also ends under it."""
    loaded = _read(store, id, latest)
    state = loaded.table.state
    if state.phase_before_stop is Phase.CLOSED or state.rulebook == latest.hash:
        return loaded
    content = store.rulebook(state.rulebook)
    if content is None:
        raise JournalDamaged(f"rulebook {state.rulebook} of table {id} is missing in the journal")
    return _read(store, id, load(content))


def _read(store: Store, id: TableId, game: Game) -> LoadedTable:
    snapshot = store.snapshot(id)
    state = _decode_state(snapshot.memory) if snapshot else TableState()
    if state.phase is Phase.STOPPED and state.before_stop is UNSET:
        # Snapshots of old versions lack the phase before the stop. Replay all entries instead.
        snapshot, state = None, TableState()
    _check_snapshot(store, id, snapshot)
    archive = RoundArchive(store, id)
    table = Table(game, state, archive)
    seq, hash = (snapshot.seq, snapshot.hash) if snapshot else (Seq(0), GENESIS)
    loaded = LoadedTable(table, archive, seq, hash, seq)
    for row in store.rows(id, seq):
        if row.seq != loaded.seq + 1 or link(loaded.hash, row.body) != row.hash:
            raise JournalDamaged(f"entry {loaded.seq + 1} of table {id} does not continue the chain")
        entry = decode(row.body)
        for event in entry.events:
            apply(table, event, entry.facts.at)
        loaded.seq, loaded.hash = row.seq, row.hash
    archive.forget(archive.take_changed())
    return loaded


def _check_snapshot(store: Store, id: TableId, snapshot: Snapshot | None) -> None:
    if snapshot is not None:
        row = store.row(id, snapshot.seq)
        if row is None or row.hash != snapshot.hash:
            raise JournalDamaged(f"snapshot {snapshot.seq} of table {id} does not match the hash chain")


def restated_in(entries: Iterable[Entry], archive: RoundArchive) -> Rounds:
    """Return the past rounds that these entries settled, voided, corrected or reversed."""
    events = (event for entry in entries for event in entry.events)
    numbers = {event.round for event in events if isinstance(event, _ROUND_EVENTS)}
    return {number: record for number in numbers if (record := archive.round(number)) is not None}
