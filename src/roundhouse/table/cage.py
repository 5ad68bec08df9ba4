"""Decides commands about seats, credits and tickets. The accounts are checked before every cash-out."""

from roundhouse.rules.names import MAX_STAKE_CENTS
from roundhouse.rules.names import StaffPosition as P
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, refuse, stopping, with_second_person
from roundhouse.table.floats import is_in_float
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import SEAT_NAME, TICKET_LIFE, Millis, TicketId, is_concealed
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table

_DISPUTED = "the ticket may have been paid before the journal was restored from a backup: redeeming it"


def take_seat(table: Table, command: c.TakeSeat, facts: Facts) -> Decision:
    if not SEAT_NAME.fullmatch(command.seat):
        return refuse(
            Refusal.NO_SUCH_SEAT, reason="a seat name has 1 to 40 letters, digits, dots, dashes and underscores"
        )
    if command.seat in table.state.seats:
        return refuse(Refusal.SEAT_IS_TAKEN)
    if command.terminal not in table.game.terminals:
        known = ", ".join(table.game.terminals)
        return refuse(Refusal.NO_SUCH_TERMINAL, reason=f"use one of this game's terminals: {known}")
    layout = table.game.terminals[command.terminal].layout.id
    return Decision([e.SeatTaken(command.seat, command.terminal, layout, facts.offers)])


def buy_credits(table: Table, command: c.BuyCredits, facts: Facts) -> Decision:
    if command.seat not in table.state.seats:
        return refuse(Refusal.NO_SUCH_SEAT)
    if not 0 < command.cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    return Decision([e.CreditsBought(command.seat, command.cents, is_in_float(table, command))])


def cash_out(table: Table, command: c.CashOut, facts: Facts) -> Decision:
    """Cash out a seat. A Dealer does it only with a second person, because the credits are the Player's.

    Colour chips belong to the table and are redeemed there first.
    """
    seat = table.state.seats.get(command.seat)
    if seat is not None and seat.colour:
        rule = table.game.rulebook.chips
        reason = f"the seat has {seat.colour.colour} chips of this table; redeem them first"
        return refuse(Refusal.SEAT_HAS_COLOUR, rule.colour_clause if rule else None, reason)
    decision = ticket_for(table, command, facts)
    if command.by in (P.PLAYER, P.CASHIER):
        return decision
    return with_second_person(command, decision, "cashing out a seat")


def ticket_for(table: Table, command: c.CashOut, facts: Facts) -> Decision:
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if wrong := imbalance(table.state):
        return stopping(wrong)
    if not seat.credits:
        return refuse(Refusal.NO_CREDITS)
    assert facts.fresh_ticket is not None, "the writer supplies a ticket number with every cash-out"
    expires = Millis(facts.at + (TICKET_LIFE if facts.ticket_life is None else facts.ticket_life))
    if not is_concealed(facts.fresh_ticket):
        return Decision([e.CashedOut(seat.id, seat.credits, facts.fresh_ticket, expires)])  # type: ignore[arg-type]
    in_float = is_in_float(table, command)
    return Decision([e.ConcealedCashOut(seat.id, seat.credits, facts.fresh_ticket, expires, in_float)])  # type: ignore[arg-type]


def redeem_ticket(table: Table, command: c.RedeemTicket, facts: Facts) -> Decision:
    """Redeem a ticket once. ``facts.ticket`` shows whether it exists and was already redeemed."""
    if command.seat not in table.state.seats:
        return refuse(Refusal.NO_SUCH_SEAT)
    ticket = facts.ticket
    if ticket is None or ticket.number != TicketId(command.ticket):
        return refuse(Refusal.NO_SUCH_TICKET)
    if ticket.redeemed:
        return refuse(Refusal.TICKET_IS_REDEEMED)
    if facts.at > ticket.expires:
        return refuse(Refusal.TICKET_HAS_EXPIRED)
    if not is_concealed(ticket.number):
        decision = Decision([e.TicketRedeemed(command.seat, ticket.cents, ticket.number)])
    else:
        in_float = is_in_float(table, command)
        decision = Decision([e.ConcealedRedemption(command.seat, ticket.cents, ticket.number, in_float)])
    return with_second_person(command, decision, _DISPUTED) if ticket.disputed else decision
