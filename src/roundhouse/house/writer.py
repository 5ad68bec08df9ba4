"""The writer of the house's chain: what was admitted is applied, sealed and durable before anyone is answered.

One lock: whoever asks, from whichever thread, entries come one after the other. If the journal cannot be written,
nothing has happened, and the state is read anew from what the journal holds.
"""

import threading
from collections.abc import Callable, Iterator, Sequence

import msgspec

from roundhouse.journal.entry import GENESIS, ChainHash, Seq, link
from roundhouse.journal.seal import Key, seal
from roundhouse.journal.store import Batch, Credential, JournalDamaged, Row, Snapshot, Store
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import Actor, AnyHouseEvent, HouseEntry, decode, encode
from roundhouse.people.names import HOUSE_CHAIN, Refused
from roundhouse.people.state import HouseState
from roundhouse.table.names import Millis

SNAPSHOT_EVERY = 10_000
_decode_state = msgspec.json.Decoder(HouseState).decode

Step = tuple[Actor, AnyHouseEvent]


class HouseWriter:
    def __init__(self, store: Store, key: Key, commit: Callable[[Batch], None] | None = None) -> None:
        self.lock = threading.RLock()
        self.on_recorded: Callable[[Sequence[HouseEntry]], None] = lambda _: None
        """Told of entries once they are durable, in the thread that caused them and under the lock."""
        self._store = store
        self._key = key
        self._commit = commit or store.commit
        self.needs_reload = False
        self._load()

    def _load(self) -> None:
        snapshot = self._store.snapshot(HOUSE_CHAIN)
        state = _decode_state(snapshot.memory) if snapshot else HouseState()
        self._seq = snapshot.seq if snapshot else Seq(0)
        self._hash = snapshot.hash if snapshot else GENESIS
        self._snapshot_at = self._seq
        if snapshot is not None:
            row = self._store.row(HOUSE_CHAIN, snapshot.seq)
            if row is None or row.hash != snapshot.hash:
                raise JournalDamaged(f"the snapshot of the house at {snapshot.seq} is not of its chain")
        for row in self._store.rows(HOUSE_CHAIN, self._seq):
            if row.seq != self._seq + 1 or link(self._hash, row.body) != row.hash:
                raise JournalDamaged(f"entry {self._seq + 1} of the house does not continue its chain")
            apply(state, decode(row.body))
            self._seq, self._hash = row.seq, row.hash
        # Shown when it is whole: some look without the lock, and a terminal that is not there yet is a revoked one.
        self.state = state
        self.verifiers = {(one.kind, one.name): one.verifier for one in self._store.credentials() if one.verifier}
        self.needs_reload = False

    def now(self, at: Millis) -> Millis:
        """Never before the last entry, whatever the clock says."""
        return Millis(max(at, self.state.at))

    def current(self) -> HouseState:
        """The state as the journal has it. Ask under the lock."""
        if self.needs_reload:
            self._load()
        return self.state

    @property
    def head(self) -> tuple[Seq, ChainHash]:
        return self._seq, self._hash

    def entries(self, after: int) -> Iterator[HouseEntry]:
        for row in self._store.rows(HOUSE_CHAIN, Seq(after)):
            yield decode(row.body)

    def refusal_of(self, at: Millis, by: Actor, event: AnyHouseEvent) -> Refused | None:
        """What recording it would be answered, without recording it. Ask under the lock."""
        return admit(self.current(), HouseEntry(self._seq + 1, self.now(at), by, event))

    def record(self, at: Millis, steps: Sequence[Step], secrets: Sequence[Credential] = ()) -> Refused | None:
        """All of these entries, durably, or none and why not; with ``JournalUnavailable``, none."""
        with self.lock:
            state = self.current()
            rows: list[Row] = []
            entries: list[HouseEntry] = []
            seq, hash, at = self._seq, self._hash, self.now(at)
            try:
                for by, event in steps:
                    seq = Seq(seq + 1)
                    entry = HouseEntry(seq, at, by, event)
                    if (refused := admit(state, entry)) is not None:
                        self.needs_reload = bool(rows)
                        return refused
                    # From here on the state is ahead of the journal, until the batch is durable.
                    self.needs_reload = True
                    apply(state, entry)
                    body = encode(entry)
                    hash = link(hash, body)
                    rows.append(Row(seq, body, hash, None))
                    entries.append(entry)
                self._commit(self._batch(self._hash, rows, secrets))
            except BaseException:
                self.needs_reload = True
                raise
            self._seq, self._hash, self.needs_reload = seq, hash, False
            self._remember(secrets)
            self.on_recorded(entries)
            return None

    def _batch(self, follows: ChainHash, rows: list[Row], secrets: Sequence[Credential]) -> Batch:
        seq, hash, snapshot = rows[-1].seq, rows[-1].hash, None
        if seq - self._snapshot_at >= SNAPSHOT_EVERY:
            self._snapshot_at = seq
            snapshot = Snapshot(seq, hash, encode(self.state))
        sealed = seal(self._key, HOUSE_CHAIN, hash)
        return Batch(HOUSE_CHAIN, follows, rows, sealed, {}, [], [], snapshot, tuple(secrets))

    def _remember(self, secrets: Sequence[Credential]) -> None:
        for one in secrets:
            self.verifiers.pop((one.kind, one.name), None)
            if one.verifier is not None:
                self.verifiers[one.kind, one.name] = one.verifier
