"""Applies an event to the state of the cage."""

from typing import assert_never

from roundhouse.cage import events as e
from roundhouse.cage.commands import PayTicket, SellCredits
from roundhouse.cage.entry import CageEntry
from roundhouse.cage.names import CashDirection
from roundhouse.cage.state import Barred, CageState, Drawer, person_sum, seat_sum
from roundhouse.table.names import PersonName


def apply_entry(state: CageState, entry: CageEntry) -> None:
    """Apply all events of an entry, and add its cash to the sums of the day."""
    state.at = entry.facts.at
    if entry.facts.day != state.day and entry.facts.day:
        state.day, state.sums = entry.facts.day, {}
    request = entry.request
    who = request.who if request is not None and isinstance(request.who, str) else None
    for event in entry.events:
        apply(state, event, who)
        match event:
            case e.CreditsSold(cents=cents) if isinstance(request, SellCredits):
                _add_person(state, request, CashDirection.IN, cents)
            case e.TicketPaid(cents=cents) if isinstance(request, PayTicket):
                _add_person(state, request, CashDirection.OUT, cents)
                if (ticket := entry.facts.ticket) is not None and ticket.seat is not None:
                    _add(state, seat_sum(ticket.table, ticket.seat), cents)
            case _:
                pass


def _add_person(state: CageState, request: SellCredits | PayTicket, direction: CashDirection, cents: int) -> None:
    if request.person:
        for key in request.person.keys:
            _add(state, person_sum(key, direction), cents)


def _add(state: CageState, name: str, cents: int) -> None:
    state.sums[name] = state.sums.get(name, 0) + cents


def apply(state: CageState, event: e.AnyCageEvent, who: PersonName | None) -> None:
    """Apply one event. ``who`` is the person who made the request."""
    match event:
        case e.CageTermsSet(terms):
            state.terms = terms
            for id in terms.drawers:
                state.drawers.setdefault(id, Drawer())
        case e.DrawerOpened(id, cents):
            state.drawers[id] = Drawer(who, state.at, cents, cents)
            state.vault += cents
        case e.DrawerFilled(id, cents):
            drawer = state.drawers[id]
            drawer.cash, drawer.filled = drawer.cash + cents, drawer.filled + cents
            state.vault += cents
        case e.DrawerDropped(id, cents):
            drawer = state.drawers[id]
            drawer.cash, drawer.dropped = drawer.cash - cents, drawer.dropped + cents
            state.vault -= cents
        case e.DrawerCounted(id, cents, _, variance):
            drawer = state.drawers[id]
            drawer.counted, drawer.variance = cents, variance
        case e.DrawerClosed(id, cents, variance):
            state.drawers[id] = Drawer()
            state.vault -= cents
            state.variance += variance
        case e.CreditsSold(id, cents):
            drawer = state.drawers[id]
            drawer.cash, drawer.sold = drawer.cash + cents, drawer.sold + cents
            state.tickets += cents
        case e.TicketPaid(id, cents):
            drawer = state.drawers[id]
            drawer.cash, drawer.paid = drawer.cash - cents, drawer.paid + cents
            state.tickets -= cents
        case e.TicketVoided(cents):
            state.tickets -= cents
            state.voided += cents
        case e.PersonBarred(barred, keys, initials, reason):
            state.barred[barred] = Barred(keys, initials, reason, state.at, who)
            state.listed += 1
        case e.PersonUnbarred(barred):
            del state.barred[barred]
        case e.TicketLookedUp() | e.CashReported() | e.PersonChecked():
            return
        case _:
            assert_never(event)
