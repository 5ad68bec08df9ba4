"""Tickets at a table: derives their numbers, conceals them in the journal, and finds those of uncommitted batches.

Only the answer to the request that issued a ticket shows its number. Everything else, above all the journal, names it
by its id. A ticket is paid from the entry that issued it (``journal.proof``).
"""

from collections.abc import Callable

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from roundhouse.floor.batch import TableBatch
from roundhouse.floor.failures import id_is_used
from roundhouse.journal.derived import TicketLog, extend_by
from roundhouse.journal.entry import Answer, Entry, answer_of
from roundhouse.journal.proof import proven_ticket
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Issued, Redeemed, Store
from roundhouse.journal.ticket_numbers import TicketNumbers
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, CashOut, RedeemTicket, ReversePurchase
from roundhouse.table.decision import Ticket, issued_ticket
from roundhouse.table.events import AnyEvent, CashedOut, ConcealedCashOut, ConcealedRedemption, TicketRedeemed
from roundhouse.table.evidence import Source
from roundhouse.table.names import TableId, TicketId, TicketNumber, is_concealed, masked
from roundhouse.wire.messages import IssuedTicket


class TicketDesk:
    """The tickets of one table's working state. ``log`` is the digest of all its tickets."""

    def __init__(self, store: Store, key: Key, table: TableId, log: TicketLog) -> None:
        self._store, self._key, self._table = store, key, table
        self._numbers = TicketNumbers(key)
        self._issued: dict[TicketId, CashedOut] = {}
        self._redeemed: set[TicketId] = set()
        self.log = log

    def id_for(self, salt: str) -> TicketId:
        """Return the id of the ticket that this table issues with a salt."""
        return self._numbers.id(self._numbers.number(self._table, salt))

    @property
    def fault(self) -> str:
        """Why no ticket can be redeemed; empty if tickets can be redeemed."""
        return self._store.tickets_fault

    def conceal(self, command: AnyCommand) -> AnyCommand:
        """Replace the presented number by the ticket's id. An old ticket is named by its number in the journal."""
        if not isinstance(command, RedeemTicket):
            return command
        number = TicketId(command.ticket)
        if not is_concealed(number) and not self.fault and self._store.ticket(number) is not None:
            return command
        # Every text that a client sends is hashed, so knowing the id of a ticket is not enough to redeem it.
        return replace(command, ticket=TicketNumber(self._numbers.id(command.ticket)))

    def repeated(self, entry: Entry, command: AnyCommand) -> Answer:
        """Return the recorded answer to a resent command, or a refusal if another command had its id.

        A command that a second person approved may be resent without the second person. Entries before format 3
        contain the number that was presented.
        """
        recorded = entry.request
        assert recorded is not None, "an entry of a request has it"
        resent = [recorded, proposed := replace(recorded, second=UNSET)]
        # An approved command names what was approved, the proposal need not.
        if isinstance(proposed, CashOut):
            resent.append(replace(proposed, cents=UNSET))
        elif isinstance(proposed, ReversePurchase):
            resent.append(replace(proposed, purchase=UNSET))
        if recorded == command or self.conceal(command) in resent:
            return self.answer(entry, command)
        return id_is_used(command)

    def answer(self, entry: Entry, command: AnyCommand) -> Answer:
        """Return the answer to a command, with the number of the ticket that it issued or redeemed."""
        answer = answer_of(entry)
        match entry.events:
            case [ConcealedCashOut(seat, cents, _, expires, source)] if entry.facts.salt is not None:
                number = TicketId(self._numbers.number(self._table, entry.facts.salt))
                return replace(answer, events=[CashedOut(seat, cents, number, expires, source)])
            case [ConcealedRedemption(seat, cents, _, source)] if isinstance(command, RedeemTicket):
                number = TicketId(command.ticket)
                return replace(answer, events=[TicketRedeemed(seat, cents, number, source)])
        return answer

    def find(self, id: TicketId) -> Ticket | None:
        """Find a ticket, with the changes of uncommitted batches."""
        redeemed = id in self._redeemed
        if (issued := self._issued.get(id)) is not None:
            return issued_ticket(issued, redeemed)
        stored = proven_ticket(self._store, self._key, id)
        return replace(stored, redeemed=True) if stored is not None and redeemed else stored

    def note(self, pending: TableBatch, entry: Entry, event: AnyEvent) -> None:
        """Note a ticket that a decided entry issued or redeemed."""
        if isinstance(event, CashedOut):
            pending.issued[event.ticket] = Issued(event.ticket, event.cents, event.expires, entry.seq)
            self._issued[event.ticket] = event
        elif isinstance(event, TicketRedeemed):
            pending.redeemed.append(Redeemed(event.ticket, entry.seq))
            self._redeemed.add(event.ticket)
        self.log = extend_by(self.log, entry)

    def forget(self, pending: TableBatch) -> None:
        """Remove the tickets of a committed batch, because the store contains them now."""
        for id in pending.issued:
            del self._issued[id]
        self._redeemed.difference_update(redeemed.id for redeemed in pending.redeemed)


def tickets_by_staff(key: Key, table: TableId) -> Callable[[Entry], IssuedTicket | UnsetType]:
    """Return a function that finds the ticket by which staff cashed out a seat, with its number.

    Only the terminal of the seat receives it. A terminal knows the tickets that it asked for itself.
    """
    numbers = TicketNumbers(key)

    def find(entry: Entry) -> IssuedTicket | UnsetType:
        match entry.events:
            case [ConcealedCashOut(_, cents, _, expires, Source(by=by))] if by is not StaffPosition.PLAYER:
                assert entry.facts.salt is not None, "a concealed ticket has a salt"
                return IssuedTicket(numbers.number(table, entry.facts.salt), cents, expires, by)
        return UNSET

    return find


def without_numbers(answer: Answer) -> Answer:
    """Return an answer with the last four digits of tickets only, for a person who does not hold them."""
    events = [
        replace(event, ticket=TicketId(masked(event.ticket)))
        if isinstance(event, CashedOut | TicketRedeemed)
        else event
        for event in answer.events or ()
    ]
    return replace(answer, events=events) if events else answer
