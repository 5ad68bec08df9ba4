"""Verifies the chain of the cage: decides every request again, and keeps a second ledger from postings alone.

Tickets are checked across all chains: the cage and the tables share ``Scratch``, so a ticket that two of them paid is
found. An entry that needs a ticket waits until the replay has issued it.
"""

from collections.abc import Callable, Iterator
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.audit.chain import Links
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.scratch import NOTHING_CARRIED, KnownTicket, Scratch
from roundhouse.audit.tickets import Tickets
from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.apply import apply_entry
from roundhouse.cage.decide import decide
from roundhouse.cage.entry import CageDecision, CageEntry, PresentedTicket, decode, encode
from roundhouse.cage.ledger import balances, imbalance, postings
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.cage.state import CageState
from roundhouse.journal.derived import EMPTY_LOG, Derived, cage_shape, derived_of, extend_by_cage
from roundhouse.journal.entry import ChainHash, Seq
from roundhouse.journal.entry import decode as decode_entry
from roundhouse.journal.seal import Key, snapshot_fits
from roundhouse.journal.store import Row
from roundhouse.table.events import CashedOut
from roundhouse.table.names import Account, SeatId, TableId, TicketId

# Exceptions of decide and apply that mean an impossible entry.
_IMPOSSIBLE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


class CageSummary(Struct, frozen=True):
    """The verified figures of the cage. Amounts are in cents."""

    entries: int
    head: str
    """Hash of the last entry."""
    seals: int
    drawers_open: int
    cash: int
    """Cash that the open drawers must contain."""
    vault: int
    tickets: int
    """Tickets that the cage issued, minus those that it paid or voided."""
    voided: int
    variance: int
    barred: int


