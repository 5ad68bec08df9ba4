"""Decides who may move how much money alone, with a second person, or not at all, and who may change limits.

Bounds are for amounts within an hour, at a seat and by a person, so that they cannot be passed in slices
(``tallies``). Without terms of the house nothing is bounded.
"""

from roundhouse.rules.names import MAX_STAKE_CENTS
from roundhouse.rules.names import StaffPosition as P
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply_money import key_of
from roundhouse.table.decision import Decision, Facts, refuse, source_of, with_second_person
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Seat, Table
from roundhouse.table.tallies import MoneyKind, recent
from roundhouse.table.terms import MoneyTerms

_WHAT = {
    MoneyKind.BUY_IN: "selling {} cents of credits",
    MoneyKind.REVERSAL: "reversing a purchase of {} cents",
    MoneyKind.CASH_OUT: "cashing out {} cents",
    MoneyKind.TICKET: "redeeming a ticket of {} cents",
}


def within_bounds(
    table: Table,
    command: c.BuyCredits | c.ReversePurchase | c.CashOut | c.RedeemTicket,
    kind: MoneyKind,
    seat: Seat,
    cents: int,
    facts: Facts,
    decision: Decision,
) -> Decision:
    """Return the decision if the sender may move this amount, else refuse it or require a second person."""
    terms = facts.money
    if terms is None or decision.refused is not None:
        return decision
    what = _WHAT[kind].format(cents)
    at_seat = recent(seat.moved, kind, facts.at)
    if terms.max is not None and at_seat.total + cents > terms.max:
        before = f", after {at_seat.total} cents at this seat within an hour" if at_seat.total else ""
        reason = f"{what}{before} is above the maximum of {terms.max} cents for a {command.by}"
        return refuse(Refusal.ABOVE_HOUSE_MAXIMUM, reason=reason)
    if command.by is not P.PLAYER and _needs_second(table, command, kind, at_seat.alone, cents, facts, terms):
        return with_second_person(command, decision, what)
    return decision


def _needs_second(
    table: Table, command: c.Command, kind: MoneyKind, at_seat: int, cents: int, facts: Facts, terms: MoneyTerms
) -> bool:
    if terms.alone is not None and at_seat + cents > terms.alone:
        return True
    who, known = source_of(command).who, table.state.moved_by
    if terms.hour is None or who is None:
        return False
    mine = recent(() if not known else known.get(key_of(who), ()), kind, facts.at).alone
    return mine + cents > terms.hour


def exceeds(table: Table, limits: Limits, configured: Limits, times: int = 1) -> str:
    """Return the first maximum that is above the configured one, multiplied by ``times``; empty if none is.

    Bets of a position are also limited by the maximum of a seat.
    """
    if limits.table > configured.table * times:
        return f"the maximum of the table, {limits.table} cents"
    if limits.seat.max > min(configured.seat.max * times, MAX_STAKE_CENTS):
        return f"the maximum of a seat, {limits.seat.max} cents"
    for layout in table.game.layouts.values():
        for position in layout.positions:
            now = min(limits.bounds(position.id).max, limits.seat.max)
            most = min(configured.bounds(position.id).max, configured.seat.max) * times
            if now > most:
                return f"the maximum of '{position.id}', {now} cents"
    return ""


def within_configuration(
    table: Table, command: c.OpenTable | c.ChangeLimits, limits: Limits, facts: Facts, decision: Decision
) -> Decision:
    """Return the decision if the limits are within the configuration, else require a second person or refuse it."""
    terms = facts.money
    if terms is None or terms.limits is None or decision.refused is not None:
        return decision
    if terms.limits_times is not None and (over := exceeds(table, limits, terms.limits, terms.limits_times)):
        reason = f"{over}, is more than {terms.limits_times} times the configured one"
        return refuse(Refusal.ABOVE_HOUSE_MAXIMUM, table.game.rulebook.betting.limits, reason)
    if over := exceeds(table, limits, terms.limits):
        return with_second_person(command, decision, f"raising {over}, above the configuration")
    return decision


def change_limits(table: Table, command: c.ChangeLimits, facts: Facts) -> Decision:
    """Change the limits from the next round on. A Pit Supervisor does it with a second person only."""
    state, clause = table.state, table.game.rulebook.betting.limits
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "give the reason for the new limits")
    before = state.next_limits or state.limits
    now = command.limits.completed(before)
    if now is None or now == before:
        return refuse(Refusal.BAD_LIMITS, clause, "these limits are in force, or begin with the next round")
    if wrong := faults_of(now, table.game.layouts):  # type: ignore[arg-type]
        return refuse(Refusal.BAD_LIMITS, clause, wrong)
    configured = facts.money.limits if facts.money is not None else None
    above = configured is not None and bool(exceeds(table, now, configured))
    event = e.LimitsChanged(state.limits, now, command.reason, source_of(command), above)
    decision = within_configuration(table, command, now, facts, Decision([event]))
    if command.by is P.PIT_SUPERVISOR:
        return with_second_person(command, decision, "changing limits as a Pit Supervisor")
    return decision
