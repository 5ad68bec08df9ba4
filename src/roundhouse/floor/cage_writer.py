"""The single writer of the cage's chain: decides commands on a working state, and concludes the commits of batches.

If a commit fails, the working state is discarded and loaded from the journal before the next decision. Entries of a
commit in doubt that the journal contains are published then, and a client that resends its command gets the recorded
answer. If a table redeemed a ticket of the batch first, the batch is decided again.

Only the committer's thread uses a writer. It does not use asyncio.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from roundhouse.cage.apply import apply_entry
from roundhouse.cage.commands import AnyCageCommand, LookUpTicket, PayTicket, SellCredits, VoidTicket
from roundhouse.cage.decide import decide
from roundhouse.cage.effects import same_effect
from roundhouse.cage.entry import (
    CageAnswer,
    CageDecision,
    CageEntry,
    CageFacts,
    PresentedTicket,
    answer_of,
    decode,
    encode,
)
from roundhouse.cage.events import AnyCageEvent, CageTermsSet, CreditsSold, TicketPaid, TicketVoided
from roundhouse.cage.ledger import imbalance, postings
from roundhouse.cage.names import CAGE_CHAIN, CageRefusal, CageTerms, Day
from roundhouse.cage.state import CageState
from roundhouse.floor.cage_customers import Customers
from roundhouse.floor.clock import Clock
from roundhouse.journal.derived import (
    EMPTY_LOG,
    Derived,
    cage_shape,
    derived_of,
    encode_derived,
    extend_by_cage,
    trusted_snapshot,
)
from roundhouse.journal.entry import GENESIS, ChainHash, Seq, link, seal
from roundhouse.journal.proof import proven_issue
from roundhouse.journal.seal import Key, sealed_snapshot
from roundhouse.journal.store import (
    Batch,
    CommitInDoubt,
    Issued,
    JournalDamaged,
    JournalUnavailable,
    Redeemed,
    Row,
    Snapshot,
    Store,
    TicketIsTaken,
)
from roundhouse.journal.ticket_numbers import TicketNumbers
from roundhouse.table.names import Millis, RequestId, TicketId, TicketNumber, is_concealed

SNAPSHOT_EVERY: Final = 2_000  # entries
TICKET_COMMANDS: Final = (PayTicket, VoidTicket, LookUpTicket)
_IN_DOUBT: Final = "the journal may or may not contain this command; send it again with the same id"
_decode_state = msgspec.json.Decoder(CageState).decode

Sent = tuple[AnyCageCommand, tuple[AnyCageEvent, ...] | None]
"""A command, and the effect that a second person approved, if one did."""


class CageBatch(Struct):
    """Commands that were decided together, and their results."""

    sent: list[Sent]
    follows: ChainHash = GENESIS
    entries: list[CageEntry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    answers: list[CageAnswer] = field(default_factory=list)
    issued: list[Issued] = field(default_factory=list)
    redeemed: list[Redeemed] = field(default_factory=list)
    batch: Batch | None = None


class CageWriter:
    def __init__(
        self,
        store: Store,
        key: Key,
        clock: Clock,
        day_of: Callable[[Millis], Day],
        snapshot_every: int = SNAPSHOT_EVERY,
    ) -> None:
        self._snapshot_every = snapshot_every
        self._store, self._key, self._clock, self._day_of = store, key, clock, day_of
        self._numbers = TicketNumbers(key)
        self.customers = Customers(key)
        self.is_disputed: Callable[[TicketId], bool] = lambda _: False
        self.ticket_life: Millis | None = None
        self.on_committed: Callable[[Sequence[CageEntry]], None] = lambda _: None
        """Called with committed entries, in order and without gaps."""
        self._needs_load = False
        self._load()
        self._published = self._seq

    # Loading

    def _load(self) -> None:
        """Load the cage: the last snapshot whose seal fits, then every later entry."""
        snapshot, self.ignored_snapshot = trusted_snapshot(self._store, self._key, CAGE_CHAIN)
        if derived_of(snapshot).shape != cage_shape():
            snapshot = None
        self.state = _decode_state(snapshot.memory) if snapshot is not None else CageState()
        self._log = derived_of(snapshot).tickets if snapshot is not None else EMPTY_LOG
        self._seq, self._hash = (snapshot.seq, snapshot.hash) if snapshot is not None else (Seq(0), GENESIS)
        self._snapshot_seq = self._seq
        requests: dict[RequestId, Seq] = {}
        for row in self._store.rows(CAGE_CHAIN, self._seq):
            if row.seq != self._seq + 1 or link(self._hash, row.body) != row.hash:
                raise JournalDamaged(f"entry {self._seq + 1} of the cage does not continue the chain")
            entry = decode(row.body)
            apply_entry(self.state, entry)
            self._log = extend_by_cage(self._log, entry)
            self._seq, self._hash = row.seq, row.hash
            if entry.request is not None:
                requests[entry.request.id] = row.seq
        if self._store.seqs_of(CAGE_CHAIN, list(requests)) != requests:
            raise JournalDamaged("the register of requests of the cage does not match its entries")
        self._needs_load = False

    def recent(self, count: int) -> list[CageEntry]:
        """Read the last entries of the chain."""
        return [decode(row.body) for row in self._store.rows(CAGE_CHAIN, Seq(max(0, self._seq - count)))]

    # Facts

    def presented(self, id: TicketId) -> PresentedTicket | None:
        """Find a ticket and prove it by the entry that issued it. Reads the store; any thread may call this."""
        if self._store.tickets_fault or (found := proven_issue(self._store, self._key, id)) is None:
            return None
        ticket = found.ticket
        disputed = self.is_disputed(id)
        return PresentedTicket(
            id, ticket.cents, ticket.expires, ticket.redeemed, found.table, found.seat, disputed=disputed
        )

    def conceal(self, number: TicketNumber) -> TicketId:
        """Replace a presented number by the ticket's id. A ticket of before format 3 is named by its number."""
        plain = TicketId(number)
        if not is_concealed(plain) and not self._store.tickets_fault and self._store.ticket(plain) is not None:
            return plain
        return self._numbers.id(number)

    def facts_for(self, command: AnyCageCommand, at: Millis, salt: str | None = None) -> CageFacts:
        """Return the facts of a command. Without ``salt`` they are those of a dry run. Any thread may call this."""
        facts = CageFacts(at, self._day_of(at))
        match command:
            case PayTicket(ticket=id) | VoidTicket(ticket=id) | LookUpTicket(ticket=id):
                return replace(facts, ticket=self.presented(id))
            case SellCredits():
                number = self._numbers.number(CAGE_CHAIN, salt) if salt is not None else None
                fresh = self._numbers.id(number) if number is not None else TicketId("-")
                return replace(facts, fresh_ticket=fresh, salt=salt, ticket_life=self.ticket_life)
            case _:
                return facts

    # Deciding

    def decide(self, sent: Sequence[Sent]) -> CageBatch:
        """Decide commands in order on the working state. Writes nothing."""
        if self._needs_load:
            self._reload()
        pending = CageBatch(list(sent), self._hash)
        known = self._store.seqs_of(CAGE_CHAIN, [command.id for command, _ in sent])
        decided: dict[RequestId, CageEntry] = {}
        for command, effect in sent:
            if command.id in known or command.id in decided:
                entry = decided.get(command.id) or self._stored(known[command.id])
                pending.answers.append(self._repeated(entry, command))
                continue
            if isinstance(command, TICKET_COMMANDS) and (fault := self._store.tickets_fault):
                pending.answers += unavailable([(command, effect)], fault)
                continue
            at = Millis(max(self._clock.now(), self.state.at))
            salt = self._clock.fresh_salt() if isinstance(command, SellCredits) else None
            facts = self._with_uncommitted(self.facts_for(command, at, salt), pending)
            decision = decide(self.state, command, facts)
            if effect is not None and not same_effect(decision.events, effect):
                pending.answers.append(_changed(command, self._seq))
                continue
            entry = self._add(pending, facts, command, decision)
            decided[command.id] = entry
            pending.answers.append(self._answer(entry))
        self._close(pending)
        return pending

    def set_terms(self, terms: CageTerms) -> CageBatch | None:
        """Return the batch that records the terms of the house, or ``None`` if they are on record."""
        if self._needs_load:
            self._reload()
        if self.state.terms == terms and self._seq:
            return None
        pending = CageBatch([], self._hash)
        facts = CageFacts(Millis(max(self._clock.now(), self.state.at)))
        self._add(pending, facts, None, CageDecision((CageTermsSet(terms),)))
        self._close(pending)
        return pending

    def _with_uncommitted(self, facts: CageFacts, pending: CageBatch) -> CageFacts:
        """Mark the presented ticket as redeemed if an earlier command of the batch paid or voided it."""
        ticket = facts.ticket
        if ticket is None or all(ticket.number != one.id for one in pending.redeemed):
            return facts
        return replace(facts, ticket=replace(ticket, redeemed=True))

    def _add(
        self, pending: CageBatch, facts: CageFacts, command: AnyCageCommand | None, decision: CageDecision
    ) -> CageEntry:
        refused = decision.refused
        self._seq = Seq(self._seq + 1)
        if refused is None:
            entry = CageEntry(self._seq, facts, command, decision.events)
        else:
            entry = CageEntry(self._seq, facts, command, (), refused.refusal, refused.reason)
        apply_entry(self.state, entry)
        if any(map(postings, entry.events)) and (wrong := imbalance(self.state)):
            raise AssertionError(wrong)
        body = encode(entry)
        self._hash = link(self._hash, body)
        self._log = extend_by_cage(self._log, entry)
        pending.entries.append(entry)
        pending.rows.append(Row(self._seq, body, self._hash, command.id if command is not None else None))
        for event in entry.events:
            if isinstance(event, CreditsSold):
                pending.issued.append(Issued(event.ticket, event.cents, event.expires, self._seq))
            elif isinstance(event, TicketPaid | TicketVoided):
                pending.redeemed.append(Redeemed(event.ticket, self._seq))
        return entry

    def _close(self, pending: CageBatch) -> None:
        if not pending.rows:
            return
        snapshot: Snapshot | None = None
        if self._seq - self._snapshot_seq >= self._snapshot_every:
            derived = encode_derived(Derived(self._log, shape=cage_shape()))
            snapshot = sealed_snapshot(self._key, CAGE_CHAIN, self._seq, self._hash, encode(self.state), derived)
            self._snapshot_seq = self._seq
        sealed = seal(self._key, CAGE_CHAIN, self._hash)
        pending.batch = Batch(
            CAGE_CHAIN, pending.follows, pending.rows, sealed, {}, pending.issued, pending.redeemed, snapshot
        )

    # Answers

    def _stored(self, seq: Seq) -> CageEntry:
        row = self._store.row(CAGE_CHAIN, seq)
        assert row is not None, "a known request has an entry"
        return decode(row.body)

    def recorded(self, id: RequestId) -> bool:
        """Return whether a request is on record. Any thread may call this."""
        return bool(self._store.seqs_of(CAGE_CHAIN, [id]))

    def _repeated(self, entry: CageEntry, command: AnyCageCommand) -> CageAnswer:
        """Return the recorded answer to a resent command, or a refusal if another command had its id."""
        recorded = entry.request
        assert recorded is not None, "only requests are registered"
        if replace(recorded, second=UNSET) == replace(command, by=recorded.by, second=UNSET):
            return self._answer(entry)
        return CageAnswer(command.id, False, None, None, CageRefusal.ID_IS_USED, "another request used this id")

    def _answer(self, entry: CageEntry) -> CageAnswer:
        salt = entry.facts.salt if entry.refusal is None else None
        return answer_of(entry, self._numbers.number(CAGE_CHAIN, salt) if salt is not None else None)

    # Conclusion of a commit

    def conclude(self, pending: CageBatch, error: BaseException | None) -> None:
        """Handle the success or the ``error`` of a commit. Unexpected errors are raised; the cage must stop then."""
        while error is not None:
            self._needs_load = True
            match error:
                case TicketIsTaken():
                    again = self.decide(pending.sent)
                    error = self._commit(again)
                    pending.answers, pending.entries, pending.batch = again.answers, again.entries, again.batch
                case CommitInDoubt():
                    pending.answers = unavailable(pending.sent, _IN_DOUBT)
                    return
                case JournalUnavailable():
                    pending.answers = unavailable(pending.sent, str(error))
                    return
                case _:
                    pending.answers = unavailable(pending.sent, _IN_DOUBT)
                    raise error
        if pending.entries:
            self._publish(pending.entries)

    def _commit(self, pending: CageBatch) -> BaseException | None:
        if pending.batch is None:
            return None
        try:
            self._store.commit(pending.batch)
        except Exception as error:
            return error
        return None

    def _publish(self, entries: Sequence[CageEntry]) -> None:
        self._published = Seq(entries[-1].seq)
        self.on_committed(entries)

    def discard(self) -> None:
        """Discard the working state after an error in a decision. It is loaded before the next one."""
        self._needs_load = True

    def _reload(self) -> None:
        self._load()
        if entries := [decode(row.body) for row in self._store.rows(CAGE_CHAIN, self._published)]:
            self._publish(entries)


def unavailable(sent: Sequence[Sent], reason: str) -> list[CageAnswer]:
    """Return the refusals of commands that could not be recorded."""
    return [CageAnswer(c.id, False, None, None, CageRefusal.JOURNAL_UNAVAILABLE, reason) for c, _ in sent]


def _changed(command: AnyCageCommand, version: Seq) -> CageAnswer:
    reason = "the effect of the command has changed since it was approved; propose it again"
    return CageAnswer(command.id, False, version, None, CageRefusal.STATE_HAS_CHANGED, reason)
