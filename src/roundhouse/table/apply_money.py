"""Applies events about purchases, tickets, changed limits and replaced terminals to the state."""

from msgspec import UNSET

from roundhouse.table import events as e
from roundhouse.table import seat_sessions as sessions
from roundhouse.table.apply_desk import exchange
from roundhouse.table.evidence import Source, plain_name
from roundhouse.table.money_state import KEPT_PURCHASES, AskedCashOut, Purchase
from roundhouse.table.names import Millis, PersonName
from roundhouse.table.state import Seat, Table, TableState
from roundhouse.table.tallies import MoneyKind, add


def spent(seat: Seat) -> int:
    """Return what a seat has staked and cashed out in total, less stakes that came back without a win."""
    return seat.staked - seat.returned + seat.cashed_out


def buy(state: TableState, event: e.CreditsBought, at: Millis) -> None:
    seat = state.seats[event.seat]
    seat.credits += event.cents
    seat.bought += event.cents
    state.cashier -= event.cents
    state.meters.bought += event.cents
    sessions.receive(seat, at, event.new_session, event.house)
    if event.in_float:
        exchange(state, event.cents)
    if event.source is not None:
        state.purchases = event.number
        purchase = Purchase(event.number, event.cents, at, event.source, spent(seat))
        seat.purchases = (*(seat.purchases or ()), purchase)[-KEPT_PURCHASES:]
        _count(state, seat, MoneyKind.BUY_IN, event.cents, event.source, at)


def reverse(state: TableState, event: e.PurchaseReversed, at: Millis) -> None:
    seat = state.seats[event.seat]
    seat.credits -= event.cents
    seat.bought -= event.cents
    state.cashier += event.cents
    state.meters.bought -= event.cents
    if event.in_float:
        exchange(state, -event.cents)
    seat.purchases = tuple(one for one in seat.purchases or () if one.number != event.purchase)
    _count(state, seat, MoneyKind.REVERSAL, event.cents, event.source, at)


def cash_out(state: TableState, event: e.CashedOut, at: Millis) -> None:
    seat = state.seats[event.seat]
    seat.credits -= event.cents
    seat.cashed_out += event.cents
    state.tickets += event.cents
    state.meters.tickets_out += event.cents
    seat.asked = UNSET
    sessions.leave(seat, at)
    if isinstance(event, e.ConcealedCashOut) and event.in_float:
        exchange(state, event.cents)
    if event.source is not None:
        _count(state, seat, MoneyKind.CASH_OUT, event.cents, event.source, at)


def redeem(state: TableState, event: e.TicketRedeemed, at: Millis) -> None:
    seat = state.seats[event.seat]
    seat.credits += event.cents
    seat.redeemed += event.cents
    state.tickets -= event.cents
    state.meters.tickets_in += event.cents
    sessions.redeem(seat, event, at)
    if isinstance(event, e.ConcealedRedemption) and event.in_float:
        exchange(state, event.cents)
    if event.source is not None:
        _count(state, seat, MoneyKind.TICKET, event.cents, event.source, at)


def ask_cash_out(state: TableState, event: e.CashOutRequested, at: Millis) -> None:
    state.seats[event.seat].asked = AskedCashOut(at, event.cents, event.source)


def allow_enrolment(state: TableState, event: e.EnrolmentAllowed) -> None:
    state.seats[event.seat].enrolment_until = event.until


def begin_limits(table: Table) -> None:
    """Let changed limits begin with the round that opens."""
    if (limits := table.state.next_limits) is not UNSET:
        table.state.next_limits = UNSET
        table.set_limits(limits)


def _count(state: TableState, seat: Seat, kind: MoneyKind, cents: int, source: Source, at: Millis) -> None:
    alone = source.second is None
    seat.moved = add(seat.moved, kind, cents, alone, at)
    if source.who is not None:
        known = {} if state.moved_by is UNSET else state.moved_by
        state.moved_by = {**known, key_of(source.who): add(known.get(key_of(source.who), ()), kind, cents, alone, at)}


def key_of(who: PersonName) -> PersonName:
    """Return the name under which the amounts of a person are counted. It is one for all spellings of a name."""
    return PersonName(plain_name(who))
