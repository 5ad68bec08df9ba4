"""The single writer of a table: decides commands on its working state, commits them in batches, then answers.

A batch is *decided*, *submitted*, and then *committed*, *failed* or *in doubt* (``BatchState``). Nothing is answered
or published before it is committed. The next batch may be decided while one is being committed; it is submitted only
after that one is. When a commit fails, the working state holds what the journal does not: the writer discards it,
loads the journal, answers the failed commands with ``journal_unavailable`` and decides the following ones again.

A writer is used by one thread at a time and knows nothing of asyncio: ``floor/queue.py`` serves it from an event loop.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.floor.batch import (
    Conditions,
    Deliver,
    OnCommitted,
    PendingBatch,
    Rounds,
    UncommittedIndex,
    last_move,
    stopped,
    unavailable,
)
from roundhouse.floor.clock import Clock
from roundhouse.floor.committer import Committer
from roundhouse.floor.loading import encode_round, load_table, restated_in
from roundhouse.journal.entry import Answer, ChainHash, Entry, Seq, answer_of, decode, encode, link
from roundhouse.journal.index import index_of
from roundhouse.journal.seal import Key, seal
from roundhouse.journal.store import (
    Batch,
    BatchState,
    JournalDamaged,
    JournalUnavailable,
    Row,
    Snapshot,
    Store,
    TicketIsTaken,
)
from roundhouse.rules.game import Game
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand, CashOut, OpenTable, RedeemTicket, Show
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import (
    AnyEvent,
    BetsPlaced,
    CashedOut,
    TableStopped,
    TicketRedeemed,
)
from roundhouse.table.lifecycle import recover
from roundhouse.table.names import Millis, Phase, RequestId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table
from roundhouse.table.view import view_of

SNAPSHOT_EVERY = 8_000
SNAPSHOT_AT_LAST = 4 * SNAPSHOT_EVERY
_QUIET: Final = (Phase.BETS_OPEN, Phase.CLOSED)
_TICKET_COMMANDS: Final = frozenset({CashOut, RedeemTicket})
_TICKET_EVENTS: Final = frozenset({CashedOut, TicketRedeemed})
_IN_DOUBT: Final = "whether it was written is not known; ask again"

_log = logging.getLogger(__name__)


class TableWriter:
    def __init__(
        self, store: Store, id: TableId, game: Game, key: Key, clock: Clock, committer: Committer | None = None
    ) -> None:
        self.id = id
        self.committer = committer
        """Commits submitted batches in its thread; without one, ``submit`` commits in the caller's."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Called with all entries once they are committed, in order and without a gap. It must not use the writer."""
        self._store = store
        self._key = key
        self._clock = clock
        self.latest = game
        """The rulebook that the table takes when it is opened the next time."""
        self.needs_reload = False
        """Whether a commit failed: the journal is loaded again before the next command is decided."""
        self._generation = 0
        self._submitted: tuple[PendingBatch, Future[None]] | None = None
        self._load()
        self._published = self.moved_at = self._moved_at_published = self._seq
        self.recovered = recover(self.table)
        if self.recovered:
            self._act(Decision(self.recovered))

    @property
    def version(self) -> Seq:
        """Entries of the working state, decided or committed."""
        return self._seq

    def _load(self) -> None:
        loaded = load_table(self._store, self.id, self.latest)
        self.table, self._archive = loaded.table, loaded.archive
        self._seq, self._hash, self._snapshot_seq = loaded.seq, loaded.hash, loaded.snapshot_seq
        self._index = UncommittedIndex()
        self._generation += 1
        self.needs_reload = False

    def _act(self, decision: Decision) -> None:
        """Record what the table does without a command."""
        pending = PendingBatch([], generation=self._generation, follows=self._hash)
        self._append(pending, Facts(self._now()), None, decision)
        self._build(pending)
        assert pending.batch is not None
        self._store.commit(pending.batch)
        self.committed(pending)

    def _now(self) -> Millis:
        """The clock's time, but never before the last event."""
        now, last = self._clock.now(), self.table.state.last_event_at
        return now if now > last else last

    # Commands, committed in the caller's thread or by the committer

    def handle(self, commands: Sequence[AnyCommand], conditions: Conditions | None = None) -> list[Answer]:
        """Decide and commit a batch in this thread, after everything that was submitted."""
        self.flush()
        pending = self.decide(commands, conditions)
        self.commit(pending)
        return pending.answers

    def submit(self, commands: Sequence[AnyCommand], deliver: Deliver) -> None:
        """Decide a batch now and commit it in the background, after the batch before it.

        An exception of that batch's ``deliver`` is raised after this one was submitted.
        """
        if self.needs_reload:
            self.flush()
        pending = self.decide(commands)
        before = self._await_commit()
        if before is not None and pending.generation != self._generation and not pending.bug:
            pending = self.decide(commands)
        pending.deliver = deliver
        self._send(pending)
        if before is not None:
            before.deliver_answers()
        if pending.state is not BatchState.SUBMITTED:
            pending.deliver_answers()

    def flush(self) -> None:
        """Wait until the submitted batch is committed or has failed, and give its answers."""
        while (before := self._await_commit()) is not None:
            before.deliver_answers()

    def _send(self, pending: PendingBatch) -> None:
        if pending.batch is None or pending.bug or self.committer is None:
            self.commit(pending)
            return
        pending.state = BatchState.SUBMITTED
        self._submitted = pending, self.committer.submit(pending.batch)

    def _await_commit(self) -> PendingBatch | None:
        """The submitted batch, once its fate is known."""
        if self._submitted is None:
            return None
        (pending, done), self._submitted = self._submitted, None
        try:
            self.conclude(pending, done.exception())
        except BaseException:
            pending.deliver_answers()
            raise
        return pending

    # Deciding

    def decide(self, commands: Sequence[AnyCommand], conditions: Conditions | None = None) -> PendingBatch:
        """Decide commands in order on the working state. Writes nothing."""
        pending = PendingBatch(list(commands))
        try:
            if self.needs_reload:
                self._reload()
            pending.generation, pending.follows = self._generation, self._hash
            known = self._store.seqs_of(self.id, [command.id for command in commands])
            if conditions:
                self._answer_conditionally(pending, known, conditions)
            else:
                pending.answers = [self._answer(pending, command, known) for command in commands]
            self._build(pending)
        except JournalUnavailable as error:
            self._fail(pending, BatchState.FAILED, str(error))
        except JournalDamaged:
            self._invalidate()
            raise
        except Exception as bug:
            self._invalidate()
            pending.bug = f"{type(bug).__name__}: {bug}"
        return pending

    def _answer_conditionally(
        self, pending: PendingBatch, known: Mapping[RequestId, Seq], conditions: Conditions
    ) -> None:
        refuse_until = 0
        for number, command in enumerate(pending.commands):
            if (condition := conditions.get(number)) is not None and condition[0] != self.moved_at:
                refuse_until = number + condition[1]
            if number < refuse_until:
                words = "the table has moved on since the command was made"
                answer = Answer(command.id, False, self._seq, refusal=Refusal.STATE_HAS_CHANGED, reason=words)
            else:
                answer = self._answer(pending, command, known)
            pending.answers.append(answer)

    def _answer(self, pending: PendingBatch, command: AnyCommand, known: Mapping[RequestId, Seq]) -> Answer:
        kind, id, uncommitted = type(command), command.id, self._index.entries
        if kind is Show:
            return Answer(id, True, self._seq, state=view_of(self.table))
        if id in uncommitted or id in known:
            return self._answer_again(command, known)
        if kind is OpenTable:
            self._take_latest_rulebook()
        facts = self._facts_of_tickets(command) if kind in _TICKET_COMMANDS else Facts(self._now())
        entry = uncommitted[id] = self._append(pending, facts, command, decide(self.table, command, facts))
        return answer_of(entry)

    def _answer_again(self, command: AnyCommand, known: Mapping[RequestId, Seq]) -> Answer:
        """The first answer to a repeated request. Another request under the same id is refused."""
        entry = self._index.entries.get(command.id)
        if entry is None:
            row = self._store.row(self.id, known[command.id])
            assert row is not None, "a known request has an entry"
            entry = decode(row.body)
        if entry.request == command:
            return answer_of(entry)
        return Answer(command.id, False, refusal=Refusal.ID_IS_USED, reason="another request had this id")

    def _take_latest_rulebook(self) -> None:
        """Use the newest rulebook from the next opening on."""
        if self.table.game is not self.latest and self.table.state.phase is Phase.CLOSED:
            self.table = Table(self.latest, self.table.state, self._archive)

    def _facts_of_tickets(self, command: AnyCommand) -> Facts:
        if isinstance(command, RedeemTicket):
            return Facts(self._now(), None, self._index.ticket(command.ticket, self._store.ticket(command.ticket)))
        return Facts(self._now(), self._clock.fresh_ticket())

    def _append(self, pending: PendingBatch, facts: Facts, command: AnyCommand | None, decision: Decision) -> Entry:
        table, at = self.table, facts.at
        seq: Seq = self._seq + 1  # type: ignore[assignment]  # a call per bet would be felt
        self._seq = seq
        only_bets = True
        for event in decision.events:
            apply(table, event, at)
            if type(event) is not BetsPlaced:  # bets are most of a busy table's events: they concern nothing else
                only_bets = False
                self._note(pending, event, seq)
        if (refused := decision.refused) is None:
            entry = Entry(seq, facts, command, decision.events)
        else:
            entry = Entry(seq, facts, command, decision.events, refused.refusal, refused.clause, refused.reason)
        body = encode(entry)
        hash = self._hash = link(self._hash, body)
        pending.rows.append(Row(seq, body, hash, command.id if command is not None else None))
        pending.entries.append(entry)
        if not only_bets:
            pending.index += index_of((entry,))
        return entry

    def _note(self, pending: PendingBatch, event: AnyEvent, seq: Seq) -> None:
        """Note a ticket that an event issues or redeems, and whether the event moves the table."""
        kind = type(event)
        if kind in _TICKET_EVENTS:
            self._index.note(pending, event)
        elif kind not in SINGLE_SEAT_EVENTS:
            self.moved_at = pending.moved_at = seq

    def _build(self, pending: PendingBatch) -> None:
        """Make the transaction of a batch: everything that the store has to keep of it."""
        if not pending.rows:
            return
        pending.rounds = self._archive.take_changed()
        pending.batch = Batch(
            self.id,
            pending.follows,
            pending.rows,
            seal(self._key, self.id, self._hash),
            {number: encode_round(record) for number, record in pending.rounds.items()},
            list(pending.issued.values()),
            pending.redeemed,
            self._snapshot(),
            index=pending.index,
        )

    def _snapshot(self) -> Snapshot | None:
        """A snapshot every few thousand entries, preferably while no bet is on the layout and no result is due."""
        since, state = self._seq - self._snapshot_seq, self.table.state
        if since < SNAPSHOT_EVERY or (since < SNAPSHOT_AT_LAST and (state.layout or state.phase not in _QUIET)):
            return None
        self._snapshot_seq = self._seq
        return Snapshot(self._seq, ChainHash(self._hash), encode(state))

    # What came of a commit

    def commit(self, pending: PendingBatch) -> None:
        """Commit a decided batch in this thread."""
        error: BaseException | None = None
        if pending.batch is not None:
            pending.state = BatchState.SUBMITTED
            try:
                self._store.commit(pending.batch)
            except BaseException as raised:
                error = raised
        self.conclude(pending, error)

    def conclude(self, pending: PendingBatch, error: BaseException | None) -> None:
        """Take over what came of a batch: committed, or ``error``, or a bug while it was decided."""
        if pending.bug:
            pending.state, pending.batch = BatchState.FAILED, None
            pending.answers = self._stop(pending.bug, pending.commands)
        elif error is not None:
            self.failed(pending, error)
        elif pending.batch is not None:
            self.committed(pending)

    def committed(self, pending: PendingBatch) -> None:
        """Publish a batch that the store has."""
        pending.state = BatchState.COMMITTED
        if pending.generation == self._generation:
            self._index.forget(pending)
            self._archive.forget(pending.rounds)
        if pending.entries[0].seq == self._published + 1:
            self._moved_at_published = pending.moved_at or self._moved_at_published
            self._publish(pending.entries, pending.rounds)
            return
        # A batch before it was written although its commit failed: that one is published first.
        self._invalidate()
        with suppress(JournalUnavailable):
            self._reload()

    def failed(self, pending: PendingBatch, error: BaseException) -> None:
        """Answer a batch whose commit raised ``error``. Raises what a table cannot survive."""
        if isinstance(error, JournalUnavailable):
            self._fail(pending, BatchState.FAILED, str(error))
            return
        self._fail(pending, BatchState.IN_DOUBT, _IN_DOUBT)
        if isinstance(error, TicketIsTaken):
            # Another table redeemed the ticket first. Nothing is written: decide again with what is stored now.
            again = self.decide(pending.commands)
            self.commit(again)
            pending.state, pending.answers = again.state, again.answers
        elif isinstance(error, JournalDamaged) or not isinstance(error, Exception):
            raise error
        else:
            pending.answers = self._stop(f"{type(error).__name__}: {error}", pending.commands)

    def _fail(self, pending: PendingBatch, state: BatchState, reason: str) -> None:
        self._invalidate()
        pending.state, pending.batch = state, None
        pending.answers = [unavailable(command, reason) for command in pending.commands]

    def _invalidate(self) -> None:
        """Discard the working state: it may hold what the journal does not."""
        self.needs_reload = True
        self._generation += 1

    def _publish(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self._published = entries[-1].seq
        try:
            self.on_committed(entries, rounds)
        except Exception:
            # A listener must not hold up the table or its answers.
            _log.exception("a listener of table %s failed", self.id)

    def _reload(self) -> None:
        """Load the journal, and publish what is committed although its commit seemed to fail."""
        self._load()
        try:
            if entries := [decode(row.body) for row in self._store.rows(self.id, self._published)]:
                self._moved_at_published = last_move(entries, self._moved_at_published)
                self._publish(entries, restated_in(entries, self._archive))
        except JournalUnavailable:
            self.needs_reload = True
            raise
        self.moved_at = self._moved_at_published

    def _stop(self, reason: str, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Stop the table because of a bug of ours. Nothing of the batch has happened."""
        self._invalidate()
        try:
            self._reload()
            self._act(Decision([TableStopped(reason)]))
        except JournalUnavailable as error:
            self._invalidate()
            return [unavailable(command, f"{reason}; and {error}") for command in commands]
        except BaseException:
            self._invalidate()
            raise
        return [stopped(command, self._seq, self.table.state.stopped) for command in commands]
