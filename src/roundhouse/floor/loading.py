"""Loads a table from its journal: the last snapshot, then every later entry. Also reads past rounds."""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import UNSET

from roundhouse.floor.batch import Rounds
from roundhouse.journal.derived import Derived, TicketLog, derived_of, extend_by, state_shape, trusted_snapshot
from roundhouse.journal.entry import GENESIS, ChainHash, Entry, Seq, decode, link
from roundhouse.journal.seal import Key, round_fits, sealed_round
from roundhouse.journal.store import JournalDamaged, Store, StoredRound
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.apply import apply
from roundhouse.table.commands import CashOut, RedeemTicket
from roundhouse.table.events import (
    RoundCorrected,
    RoundReinstated,
    RoundReversed,
    RoundSettled,
    RoundVoided,
    SeatDecided,
)
from roundhouse.table.names import Phase, RequestId, RoundNumber, TableId
from roundhouse.table.state import RoundRecord, Table, TableState

_ROUND_EVENTS = (RoundCorrected, RoundReinstated, RoundReversed, RoundSettled, RoundVoided, SeatDecided)
_decode_round = msgspec.msgpack.Decoder(RoundRecord).decode
_encode_round = msgspec.msgpack.Encoder().encode
TICKET_REQUESTS: Final = frozenset({CashOut, RedeemTicket})
_CHECKED_TOGETHER: Final = 500
_log = logging.getLogger(__name__)
_decode_state = msgspec.json.Decoder(TableState).decode


class RoundArchive:
    """Past rounds of a table. They are read from the store, and written in the batch that changes them."""

    def __init__(self, store: Store, table: TableId, key: Key | None = None, derived: Derived | None = None) -> None:
        """Read records without checking their seals, or with the ``key`` check them by the digests ``derived``."""
        self._store = store
        self._table = table
        self._key = key
        self._replaying = True
        """Whether entries that changed the stored records are being replayed. ``complete`` ends this."""
        self._newest = derived.newest if derived else RoundNumber(0)
        self._versions = dict(derived.versions) if derived else {}
        self._uncommitted: dict[RoundNumber, RoundRecord] = {}
        """Records of rounds that uncommitted batches changed."""
        self._games: dict[str, Game | None] = {}
        self.changed: list[RoundNumber] = []
        """Rounds that changed since the last ``take_changed``."""

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if (uncommitted := self._uncommitted.get(number)) is not None:
            return uncommitted
        stored = self._store.round(self._table, number)
        if self._key is not None:
            self._check(self._key, number, stored)
        return _decode_round(stored.record) if stored is not None else None

    def _check(self, key: Key, number: RoundNumber, stored: StoredRound | None) -> None:
        """Check that a record is the last one that the house wrote. A correction pays by it."""
        if stored is None:
            # A round may have no record, if it was skipped. A record that was written more than once must exist.
            sound = number not in self._versions and number != self._newest
        else:
            # While entries are replayed, the stored record may be newer: a later entry has written it.
            version = self._versions.get(number, 1)
            is_latest = stored.version == version or (self._replaying and stored.version > version)
            sound = is_latest and round_fits(key, self._table, number, stored)
        if not sound:
            raise JournalDamaged(f"the record of round {number} of table {self._table} was changed or removed")

    def keep(self, record: RoundRecord) -> None:
        number = record.number
        if number > self._newest:
            self._newest = number
        else:
            self._versions[number] = self._versions.get(number, 1) + 1
        self._uncommitted[number] = record
        self.changed.append(number)

    def derived(self, tickets: TicketLog) -> Derived:
        """Return the digests of the table's derived rows, for a snapshot."""
        return Derived(tickets, self._newest, dict(sorted(self._versions.items())), state_shape())

    def sealed(self, records: Mapping[RoundNumber, RoundRecord]) -> dict[RoundNumber, StoredRound]:
        """Encode and seal records that have changed, in the format of the store."""
        assert self._key is not None, "only a writer stores records, and it has the key"
        return {
            number: sealed_round(self._key, self._table, number, self._versions.get(number, 1), _encode_round(record))
            for number, record in records.items()
        }

    def complete(self) -> None:
        """Seal the stored records that have no seal yet, from a replay of the entries that made them.

        A sealed record that differs from the replay raises ``JournalDamaged``.
        """
        self._replaying = False
        changed = self.take_changed()
        missing = {}
        for number, record in self.sealed(changed).items():
            stored = self._store.round(self._table, number)
            if stored is not None and stored.version == 0 and stored.record == record.record:
                missing[number] = record
            elif stored != record:
                raise JournalDamaged(f"the record of round {number} of table {self._table} was changed or removed")
        if missing:
            self._store.keep_rounds(self._table, missing)
        self.forget(changed)

    def game(self, rulebook: str) -> Game | None:
        """Return the game of a rulebook in the journal, or ``None`` if it is not there."""
        if rulebook not in self._games:
            content = recorded_rulebook(self._store, rulebook)
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
    tickets: TicketLog
    ignored_snapshot: bool
    """Whether a snapshot was not used because its seal does not fit."""