class CageProof:
    """The verification of the cage's chain."""

    id = CAGE_CHAIN

    def __init__(self, file: JournalFile, scratch: Scratch, key: Key | None) -> None:
        self._file, self._scratch, self._key = file, scratch, key
        self._state = CageState()
        self._ledger: dict[Account, int] = {}
        self._log = EMPTY_LOG
        self.chain = Links(decode, CAGE_CHAIN, file.entries(CAGE_CHAIN), file.seals(CAGE_CHAIN), key)
        self._rows = iter(self.chain)
        self._next: tuple[Row, CageEntry] | None = None
        self._snapshots = {snapshot.seq: snapshot for snapshot in file.snapshots(CAGE_CHAIN)}
        self._requests = 0
        self.waits = True

    @property
    def tickets(self) -> int:
        """Tickets that the cage issued, minus those that it paid or voided, by the second ledger."""
        return self._state.tickets

    @property
    def next_seq(self) -> Seq | None:
        return Seq(self._next[1].seq) if self._next else None

    @property
    def next_facts(self) -> object:
        return self._next[1].facts.ticket if self._next else None

    def ready(self, tickets: Tickets, is_disputed: Callable[[TicketId], bool]) -> Iterator[tuple[ChainHash, CageEntry]]:
        """Check and yield entries, until one must wait for a table or the chain ends."""
        while True:
            if self._next is None:
                self._next = next(self._rows, None)
            if self._next is None:
                self._finish()
                self.waits = False
                return
            row, entry = self._next
            if (ticket := entry.facts.ticket) is not None and tickets.is_unknown(ticket.number, ticket.redeemed):
                return
            self._check_facts(entry, tickets, is_disputed)
            self._check_decision(entry)
            self._check_request(entry)
            self._move_tickets(entry)
            self._log = extend_by_cage(self._log, entry)
            self._check_snapshot(row)
            self._next = None
            yield row.hash, entry

    def _check_decision(self, entry: CageEntry) -> None:
        state = self._state
        if entry.facts.at < state.at:
            self._fail(entry, "an entry is older than the one before it", state.at, entry.facts.at)
        if entry.request is None:
            if len(entry.events) != 1 or not isinstance(entry.events[0], e.CageTermsSet) or entry.refusal is not None:
                self._fail(entry, "an entry without a request sets the terms of the cage", "cage_terms_set", entry)
        else:
            try:
                found = decide(state, entry.request, entry.facts)
            except _IMPOSSIBLE as error:
                self._fail(entry, "the request cannot be decided", error, entry)
            self._compare(entry, found)
        try:
            apply_entry(state, entry)
        except _IMPOSSIBLE as error:
            self._fail(entry, "an event cannot have happened", error, entry)
        self._post(entry)

    def _compare(self, entry: CageEntry, found: CageDecision) -> None:
        refused = found.refused
        expected = (found.events, refused.refusal if refused else None, refused.reason if refused else None)
        recorded = (entry.events, entry.refusal, entry.reason)
        if refused is not None:
            expected = ((), refused.refusal, refused.reason)
        if expected != recorded:
            what = "the decision of a request at the cage differs"
            self._fail(entry, what, encode(expected), encode(recorded))

    def _post(self, entry: CageEntry) -> None:
        """Post the events in the second ledger, and compare it with the state."""
        moved = False
        for event in entry.events:
            total = 0
            for account, cents in postings(event):
                self._ledger[account] = self._ledger.get(account, 0) + cents
                total += cents
                moved = True
            if total:
                self._fail(entry, "the postings of an event at the cage do not balance", 0, total)
        if not moved:
            return
        in_state = {account: cents for account, cents in balances(self._state).items() if cents}
        posted = {account: cents for account, cents in self._ledger.items() if cents}
        if posted != in_state:
            self._fail(entry, "the accounts of the cage differ", posted, in_state)
        if wrong := imbalance(self._state):
            self._fail(entry, "the accounts of the cage do not balance", "a balance", wrong)

    def _check_facts(self, entry: CageEntry, tickets: Tickets, is_disputed: Callable[[TicketId], bool]) -> None:
        facts, request = entry.facts, entry.request
        if facts.salt is not None and facts.fresh_ticket is not None:
            tickets.check_number(CAGE_CHAIN, Seq(entry.seq), facts.salt, facts.fresh_ticket)
        if not isinstance(request, c.PayTicket | c.VoidTicket | c.LookUpTicket):
            return
        known = self._scratch.ticket(request.ticket)
        if (ticket := facts.ticket) is None:
            if known is not None and known.issued_by == CAGE_CHAIN:
                self._fail(entry, "the request for an existing ticket found none", known, ticket)
            return
        assert known is not None, "an entry waits until its ticket is issued"
        disputed = ticket.disputed if self._key is None else is_disputed(ticket.number)
        issued = (known.cents, known.expires, known.issued_by)
        expected = PresentedTicket(
            request.ticket, *issued[:2], ticket.redeemed, issued[2], self._seat_of(request.ticket, known), disputed
        )
        if ticket != expected:
            self._fail(entry, "a ticket differs from the one that was issued", expected, ticket)
        if not ticket.redeemed and known.redeemed_by == CAGE_CHAIN:
            self._fail(entry, "a ticket that the cage paid or voided was treated as valid", known, ticket)

    def _seat_of(self, id: TicketId, known: KnownTicket) -> SeatId | None:
        """Return the seat that was cashed out with a ticket, from the entry that issued it."""
        if known.issued_by == CAGE_CHAIN:
            return None
        sql = "SELECT body FROM entries WHERE table_id = ? AND seq = ?"
        for (body,) in self._file.rows(sql, (known.issued_by, known.issued_in), (bytes,)):
            for event in decode_entry(body).events:
                if isinstance(event, CashedOut) and event.ticket == id:
                    return event.seat
        return None

    def _move_tickets(self, entry: CageEntry) -> None:
        for event in entry.events:
            if isinstance(event, e.CreditsSold):
                if (known := self._scratch.ticket(event.ticket)) is not None:
                    self._fail(entry, "a ticket number is used twice", "a new number", known)
                ticket = KnownTicket(
                    event.cents, event.expires, CAGE_CHAIN, Seq(entry.seq), entry.facts.at, NOTHING_CARRIED
                )
                self._scratch.issue(event.ticket, ticket)
            elif isinstance(event, e.TicketPaid | e.TicketVoided):
                known = self._scratch.ticket(event.ticket)
                if known is None or known.redeemed_by is not None:
                    by = known.redeemed_by if known is not None else None
                    self._fail(entry, "a ticket is paid twice", "once", f"first by {by}")
                self._scratch.redeem(event.ticket, CAGE_CHAIN, Seq(entry.seq))

    def _check_request(self, entry: CageEntry) -> None:
        if entry.request is None:
            return
        self._requests += 1
        seq = self._file.seq_of(CAGE_CHAIN, entry.request.id)
        if seq != entry.seq:
            what = f"the register of requests has a wrong entry for '{entry.request.id}'"
            self._fail(entry, what, f"entry {entry.seq}", seq)

    def _check_snapshot(self, row: Row) -> None:
        if (snapshot := self._snapshots.pop(row.seq, None)) is None:
            return
        stored = derived_of(snapshot)
        derived = Derived(self._log, shape=cage_shape())
        wrong = snapshot.hash != row.hash or replace(derived, shape=stored.shape) != stored
        if wrong or (stored.shape == derived.shape and encode(self._state) != snapshot.memory):
            what = "a snapshot differs from the replayed state"
            fail(what, expected=encode(self._state), found=snapshot.memory, table=CAGE_CHAIN, entry=row.seq)
        if self._key is not None and not snapshot_fits(self._key, CAGE_CHAIN, snapshot):
            what = "the seal of a snapshot does not fit"
            fail(what, expected="the seal of the house", found=snapshot.seal.hex(), table=CAGE_CHAIN, entry=row.seq)

    def _finish(self) -> None:
        for seq in self._snapshots:
            fail("a snapshot of a missing entry", expected=None, found=seq, table=CAGE_CHAIN)
        if (found := self._file.count("requests", CAGE_CHAIN)) != self._requests:
            what = "the register of requests has a wrong number of rows"
            fail(what, expected=self._requests, found=found, table=CAGE_CHAIN)
        if found := self._file.count("rounds", CAGE_CHAIN):
            fail("the cage's chain must have no rounds", expected=0, found=found, table=CAGE_CHAIN)
        if self._file.is_indexed and (row := next(iter(self._file.index(CAGE_CHAIN)), None)) is not None:
            fail("the cage's chain must have no index", expected=None, found=row, table=CAGE_CHAIN)

    def summary(self) -> CageSummary | None:
        if not self.chain.seq:
            return None
        state, chain = self._state, self.chain
        opened = [drawer for drawer in state.drawers.values() if drawer.is_open]
        return CageSummary(
            entries=chain.seq,
            head=chain.hash.hex(),
            seals=chain.seals,
            drawers_open=len(opened),
            cash=sum(drawer.cash for drawer in opened),
            vault=state.vault,
            tickets=state.tickets,
            voided=state.voided,
            variance=state.variance,
            barred=len(state.barred),
        )

    def _fail(self, entry: CageEntry, what: str, expected: object, found: object) -> NoReturn:
        fail(what, expected=expected, found=found, table=CAGE_CHAIN, entry=Seq(entry.seq))


def check_outstanding(tables: dict[TableId, int], cage: int, outstanding: int) -> None:
    """Check that the accounts ``tickets`` of all tables and of the cage add up to the outstanding tickets."""
    if (total := sum(tables.values()) + cage) != outstanding:
        what = "the accounts of tickets of the tables and the cage do not add up to the outstanding tickets"
        fail(what, expected=outstanding, found=total)
