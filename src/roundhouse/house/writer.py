"""The single writer of the house's chain: decides queued changes, commits them in one batch, then answers.

A change is decided on the committed version plus the changes decided before it. Readers use the committed version,
which a commit replaces as a whole; they need no lock. After every failed commit, whatever the error, the batch is in
doubt: the writer reads the journal to see whether it was written, and only then answers its changes as committed or
failed. While the journal is unreadable, changes are refused.

The writer belongs to one thread: the event loop's, or the caller's if it commits inline.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct, field

from roundhouse.house.draft import Draft, Version
from roundhouse.journal.derived import trusted_snapshot
from roundhouse.journal.entry import GENESIS, Seq, link, seal
from roundhouse.journal.seal import Key, sealed_snapshot
from roundhouse.journal.store import Batch, BatchState, JournalDamaged, JournalUnavailable, Store
from roundhouse.people.apply import apply
from roundhouse.people.events import HouseEntry, decode, encode
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.people.state import HouseState, lacks_access

SNAPSHOT_EVERY = 10_000  # entries
_decode_state = msgspec.json.Decoder(HouseState).decode
_log = logging.getLogger(__name__)

T = TypeVar("T")
Submit = Callable[[Batch], "Future[None]"]
"""Submits a batch to be committed. The future completes when the batch is durable, or raises the store's exception."""


class Change(Struct):
    """A queued change and the callback for its failure."""

    decide: Callable[[Draft], Callable[[], None]]
    """Decides the change on a draft. Returns a function that answers the caller after the commit."""
    fail: Callable[[BaseException], None]


class HouseBatch(Struct):
    """Changes that are committed together."""

    version: Version
    """The house after the batch."""
    changes: list[Change] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    answers: list[Callable[[], None]] = field(default_factory=list)
    state: BatchState = BatchState.DECIDED
    error: BaseException | None = None
    """The exception that the commit raised; ``None`` if it raised none."""


class HouseWriter:
    def __init__(self, store: Store, key: Key, submit: Submit | None = None) -> None:
        """Load the house. Without ``submit``, batches are committed in the caller's thread (*inline*)."""
        self.on_recorded: Callable[[Sequence[HouseEntry]], None] = lambda _: None
        """Called with new durable entries in the writer's thread."""
        self._store, self._key = store, key
        self._inline = submit is None
        self._submit_batch = submit or self._commit_inline
        self._queue: list[Change] = []
        self._pending: HouseBatch | None = None
        self._reading = False
        self.version, self._snapshot_at = _load(store, key)

    @property
    def state(self) -> HouseState:
        """The committed state. It must not be changed."""
        return self.version.state

    @property
    def pending(self) -> BatchState | None:
        """The state of the batch that is submitted or in doubt; ``None`` if there is none."""
        return self._pending.state if self._pending is not None else None

    def entries(self, after: int) -> Iterator[HouseEntry]:
        """Read the house's history from the journal."""
        for row in self._store.rows(HOUSE_CHAIN, Seq(after)):
            yield decode(row.body)

    async def record(self, decide: Callable[[Draft], T]) -> T:
        """Queue a change, and return the answer of ``decide`` when everything it recorded is durable.

        Raises ``JournalUnavailable`` if nothing was recorded. If the journal can be neither written nor read, the
        exception means that the change may or may not be recorded. Cancelling the caller does not cancel the change.
        """
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()

        def answer(draft: Draft) -> Callable[[], None]:
            return partial(done.set_result, decide(draft))

        self._queue.append(Change(answer, done.set_exception))
        self._advance()
        return done.result() if done.done() else await asyncio.wrap_future(done)

    def _advance(self) -> None:
        while self._queue and self._pending is None:
            self._submit(self._decide())
        if self._queue and self.pending is BatchState.IN_DOUBT and not self._reading:
            self._resolve()

    def _decide(self) -> HouseBatch:
        batch = HouseBatch(self.version)
        changes, self._queue = self._queue, []
        for change in changes:
            draft = Draft(batch.version)
            try:
                answer = change.decide(draft)
            except Exception as bug:
                # Only this change fails. Its draft is discarded.
                change.fail(bug)
                continue
            batch.changes.append(change)
            batch.answers.append(answer)
            batch.drafts.append(draft)
            batch.version = draft.version
        return batch

    def _submit(self, batch: HouseBatch) -> None:
        if batch.version.seq == self.version.seq:
            self._committed(batch)
            return
        batch.state, self._pending = BatchState.SUBMITTED, batch
        try:
            done = self._submit_batch(self._sealed(batch))
        except BaseException as error:
            # An interrupt, such as Ctrl-C, during an inline commit. The batch may be written.
            batch.state, batch.error, batch.changes = BatchState.IN_DOUBT, error, []
            raise
        if done.done():
            self._finished(batch, done)
        else:
            loop = asyncio.get_running_loop()
            done.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finished, batch, done))

    def _sealed(self, batch: HouseBatch) -> Batch:
        rows = [row for draft in batch.drafts for row in draft.rows]
        secrets = tuple(secret for draft in batch.drafts for secret in draft.secrets)
        seq, hash, snapshot = batch.version.seq, batch.version.hash, None
        if seq - self._snapshot_at >= SNAPSHOT_EVERY:
            snapshot = sealed_snapshot(self._key, HOUSE_CHAIN, seq, hash, encode(batch.version.state), b"")
        sealed = seal(self._key, HOUSE_CHAIN, hash)
        return Batch(HOUSE_CHAIN, self.version.hash, rows, sealed, {}, [], [], snapshot, secrets)

    def _commit_inline(self, batch: Batch) -> "Future[None]":
        done: Future[None] = Future()
        try:
            self._store.commit(batch)
        except Exception as error:
            done.set_exception(error)
        else:
            done.set_result(None)
        return done

    def _finished(self, batch: HouseBatch, done: "Future[None]") -> None:
        error = done.exception()
        if error is None:
            self._committed(batch)
        else:
            batch.state, batch.error = BatchState.IN_DOUBT, error
            self._resolve()
        self._advance()

    def _committed(self, batch: HouseBatch) -> None:
        batch.state, self._pending = BatchState.COMMITTED, None
        if batch.version.seq - self._snapshot_at >= SNAPSHOT_EVERY:
            self._snapshot_at = batch.version.seq
        self.version = batch.version
        for draft in batch.drafts:
            for action in draft.actions:
                action()
        if entries := [entry for draft in batch.drafts for entry in draft.entries]:
            try:
                self.on_recorded(entries)
            except Exception:
                _log.exception("on_recorded of the house failed")
        for answer in batch.answers:
            answer()

    def _resolve(self) -> None:
        """Read the journal to find out whether the batch in doubt was written. Reads in a thread, unless inline."""
        read = partial(_continue, self._store, self.version)
        self._reading = True
        found: Future[Version] = Future()
        if self._inline:
            try:
                found.set_result(read())
            except Exception as error:
                found.set_exception(error)
            self._resolved(found)
        else:
            reading = asyncio.get_running_loop().run_in_executor(None, read)
            reading.add_done_callback(self._resolved)

    def _resolved(self, found: "Future[Version] | asyncio.Future[Version]") -> None:
        batch, self._reading = self._pending, False
        assert batch is not None, "only a batch in doubt is resolved"
        if (unreadable := found.exception()) is not None:
            # The batch stays in doubt, and its callers get the exception. The next change reads the journal again.
            waiting, batch.answers = [*batch.changes, *self._queue], []
            batch.changes, self._queue = [], []
            for change in waiting:
                change.fail(unreadable)
            return
        version = found.result()
        if version.hash == batch.version.hash:
            self._committed(batch)
        else:
            batch.state, self._pending, self.version = BatchState.FAILED, None, version
            error = batch.error or JournalUnavailable("the change was not recorded")
            for change in batch.changes:
                change.fail(error)
        self._advance()


