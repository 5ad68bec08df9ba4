"""Tickets, the one thing that crosses tables: issued once, redeemed once, for the same cents, before they expire.

Tables have no common clock to be trusted. What is demanded is that there is an order of all their entries in
which every ticket is issued before it is redeemed: a table whose next entry needs a ticket waits until another
table has issued it, and when all wait for each other, somebody made money from nothing.
"""

from typing import NoReturn

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.scratch import KnownTicket, Scratch
from roundhouse.journal.entry import Entry
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.names import TableId


class Tickets:
    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self.clocks_apart = 0
        """How many were redeemed, by the clocks of two tables, before they were issued."""

    def must_wait(self, entry: Entry) -> bool:
        """Does the entry know of a ticket what no table has come to yet?"""
        if (ticket := entry.facts.ticket) is None:
            return False
        known = self._scratch.ticket(ticket.number)
        return known is None or (ticket.redeemed and known.redeemed_by is None)

    def check(self, table: TableId, entry: Entry) -> None:
        """That the facts are true; then what the entry does to tickets is noted."""
        self._check_facts(table, entry)
        for event in entry.events:
            if isinstance(event, e.CashedOut):
                if (known := self._scratch.ticket(event.ticket)) is not None:
                    _fail(table, entry, "a ticket's number is used twice", "a new number", known)
                ticket = KnownTicket(event.cents, event.expires, table, entry.facts.at, None)
                self._scratch.issue(event.ticket, ticket)
            elif isinstance(event, e.TicketRedeemed):
                known = self._scratch.ticket(event.ticket)
                assert known is not None, "an entry waits for its ticket"
                if known.redeemed_by is not None:
                    _fail(table, entry, "a ticket is redeemed twice", "once", f"first at table {known.redeemed_by}")
                self.clocks_apart += entry.facts.at < known.issued_at
                self._scratch.redeem(event.ticket, table)

    def _check_facts(self, table: TableId, entry: Entry) -> None:
        if not isinstance(entry.request, c.RedeemTicket):
            return
        known, ticket = self._scratch.ticket(entry.request.ticket), entry.facts.ticket
        if ticket is None:
            # Another table may have issued it later; this one knows what it issued itself.
            if known is not None and known.issued_by == table:
                _fail(table, entry, "a ticket that exists was not found", known, ticket)
            return
        assert known is not None, "an entry waits for its ticket"
        if (ticket.cents, ticket.expires) != (known.cents, known.expires):
            _fail(table, entry, "a ticket is not the one that was issued", known, ticket)
        if not ticket.redeemed and known.redeemed_by == table:
            _fail(table, entry, "a ticket that was redeemed was taken for a good one", known, ticket)


def _fail(table: TableId, entry: Entry, what: str, expected: object, found: object) -> NoReturn:
    fail(what, expected=expected, found=found, table=table, entry=entry.seq)