def recorded_rulebook(store: Store, hash: str) -> bytes | None:
    """Read a rulebook and check its hash, because rounds are paid by it."""
    content = store.rulebook(hash)
    if content is not None and hashlib.sha256(content).hexdigest() != hash:
        raise JournalDamaged(f"the rulebook {hash} in the journal was changed")
    return content


def load_table(store: Store, id: TableId, latest: Game, key: Key) -> LoadedTable:
    """Load a table. A round that began under an older rulebook also ends under it."""
    loaded = _read(store, id, latest, key)
    if loaded.ignored_snapshot:
        _log.warning("a snapshot of table %s was changed and is not used; its entries are replayed instead", id)
    state = loaded.table.state
    if state.phase_before_stop is Phase.CLOSED or state.rulebook == latest.hash:
        return loaded
    content = recorded_rulebook(store, state.rulebook)
    if content is None:
        raise JournalDamaged(f"rulebook {state.rulebook} of table {id} is missing in the journal")
    return _read(store, id, load(content), key)


def _read(store: Store, id: TableId, game: Game, key: Key) -> LoadedTable:
    snapshot, ignored = trusted_snapshot(store, key, id)
    if derived_of(snapshot).shape != state_shape():
        # Another version of the program took the snapshot. Its state may lack fields: replay all entries instead.
        snapshot = None
    state = _decode_state(snapshot.memory) if snapshot else TableState()
    if state.phase is Phase.STOPPED and state.before_stop is UNSET:
        # Snapshots of old versions lack the phase before the stop. Replay all entries instead.
        snapshot, state = None, TableState()
    derived = derived_of(snapshot)
    archive = RoundArchive(store, id, key, derived)
    table = Table(game, state, archive)
    seq, hash = (snapshot.seq, snapshot.hash) if snapshot else (Seq(0), GENESIS)
    loaded = LoadedTable(table, archive, seq, hash, seq, derived.tickets, ignored)
    requests: dict[RequestId, Seq] = {}
    for row in store.rows(id, seq):
        if row.seq != loaded.seq + 1 or link(loaded.hash, row.body) != row.hash:
            raise JournalDamaged(f"entry {loaded.seq + 1} of table {id} does not continue the chain")
        entry = decode(row.body)
        for event in entry.events:
            apply(table, event, entry.facts.at)
        if (request := entry.request) is not None:
            requests[request.id] = row.seq
            if type(request) in TICKET_REQUESTS:
                loaded.tickets = extend_by(loaded.tickets, entry)
        loaded.seq, loaded.hash = row.seq, row.hash
        if len(requests) >= _CHECKED_TOGETHER:
            _check_requests(store, id, requests)
    _check_requests(store, id, requests)
    archive.complete()
    return loaded


def _check_requests(store: Store, id: TableId, requests: dict[RequestId, Seq]) -> None:
    """Check that the register knows these requests, because a forgotten request would be carried out again."""
    if store.seqs_of(id, list(requests)) != requests:
        raise JournalDamaged(f"the register of requests of table {id} does not match its entries")
    requests.clear()


def stored_entry(store: Store, id: TableId, seq: Seq) -> Entry:
    """Read the entry of a recorded request."""
    row = store.row(id, seq)
    assert row is not None, "a known request has an entry"
    return decode(row.body)


def restated_in(entries: Iterable[Entry], archive: RoundArchive) -> Rounds:
    """Return the past rounds that these entries settled, voided, corrected or reversed."""
    events = (event for entry in entries for event in entry.events)
    numbers = {event.round for event in events if isinstance(event, _ROUND_EVENTS)}
    return {number: record for number in numbers if (record := archive.round(number)) is not None}