def run_inline(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine of a house that commits inline. Such a coroutine never waits, so it needs no event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        found: T = end.value
        return found
    work.close()
    raise RuntimeError("this house commits in another thread: await the coroutine in the event loop")


def _load(store: Store, key: Key) -> tuple[Version, Seq]:
    """Load the house from the journal. Also return the number of the last snapshot's entry."""
    snapshot, ignored = trusted_snapshot(store, key, HOUSE_CHAIN)
    if ignored:
        _log.warning("a snapshot of the house was changed and is not used; its entries are replayed instead")
    if snapshot is None:
        return _continue(store, Version(Seq(0), GENESIS, HouseState(), {})), Seq(0)
    state = _decode_state(snapshot.memory)
    if lacks_access(snapshot.memory):
        # A snapshot of an earlier version. Its successors must contain what every entry says about access.
        return _continue(store, Version(Seq(0), GENESIS, HouseState(), {})), snapshot.seq
    return _continue(store, Version(snapshot.seq, snapshot.hash, state, {})), snapshot.seq


def _continue(store: Store, version: Version) -> Version:
    """Apply the entries after ``version`` and return the last version of the journal."""
    seq, hash, state = version.seq, version.hash, version.state.copy()
    if seq and ((last := store.row(HOUSE_CHAIN, seq)) is None or last.hash != hash):
        raise JournalDamaged(f"entry {seq} of the house is not the entry that was committed")
    for row in store.rows(HOUSE_CHAIN, seq):
        if row.seq != seq + 1 or link(hash, row.body) != row.hash:
            raise JournalDamaged(f"entry {seq + 1} of the house does not continue its chain")
        apply(state, decode(row.body))
        seq, hash = row.seq, row.hash
    return Version(seq, hash, state, _verifiers(store, state))


def _verifiers(store: Store, state: HouseState) -> dict[tuple[str, str], bytes]:
    """Load the verifiers of passwords and terminal keys, without those that were exchanged or damaged in the file."""
    found = {}
    for one in store.credentials():
        if one.verifier and state.verifier_fits(one.kind, one.name, one.verifier):
            found[one.kind, one.name] = one.verifier
        elif one.verifier:
            text = "the %s of %s was changed in the journal and is not used; give a new one"
            _log.error(text, one.kind.replace("_", " "), one.name)
    return found
