"""Decides commands about drawers: opening, counting, closing, and cash between drawer and vault."""

from roundhouse.cage import commands as c
from roundhouse.cage import events as e
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import SHIFT_MANAGERS, SUPERVISORS, CageRefusal
from roundhouse.cage.rules import Refuse, accept, check_amount, count_of, open_drawer_of, sender_of
from roundhouse.cage.state import CageState
from roundhouse.rules.names import Cents, StaffPosition

CASHIER = (StaffPosition.CASHIER,)
COUNTING = (*CASHIER, *SHIFT_MANAGERS)
"""Positions that count and close a drawer. A Shift Manager does it for a cashier who has gone."""


def open_drawer(state: CageState, command: c.OpenDrawer) -> CageDecision:
    who = sender_of(command, CASHIER)
    if command.drawer not in state.terms.drawers:
        known = ", ".join(state.terms.drawers)
        raise Refuse(CageRefusal.NO_SUCH_DRAWER, f"there is no drawer '{command.drawer}'; there are {known}")
    if state.drawers[command.drawer].is_open:
        raise Refuse(CageRefusal.DRAWER_IS_OPEN, f"{state.drawers[command.drawer].cashier} has this drawer")
    if (other := state.drawer_of(who)) is not None:
        raise Refuse(CageRefusal.HAS_A_DRAWER, f"you have drawer {other}; close it first")
    pieces = count_of(command.cents, command.pieces)
    event = e.DrawerOpened(command.drawer, command.cents, pieces)
    return accept(event, approvers=SUPERVISORS if _is_large(state, command.cents) else ())


def fill_drawer(state: CageState, command: c.FillDrawer) -> CageDecision:
    """Move cash from the vault. This always needs a second person."""
    open_drawer_of(state, command.drawer, sender_of(command, CASHIER))
    check_amount(command.cents)
    return accept(e.DrawerFilled(command.drawer, command.cents), approvers=SUPERVISORS)


def drop_drawer(state: CageState, command: c.DropDrawer) -> CageDecision:
    drawer = open_drawer_of(state, command.drawer, sender_of(command, CASHIER))
    check_amount(command.cents)
    if command.cents > drawer.cash:
        raise Refuse(CageRefusal.NOT_ENOUGH_CASH, f"the drawer must contain {drawer.cash} cents")
    return accept(e.DrawerDropped(command.drawer, command.cents), approvers=SUPERVISORS)


def count_drawer(state: CageState, command: c.CountDrawer) -> CageDecision:
    return accept(_counted(state, command))


def close_drawer(state: CageState, command: c.CloseDrawer) -> CageDecision:
    """Close a drawer. A large variance needs a Shift Manager, who is not the person who counted."""
    counted = _counted(state, command)
    closed = e.DrawerClosed(command.drawer, command.cents, counted.variance)
    large = is_large_variance(state, counted.variance)
    other = command.by is not StaffPosition.CASHIER
    return accept(counted, closed, approvers=SHIFT_MANAGERS if large else SUPERVISORS if other else ())


def is_large_variance(state: CageState, variance: int) -> bool:
    return bool(state.terms.variance_from) and abs(variance) >= state.terms.variance_from


def _counted(state: CageState, command: c.CountDrawer | c.CloseDrawer) -> e.DrawerCounted:
    who = sender_of(command, COUNTING)
    drawer = open_drawer_of(state, command.drawer, who if command.by is StaffPosition.CASHIER else None)
    pieces = count_of(command.cents, command.pieces)
    variance = Cents(command.cents - drawer.cash)
    return e.DrawerCounted(command.drawer, command.cents, Cents(drawer.cash), variance, pieces)


def _is_large(state: CageState, cents: int) -> bool:
    return bool(state.terms.second_person_from) and cents >= state.terms.second_person_from
