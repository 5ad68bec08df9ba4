"""The single writer of a table: decides commands on a working state, commits them in batches, then answers.

A batch is DECIDED when its events are applied to the working state, SUBMITTED while the store writes it, and COMMITTED
once it is durable: the writer then publishes its entries and answers its commands. A batch without entries is answered
without a commit. ``roundhouse deal`` decides the next batch while one is SUBMITTED (``submit``); a server does not.

If the commit of a batch raises an error (``failed``):

1. The writer discards the working state (``_invalidate``), which may contain events that the journal lacks.
2. The batch is FAILED, or IN_DOUBT if it may be written. In both cases its commands are refused with
   ``journal_unavailable``. Three errors have further consequences (``CommitFailure``): if another table redeemed a
   ticket first, the batch is decided again; a damaged journal or an interrupt is raised, and the table of a server then
   refuses every command until a restart; after a bug the table stops (``_stop``).
3. A batch that was decided on the discarded state but not yet submitted is decided again.
4. Before the next decision the writer loads the journal (``_reload``) and publishes entries of a batch in doubt that it
   contains. While the journal is unreadable, commands are refused.
5. A client may resend a command with the same id. It gets the recorded answer, or else the command is decided.

A server's committer writes the batches of several tables in one transaction. If that fails, it commits each batch
again, and the steps above apply to the error of this second commit.

A stop after a bug is recorded as ``TableStopped``. Until that succeeds, every command is refused and every batch tries
it again. After a restart the table continues from the journal.

One thread at a time uses a writer. It does not use asyncio; ``floor/queue.py`` calls it for the event loop.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from operator import attrgetter
from typing import Final, assert_never

from roundhouse.floor.batch import Commits, Conditions, Deliver, OnCommitted, Rounds, TableBatch, index_entry, last_move
from roundhouse.floor.facts import NEEDS_FACTS, FactSource
from roundhouse.floor.failures import CommitFailure, failure_of, id_is_used, outdated, stopped, unavailable
from roundhouse.floor.loading import TICKET_REQUESTS, load_table, restated_in, stored_entry
from roundhouse.floor.refusals import RefusalLimit
from roundhouse.floor.tickets import TicketDesk
from roundhouse.journal.derived import encode_derived
from roundhouse.journal.entry import Answer, ChainHash, Entry, Seq, answer_of, decode, encode, link, seal
from roundhouse.journal.seal import Key, sealed_snapshot
from roundhouse.journal.store import Batch, BatchState, JournalDamaged, JournalUnavailable, Row, Snapshot, Store
from roundhouse.rules.game import Game
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand, OpenTable, PlaceBets, RedeemTicket, Show
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import AnyEvent, BetsPlaced, ProcedureAdopted, TableStopped
from roundhouse.table.lifecycle import recover, stop_software
from roundhouse.table.names import Millis, Phase, RequestId, TableId
from roundhouse.table.state import Table
from roundhouse.table.view import view_of

SNAPSHOT_EVERY = 8_000  # entries
SNAPSHOT_AT_LAST = 4 * SNAPSHOT_EVERY
_IN_DOUBT: Final = "the journal may or may not contain this command; send it again with the same id"
_log = logging.getLogger(__name__)


class TableWriter:
    def __init__(
        self, store: Store, id: TableId, game: Game, key: Key, facts: FactSource, committer: Commits | None = None
    ) -> None:
        self.id, self.facts, self.committer = id, facts, committer
        """Commits submitted batches in a background thread. If ``None``, ``submit`` commits in the caller's thread."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Called with committed entries, in order and without gaps. This function must not call the writer."""
        self.refusals = RefusalLimit()
        self._store, self._key, self._clock = store, key, facts.clock
        self.latest = game
        """The rulebook that the table uses after it is next opened."""
        self.needs_reload = False
        """Whether the working state was discarded. If so, ``decide`` first loads the journal."""
        self._pending_stop = ""
        """The bug because of which the table must stop, until the stop is recorded; otherwise empty."""
        self._generation = 0
        self._submitted: tuple[TableBatch, Future[None]] | None = None
        self._load()
        self._published = self.moved_at = self.published_move = self._seq
        """``moved_at``: last decided entry that changed more than a seat; ``published_move``: last committed one."""
        self.recovered = recover(self.table, facts.terms) if self._seq else []
        if self.recovered:
            self._act(Decision(self.recovered))

    @property
    def version(self) -> Seq:
        """Number of the last decided entry, which may not be committed yet."""
        return self._seq

    def _load(self) -> None:
        loaded = load_table(self._store, self.id, self.latest, self._key)
        self.table, self._archive = loaded.table, loaded.archive
        self._seq, self._hash, self._snapshot_seq = loaded.seq, loaded.hash, loaded.snapshot_seq
        self._uncommitted: dict[RequestId, Entry] = {}
        self._tickets = TicketDesk(self._store, self._key, self.id, loaded.tickets)
        self.ignored_snapshot = loaded.ignored_snapshot
        self._generation += 1
        self.needs_reload = False

    def _act(self, decision: Decision) -> None:
        """Commit events that no command caused: those of a recovery or of a stop."""
        pending = TableBatch([])
        try:
            self._decide(pending, given=decision)
            assert pending.batch is not None
            self._store.commit(pending.batch)
        except BaseException:
            self._invalidate()
            raise
        self.committed(pending)

    def handle(self, commands: Sequence[AnyCommand], conditions: Conditions | None = None) -> list[Answer]:
        """Wait for the batch submitted before, then decide and commit these commands in the caller's thread."""
        self.flush()
        pending = self.decide(commands, conditions)
        self.commit(pending)
        return pending.answers

    def submit(self, commands: Sequence[AnyCommand], deliver: Deliver) -> None:
        """Decide a batch, wait for the previous one, then submit the batch. Decide it again if the previous one failed.

        An exception in the previous batch's ``deliver`` function is raised after the new batch was submitted.
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
        """Wait for the result of the submitted batch and deliver its answers."""
        while (before := self._await_commit()) is not None:
            before.deliver_answers()

    def stop_software(self) -> list[AnyEvent]:
        """Record an orderly stop of the software and return its events. A round in progress is referred."""
        self.flush()
        if self.needs_reload:
            self._reload()
        if events := stop_software(self.table):
            self._act(Decision(events))
        return events

    def _send(self, pending: TableBatch) -> None:
        if pending.batch is None or pending.bug or self.committer is None:
            self.commit(pending)
        else:
            pending.state = BatchState.SUBMITTED
            self._submitted = pending, self.committer.submit(pending.batch)

    def _await_commit(self) -> TableBatch | None:
        """Wait for the submitted batch, handle its result and return it, or ``None`` if there is no submitted batch."""
        if self._submitted is None:
            return None
        (pending, done), self._submitted = self._submitted, None
        try:
            self.conclude(pending, done.exception())
        except BaseException:
            pending.deliver_answers()
            raise
        return pending

    def decide(self, commands: Sequence[AnyCommand], conditions: Conditions | None = None) -> TableBatch:
        """Decide commands in order on the working state. Writes nothing. After a bug ``conclude`` stops the table."""
        pending = TableBatch(list(commands), conditions, bug=self._pending_stop)
        if pending.bug:
            return pending
        try:
            if self.needs_reload:
                self._reload()
            self._decide(pending)
        except JournalUnavailable as error:
            self._refuse_batch(pending, BatchState.FAILED, str(error))
        except JournalDamaged:
            self._invalidate()
            raise
        except Exception as bug:
            self._invalidate()
            pending.bug = f"{type(bug).__name__}: {bug}"
        return pending

    def _decide(self, pending: TableBatch, given: Decision | None = None) -> None:
        """Decide every command of a batch, or ``given`` without a command, and build the transaction.

        Every bet runs through this loop, so it calls few functions.
        """
        pending.generation, pending.follows = self._generation, self._hash
        commands: Sequence[AnyCommand | None] = pending.commands if given is None else (None,)
        known = self._store.seqs_of(self.id, [*map(attrgetter("id"), pending.commands)]) if given is None else {}
        answers, entries, rows, uncommitted = pending.answers, pending.entries, pending.rows, self._uncommitted
        conditions, refuse_until, unrecorded = pending.conditions, 0, self.refusals.answers
        time_ns, state = self._clock.time_ns, self.table.state
        for number, command in enumerate(commands):
            if conditions and (group := conditions.get(number)) is not None and group[0] != self.moved_at:
                refuse_until = number + group[1]
            id, kind = command.id if command is not None else None, type(command)
            again = id in known or id in uncommitted or id in unrecorded
            if command is not None and (again or number < refuse_until or kind is Show):
                answers.append(self._answer_without_entry(command, known, number < refuse_until))
                continue
            sent, command = command, self._tickets.conceal(command) if kind is RedeemTicket else command  # type: ignore[arg-type]
            if kind is RedeemTicket and (fault := self._tickets.fault):
                answers.append(unavailable(sent, fault))  # type: ignore[arg-type]
                continue
            # The clock may be set back, but the times of entries never decrease.
            now, last = time_ns() // 1_000_000, state.last_event_at
            at: Millis = now if now > last else last  # type: ignore[assignment]  # ``Millis(...)`` is a slow call per bet
            if kind in NEEDS_FACTS or (kind is not PlaceBets and not state.by_evidence):
                facts = self._more_facts(command, at, given)
            else:
                facts = Facts(at)
            table = self.table
            decision = given or decide(table, command, facts)  # type: ignore[arg-type]
            if (refused := decision.refused) and (answer := self.refusals.answer(sent, decision, self._seq, at)):
                answers.append(answer)
                continue
            seq: Seq = self._seq + 1  # type: ignore[assignment]
            self._seq = seq
            for event in decision.events:
                apply(table, event, at)
            if refused is None:
                entry = Entry(seq, facts, command, decision.events)
            else:
                entry = Entry(seq, facts, command, decision.events, refused.refusal, refused.clause, refused.reason)
            body = encode(entry)
            hash = self._hash = link(self._hash, body)
            entries.append(entry)
            rows.append(Row(seq, body, hash, id))
            if id is not None:
                uncommitted[id] = entry
                answers.append(answer_of(entry) if kind not in TICKET_REQUESTS else self._tickets.answer(entry, sent))  # type: ignore[arg-type]
            if (events := decision.events) and (len(events) > 1 or type(events[0]) is not BetsPlaced):
                # An entry that only places bets is not indexed, because most entries are of this kind.
                index_entry(pending, self._tickets, entry)
                self.moved_at = pending.moved_at or self.moved_at
        if rows:
            if self._archive.changed:
                pending.rounds = self._archive.take_changed()
            snapshot = self._snapshot() if self._seq - self._snapshot_seq >= SNAPSHOT_EVERY else None
            rounds = self._archive.sealed(pending.rounds) if pending.rounds else {}
            issued, sealed = [*pending.issued.values()], seal(self._key, self.id, self._hash)
            pending.batch = Batch(
                self.id, pending.follows, rows, sealed, rounds, issued, pending.redeemed, snapshot, index=pending.index
            )

    def _answer_without_entry(self, command: AnyCommand, known: Mapping[RequestId, Seq], has_changed: bool) -> Answer:
        """Answer a command that adds no entry: ``Show``, a resent command, or one based on an outdated state."""
        if has_changed:
            return outdated(command, self._seq)
        if isinstance(command, Show):
            return Answer(command.id, True, self._seq, state=view_of(self.table))
        entry = self._uncommitted.get(command.id)
        if entry is None and command.id not in known:
            return self.refusals.answer_again(command) or id_is_used(command)
        return self._tickets.repeated(entry or stored_entry(self._store, self.id, known[command.id]), command)

    def _more_facts(self, command: AnyCommand | None, at: Millis, given: Decision | None) -> Facts:
        """Return the facts for a command that needs more than the time. A closed table gets the latest rulebook."""
        state = self.table.state
        if type(command) is OpenTable and self.table.game is not self.latest and state.phase is Phase.CLOSED:
            self.table = Table(self.latest, state, self._archive)
        adopts = given is None or isinstance(given.events[0], ProcedureAdopted)
        return self.facts.facts(command, at, state, self._tickets, adopts, self._hash)

    def _snapshot(self) -> Snapshot | None:
        """Return a snapshot, or ``None`` to wait until no bet is on the layout and no result is awaited."""
        since, state = self._seq - self._snapshot_seq, self.table.state
        if since < SNAPSHOT_AT_LAST and (state.layout or state.phase not in (Phase.BETS_OPEN, Phase.CLOSED)):
            return None
        self._snapshot_seq = self._seq
        derived = encode_derived(self._archive.derived(self._tickets.log))
        return sealed_snapshot(self._key, self.id, self._seq, ChainHash(self._hash), encode(state), derived)

    def commit(self, pending: TableBatch) -> None:
        """Commit a decided batch in this thread."""
        error: BaseException | None = None
        if pending.batch is not None:
            pending.state = BatchState.SUBMITTED
            try:
                self._store.commit(pending.batch)
            except BaseException as raised:
                error = raised
        self.conclude(pending, error)

    def conclude(self, pending: TableBatch, error: BaseException | None) -> None:
        """Handle a bug of ``decide``, an ``error`` or the success of the commit. If it raises, all is refused."""
        if pending.bug:
            self._refuse_batch(pending, BatchState.FAILED, pending.bug)
            pending.answers = self._stop(pending.bug, pending.commands)
        elif error is not None:
            self.failed(pending, error)
        elif pending.batch is not None:
            self.committed(pending)

    def committed(self, pending: TableBatch) -> None:
        """Publish a batch whose commit succeeded."""
        pending.state = BatchState.COMMITTED
        if pending.generation == self._generation:
            for row in pending.rows:
                self._uncommitted.pop(row.request, None)  # type: ignore[arg-type]  # an entry without a request has none
            if pending.rounds or pending.issued or pending.redeemed:
                self._tickets.forget(pending)
                self._archive.forget(pending.rounds)
        assert pending.entries[0].seq == self._published + 1, "a batch is decided after the one before it is published"
        self.published_move = pending.moved_at or self.published_move
        self._publish(pending.entries, pending.rounds)

    def failed(self, pending: TableBatch, error: BaseException) -> None:
        """Handle the ``error`` that the commit of the batch raised, as ``CommitFailure`` states."""
        match failure := failure_of(error):
            case CommitFailure.NOT_WRITTEN:
                self._refuse_batch(pending, BatchState.FAILED, str(error))
            case CommitFailure.IN_DOUBT | CommitFailure.RAISED:
                self._refuse_batch(pending, BatchState.IN_DOUBT, _IN_DOUBT)
                if failure is CommitFailure.RAISED:
                    raise error
            case CommitFailure.TICKET_TAKEN:
                self._refuse_batch(pending, BatchState.FAILED, str(error))
                again = self.decide(pending.commands, pending.conditions)
                try:
                    self.commit(again)
                finally:
                    pending.state, pending.answers = again.state, again.answers
            case CommitFailure.BUG:
                self._refuse_batch(pending, BatchState.IN_DOUBT, _IN_DOUBT)
                pending.answers = self._stop(f"{type(error).__name__}: {error}", pending.commands)
            case other:
                assert_never(other)

    def _refuse_batch(self, pending: TableBatch, state: BatchState, reason: str) -> None:
        self._invalidate()
        pending.state, pending.batch = state, None
        pending.answers = [unavailable(command, reason) for command in pending.commands]

    def _invalidate(self) -> None:
        """Mark the working state as discarded, because it may contain events that the journal lacks."""
        self.refusals.answers.clear()
        self.needs_reload = True
        self._generation += 1

    def _publish(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self._published = entries[-1].seq
        try:
            self.on_committed(entries, rounds)
        except Exception:
            _log.exception("on_committed of table %s failed", self.id)

    def _reload(self) -> None:
        """Load the journal into a new working state, and publish its entries that are not published yet."""
        self._load()
        try:
            if entries := [decode(row.body) for row in self._store.rows(self.id, self._published)]:
                self.published_move = last_move(entries, self.published_move)
                self._publish(entries, restated_in(entries, self._archive))
        except BaseException:
            self.needs_reload = True
            raise
        self.moved_at = self.published_move

    def _stop(self, reason: str, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Stop the table after a bug: load the journal, record the stop, and answer or refuse the commands."""
        self._pending_stop = reason
        self._invalidate()
        try:
            self._reload()
            refused = self._record_stop(reason)
            known = self._store.seqs_of(self.id, [command.id for command in commands])
            return [
                self._answer_without_entry(command, known, False)
                if command.id in known
                else stopped(command, self._published, refused)
                for command in commands
            ]
        except JournalUnavailable as error:
            return [unavailable(command, f"{reason}; and {error}") for command in commands]

    def _record_stop(self, reason: str) -> str:
        """Commit ``TableStopped``; if that fails, the stop stays pending. Return the reason for refusing commands."""
        try:
            # If an earlier commit of this stop was in doubt, the journal may contain it.
            if self.table.state.stopped != reason:
                self._act(Decision([TableStopped(reason)]))
        except JournalUnavailable as error:
            return f"{reason}; the stop is not recorded yet: {error}"
        self._pending_stop = ""
        return reason
