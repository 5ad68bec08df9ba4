"""Decides commands about seats and tickets. The accounts are checked before every cash-out."""

from msgspec import UNSET

from roundhouse.rules.names import StaffPosition as P
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.authority import within_bounds
from roundhouse.table.decision import Decision, Facts, refuse, source_of, stopping, with_second_person
from roundhouse.table.floats import is_in_float
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import SEAT_NAME, TICKET_LIFE, Millis, TicketId, is_concealed
from roundhouse.table.purchases import has_asked
from roundhouse.table.refusals import Refusal
from roundhouse.table.seat_sessions import carried, carried_protection, is_replaced, session_after
from roundhouse.table.state import Table
from roundhouse.table.tallies import MoneyKind

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


def cash_out(table: Table, command: c.CashOut, facts: Facts) -> Decision:
    """Cash out a seat. The credits are the Player's, so staff do it after the Player asked, or with a second person.

    Where the house does not protect seats, a cashier does it alone. Colour chips belong to the table and are redeemed
    there first.
    """
    seat = table.state.seats.get(command.seat)
    if seat is not None and seat.colour:
        rule = table.game.rulebook.chips
        reason = f"the seat has {seat.colour.colour} chips of this table; redeem them first"
        return refuse(Refusal.SEAT_HAS_COLOUR, rule.colour_clause if rule else None, reason)
    decision = ticket_for(table, command, facts)
    if seat is None or decision.refused is not None:
        return decision
    if command.cents is not UNSET and command.cents != seat.credits:
        return refuse(Refusal.STATE_HAS_CHANGED, reason=f"the seat has {seat.credits} cents, not {command.cents}")
    decision = within_bounds(table, command, MoneyKind.CASH_OUT, seat, seat.credits, facts, decision)
    protects = facts.money is not None and facts.money.protects_seats
    if command.by is P.PLAYER or (command.by is P.CASHIER and not protects) or has_asked(seat, facts.at):
        return decision
    return with_second_person(command, decision, "cashing out a seat whose Player has not asked for it")


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
    source = None if facts.money is None else source_of(command)
    issued = seat.id, seat.credits, facts.fresh_ticket, expires, source
    if not is_concealed(facts.fresh_ticket):
        return Decision([e.CashedOut(*issued)])  # type: ignore[arg-type]
    in_float = is_in_float(table, command)
    along = (carried(seat, facts.at), carried_protection(seat, facts.at)) if facts.carries_session else ()
    return Decision([e.ConcealedCashOut(*issued, in_float, *along)])  # type: ignore[arg-type]


def redeem_ticket(table: Table, command: c.RedeemTicket, facts: Facts) -> Decision:
    """Redeem a ticket once. ``facts.ticket`` shows whether it exists and was already redeemed."""
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    ticket = facts.ticket
    if ticket is None or ticket.number != TicketId(command.ticket):
        return refuse(Refusal.NO_SUCH_TICKET)
    if ticket.redeemed:
        return refuse(Refusal.TICKET_IS_REDEEMED)
    if facts.at > ticket.expires:
        return refuse(Refusal.TICKET_HAS_EXPIRED)
    source = None if facts.money is None else source_of(command)
    begins, house = session_after(seat, command.by, facts.protection, facts.at)
    event = e.TicketRedeemed(command.seat, ticket.cents, ticket.number, source, begins, house)
    if is_concealed(ticket.number):
        in_float, session = is_in_float(table, command), ticket.session or None
        begins = begins or is_replaced(seat, session)
        along = (in_float, session, ticket.protection or None)
        event = e.ConcealedRedemption(command.seat, ticket.cents, ticket.number, source, begins, house, *along)
    decision = Decision([event])
    decision = within_bounds(table, command, MoneyKind.TICKET, seat, ticket.cents, facts, decision)
    return with_second_person(command, decision, _DISPUTED) if ticket.disputed else decision
