"""Checks counts of floats by the postings of a table, which other code computes than the state.

The win of the house is the change of its accounts since the opener. Every other term is added up from the events.
"""

from collections.abc import Mapping

from roundhouse.table import events as e
from roundhouse.table.floats import win_of
from roundhouse.table.names import GOODWILL, HOUSE, SHORTFALL, Account, Count
from roundhouse.table.state import TableState


class FloatCheck:
    """The float of one table, computed from events and balances."""

    def __init__(self, state: TableState, balances: Mapping[Account, int]) -> None:
        """Begin with a state. ``balances`` are those of the second ledger, which change with every event."""
        self._balances = balances
        self._due: int | None = None
        self._in_chips, self._won = False, 0
        if state.tray and (found := state.tray.open) is not None:
            self._due = found.opener + found.fills - found.credits + found.exchanged - found.drop
            self._in_chips, self._won = found.in_chips, self._house() - win_of(state, found)

    def _house(self) -> int:
        return sum(self._balances.get(account, 0) for account in (HOUSE, SHORTFALL, GOODWILL))

    def add(self, event: e.AnyEvent) -> tuple[int, int] | None:
        """Add an event. Return what is due and what a closer states, if they differ."""
        match event:
            case e.FloatCounted(count=Count.OPENER):
                self._due, self._in_chips, self._won = int(event.cents), event.in_chips, self._house()
            case e.FloatCounted():
                due = (self._due or 0) + (self._house() - self._won if self._in_chips else 0)
                self._due = None
                if (event.expected, event.variance) != (due, event.cents - due):
                    return due, event.expected
            case e.FloatFilled(cents):
                self._move(cents)
            case e.FloatCredited(cents) | e.DropTaken(cents):
                self._move(-cents)
            case e.CreditsBought() | e.ConcealedCashOut() | e.ConcealedRedemption():
                if event.in_float:
                    self._move(event.cents)
            case e.PurchaseReversed():
                if event.in_float:
                    self._move(-event.cents)
        return None

    def _move(self, cents: int) -> None:
        if self._due is not None:
            self._due += cents
