"""The keeper of a table: its one writer. Decides what waits, commits it in one transaction, then answers.

Nothing is answered before it is durable. While one batch is being made durable the next may be decided on what it
will leave; if the journal cannot be written, nothing of either has happened, and the state is read anew from what
the journal holds.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress

import msgspec
from msgspec import UNSET

from roundhouse.floor.batch import Flight, PendingBatch, UncommittedIndex
from roundhouse.floor.clock import Clock
from roundhouse.floor.committer import Committer
from roundhouse.floor.loading import RoundArchive, encode_round
from roundhouse.journal.entry import GENESIS, Answer, ChainHash, Entry, Seq, answer_of, decode, encode, link
from roundhouse.journal.index import index_of
from roundhouse.journal.seal import Key, seal
from roundhouse.journal.store import Batch, JournalDamaged, JournalUnavailable, Row, Snapshot, Store, TicketIsTaken
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.apply import apply
from roundhouse.table.commands import AnyCommand, CashOut, OpenTable, RedeemTicket, Show
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, Facts
from roundhouse.table.events import AnyEvent, CashedOut, TableStopped, TicketRedeemed
from roundhouse.table.lifecycle import recover
from roundhouse.table.names import Millis, Phase, RequestId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table, TableState
from roundhouse.table.view import view_of

SNAPSHOT_EVERY = 8_000
SNAPSHOT_AT_LAST = 4 * SNAPSHOT_EVERY
_QUIET = (Phase.BETS_OPEN, Phase.CLOSED)
_TICKET_COMMANDS = frozenset({CashOut, RedeemTicket})
_TICKET_EVENTS = frozenset({CashedOut, TicketRedeemed})
_IN_DOUBT = "whether it was written is not known; ask again"
_decode_memory = msgspec.json.Decoder(TableState).decode

_log = logging.getLogger(__name__)

Deliver = Callable[[list[Answer]], None]


class Keeper:
    def __init__(
        self, store: Store, id: TableId, game: Game, key: Key, world: Clock, committer: Committer | None = None
    ) -> None:
        self.id = id
        self.committer = committer
        """Who makes a launched batch durable in the background; without one it is done when it lands."""
        self.on_landed: Callable[[Sequence[Entry]], None] = lambda _: None
        """Told, in their order, of all entries once they are durable, whoever asked for them."""
        self._store = store
        self._key = key
        self._world = world
        self._game = self._latest = game
        self._flight: Flight | None = None
        self._course = 0
        self._adrift = False
        """Whether the state may hold what the journal does not: a batch failed."""
        self._load()
        self._published = self._seq
        self.recovered = self._recover()

    def _load(self) -> None:
        """The state as the journal has it. What was begun under a rulebook is finished under it."""
        self._game = self._latest
        self._read()
        state = self.table.state
        if state.phase_before_stop is not Phase.CLOSED and state.rulebook != self._game.hash:
            content = self._store.rulebook(state.rulebook)
            if content is None:
                raise JournalDamaged(f"the journal lacks the rulebook {state.rulebook} of table {self.id}")
            self._game = load(content)
            self._read()
        self._course += 1
        self._adrift = False

    def _read(self) -> None:
        """The last snapshot, and what came after it."""
        snapshot = self._store.snapshot(self.id)
        state = _decode_memory(snapshot.memory) if snapshot else TableState()
        if state.phase is Phase.STOPPED and state.before_stop is UNSET:
            # Of a version that did not note where a table stood: the entries tell.
            snapshot, state = None, TableState()
        self._archive = RoundArchive(self._store, self.id)
        self._overlay = UncommittedIndex()
        self.table = Table(self._game, state, self._archive)
        self._seq = snapshot.seq if snapshot else Seq(0)
        self._hash = snapshot.hash if snapshot else GENESIS
        self._snapshot_at = self._seq
        self._check_snapshot(snapshot)
        for row in self._store.rows(self.id, self._seq):
            if row.seq != self._seq + 1 or link(self._hash, row.body) != row.hash:
                raise JournalDamaged(f"entry {self._seq + 1} of table {self.id} does not continue the chain")
            entry = decode(row.body)
            for event in entry.events:
                apply(self.table, event, entry.facts.at)
            self._seq, self._hash = row.seq, row.hash
        self._archive.forget(self._archive.take_changed())

    def _take_the_latest_rulebook(self) -> None:
        """A new one counts from the next opening."""
        table = self.table
        if self._game is not self._latest and table.state.phase is Phase.CLOSED:
            self._game = self._latest
            self.table = Table(self._game, table.state, self._archive)

    def _check_snapshot(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            row = self._store.row(self.id, snapshot.seq)
            if row is None or row.hash != snapshot.hash:
                raise JournalDamaged(f"the snapshot of table {self.id} at {snapshot.seq} is not of this chain")

    @property
    def version(self) -> Seq:
        return self._seq

    @property
    def adrift(self) -> bool:
        """Whether the journal did not take what was last written; it is tried anew with the next request."""
        return self._adrift

    def on_course(self) -> bool:
        """Whether the state is what the journal holds. Where a batch could not be committed, it is read anew first."""
        if self._adrift:
            self.handle(())
        return not self._adrift

    def _recover(self) -> list[AnyEvent]:
        if events := recover(self.table):
            self._act(Decision(events))
        return events

    def _act(self, decision: Decision) -> None:
        """What the table does by itself."""
        staged = PendingBatch([], self._course, self._hash)
        self._append(staged, Facts(self._now()), None, decision)
        self._finish(staged)
        assert staged.batch is not None
        self._store.commit(staged.batch)
        self._settled(staged)

    def _now(self) -> Millis:
        """Never before the last event, whatever the clock says."""
        now, last = self._world.now(), self.table.state.last_event_at
        return now if now > last else last

    def handle(self, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Answers to a batch of requests, given when all of it is durable."""
        self.land()
        return self._conclude(self._decide(commands), None)

    def launch(self, commands: Sequence[AnyCommand], deliver: Deliver) -> Flight:
        """Decides a batch now, even while another is in flight, and sends it behind that one, which then lands.

        It can be written only after the entry that it was decided on: if the other fails, this one fails too.
        Somebody else who cannot take his answer does not keep it from being launched; who he is, is raised then.
        """
        try:
            if self._adrift:
                self.land()
        finally:
            flight = self._launch(commands, deliver)
        return flight

    def _launch(self, commands: Sequence[AnyCommand], deliver: Deliver) -> Flight:
        staged = self._decide(commands)
        sent = self._send(staged)
        before, self._flight = self._flight, None
        if before is not None:
            if sent is not None and before.sent is not None and before.sent.exception() is not None:
                # Nothing may be written any more while the failure is dealt with.
                sent.exception()
            before.arrive()
        if staged.generation != self._course and (sent is None or sent.exception() is not None):
            # Nothing that it was decided on has happened, and nothing of it.
            staged = self._decide(commands)
            sent = self._send(staged)
        try:
            self.land()
        finally:
            flight = self._flight = Flight(
                lambda: self._arrive(staged, sent), lambda: deliver(self._conclude(staged, sent)), sent
            )
            if before is not None:
                before.land()
        return flight

    def _send(self, staged: PendingBatch) -> "Future[None] | None":
        return self.committer.submit(staged.batch) if self.committer and staged.batch else None

    def land(self) -> None:
        """What is in flight is durable or has failed when this returns, and its answers are delivered."""
        while (flight := self._flight) is not None:
            self._flight = None
            flight.land()

    def _decide(self, commands: Sequence[AnyCommand]) -> PendingBatch:
        staged = PendingBatch(list(commands), self._course, self._hash)
        try:
            if self._adrift:
                self._reload()
                staged.generation, staged.follows = self._course, self._hash
            known = self._store.seqs_of(self.id, [command.id for command in commands])
            staged.answers = [self._answer(staged, command, known) for command in commands]
            self._finish(staged)
        except JournalUnavailable as unavailable:
            self._fail(staged, str(unavailable))
            staged.batch, staged.generation = None, self._course
        except JournalDamaged:
            self._lose_course()
            raise
        except Exception as bug:
            # What flies is not touched by this: it lands first, and then the state is read anew, whoever is gone.
            self._lose_course()
            try:
                self.land()
            finally:
                staged.answers = self._stop(f"{type(bug).__name__}: {bug}", commands)
                staged.batch, staged.generation = None, self._course
        return staged

    def _conclude(self, staged: PendingBatch, sent: "Future[None] | None") -> list[Answer]:
        """The answers to a batch, once it is durable."""
        self._arrive(staged, sent)
        if staged.batch is not None:
            self._settled(staged)
        return staged.answers

    def _arrive(self, staged: PendingBatch, sent: "Future[None] | None") -> None:
        """Until a batch is durable: it was sent already, or is committed here. If it fails, it has other answers."""
        if staged.arrived or (batch := staged.batch) is None:
            return
        # Until it is known to be durable, it has failed: whatever is raised in between.
        staged.arrived, staged.batch = True, None
        try:
            if sent is not None:
                sent.result()
            elif staged.generation == self._course:
                self._store.commit(batch)
            else:
                raise JournalUnavailable("what it was decided on was lost")
        except JournalUnavailable as unavailable:
            self._fail(staged, str(unavailable))
        except TicketIsTaken:
            self._fail(staged, _IN_DOUBT)
            staged.answers = self.handle(staged.commands)
        except BaseException as fault:
            self._fail(staged, _IN_DOUBT)
            if isinstance(fault, JournalDamaged) or not isinstance(fault, Exception):
                raise
            staged.answers = self._stop(f"{type(fault).__name__}: {fault}", staged.commands)
        else:
            staged.batch = batch

    def _fail(self, staged: PendingBatch, reason: str) -> None:
        self._lose_course()
        staged.answers = [self._unavailable(command, reason) for command in staged.commands]

    def _lose_course(self) -> None:
        """The state may hold what the journal does not: it is read anew before anything else is decided."""
        self._adrift = True
        self._course += 1

    def _settled(self, staged: PendingBatch) -> None:
        if staged.generation == self._course:
            self._overlay.forget(staged)
            self._archive.forget(staged.rounds)
        if staged.entries[0].seq == self._published + 1:
            self._publish(staged.entries)
            return
        # A batch before it was written in doubt: listeners hear of that one first.
        self._lose_course()
        with suppress(JournalUnavailable):
            self._reload()

    def _publish(self, entries: Sequence[Entry]) -> None:
        """Whoever listens cannot hold up the table or its answers."""
        self._published = entries[-1].seq
        try:
            self.on_landed(entries)
        except Exception:
            _log.exception("a listener of table %s failed", self.id)

    def _reload(self) -> None:
        self._load()
        try:
            self._publish_what_is_durable()
        except JournalUnavailable:
            self._adrift = True
            raise

    def _publish_what_is_durable(self) -> None:
        """A batch that was written although the store said otherwise has happened, and listeners must hear of it."""
        if entries := [decode(row.body) for row in self._store.rows(self.id, self._published)]:
            self._publish(entries)

    def _stop(self, reason: str, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Our own bug: nothing of the batch has happened, and the table stops until people have looked."""
        self._lose_course()
        try:
            self._reload()
            self._act(Decision([TableStopped(reason)]))
        except JournalUnavailable as unavailable:
            self._lose_course()
            return [self._unavailable(command, f"{reason}; and {unavailable}") for command in commands]
        except BaseException:
            self._lose_course()
            raise
        return [self._stopped(command) for command in commands]

    def _answer(self, staged: PendingBatch, command: AnyCommand, known: Mapping[RequestId, Seq]) -> Answer:
        kind, id, waiting = type(command), command.id, self._overlay.entries
        if kind is Show:
            return Answer(id, True, self._seq, state=view_of(self.table))
        if id in waiting or id in known:
            return self._answer_again(command, known)
        if kind is OpenTable:
            self._take_the_latest_rulebook()
        facts = self._facts_of_tickets(command) if kind in _TICKET_COMMANDS else Facts(self._now())
        entry = waiting[id] = self._append(staged, facts, command, decide(self.table, command, facts))
        return answer_of(entry)

    def _answer_again(self, command: AnyCommand, known: Mapping[RequestId, Seq]) -> Answer:
        """The first answer, to the first request; another one under its name was never looked at."""
        entry = self._overlay.entries.get(command.id)
        if entry is None:
            row = self._store.row(self.id, known[command.id])
            assert row is not None, "a request that is known has an entry"
            entry = decode(row.body)
        if entry.request == command:
            return answer_of(entry)
        return Answer(command.id, False, refusal=Refusal.ID_IS_USED, reason="another request had this id")

    def _facts_of_tickets(self, command: AnyCommand) -> Facts:
        if isinstance(command, RedeemTicket):
            return Facts(self._now(), None, self._overlay.ticket(command.ticket, self._store.ticket(command.ticket)))
        return Facts(self._now(), self._world.fresh_ticket())

    def _append(self, staged: PendingBatch, facts: Facts, command: AnyCommand | None, decision: Decision) -> Entry:
        table, at = self.table, facts.at
        for event in decision.events:
            apply(table, event, at)
            if type(event) in _TICKET_EVENTS:
                self._overlay.note(staged, event)
        seq: Seq = self._seq + 1  # type: ignore[assignment]  # a call per bet would be felt
        self._seq = seq
        if (refused := decision.refused) is None:
            entry = Entry(seq, facts, command, decision.events)
        else:
            entry = Entry(seq, facts, command, decision.events, refused.refusal, refused.clause, refused.reason)
        body = encode(entry)
        hash = self._hash = link(self._hash, body)
        staged.rows.append(Row(seq, body, hash, command.id if command is not None else None))
        staged.entries.append(entry)
        return entry

    def _finish(self, staged: PendingBatch) -> None:
        """All that the store has to keep of a batch, in one transaction."""
        if not staged.rows:
            return
        staged.rounds = self._archive.take_changed()
        staged.batch = Batch(
            self.id,
            staged.follows,
            staged.rows,
            seal(self._key, self.id, self._hash),
            {number: encode_round(record) for number, record in staged.rounds.items()},
            list(staged.issued.values()),
            staged.redeemed,
            self._snapshot(),
            index=index_of(staged.entries),
        )

    def _snapshot(self) -> Snapshot | None:
        """Now and then, and rather when nobody waits: before the first chip of a round, not with bets or a result."""
        since, state = self._seq - self._snapshot_at, self.table.state
        if since < SNAPSHOT_EVERY or (since < SNAPSHOT_AT_LAST and (state.layout or state.phase not in _QUIET)):
            return None
        self._snapshot_at = self._seq
        return Snapshot(self._seq, ChainHash(self._hash), encode(state))

    def _unavailable(self, command: AnyCommand, reason: str) -> Answer:
        return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason)

    def _stopped(self, command: AnyCommand) -> Answer:
        return Answer(command.id, False, self._seq, refusal=Refusal.TABLE_IS_STOPPED, reason=self.table.state.stopped)
