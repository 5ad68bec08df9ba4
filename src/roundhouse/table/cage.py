"""Decides commands about seats, credits and tickets. The accounts are checked before every cash-out."""

from roundhouse.rules.names import MAX_STAKE_CENTS
from roundhouse.rules.names import StaffPosition as P
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, Ticket, refuse, stopping, with_second_person
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import SEAT_NAME, TICKET_LIFE, Millis, TicketId, is_concealed
from roundhouse.table.protection import NO_HOUSE_PROTECTION, HouseProtection
from roundhouse.table.refusals import Refusal
from roundhouse.table.seat_sessions import carried, carried_protection, has_ended, is_replaced
from roundhouse.table.state import Seat, Table

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
    seat = table.state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if not 0 < command.cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    return Decision([e.CreditsBought(command.seat, command.cents, *_session_after(seat, command, facts))])


def _session_after(seat: Seat, command: c.Command, facts: Facts) -> tuple[bool, HouseProtection | None]:
    """Return whether money begins a new session at a seat that had one, and the limits of the house, if it has any."""
    house = facts.protection or NO_HOUSE_PROTECTION
    ended = has_ended(seat, facts.at, house, by_staff=command.by is not P.PLAYER)
    return ended, house if house.has_limits else None


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
    kind = e.ConcealedCashOut if is_concealed(facts.fresh_ticket) else e.CashedOut
    issued = seat.id, seat.credits, facts.fresh_ticket, expires
    if not is_concealed(facts.fresh_ticket) or not facts.carries_session:
        return Decision([kind(*issued)])  # type: ignore[arg-type]
    session, protection = carried(seat, facts.at), carried_protection(seat, facts.at)
    return Decision([e.ConcealedCashOut(*issued, session, protection)])  # type: ignore[arg-type]


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
    decision = Decision([_redemption(seat, ticket, command, facts)])
    return with_second_person(command, decision, _DISPUTED) if ticket.disputed else decision


def _redemption(seat: Seat, ticket: Ticket, command: c.RedeemTicket, facts: Facts) -> e.TicketRedeemed:
    begins, house = _session_after(seat, command, facts)
    redeemed = seat.id, ticket.cents, ticket.number
    if not is_concealed(ticket.number):
        return e.TicketRedeemed(*redeemed, begins, house)
    session, protection = ticket.session or None, ticket.protection or None
    return e.ConcealedRedemption(*redeemed, begins or is_replaced(seat, session), house, session, protection)
