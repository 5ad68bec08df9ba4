"""A batch of commands that is not yet committed, and the tickets of such batches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

import msgspec
from msgspec import Struct, field

from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.journal.entry import BEGINNING, GENESIS, Answer, ChainHash, Entry, Seq
from roundhouse.journal.index import IndexRow, index_of
from roundhouse.journal.store import Batch, BatchState, Issued, Row
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import Ticket
from roundhouse.table.events import AnyEvent, CashedOut, TicketRedeemed
from roundhouse.table.names import RoundNumber, TicketNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord

_TICKET_EVENTS = frozenset({CashedOut, TicketRedeemed})
encode_round = msgspec.msgpack.Encoder().encode
Deliver = Callable[[Sequence[Answer]], None]
Rounds = Mapping[RoundNumber, RoundRecord]
OnCommitted = Callable[[Sequence[Entry], Rounds], None]
"""Receives committed entries and the past rounds that they changed."""


Conditions = Mapping[int, tuple[Seq, int]]
"""Maps the index of a command to the ``moved_at`` that its group was based on, and the number of commands in the
group. A group is refused if the table has moved since."""


class Commits(Protocol):
    """Commits batches in the background: ``Committer``."""

    def submit(self, batch: Batch) -> "Future[None]": ...


class PendingBatch(Struct):
    """Commands that were decided together, their results, and the transaction that stores them."""

    commands: list[AnyCommand]
    conditions: Conditions | None = None
    state: BatchState = BatchState.DECIDED
    generation: int = 0
    """Load generation of the state that it was decided on. The writer increments it when it discards its state."""
    moved_at: Seq = BEGINNING
    """Its last entry that changed more than a single seat; ``BEGINNING`` if it has none."""
    follows: ChainHash = GENESIS
    """Hash of the entry before its first entry."""
    answers: list[Answer] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    issued: dict[TicketNumber, Issued] = field(default_factory=dict)
    redeemed: list[TicketNumber] = field(default_factory=list)
    rounds: dict[RoundNumber, RoundRecord] = field(default_factory=dict)
    index: list[IndexRow] = field(default_factory=list)
    batch: Batch | None = None
    """The transaction. ``None`` if it has no entries: every command was a repetition, or deciding failed."""
    bug: str = ""
    """The unexpected exception that was raised while deciding; empty if none. The table stops for this reason."""
    deliver: Deliver | None = None

    def encoded_rounds(self) -> dict[RoundNumber, bytes]:
        """Encode the past rounds that it changed, as the store keeps them."""
        return {number: encode_round(record) for number, record in self.rounds.items()}

    def deliver_answers(self) -> None:
        """Pass the answers to ``deliver``. Later calls do nothing."""
        if (deliver := self.deliver) is not None:
            self.deliver = None
            deliver(self.answers)


class UncommittedTickets:
    """Tickets that were issued or redeemed by decided batches which are not committed yet."""

    def __init__(self) -> None:
        self._issued: dict[TicketNumber, Issued] = {}
        self._redeemed: set[TicketNumber] = set()

    def note(self, pending: PendingBatch, event: AnyEvent) -> None:
        if isinstance(event, CashedOut):
            issued = Issued(event.ticket, event.cents, event.expires)
            pending.issued[event.ticket] = self._issued[event.ticket] = issued
        elif isinstance(event, TicketRedeemed):
            pending.redeemed.append(event.ticket)
            self._redeemed.add(event.ticket)

    def ticket(self, number: TicketNumber, stored: Ticket | None) -> Ticket | None:
        """Return a ticket as it is after every decided command. ``stored`` is the ticket in the store."""
        redeemed = number in self._redeemed
        if (issued := self._issued.get(number)) is not None:
            return Ticket(number, issued.cents, issued.expires, redeemed)
        return Ticket(number, stored.cents, stored.expires, True) if stored is not None and redeemed else stored

    def forget(self, pending: PendingBatch) -> None:
        """Remove a committed batch: the store contains it now."""
        for number in pending.issued:
            del self._issued[number]
        self._redeemed.difference_update(pending.redeemed)


def index_entry(pending: PendingBatch, tickets: UncommittedTickets, entry: Entry) -> None:
    """Index an entry and the tickets that it issues or redeems. Set ``moved_at`` if it changes more than a seat."""
    pending.index += index_of((entry,))
    for event in entry.events:
        if type(event) in _TICKET_EVENTS:
            tickets.note(pending, event)
        elif type(event) not in SINGLE_SEAT_EVENTS:
            pending.moved_at = entry.seq


def last_move(entries: Iterable[Entry], before: Seq) -> Seq:
    """Return the number of the last entry that changed more than a single seat, or else ``before``."""
    for entry in entries:
        if any(type(event) not in SINGLE_SEAT_EVENTS for event in entry.events):
            before = entry.seq
    return before


def unavailable(command: AnyCommand, reason: str) -> Answer:
    """Refuse a command because its batch is not known to be written."""
    return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason)


def stopped(command: AnyCommand, version: Seq, reason: str) -> Answer:
    """Refuse a command because the table has stopped after a bug."""
    return Answer(command.id, False, version, refusal=Refusal.TABLE_IS_STOPPED, reason=reason)
