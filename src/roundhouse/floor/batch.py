"""What was decided and is not durable yet: the keeper must see it, and nobody else may."""

from collections.abc import Callable
from concurrent.futures import Future

from msgspec import Struct, field

from roundhouse.journal.entry import Answer, ChainHash, Entry
from roundhouse.journal.store import Batch, Issued, Row
from roundhouse.table.commands import AnyCommand
from roundhouse.table.decision import Ticket
from roundhouse.table.events import AnyEvent, CashedOut, TicketRedeemed
from roundhouse.table.names import RequestId, RoundNumber, TicketNumber
from roundhouse.table.state import RoundRecord


class PendingBatch(Struct):
    """One batch: what was asked, what came of it, and what the store has to keep of it."""

    commands: list[AnyCommand]
    generation: int
    """Which reading of the journal it was decided on; after a batch has failed there is a new one."""
    follows: ChainHash
    """The entry that it was decided on."""
    answers: list[Answer] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    issued: dict[TicketNumber, Issued] = field(default_factory=dict)
    redeemed: list[TicketNumber] = field(default_factory=list)
    rounds: dict[RoundNumber, RoundRecord] = field(default_factory=dict)
    batch: Batch | None = None
    """Nothing where nothing was recorded: everything was asked before, or only shown; and where it has failed."""
    arrived: bool = False
    """Whether it is known to be durable, or to have failed."""


class Flight:
    """A batch that is being made durable. It lands in the thread of its keeper, once, and then is answered."""

    def __init__(self, arrive: Callable[[], None], land: Callable[[], None], sent: "Future[None] | None") -> None:
        self.arrive = arrive
        """Until it is known whether it is durable. Where nobody commits it in the background, it is committed then."""
        self._land: Callable[[], None] | None = land
        self.sent = sent
        """Done when the batch is durable; nothing where nothing has to be waited for."""

    def land(self) -> None:
        """Waits until it is durable, if it is not yet, and answers."""
        if (land := self._land) is not None:
            self._land = None
            land()


class UncommittedIndex:
    """Requests and tickets of the batches that are not durable yet, over what the store has."""

    def __init__(self) -> None:
        self.entries: dict[RequestId, Entry] = {}
        self._issued: dict[TicketNumber, Issued] = {}
        self._redeemed: set[TicketNumber] = set()

    def note(self, staged: PendingBatch, event: AnyEvent) -> None:
        if isinstance(event, CashedOut):
            issued = Issued(event.ticket, event.cents, event.expires)
            staged.issued[event.ticket] = self._issued[event.ticket] = issued
        elif isinstance(event, TicketRedeemed):
            staged.redeemed.append(event.ticket)
            self._redeemed.add(event.ticket)

    def ticket(self, number: TicketNumber, stored: Ticket | None) -> Ticket | None:
        """A ticket as everything that was decided leaves it."""
        redeemed = number in self._redeemed
        if (issued := self._issued.get(number)) is not None:
            return Ticket(number, issued.cents, issued.expires, redeemed)
        return Ticket(number, stored.cents, stored.expires, True) if stored is not None and redeemed else stored

    def forget(self, staged: PendingBatch) -> None:
        """A batch is durable: the store knows it now."""
        entries = self.entries
        for row in staged.rows:
            if row.request is not None:
                del entries[row.request]
        for number in staged.issued:
            del self._issued[number]
        self._redeemed.difference_update(staged.redeemed)
