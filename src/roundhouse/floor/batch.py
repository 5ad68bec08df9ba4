"""A batch of decided commands before its commit, and the tickets of uncommitted batches."""

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
from roundhouse.table.state import RoundRecord

_TICKET_EVENTS = frozenset({CashedOut, TicketRedeemed})
encode_round = msgspec.msgpack.Encoder().encode
Deliver = Callable[[Sequence[Answer]], None]
Rounds = Mapping[RoundNumber, RoundRecord]
OnCommitted = Callable[[Sequence[Entry], Rounds], None]
"""A function that is called with committed entries and the past rounds that they changed."""


Conditions = Mapping[int, tuple[Seq, int]]
"""Conditions of groups of commands. Maps the index of a group's first command to the expected ``moved_at`` and the size
of the group. The group is refused if the table's ``moved_at`` differs."""


class Commits(Protocol):
    """Commits batches in a background thread. ``Committer`` implements this protocol."""

    def submit(self, batch: Batch) -> "Future[None]": ...


class TableBatch(Struct):
    """Commands that were decided together, their results, and the transaction that stores them."""

    commands: list[AnyCommand]
    conditions: Conditions | None = None
    state: BatchState = BatchState.DECIDED
    generation: int = 0
    """Generation of the working state that the batch was decided on. The writer increments its generation whenever it
    loads or discards the working state."""
    moved_at: Seq = BEGINNING
    """Number of the batch's last entry that affects more than one seat; ``BEGINNING`` if there is none."""
    follows: ChainHash = GENESIS
    """Hash of the entry before the batch's first entry."""
    answers: list[Answer] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    issued: dict[TicketNumber, Issued] = field(default_factory=dict)
    redeemed: list[TicketNumber] = field(default_factory=list)
    rounds: dict[RoundNumber, RoundRecord] = field(default_factory=dict)
    index: list[IndexRow] = field(default_factory=list)
    batch: Batch | None = None
    """The transaction to commit; ``None`` if the commands added no entries or the batch has failed."""
    bug: str = ""
    """Text of the unexpected exception because of which the table must stop; empty if there was none. The exception
    was raised when this batch was decided, or earlier if that stop is not recorded yet."""
    deliver: Deliver | None = None

    def encoded_rounds(self) -> dict[RoundNumber, bytes]:
        """Encode the past rounds that the batch changed, in the format of the store."""
        return {number: encode_round(record) for number, record in self.rounds.items()}

    def deliver_answers(self) -> None:
        """Call ``deliver`` with the answers. Only the first call has an effect."""
        if (deliver := self.deliver) is not None:
            self.deliver = None
            deliver(self.answers)


class UncommittedTickets:
    """Tickets that uncommitted batches have issued or redeemed."""

    def __init__(self) -> None:
        self._issued: dict[TicketNumber, Issued] = {}
        self._redeemed: set[TicketNumber] = set()

    def note(self, pending: TableBatch, event: AnyEvent) -> None:
        if isinstance(event, CashedOut):
            issued = Issued(event.ticket, event.cents, event.expires)
            pending.issued[event.ticket] = self._issued[event.ticket] = issued
        elif isinstance(event, TicketRedeemed):
            pending.redeemed.append(event.ticket)
            self._redeemed.add(event.ticket)

    def ticket(self, number: TicketNumber, stored: Ticket | None) -> Ticket | None:
        """Return a ticket with the changes of uncommitted batches. ``stored`` is the ticket in the store."""
        redeemed = number in self._redeemed
        if (issued := self._issued.get(number)) is not None:
            return Ticket(number, issued.cents, issued.expires, redeemed)
        return Ticket(number, stored.cents, stored.expires, True) if stored is not None and redeemed else stored

    def forget(self, pending: TableBatch) -> None:
        """Remove the tickets of a committed batch, because the store contains them now."""
        for number in pending.issued:
            del self._issued[number]
        self._redeemed.difference_update(pending.redeemed)


def index_entry(pending: TableBatch, tickets: UncommittedTickets, entry: Entry) -> None:
    """Index an entry and note its tickets. Set the batch's ``moved_at`` if the entry affects more than one seat."""
    pending.index += index_of((entry,))
    for event in entry.events:
        if type(event) in _TICKET_EVENTS:
            tickets.note(pending, event)
        elif type(event) not in SINGLE_SEAT_EVENTS:
            pending.moved_at = entry.seq


def last_move(entries: Iterable[Entry], before: Seq) -> Seq:
    """Return the number of the last entry that affects more than one seat, or ``before`` if there is none."""
    for entry in entries:
        if any(type(event) not in SINGLE_SEAT_EVENTS for event in entry.events):
            before = entry.seq
    return before
