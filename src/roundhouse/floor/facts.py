"""Facts that the house supplies with a command: tickets, terms of the table, and packages of a terminal."""

from collections.abc import Mapping
from typing import Final

from roundhouse.floor.batch import UncommittedTickets
from roundhouse.floor.clock import Clock
from roundhouse.journal.store import Store
from roundhouse.rules.names import PackageId
from roundhouse.table.commands import AnyCommand, CashOut, OpenTable, RedeemTicket, TakeSeat
from roundhouse.table.decision import Facts, HouseTerms
from roundhouse.table.names import Millis, SeatId

NEEDS_FACTS: Final = frozenset({CashOut, RedeemTicket, OpenTable, TakeSeat})
"""Commands that are decided on more than the time."""

Offers = Mapping[SeatId, tuple[PackageId, ...]]
"""Packages offered at the terminals of seats, where the house does not offer all of the terminal's type."""


def facts_for(
    command: AnyCommand,
    at: Millis,
    store: Store,
    tickets: UncommittedTickets,
    clock: Clock,
    offers: Offers,
    terms: HouseTerms,
) -> Facts:
    """Return the facts for a command of ``NEEDS_FACTS``."""
    match command:
        case RedeemTicket(ticket=number):
            return Facts(at, None, tickets.ticket(number, store.ticket(number)))
        case CashOut():
            return Facts(at, clock.fresh_ticket())
        case TakeSeat(seat=seat):
            return Facts(at, offers=offers.get(seat))
        case _:
            return Facts(at, house=terms)
