"""The keeper of a table: its one writer. Decides what waits, commits it in one transaction, then answers.

Nothing is answered before it is durable. If the journal cannot be written, nothing of the batch has happened:
the state is read anew from what the journal holds.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from roundhouse.floor.archive import StoredArchive
from roundhouse.journal.entry import GENESIS, Answer, ChainHash, Entry, Seq, answer_of, decode, encode, entry_of, link
from roundhouse.journal.seal import Key, seal
from roundhouse.journal.store import Batch, Issued, JournalDamaged, JournalUnavailable, Row, Snapshot, Store
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.table.applying import apply
from roundhouse.table.commands import AnyCommand, CashOut, RedeemTicket, Show
from roundhouse.table.decide import decide
from roundhouse.table.deciding import Decision, Facts, Ticket
from roundhouse.table.events import AnyEvent, CashedOut, TableStopped, TicketRedeemed
from roundhouse.table.names import Millis, Phase, RequestId, TableId, TicketNumber
from roundhouse.table.recovery import recover
from roundhouse.table.refusals import Refusal
from roundhouse.table.showing import show
from roundhouse.table.state import Memory, Table

SNAPSHOT_EVERY = 10_000
_TICKET_EVENTS = frozenset({CashedOut, TicketRedeemed})
_decode_memory = msgspec.json.Decoder(Memory).decode


class World(Protocol):
    """What a table needs and must not make up: the time, and numbers nobody can guess."""

    def now(self) -> Millis: ...

    def fresh_ticket(self) -> TicketNumber: ...


class Keeper:
    def __init__(self, store: Store, id: TableId, game: Game, key: Key, world: World) -> None:
        self.id = id
        self._store = store
        self._key = key
        self._world = world
        self._game = game
        self._adrift = False
        """Whether the state may be ahead of the journal, because a batch could not be committed."""
        self._load()
        self._stay_with_the_rulebook_in_play()
        self.recovered = self._recover()

    def _load(self) -> None:
        """The state as the journal has it: the last snapshot, and what came after it."""
        snapshot = self._store.snapshot(self.id)
        memory = _decode_memory(snapshot.memory) if snapshot else Memory()
        self._archive = StoredArchive(self._store, self.id)
        self.table = Table(self._game, memory, self._archive)
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
        self._begin()
        self._adrift = False

    def _stay_with_the_rulebook_in_play(self) -> None:
        """What was begun under a rulebook is finished under it; a new one counts from the next opening."""
        memory = self.table.memory
        if memory.phase is Phase.CLOSED or memory.rulebook == self._game.hash:
            return
        content = self._store.rulebook(memory.rulebook)
        if content is None:
            raise JournalDamaged(f"the journal lacks the rulebook {memory.rulebook} of table {self.id}")
        self._game = load(content)
        self._load()

    def _check_snapshot(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            row = self._store.row(self.id, snapshot.seq)
            if row is None or row.hash != snapshot.hash:
                raise JournalDamaged(f"the snapshot of table {self.id} at {snapshot.seq} is not of this chain")

    def _begin(self) -> None:
        """A new batch."""
        self._rows: list[Row] = []
        self._answers: dict[RequestId, tuple[AnyCommand, Answer]] = {}
        self._issued: dict[TicketNumber, Issued] = {}
        self._redeemed: list[TicketNumber] = []
        self._archive.take_staged()

    @property
    def version(self) -> Seq:
        return self._seq

    def _recover(self) -> list[AnyEvent]:
        events = recover(self.table)
        if events:
            self._append(Facts(self._now()), None, Decision(events))
            self._commit()
        return events

    def _now(self) -> Millis:
        """Never before the last event, whatever the clock says."""
        return Millis(max(self._world.now(), self.table.memory.at))

    def handle(self, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Answers to a batch of requests, given when all of it is durable."""
        try:
            if self._adrift:
                self._load()
            known = self._store.seqs_of(self.id, [command.id for command in commands])
            answers = [self._answer(command, known) for command in commands]
            self._commit()
            return answers
        except JournalUnavailable as unavailable:
            self._adrift = True
            return [self._unavailable(command, str(unavailable)) for command in commands]
        except JournalDamaged:
            raise
        except Exception as bug:
            return self._stop(f"{type(bug).__name__}: {bug}", commands)

    def _stop(self, reason: str, commands: Sequence[AnyCommand]) -> list[Answer]:
        """Our own bug: nothing of the batch has happened, and the table stops until people have looked."""
        try:
            self._load()
            self._append(Facts(self._now()), None, Decision([TableStopped(reason)]))
            self._commit()
        except JournalUnavailable as unavailable:
            self._adrift = True
            return [self._unavailable(command, f"{reason}; and {unavailable}") for command in commands]
        return [self._stopped(command) for command in commands]

    def _answer(self, command: AnyCommand, known: Mapping[RequestId, Seq]) -> Answer:
        if isinstance(command, Show):
            return Answer(command.id, True, self._seq, state=show(self.table))
        if (first := self._answers.get(command.id)) is not None:
            asked, answer = first
            return answer if asked == command else self._used(command)
        if (seq := known.get(command.id)) is not None:
            row = self._store.row(self.id, seq)
            assert row is not None, "a request that is known has an entry"
            entry = decode(row.body)
            return answer_of(entry) if entry.request == command else self._used(command)
        facts = self._facts(command)
        entry = self._append(facts, command, decide(self.table, command, facts))
        answer = answer_of(entry)
        self._answers[command.id] = command, answer
        return answer

    def _used(self, command: AnyCommand) -> Answer:
        """The first answer is for the first request; another one under its name was never looked at."""
        return Answer(command.id, False, refusal=Refusal.ID_IS_USED, reason="another request had this id")

    def _facts(self, command: AnyCommand) -> Facts:
        match command:
            case CashOut():
                return Facts(self._now(), self._world.fresh_ticket())
            case RedeemTicket(ticket=number):
                return Facts(self._now(), None, self._ticket(number))
            case _:
                return Facts(self._now())

    def _ticket(self, number: TicketNumber) -> Ticket | None:
        """A ticket of the store, as this batch leaves it."""
        if (issued := self._issued.get(number)) is not None:
            return Ticket(number, issued.cents, issued.expires, number in self._redeemed)
        ticket = self._store.ticket(number)
        if ticket is not None and number in self._redeemed:
            return Ticket(number, ticket.cents, ticket.expires, True)
        return ticket

    def _append(self, facts: Facts, command: AnyCommand | None, decision: Decision) -> Entry:
        table, at = self.table, facts.at
        for event in decision.events:
            apply(table, event, at)
            if type(event) in _TICKET_EVENTS:
                self._note_ticket(event)
        seq = self._seq = Seq(self._seq + 1)
        entry = entry_of(seq, facts, command, decision)
        body = encode(entry)
        hash = self._hash = link(self._hash, body)
        self._rows.append(Row(seq, body, hash, command.id if command is not None else None))
        return entry

    def _note_ticket(self, event: AnyEvent) -> None:
        if isinstance(event, CashedOut):
            self._issued[event.ticket] = Issued(event.ticket, event.cents, event.expires)
        elif isinstance(event, TicketRedeemed):
            self._redeemed.append(event.ticket)

    def _commit(self) -> None:
        if not self._rows:
            return
        self._store.commit(
            Batch(
                self.id,
                self._rows,
                seal(self._key, self.id, self._hash),
                self._archive.take_staged(),
                list(self._issued.values()),
                self._redeemed,
                self._snapshot(),
            )
        )
        self._begin()

    def _snapshot(self) -> Snapshot | None:
        if self._seq - self._snapshot_at < SNAPSHOT_EVERY:
            return None
        self._snapshot_at = self._seq
        return Snapshot(self._seq, ChainHash(self._hash), encode(self.table.memory))

    def _unavailable(self, command: AnyCommand, reason: str) -> Answer:
        return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason)

    def _stopped(self, command: AnyCommand) -> Answer:
        return Answer(command.id, False, self._seq, refusal=Refusal.TABLE_IS_STOPPED, reason=self.table.memory.stopped)
