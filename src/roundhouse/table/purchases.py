"""Decides purchases of credits and their reversal, requests for a cash-out, and another terminal at a seat."""

from typing import Final

from msgspec import UNSET

from roundhouse.rules.names import MAX_STAKE_CENTS
from roundhouse.rules.names import StaffPosition as P
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply_money import spent
from roundhouse.table.authority import within_bounds
from roundhouse.table.care import session_after
from roundhouse.table.decision import Decision, Facts, refuse, source_of, with_second_person
from roundhouse.table.evidence import Source, same_name
from roundhouse.table.floats import is_in_float
from roundhouse.table.money_state import Purchase
from roundhouse.table.names import Millis
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Seat, Table
from roundhouse.table.tallies import MoneyKind

MINUTE: Final = 60_000
REQUEST_LIFE: Final = 10 * MINUTE
"""Time in which staff may cash out a seat whose Player has asked for it, in milliseconds."""
OWN_MISTAKE: Final = 15 * MINUTE
"""Time in which the person who sold credits may reverse the purchase without a second person."""
ENROLMENT_LIFE: Final = 10 * MINUTE
"""Time in which another terminal may be enrolled at a seat with credits, after two persons allowed it."""


def buy_credits(table: Table, command: c.BuyCredits, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if not 0 < command.cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    if facts.money is None:
        return Decision([e.CreditsBought(command.seat, command.cents)])
    number, in_float = (table.state.purchases or 0) + 1, is_in_float(table, command)
    begins, house = session_after(seat, command, facts)
    bought = e.CreditsBought(command.seat, command.cents, number, source_of(command), in_float, begins, house)
    decision = Decision([bought])
    return within_bounds(table, command, MoneyKind.BUY_IN, seat, command.cents, facts, decision)


def reverse_purchase(table: Table, command: c.ReversePurchase, facts: Facts) -> Decision:
    """Reverse a purchase while its credits are unspent.

    The person who sold the credits does it alone within fifteen minutes, up to the bounds of a sale. In every other
    case a running house requires a second person.
    """
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    purchase = _purchase(seat, command)
    if purchase is None:
        return refuse(Refusal.NO_SUCH_PURCHASE, reason="the seat has no such purchase among its last ones")
    if seat.colour:
        rule = table.game.rulebook.chips
        reason = f"the seat has {seat.colour.colour} chips of this table; redeem them first"
        return refuse(Refusal.SEAT_HAS_COLOUR, rule.colour_clause if rule else None, reason)
    if spent(seat) != purchase.spent or seat.credits < purchase.cents:
        reason = f"the seat has bet or cashed out since purchase {purchase.number}"
        return refuse(Refusal.CREDITS_ARE_SPENT, reason=reason)
    why = "" if command.reason is UNSET else command.reason
    source = source_of(command)
    in_float = is_in_float(table, command)
    decision = Decision([e.PurchaseReversed(seat.id, purchase.cents, purchase.number, source, why, in_float)])
    decision = within_bounds(table, command, MoneyKind.REVERSAL, seat, purchase.cents, facts, decision)
    protects = facts.money is not None and facts.money.protects_seats
    if protects and not _own_mistake(purchase, source, facts.at):
        return with_second_person(command, decision, "reversing a purchase that one has not just sold oneself")
    return decision


def _purchase(seat: Seat, command: c.ReversePurchase) -> Purchase | None:
    known = seat.purchases or ()
    if command.purchase is UNSET:
        return known[-1] if known else None
    return next((one for one in known if one.number == command.purchase), None)


def _own_mistake(purchase: Purchase, source: Source, at: Millis) -> bool:
    """Return whether the person who sold the credits reverses the purchase within fifteen minutes."""
    seller = purchase.source
    if not seller.who or not source.who or seller.by is P.PLAYER:
        return False
    return same_name(seller.who, source.who) and at - purchase.at <= OWN_MISTAKE


def request_cash_out(table: Table, command: c.RequestCashOut, facts: Facts) -> Decision:
    """Record that a Player asks for a cash-out, or that staff ask the Player to confirm one at the terminal."""
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if not seat.credits:
        return refuse(Refusal.NO_CREDITS)
    return Decision([e.CashOutRequested(seat.id, seat.credits, source_of(command))])  # type: ignore[arg-type]


def has_asked(seat: Seat, at: Millis) -> bool:
    """Return whether the Player has asked for a cash-out of exactly these credits, in the last ten minutes."""
    asked = seat.asked
    if asked is UNSET or asked.source.by is not P.PLAYER:
        return False
    return asked.cents == seat.credits and at - asked.at <= REQUEST_LIFE


def allow_enrolment(table: Table, command: c.AllowEnrolment, facts: Facts) -> Decision:
    """Allow another terminal at a seat that has credits or bets.

    The holder of the terminal can take the money, so two persons decide.
    """
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if not seat.credits and not seat.on_layout:
        return refuse(Refusal.NO_CREDITS, reason="the seat has neither credits nor bets; enrol the terminal")
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="write why the seat gets another terminal")
    cents, until = seat.credits + seat.on_layout, Millis(facts.at + ENROLMENT_LIFE)
    event = e.EnrolmentAllowed(seat.id, cents, until, command.reason, source_of(command))  # type: ignore[arg-type]
    return with_second_person(command, Decision([event]), "enrolling another terminal at a seat with money")


def needs_allowance(seat: Seat | None, at: Millis, enrolled: Millis | None) -> bool:
    """Return whether another terminal at a seat needs two persons first.

    They allow one terminal. ``enrolled`` is when the last terminal was enrolled at the seat.
    """
    if seat is None or not (seat.credits or seat.on_layout):
        return False
    if seat.enrolment_until is UNSET or at > seat.enrolment_until:
        return True
    return enrolled is not None and enrolled > seat.enrolment_until - ENROLMENT_LIFE
