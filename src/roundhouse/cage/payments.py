"""Decides commands about credits and tickets: selling, paying, looking up and voiding. Also what is reported."""

from msgspec import UNSET, UnsetType

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.drawers import CASHIER
from roundhouse.cage.entry import CageDecision, CageFacts, PresentedTicket
from roundhouse.cage.names import MANAGERS, SUPERVISORS, CageRefusal, CashDirection, DrawerId, ReportBasis, TicketStatus
from roundhouse.cage.rules import Refuse, accept, check_amount, check_customer, open_drawer_of, reason_of, sender_of
from roundhouse.cage.state import CageState, person_sum, seat_sum
from roundhouse.rules.names import Cents
from roundhouse.table.names import TICKET_LIFE, Millis, TicketId

AT_THE_CAGE = (*CASHIER, *SUPERVISORS)


def sell_credits(state: CageState, command: c.SellCredits, facts: CageFacts) -> CageDecision:
    open_drawer_of(state, command.drawer, sender_of(command, CASHIER))
    check_amount(command.cents)
    if command.person:
        check_customer(command.person)
        if state.terms.barred_list and state.barred_as(command.person.keys) is not None:
            raise Refuse(CageRefusal.PERSON_IS_BARRED, "this person is barred; sell nothing, and call the pit")
    _check_maximum(state, command.cents)
    assert facts.fresh_ticket is not None, "the writer supplies a ticket with every sale"
    expires = Millis(facts.at + (TICKET_LIFE if facts.ticket_life is None else facts.ticket_life))
    sold = e.CreditsSold(command.drawer, command.cents, facts.fresh_ticket, expires)
    report = _report(state, facts, command.drawer, CashDirection.IN, command.cents, sold.ticket, command.person, None)
    return accept(sold, *report, approvers=SUPERVISORS if _is_large(state, command.cents) else ())


def pay_ticket(state: CageState, command: c.PayTicket, facts: CageFacts) -> CageDecision:
    """Pay a ticket. A large or disputed one, or one of a barred person, needs a second person."""
    drawer = open_drawer_of(state, command.drawer, sender_of(command, CASHIER))
    barred = False
    if command.person:
        check_customer(command.person)
        barred = state.terms.barred_list and state.barred_as(command.person.keys) is not None
    ticket = _unpaid(command.ticket, facts)
    if facts.at > ticket.expires:
        raise Refuse(CageRefusal.TICKET_HAS_EXPIRED, "the ticket has expired; it can be voided with a second person")
    _check_maximum(state, ticket.cents)
    if ticket.cents > drawer.cash:
        raise Refuse(CageRefusal.NOT_ENOUGH_CASH, f"the drawer must contain {drawer.cash} cents; have it filled")
    paid = e.TicketPaid(command.drawer, ticket.cents, ticket.number)
    report = _report(state, facts, command.drawer, CashDirection.OUT, ticket.cents, paid.ticket, command.person, ticket)
    needed = barred or ticket.disputed or _is_large(state, ticket.cents)
    return accept(paid, *report, approvers=SUPERVISORS if needed else ())


def look_up_ticket(state: CageState, command: c.LookUpTicket, facts: CageFacts) -> CageDecision:
    sender_of(command, AT_THE_CAGE)
    ticket = facts.ticket
    if ticket is None or ticket.number != command.ticket:
        return accept(e.TicketLookedUp(command.ticket, TicketStatus.UNKNOWN))
    found = (ticket.cents, ticket.expires, ticket.table, ticket.seat)
    return accept(e.TicketLookedUp(command.ticket, _status(ticket, facts), *found))


def void_ticket(state: CageState, command: c.VoidTicket, facts: CageFacts) -> CageDecision:
    """Void a ticket, always with a second person: a Pit Manager or above if the ticket could still be paid."""
    sender_of(command, AT_THE_CAGE)
    reason = reason_of(command.reason)
    ticket = _unpaid(command.ticket, facts)
    was = _status(ticket, facts)
    approvers = MANAGERS if was is TicketStatus.OUTSTANDING else SUPERVISORS
    return accept(e.TicketVoided(ticket.cents, ticket.number, was, reason), approvers=approvers)


def _unpaid(number: TicketId, facts: CageFacts) -> PresentedTicket:
    ticket = facts.ticket
    if ticket is None or ticket.number != number:
        raise Refuse(CageRefusal.NO_SUCH_TICKET, "there is no ticket of this number")
    if ticket.redeemed:
        raise Refuse(CageRefusal.TICKET_IS_REDEEMED, "the ticket was redeemed, paid or voided before")
    return ticket


def _status(ticket: PresentedTicket, facts: CageFacts) -> TicketStatus:
    if ticket.redeemed:
        return TicketStatus.REDEEMED
    if ticket.disputed:
        return TicketStatus.DISPUTED
    return TicketStatus.EXPIRED if facts.at > ticket.expires else TicketStatus.OUTSTANDING


def _check_maximum(state: CageState, cents: int) -> None:
    if state.terms.maximum and cents > state.terms.maximum:
        raise Refuse(CageRefusal.ABOVE_HOUSE_MAXIMUM, f"the house's maximum is {state.terms.maximum} cents")


def _is_large(state: CageState, cents: int) -> bool:
    return bool(state.terms.second_person_from) and cents >= state.terms.second_person_from


def _report(
    state: CageState,
    facts: CageFacts,
    drawer: DrawerId,
    direction: CashDirection,
    cents: Cents,
    number: TicketId,
    person: c.Customer | UnsetType,
    ticket: PresentedTicket | None,
) -> list[e.AnyCageEvent]:
    """Return the report of a transaction, if an amount reaches the threshold of the house."""
    if not (threshold := state.terms.report_from):
        return []
    seat = ticket.seat if ticket is not None else None
    table = ticket.table if ticket is not None and seat is not None else None
    totals: list[tuple[ReportBasis, Cents]] = [(ReportBasis.SINGLE, cents)]
    if person is not UNSET and person.keys:
        sums = [state.sum_of(facts.day, person_sum(key, direction)) for key in person.keys]
        totals.append((ReportBasis.PERSON, Cents(max(sums) + cents)))
    if table is not None and seat is not None:
        totals.append((ReportBasis.SEAT, Cents(state.sum_of(facts.day, seat_sum(table, seat)) + cents)))
    for basis, total in totals:
        if total >= threshold:
            keys, initials = (person.keys, person.initials) if person is not UNSET else ((), "")
            named = (drawer, direction, cents, total, basis, number, keys, initials, table, seat)
            return [e.CashReported(*named)]
    return []
