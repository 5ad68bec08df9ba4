"""Double-entry bookkeeping: the postings of every event that moves money add up to zero.

| account | balance |
|---|---|
| ``seat:<id>`` | credits that the house owes to the seat |
| ``layout`` | stakes on the layout, until the round is settled or void |
| ``house`` | net win of the house; negative for a loss |
| ``cashier`` | negative: cash received for credits |
| ``tickets`` | tickets issued by this table, minus tickets it redeemed |
| ``shortfall`` | negative: amounts that corrections could not take back from seats |
| ``goodwill`` | negative: payments that ended disputes; listed after the first |

Postings are derived from events only, so they check the state independently of ``apply``, which maintains it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import UNSET

from roundhouse.table.events import (
    AnyEvent,
    BetsPlaced,
    BetsWithdrawn,
    CashedOut,
    CreditsBought,
    DisputeClosed,
    PurchaseReversed,
    Restated,
    RoundCorrected,
    RoundReinstated,
    RoundReversed,
    RoundSettled,
    RoundVoided,
    SeatDecided,
    StakeReturned,
    TicketRedeemed,
)
from roundhouse.table.names import CASHIER, GOODWILL, HOUSE, LAYOUT, SHORTFALL, TICKETS, Account, SeatId, seat_account
from roundhouse.table.state import TableState


class Posting(NamedTuple):
    account: Account
    cents: int


def postings(event: AnyEvent) -> list[Posting]:
    """Return the postings of an event. Their sum is zero; the list is empty if no money moves."""
    return list(_postings(event))


def _postings(event: AnyEvent) -> Iterator[Posting]:
    match event:
        case BetsPlaced(seat, bets):
            yield Posting(seat_account(seat), -sum(bets.values()))
            yield Posting(LAYOUT, sum(bets.values()))
        case BetsWithdrawn(seat, bets):
            yield Posting(LAYOUT, -sum(bets.values()))
            yield Posting(seat_account(seat), sum(bets.values()))
        case CreditsBought(seat, cents):
            yield Posting(CASHIER, -cents)
            yield Posting(seat_account(seat), cents)
        case PurchaseReversed(seat, cents):
            yield Posting(seat_account(seat), -cents)
            yield Posting(CASHIER, cents)
        case RoundSettled():
            for seat, (staked, returned) in event.seats.items():
                yield Posting(LAYOUT, -staked)
                yield Posting(seat_account(seat), returned)
                yield Posting(HOUSE, staked - returned)
        case RoundVoided():
            for seat, cents in event.seats.items():
                yield Posting(LAYOUT, -cents)
                yield Posting(seat_account(seat), cents)
        case RoundCorrected() | RoundReversed() | RoundReinstated():
            yield from _restated(event.seats)
        case SeatDecided():
            yield from _restated((event.change,))
        case StakeReturned(_, seat, cents):
            yield Posting(LAYOUT, -cents)
            yield Posting(seat_account(seat), cents)
        case CashedOut(seat, cents):
            yield Posting(seat_account(seat), -cents)
            yield Posting(TICKETS, cents)
        case TicketRedeemed(seat, cents):
            yield Posting(TICKETS, -cents)
            yield Posting(seat_account(seat), cents)
        case DisputeClosed(paid=paid) if paid:
            yield Posting(GOODWILL, -paid)
            yield Posting(seat_account(event.seat), paid)
        case _:
            return


def _restated(seats: Iterable[Restated]) -> Iterator[Posting]:
    for seat in seats:
        yield Posting(seat_account(seat.seat), seat.credited - seat.taken)
        yield Posting(SHORTFALL, -seat.shortfall)
        yield Posting(HOUSE, seat.was - seat.now)


def balances(state: TableState) -> dict[Account, int]:
    """Return the balances of all accounts, taken from the state."""
    return balances_of(state, state.seats)


def balances_of(state: TableState, seats: Iterable[SeatId]) -> dict[Account, int]:
    """Return the balances of the table's own accounts and of these seats."""
    found = {seat_account(id): state.seats[id].credits for id in seats}
    found |= {LAYOUT: state.layout, HOUSE: state.house, CASHIER: state.cashier}
    found |= {TICKETS: state.tickets, SHORTFALL: state.shortfall}
    if state.goodwill is not UNSET:
        found[GOODWILL] = state.goodwill
    return found


def imbalance(state: TableState) -> str | None:
    """Check the table's accounts. Return a description of the first discrepancy, or ``None`` if they balance.

    The texts are stored in ``TableStopped`` events, so they must not change.
    """
    for seat in state.seats.values():
        if seat.credits != seat.expected_credits() or seat.credits < 0:
            return f"seat {seat.id} has {seat.credits} cents of credits where {seat.expected_credits()} are due"
        if seat.on_layout != sum(seat.bets.values()):
            return f"seat {seat.id} has {sum(seat.bets.values())} cents on the layout where {seat.on_layout} are due"
    if state.layout != sum([seat.on_layout for seat in state.seats.values()]):
        return "the stakes on the layout are not those of the seats"
    if total := sum(balances(state).values()):
        return f"the accounts add up to {total} cents and not to nothing"
    return None
