"""Decides counts of the float of a table, fills, credits and the removal of the drop. Each is the act of two persons.

The float is every chip, note and redeemed ticket at the table, also in its drop box. Between an opener and its closer::

    closer = opener + fills - credits + win + exchanged - drop

At a table with chips ``win`` is what the house won, and ``exchanged`` what Players gave back for tickets. A sale moves
nothing there: the cash comes as the chips go. At any other table the float is cash, the credits of Players are in
their terminals, ``win`` is 0, and ``exchanged`` is what its Dealers took for credits.
"""

from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import STAFF, Decision, Facts, refuse, with_second_person
from roundhouse.table.desk_state import Float, Tray
from roundhouse.table.names import Count
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table, TableState


def open_float(state: TableState) -> Float | None:
    """Return the float that an opener has begun and no closer has ended; ``None`` if there is none."""
    return state.tray.open if state.tray else None


def won_by(state: TableState) -> int:
    """Return what the house has won in all: its account with what it could not take back and what it gave."""
    return state.house + state.shortfall + (state.goodwill or 0)


def win_of(state: TableState, found: Float) -> int:
    """Return the chips that the house has won since the opener; 0 at a table without chips."""
    return won_by(state) - found.won_before if found.in_chips else 0


def expected(state: TableState, found: Float) -> int:
    """Return what a count of the float would find now."""
    moved = found.fills - found.credits + found.exchanged - found.drop
    return found.opener + moved + win_of(state, found)


def is_in_float(table: Table, command: c.BuyCredits | c.ReversePurchase | c.CashOut | c.RedeemTicket) -> bool:
    """Return whether an exchange of credits changes the counted float of the table."""
    found = open_float(table.state)
    if found is None:
        return False
    if found.in_chips:
        return isinstance(command, c.CashOut) and command.by is not StaffPosition.CASHIER
    return not isinstance(command, c.CashOut) and command.by in STAFF


def count_float(table: Table, command: c.CountFloat, facts: Facts) -> Decision:
    state, in_chips = table.state, table.game.rulebook.chips is not None
    found, tray = open_float(state), state.tray or Tray()
    opens = command.count is Count.OPENER
    if opens and found is not None:
        return refuse(Refusal.FLOAT_IS_OPEN, reason="count the closer of this float first")
    if not opens and found is None:
        return refuse(Refusal.NO_FLOAT, reason="the float has no opener")
    if not 0 <= command.cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    if found is None:
        due = command.cents if tray.last_closer is None else tray.last_closer
        counted = e.FloatCounted(command.count, command.cents, due, command.cents - due, in_chips)
    else:
        due = expected(state, found)
        counted = e.FloatCounted(
            command.count,
            command.cents,
            due,
            command.cents - due,
            found.in_chips,
            Cents(found.opener),
            Cents(found.fills),
            Cents(found.credits),
            win_of(state, found),
            found.exchanged,
            Cents(found.drop),
        )
    return with_second_person(command, Decision([counted]), "counting the float")


def fill(table: Table, command: c.Fill, facts: Facts) -> Decision:
    return _moved(table, command, e.FloatFilled(command.cents), "a fill")


def credit(table: Table, command: c.Credit, facts: Facts) -> Decision:
    return _moved(table, command, e.FloatCredited(command.cents), "a credit")


def drop_removed(table: Table, command: c.DropRemoved, facts: Facts) -> Decision:
    return _moved(table, command, e.DropTaken(command.cents), "removing the drop")


def _moved(table: Table, command: c.Fill | c.Credit | c.DropRemoved, event: e.AnyEvent, action: str) -> Decision:
    if open_float(table.state) is None:
        return refuse(Refusal.NO_FLOAT, reason="count the opener of the float first")
    if not 0 < command.cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    return with_second_person(command, Decision([event]), action)
