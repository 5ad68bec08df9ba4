"""The second book: every account from postings alone, held against the accounts of the state.

Postings and state are kept by different code, so that a mistake of one of them shows.
"""

from roundhouse.table.events import AnyEvent
from roundhouse.table.money import balances, postings
from roundhouse.table.names import CASHIER, HOUSE, LAYOUT, SHORTFALL, TICKETS, Account, SeatId
from roundhouse.table.state import Memory

_OWN = {account: str(account) for account in (LAYOUT, HOUSE, CASHIER, TICKETS, SHORTFALL)}
"""The table's own accounts, and the names under which its memory has them."""


class Ledger:
    def __init__(self, memory: Memory) -> None:
        self._cents: dict[Account, int] = balances(memory)

    def post(self, event: AnyEvent) -> set[Account] | str:
        """The accounts that an event touches, or what is wrong with its postings."""
        total = 0
        touched = set()
        for account, cents in postings(event):
            self._cents[account] = self._cents.get(account, 0) + cents
            total += cents
            touched.add(account)
        return touched if not total else f"postings that add up to {total} cents"

    def differs(self, memory: Memory, accounts: set[Account]) -> tuple[Account, int, int] | None:
        """The first of these accounts that the state has otherwise: what was posted, what the state has."""
        for account in accounts:
            posted, kept = self._cents.get(account, 0), _balance(memory, account)
            if posted != kept:
                return account, posted, kept
        return None

    def differs_anywhere(self, memory: Memory) -> tuple[Account, int, int] | None:
        return self.differs(memory, {*self._cents, *balances(memory)})


def _balance(memory: Memory, account: Account) -> int:
    if (kept := _OWN.get(account)) is not None:
        return int(getattr(memory, kept))
    seat = memory.seats.get(SeatId(account.removeprefix("seat:")))
    return seat.credits if seat else 0
