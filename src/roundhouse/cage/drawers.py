"""Decides commands about drawers: opening, counting, closing, and cash between drawer and vault."""

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import SHIFT_MANAGERS, SUPERVISORS, CageRefusal, CageRefused
from roundhouse.cage.rules import (
    accept,
    bad_amount,
    bad_count,
    given,
    is_large,
    not_authorised,
    refuse,
    sender_of,
    unusable,
)
from roundhouse.cage.state import CageState
from roundhouse.rules.names import Cents, StaffPosition

CASHIER = (StaffPosition.CASHIER,)
COUNTING = (*CASHIER, *SHIFT_MANAGERS)
"""Positions that count and close a drawer. A Shift Manager does it for a Cashier who has gone."""


def open_drawer(state: CageState, command: c.OpenDrawer) -> CageDecision:
    wrong = not_authorised(command, CASHIER) or _unopenable(state, command) or bad_count(command.cents, command.pieces)
    if wrong:
        return refuse(wrong)
    event = e.DrawerOpened(command.drawer, command.cents, given(command.pieces))
    return accept(event, approvers=SUPERVISORS if is_large(state, command.cents) else ())


def _unopenable(state: CageState, command: c.OpenDrawer) -> CageRefused | None:
    if command.drawer not in state.terms.drawers:
        known = ", ".join(state.terms.drawers)
        reason = f"there is no drawer '{command.drawer}'; there are {known}"
        return CageRefused(CageRefusal.NO_SUCH_DRAWER, reason)
    if state.drawers[command.drawer].is_open:
        return CageRefused(CageRefusal.DRAWER_IS_OPEN, f"{state.drawers[command.drawer].cashier} has this drawer")
    if (other := state.drawer_of(sender_of(command))) is not None:
        return CageRefused(CageRefusal.HAS_A_DRAWER, f"you have drawer {other}; close it first")
    return None


def fill_drawer(state: CageState, command: c.FillDrawer) -> CageDecision:
    """Move cash from the vault. This always needs a second person."""
    if wrong := not_authorised(command, CASHIER) or unusable(state, command.drawer, command):
        return refuse(wrong)
    if wrong := bad_amount(command.cents):
        return refuse(wrong)
    return accept(e.DrawerFilled(command.drawer, command.cents), approvers=SUPERVISORS)


def drop_drawer(state: CageState, command: c.DropDrawer) -> CageDecision:
    """Move cash to the vault. This always needs a second person."""
    wrong = not_authorised(command, CASHIER) or unusable(state, command.drawer, command) or bad_amount(command.cents)
    if wrong:
        return refuse(wrong)
    cash = state.drawers[command.drawer].cash
    if command.cents > cash:
        return refuse(CageRefused(CageRefusal.NOT_ENOUGH_CASH, f"the drawer must contain {cash} cents"))
    return accept(e.DrawerDropped(command.drawer, command.cents), approvers=SUPERVISORS)


def count_drawer(state: CageState, command: c.CountDrawer) -> CageDecision:
    wrong = _uncountable(state, command)
    return refuse(wrong) if wrong else accept(_counted(state, command))


def close_drawer(state: CageState, command: c.CloseDrawer) -> CageDecision:
    """Close a drawer. A large variance needs a Shift Manager, who is not the person who counted."""
    if wrong := _uncountable(state, command):
        return refuse(wrong)
    counted = _counted(state, command)
    closed = e.DrawerClosed(command.drawer, command.cents, counted.variance)
    large = is_large_variance(state, counted.variance)
    other = command.by is not StaffPosition.CASHIER
    return accept(counted, closed, approvers=SHIFT_MANAGERS if large else SUPERVISORS if other else ())


def is_large_variance(state: CageState, variance: int) -> bool:
    return bool(state.terms.variance_from) and abs(variance) >= state.terms.variance_from


def _uncountable(state: CageState, command: c.CountDrawer | c.CloseDrawer) -> CageRefused | None:
    wrong = not_authorised(command, COUNTING) or unusable(state, command.drawer, command)
    return wrong or bad_count(command.cents, command.pieces)


def _counted(state: CageState, command: c.CountDrawer | c.CloseDrawer) -> e.DrawerCounted:
    cash = state.drawers[command.drawer].cash
    variance = Cents(command.cents - cash)
    return e.DrawerCounted(command.drawer, command.cents, Cents(cash), variance, given(command.pieces))
