"""A batch of decided commands before its commit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

from msgspec import Struct, field

from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.journal.entry import BEGINNING, GENESIS, Answer, ChainHash, Entry, Seq
from roundhouse.journal.index import IndexRow, index_of
from roundhouse.journal.store import Batch, BatchState, Issued, Redeemed, Row
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent, CashedOut, ConcealedCashOut, ConcealedRedemption, TicketRedeemed
from roundhouse.table.names import RoundNumber, TicketId
from roundhouse.table.state import RoundRecord

_TICKET_EVENTS = frozenset({CashedOut, ConcealedCashOut, TicketRedeemed, ConcealedRedemption})
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
    issued: dict[TicketId, Issued] = field(default_factory=dict)
    redeemed: list[Redeemed] = field(default_factory=list)
    rounds: dict[RoundNumber, RoundRecord] = field(default_factory=dict)
    index: list[IndexRow] = field(default_factory=list)
    batch: Batch | None = None
    """The transaction to commit; ``None`` if the commands added no entries or the batch has failed."""
    bug: str = ""
    """Text of the unexpected exception because of which the table must stop; empty if there was none. The exception
    was raised when this batch was decided, or earlier if that stop is not recorded yet."""
    deliver: Deliver | None = None

    def deliver_answers(self) -> None:
        """Call ``deliver`` with the answers. Only the first call has an effect."""
        if (deliver := self.deliver) is not None:
            self.deliver = None
            deliver(self.answers)


class NotesTickets(Protocol):
    """Notes tickets of uncommitted batches. ``TicketDesk`` implements this protocol."""

    def note(self, pending: TableBatch, entry: Entry, event: AnyEvent) -> None: ...


def index_entry(pending: TableBatch, tickets: NotesTickets, entry: Entry) -> None:
    """Index an entry and note its tickets. Set the batch's ``moved_at`` if the entry affects more than one seat."""
    pending.index += index_of((entry,))
    for event in entry.events:
        if type(event) in _TICKET_EVENTS:
            tickets.note(pending, entry, event)
        elif type(event) not in SINGLE_SEAT_EVENTS:
            pending.moved_at = entry.seq


def last_move(entries: Iterable[Entry], before: Seq) -> Seq:
    """Return the number of the last entry that affects more than one seat, or ``before`` if there is none."""
    for entry in entries:
        if any(type(event) not in SINGLE_SEAT_EVENTS for event in entry.events):
            before = entry.seq
    return before
