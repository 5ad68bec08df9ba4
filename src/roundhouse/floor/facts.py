"""Facts that the house supplies with a command: tickets, terms of the table, and packages of a terminal."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from roundhouse.floor.batch import UncommittedTickets
from roundhouse.floor.clock import Clock
from roundhouse.journal.store import Store
from roundhouse.rules.names import PackageId
from roundhouse.table.commands import AnyCommand, BallAtRest, CashOut, OpenTable, RedeemTicket, TakeSeat
from roundhouse.table.decision import Facts
from roundhouse.table.names import SeatId

NEEDS_FACTS: Final = frozenset({BallAtRest, CashOut, RedeemTicket, OpenTable, TakeSeat, type(None)})
"""Commands that are decided on more than the time. ``None`` stands for a recovery."""

Offers = Mapping[SeatId, tuple[PackageId, ...]]
"""Packages offered at the terminals of seats, where the house does not offer all of the terminal's type."""


def complete_facts(
    facts: Facts,
    command: AnyCommand | None,
    store: Store,
    tickets: UncommittedTickets,
    clock: Clock,
    offers: Offers,
    ball_on_line: bool | None,
) -> Facts:
    """Add what a command is decided on besides the time and the house's terms.

    ``ball_on_line`` is whether the wheel's line saw a ball in this round; ``None`` without a wheel.
    """
    match command:
        case RedeemTicket(ticket=number):
            return replace(facts, ticket=tickets.ticket(number, store.ticket(number)))
        case CashOut():
            return replace(facts, fresh_ticket=clock.fresh_ticket())
        case BallAtRest():
            return replace(facts, ball_on_line=ball_on_line)
        case TakeSeat(seat=seat):
            return replace(facts, offers=offers.get(seat))
        case _:
            return facts
