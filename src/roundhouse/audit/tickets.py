"""Checks tickets across tables: each is issued once and redeemed at most once, for the same amount.

The clocks of tables may differ, so times cannot order the entries of two tables. Instead, a table whose next entry
needs a ticket waits until the replay of another table has issued it. If all tables wait, a ticket was never issued.
"""

from collections.abc import Callable
from typing import NoReturn

import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.scratch import KnownTicket, Scratch
from roundhouse.journal.entry import Entry, Seq
from roundhouse.journal.seal import Key
from roundhouse.journal.ticket_numbers import TicketNumbers
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Ticket, issued_ticket
from roundhouse.table.names import TableId, TicketId


class Tickets:
    """The tickets that the replayed entries have issued and redeemed."""

    def __init__(
        self, scratch: Scratch, key: Key | None = None, is_disputed: Callable[[TicketId], bool] = lambda _: False
    ) -> None:
        self._scratch, self._is_disputed = scratch, is_disputed
        self._numbers = TicketNumbers(key) if key is not None else None
        self.clocks_apart = 0
        """Number of tickets redeemed before they were issued, by the clocks of the two tables."""

    def must_wait(self, entry: Entry) -> bool:
        """Return whether no replayed entry has issued the entry's ticket yet, or redeemed it if the entry says so."""
        if (ticket := entry.facts.ticket) is None:
            return False
        return self.is_unknown(ticket.number, ticket.redeemed)

    def is_unknown(self, id: TicketId, redeemed: bool) -> bool:
        """Return whether no replayed entry has issued a ticket yet, or redeemed it if it is said to be redeemed."""
        known = self._scratch.ticket(id)
        return known is None or (redeemed and known.redeemed_by is None)

    def check(self, table: TableId, entry: Entry) -> None:
        """Check the ticket in the entry's facts, then record the tickets that the entry issues or redeems."""
        self._check_facts(table, entry)
        for event in entry.events:
            if isinstance(event, e.CashedOut):
                if (known := self._scratch.ticket(event.ticket)) is not None:
                    _fail(table, entry, "a ticket number is used twice", "a new number", known)
                self._check_number(table, entry, event.ticket)
                carried = _carried(issued_ticket(event, redeemed=False))
                ticket = KnownTicket(event.cents, event.expires, table, entry.seq, entry.facts.at, carried)
                self._scratch.issue(event.ticket, ticket)
            elif isinstance(event, e.TicketRedeemed):
                known = self._scratch.ticket(event.ticket)
                assert known is not None, "``must_wait`` delays the entry until its ticket is issued"
                if known.redeemed_by is not None:
                    _fail(table, entry, "a ticket is redeemed twice", "once", f"first at table {known.redeemed_by}")
                found = entry.facts.ticket
                if found is not None and not found.disputed and self._is_disputed(event.ticket):
                    what = "a ticket in dispute was redeemed like any other"
                    _fail(table, entry, what, "a ticket in dispute", found)
                self.clocks_apart += entry.facts.at < known.issued_at
                self._scratch.redeem(event.ticket, table, entry.seq)

    def _check_number(self, table: TableId, entry: Entry, id: TicketId) -> None:
        if (salt := entry.facts.salt) is not None:
            self.check_number(table, entry.seq, salt, id)

    def check_number(self, table: TableId, seq: Seq, salt: str, id: TicketId) -> None:
        """Check that the key gives the ticket's number for its salt. This needs the key."""
        if self._numbers is not None and (expected := self._numbers.id(self._numbers.number(table, salt))) != id:
            what = "the id of a ticket is not that of its salt"
            fail(what, expected=expected, found=id, table=table, entry=seq)

    def _check_facts(self, table: TableId, entry: Entry) -> None:
        if not isinstance(entry.request, c.RedeemTicket):
            return
        known, ticket = self._scratch.ticket(TicketId(entry.request.ticket)), entry.facts.ticket
        if ticket is None:
            # Another table may have issued the ticket after this entry. A ticket of this table must have been found.
            if known is not None and known.issued_by == table:
                _fail(table, entry, "the request for an existing ticket found none", known, ticket)
            return
        assert known is not None, "``must_wait`` delays the entry until its ticket is issued"
        if (ticket.cents, ticket.expires) != (known.cents, known.expires):
            _fail(table, entry, "a ticket differs from the one that was issued", known, ticket)
        if _carried(ticket) != known.carried:
            _fail(table, entry, "the session of a ticket differs from the one that was issued", known, ticket)
        if not ticket.redeemed and known.redeemed_by == table:
            _fail(table, entry, "a redeemed ticket was treated as valid", known, ticket)


def _carried(ticket: Ticket) -> bytes:
    return msgspec.json.encode((ticket.session or None, ticket.protection or None))


def _fail(table: TableId, entry: Entry, what: str, expected: object, found: object) -> NoReturn:
    fail(what, expected=expected, found=found, table=table, entry=entry.seq)
