"""The single writer of a table: decides commands on a working state, commits them in batches, then answers.

A batch is first DECIDED: its events are applied to the working state, and nothing is written. While the store writes
it, it is SUBMITTED, and the next batch may be decided. Once it is durable, it is COMMITTED: the writer publishes its
entries and answers its commands.

If its commit raises an error, ``failed`` refuses its commands and discards the working state, which may contain events
that the journal lacks. Batches decided on that state are decided again. Before the next decision the writer loads the
journal (``_reload``), and publishes the entries of a batch in doubt that it finds there. A client may resend a refused
command with the same id. It is decided, unless the journal has an answer to it.

A writer is used by one thread at a time and does not use asyncio. ``floor/queue.py`` calls it for the event loop.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from operator import attrgetter
from typing import Final

from roundhouse.floor.batch import (
    Commits,
    Conditions,
    Deliver,
    OnCommitted,
    PendingBatch,
    Rounds,
    UncommittedTickets,
    index_entry,
    last_move,
    outdated,
    repeated,
    stopped,
    unavailable,
)
from roundhouse.floor.clock import Clock
from roundhouse.floor.facts import NEEDS_FACTS, Offers, complete_facts
from roundhouse.floor.loading import load_table, restated_in
from roundhouse.journal.entry import Answer, ChainHash, Entry, Seq, answer_of, decode, encode, link, seal
from roundhouse.journal.seal import Key
from roundhouse.journal.store import (
    Batch,
    BatchState,
    CommitInDoubt,
    JournalDamaged,
    JournalUnavailable,
    Row,
    Snapshot,
    Store,
    TicketIsTaken,
)
from roundhouse.rules.game import Game
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand, OpenTable, PlaceBets, Show
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts, HouseTerms
from roundhouse.table.events import AnyEvent, BetsPlaced, ProcedureAdopted, TableStopped
from roundhouse.table.lifecycle import recover, stop_software
from roundhouse.table.names import Millis, Phase, RequestId, RoundNumber, TableId
from roundhouse.table.state import Table
from roundhouse.table.view import view_of

SNAPSHOT_EVERY = 8_000  # entries
SNAPSHOT_AT_LAST = 4 * SNAPSHOT_EVERY
_QUIET: Final = (Phase.BETS_OPEN, Phase.CLOSED)
_IN_DOUBT: Final = "the journal may or may not contain this command; send it again with the same id"
_ID: Final = attrgetter("id")
_log = logging.getLogger(__name__)


class TableWriter:
    def __init__(
        self,
        store: Store,
        id: TableId,
        game: Game,
        key: Key,
        clock: Clock,
        terms: HouseTerms,
        committer: Commits | None = None,
    ) -> None:
        self.id, self.terms = id, terms
        """Terms of the house, which apply from the table's next opening on."""
        self.committer = committer
        """Commits submitted batches in a background thread. If ``None``, ``submit`` commits in the caller's thread."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Receives all committed entries, in order and without gaps. It must not call the writer."""
        self.ball_round: RoundNumber | None = None
        """The last round in which the wheel's line saw a ball. The dealer sets it; ``None`` without a wheel."""
        self.offers: Offers = {}
        self._store, self._key, self._clock = store, key, clock
        self.latest = game
        """The rulebook that the table uses after it is next opened."""
        self.needs_reload = False
        """Whether the working state was discarded. If so, ``decide`` first loads the journal."""
        self._generation = 0
        self._submitted: tuple[PendingBatch, Future[None]] | None = None
        self._load()
        self._published = self.moved_at = self.published_move = self._seq
        """``moved_at``: last decided entry that changed more than a seat; ``published_move``: last committed one."""
        self.recovered = recover(self.table, terms) if self._seq else []
        if self.recovered:
            self._act(Decision(self.recovered))

    @property
    def version(self) -> Seq:
        """Number of the last decided entry, which may not be committed yet."""
        return self._seq

    def _load(self) -> None:
        loaded = load_table(self._store, self.id, self.latest)
        self.table, self._archive = loaded.table, loaded.archive
        self._seq, self._hash, self._snapshot_seq = loaded.seq, loaded.hash, loaded.snapshot_seq
        self._uncommitted: dict[RequestId, Entry] = {}
        self._tickets = UncommittedTickets()
        self._generation += 1
        self.needs_reload = False

    def _act(self, decision: Decision) -> None:
        """Commit events that no command caused: those of a recovery or of a stop."""
        pending = PendingBatch([])
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
        """Decide a batch, wait for the result of the previous batch, then submit the new batch to the committer.

        If the previous batch failed, the new one is decided again. An exception in the previous batch's ``deliver``
        function is raised after the new batch was submitted.
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

    def _send(self, pending: PendingBatch) -> None:
        if pending.batch is None or pending.bug or self.committer is None:
            self.commit(pending)
            return
        pending.state = BatchState.SUBMITTED
        self._submitted = pending, self.committer.submit(pending.batch)

    def _await_commit(self) -> PendingBatch | None:
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

    def decide(self, commands: Sequence[AnyCommand], conditions: Conditions | None = None) -> PendingBatch:
        """Decide commands in order on the working state. Writes nothing. After a bug ``conclude`` stops the table."""
        pending = PendingBatch(list(commands), conditions)
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

    def _decide(self, pending: PendingBatch, given: Decision | None = None) -> None:
        """Decide every command of a batch, append the entries and build the transaction.

        ``given`` is a decision that no command caused. Every bet runs through this loop, so it calls few functions.
        """
        pending.generation, pending.follows = self._generation, self._hash
        commands: Sequence[AnyCommand | None] = pending.commands if given is None else (None,)
        known = self._store.seqs_of(self.id, [*map(_ID, pending.commands)]) if given is None else {}
        answers, entries, rows, uncommitted = pending.answers, pending.entries, pending.rows, self._uncommitted
        conditions, refuse_until = pending.conditions, 0
        time_ns, state = self._clock.time_ns, self.table.state
        for number, command in enumerate(commands):
            if conditions and (group := conditions.get(number)) is not None and group[0] != self.moved_at:
                refuse_until = number + group[1]
            id, kind = command.id if command is not None else None, type(command)
            if command is not None and (number < refuse_until or id in known or id in uncommitted or kind is Show):
                answers.append(self._answer_without_entry(command, known, number < refuse_until))
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
            seq: Seq = self._seq + 1  # type: ignore[assignment]
            self._seq = seq
            for event in decision.events:
                apply(table, event, at)
            if (refused := decision.refused) is None:
                entry = Entry(seq, facts, command, decision.events)
            else:
                entry = Entry(seq, facts, command, decision.events, refused.refusal, refused.clause, refused.reason)
            body = encode(entry)
            hash = self._hash = link(self._hash, body)
            entries.append(entry)
            rows.append(Row(seq, body, hash, id))
            if id is not None:
                uncommitted[id] = entry
                answers.append(answer_of(entry))
            if (events := decision.events) and (len(events) > 1 or type(events[0]) is not BetsPlaced):
                # An entry that only places bets is not indexed, because most entries are of this kind.
                index_entry(pending, self._tickets, entry)
                self.moved_at = pending.moved_at or self.moved_at
        if rows:
            if self._archive.changed:
                pending.rounds = self._archive.take_changed()
            snapshot = self._snapshot() if self._seq - self._snapshot_seq >= SNAPSHOT_EVERY else None
            rounds, issued = pending.encoded_rounds() if pending.rounds else {}, list(pending.issued.values())
            more = (rounds, issued, pending.redeemed, snapshot)
            sealed = seal(self._key, self.id, self._hash)
            pending.batch = Batch(self.id, pending.follows, rows, sealed, *more, index=pending.index)

    def _answer_without_entry(self, command: AnyCommand, known: Mapping[RequestId, Seq], has_changed: bool) -> Answer:
        """Answer a command that adds no entry: ``Show``, a resent command, or one based on an outdated state."""
        if has_changed:
            return outdated(command, self._seq)
        if isinstance(command, Show):
            return Answer(command.id, True, self._seq, state=view_of(self.table))
        entry = self._uncommitted.get(command.id)
        if entry is None:
            row = self._store.row(self.id, known[command.id])
            assert row is not None, "a known request has an entry"
            entry = decode(row.body)
        return repeated(command, entry)

    def _more_facts(self, command: AnyCommand | None, at: Millis, given: Decision | None) -> Facts:
        """Return the facts for a command that needs more than the time. A closed table gets the latest rulebook."""
        state, opens = self.table.state, type(command) is OpenTable
        if opens and self.table.game is not self.latest and state.phase is Phase.CLOSED:
            self.table = Table(self.latest, state, self._archive)
        adopts = not state.by_evidence and (given is None or isinstance(given.events[0], ProcedureAdopted))
        seen = None if self.ball_round is None else self.ball_round == state.round
        facts = Facts(at, house=self.terms if opens or adopts else None)
        return complete_facts(facts, command, self._store, self._tickets, self._clock, self.offers, seen)

    def _snapshot(self) -> Snapshot | None:
        """Return a snapshot, or ``None`` to wait until no bet is on the layout and no result is awaited."""
        since, state = self._seq - self._snapshot_seq, self.table.state
        if since < SNAPSHOT_AT_LAST and (state.layout or state.phase not in _QUIET):
            return None
        self._snapshot_seq = self._seq
        return Snapshot(self._seq, ChainHash(self._hash), encode(state))

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
        """Handle a bug raised by ``decide``, the ``error`` raised by the commit, or the success of the commit."""
        if pending.bug:
            pending.state, pending.batch = BatchState.FAILED, None
            pending.answers = self._stop(pending.bug, pending.commands)
        elif error is not None:
            self.failed(pending, error)
        elif pending.batch is not None:
            self.committed(pending)

    def committed(self, pending: PendingBatch) -> None:
        """Publish the entries of a batch whose commit succeeded."""
        pending.state = BatchState.COMMITTED
        if pending.generation == self._generation:
            for row in pending.rows:
                self._uncommitted.pop(row.request, None)  # type: ignore[arg-type]  # an entry without a request has none
            if pending.rounds or pending.issued or pending.redeemed:
                self._tickets.forget(pending)
                self._archive.forget(pending.rounds)
        if pending.entries[0].seq == self._published + 1:
            self.published_move = pending.moved_at or self.published_move
            self._publish(pending.entries, pending.rounds)
            return
        # The batch before this one was in doubt and is written. The reload publishes both batches in order.
        self._invalidate()
        with suppress(JournalUnavailable):
            self._reload()

    def failed(self, pending: PendingBatch, error: BaseException) -> None:
        """Discard the working state, because the commit of the batch raised ``error``. Then, depending on the error:

        - ``JournalUnavailable``: nothing is written. The batch is FAILED.
        - ``CommitInDoubt``: the batch is IN_DOUBT. The next load of the journal shows whether it is written.
        - ``TicketIsTaken``: another table redeemed the ticket first. The batch is decided and committed again.
        - ``JournalDamaged``, or an interrupt: the batch is IN_DOUBT, and the error is raised to the caller.
        - Any other exception is a bug: the batch is IN_DOUBT, and the table stops.
        """
        if isinstance(error, JournalUnavailable) and not isinstance(error, CommitInDoubt):
            self._refuse_batch(pending, BatchState.FAILED, str(error))
            return
        self._refuse_batch(pending, BatchState.IN_DOUBT, _IN_DOUBT)
        if isinstance(error, CommitInDoubt):
            return
        if isinstance(error, TicketIsTaken):
            again = self.decide(pending.commands, pending.conditions)
            self.commit(again)
            pending.state, pending.answers = again.state, again.answers
        elif isinstance(error, JournalDamaged) or not isinstance(error, Exception):
            raise error
        else:
            pending.answers = self._stop(f"{type(error).__name__}: {error}", pending.commands)

    def _refuse_batch(self, pending: PendingBatch, state: BatchState, reason: str) -> None:
        self._invalidate()
        pending.state, pending.batch = state, None
        pending.answers = [unavailable(command, reason) for command in pending.commands]

    def _invalidate(self) -> None:
        """Mark the working state as discarded, because it may contain events that the journal lacks."""
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
        """Stop the table after a bug: load the journal, commit ``TableStopped``, and answer or refuse the commands."""
        self._invalidate()
        try:
            self._reload()
            self._act(Decision([TableStopped(reason)]))
        except JournalUnavailable as error:
            return [unavailable(command, f"{reason}; and {error}") for command in commands]
        known, reason = self._store.seqs_of(self.id, [*map(_ID, commands)]), self.table.state.stopped
        return [
            self._answer_without_entry(command, known, False)
            if command.id in known
            else stopped(command, self._seq, reason)
            for command in commands
        ]
