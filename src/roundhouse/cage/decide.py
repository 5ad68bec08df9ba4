"""Decides a command: which events it causes, or why it is refused. Changes nothing."""

from typing import assert_never

from roundhouse.cage import barring, drawers, payments
from roundhouse.cage import commands as c
from roundhouse.cage.entry import CageDecision, CageFacts
from roundhouse.cage.names import CageRefusal, CageRefused
from roundhouse.cage.rules import has_second_person
from roundhouse.cage.state import CageState


def decide(state: CageState, command: c.AnyCageCommand, facts: CageFacts) -> CageDecision:
    """Return the decision of a command by the people whom it names."""
    found = decide_with_approval(state, command, facts)
    if found.refused is not None or not found.approvers or has_second_person(command):
        return found
    reason = f"this needs the approval of a {found.approvers[0]} or a higher position"
    return CageDecision((), CageRefused(CageRefusal.NEEDS_SECOND_PERSON, reason), found.approvers)


def decide_with_approval(state: CageState, command: c.AnyCageCommand, facts: CageFacts) -> CageDecision:
    """Return the decision of a command as if a second person had approved it, if it needs one."""
    match command:
        case c.OpenDrawer():
            return drawers.open_drawer(state, command)
        case c.FillDrawer():
            return drawers.fill_drawer(state, command)
        case c.DropDrawer():
            return drawers.drop_drawer(state, command)
        case c.CountDrawer():
            return drawers.count_drawer(state, command)
        case c.CloseDrawer():
            return drawers.close_drawer(state, command)
        case c.SellCredits():
            return payments.sell_credits(state, command, facts)
        case c.PayTicket():
            return payments.pay_ticket(state, command, facts)
        case c.LookUpTicket():
            return payments.look_up_ticket(command, facts)
        case c.VoidTicket():
            return payments.void_ticket(command, facts)
        case c.BarPerson():
            return barring.bar_person(state, command)
        case c.UnbarPerson():
            return barring.unbar_person(state, command)
        case c.CheckPerson():
            return barring.check_person(state, command)
        case _:
            assert_never(command)
