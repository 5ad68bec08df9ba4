"""Decides commands about credits and tickets: selling, paying, looking up and voiding. Also what is reported."""

from msgspec import UNSET, UnsetType

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.drawers import CASHIER
from roundhouse.cage.entry import CageDecision, CageFacts, PresentedTicket
from roundhouse.cage.names import (
    MANAGERS,
    SUPERVISORS,
    CageRefusal,
    CageRefused,
    CashDirection,
    DrawerId,
    ReportBasis,
    TicketStatus,
)
from roundhouse.cage.rules import (
    accept,
    bad_amount,
    bad_customer,
    bad_reason,
    is_barred,
    is_large,
    not_authorised,
    refuse,
    unusable,
)
from roundhouse.cage.state import CageState, person_sum, seat_sum
from roundhouse.rules.names import Cents
from roundhouse.table.names import TICKET_LIFE, Millis, TicketId

AT_THE_CAGE = (*CASHIER, *SUPERVISORS)


def sell_credits(state: CageState, command: c.SellCredits, facts: CageFacts) -> CageDecision:
    wrong = not_authorised(command, CASHIER) or unusable(state, command.drawer, command) or bad_amount(command.cents)
    if wrong := wrong or bad_customer(command.person):
        return refuse(wrong)
    if is_barred(state, command.person):
        reason = "this person is barred; sell nothing, and call the pit"
        return refuse(CageRefused(CageRefusal.PERSON_IS_BARRED, reason))
    if wrong := _above_maximum(state, command.cents):
        return refuse(wrong)
    assert facts.fresh_ticket is not None, "the writer supplies a ticket with every sale"
    expires = Millis(facts.at + (TICKET_LIFE if facts.ticket_life is None else facts.ticket_life))
    sold = e.CreditsSold(command.drawer, command.cents, facts.fresh_ticket, expires)
    report = _report(state, facts, command.drawer, CashDirection.IN, command.cents, sold.ticket, command.person, None)
    return accept(sold, *report, approvers=SUPERVISORS if is_large(state, command.cents) else ())


def pay_ticket(state: CageState, command: c.PayTicket, facts: CageFacts) -> CageDecision:
    """Pay a ticket. A large or disputed one, or one of a barred person, needs a second person."""
    wrong = not_authorised(command, CASHIER) or unusable(state, command.drawer, command)
    wrong = wrong or bad_customer(command.person) or _not_unpaid(command.ticket, facts)
    ticket = facts.ticket
    if wrong or ticket is None:
        assert wrong is not None, "a ticket that does not exist is refused"
        return refuse(wrong)
    if facts.at > ticket.expires:
        reason = "the ticket has expired; it can be voided with a second person"
        return refuse(CageRefused(CageRefusal.TICKET_HAS_EXPIRED, reason))
    if wrong := _above_maximum(state, ticket.cents):
        return refuse(wrong)
    cash = state.drawers[command.drawer].cash
    if ticket.cents > cash:
        reason = f"the drawer must contain {cash} cents; have it filled"
        return refuse(CageRefused(CageRefusal.NOT_ENOUGH_CASH, reason))
    paid = e.TicketPaid(command.drawer, ticket.cents, ticket.number)
    report = _report(state, facts, command.drawer, CashDirection.OUT, ticket.cents, paid.ticket, command.person, ticket)
    needed = is_barred(state, command.person) or ticket.disputed or is_large(state, ticket.cents)
    return accept(paid, *report, approvers=SUPERVISORS if needed else ())


def look_up_ticket(command: c.LookUpTicket, facts: CageFacts) -> CageDecision:
    if wrong := not_authorised(command, AT_THE_CAGE):
        return refuse(wrong)
    ticket = facts.ticket
    if ticket is None or ticket.number != command.ticket:
        return accept(e.TicketLookedUp(command.ticket, TicketStatus.UNKNOWN))
    found = (ticket.cents, ticket.expires, ticket.table, ticket.seat)
    return accept(e.TicketLookedUp(command.ticket, _status(ticket, facts), *found))


def void_ticket(command: c.VoidTicket, facts: CageFacts) -> CageDecision:
    """Void a ticket, always with a second person: a Pit Manager or above if the ticket could still be paid."""
    wrong = not_authorised(command, AT_THE_CAGE) or bad_reason(command.reason) or _not_unpaid(command.ticket, facts)
    ticket = facts.ticket
    if wrong or ticket is None:
        assert wrong is not None, "a ticket that does not exist is refused"
        return refuse(wrong)
    was = _status(ticket, facts)
    approvers = MANAGERS if was is TicketStatus.OUTSTANDING else SUPERVISORS
    return accept(e.TicketVoided(ticket.cents, ticket.number, was, command.reason), approvers=approvers)


def _not_unpaid(number: TicketId, facts: CageFacts) -> CageRefused | None:
    """Refuse a ticket that does not exist, or that was redeemed, paid or voided."""
    ticket = facts.ticket
    if ticket is None or ticket.number != number:
        return CageRefused(CageRefusal.NO_SUCH_TICKET, "there is no ticket of this number")
    if ticket.redeemed:
        return CageRefused(CageRefusal.TICKET_IS_REDEEMED, "the ticket was redeemed, paid or voided before")
    return None


def _status(ticket: PresentedTicket, facts: CageFacts) -> TicketStatus:
    if ticket.redeemed:
        return TicketStatus.REDEEMED
    if ticket.disputed:
        return TicketStatus.DISPUTED
    return TicketStatus.EXPIRED if facts.at > ticket.expires else TicketStatus.OUTSTANDING


def _above_maximum(state: CageState, cents: int) -> CageRefused | None:
    if not state.terms.maximum or cents <= state.terms.maximum:
        return None
    return CageRefused(CageRefusal.ABOVE_HOUSE_MAXIMUM, f"the house's maximum is {state.terms.maximum} cents")


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
