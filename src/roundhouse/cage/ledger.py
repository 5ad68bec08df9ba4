"""Double-entry bookkeeping of the cage: the postings of every event that moves money add up to zero.

| account | balance |
|---|---|
| ``drawer:<id>`` | negative: the cash that the drawer must contain |
| ``vault`` | cash that the vault gave to drawers and has not got back |
| ``tickets`` | tickets issued by the cage, minus tickets that it paid or voided |
| ``voided`` | amounts of voided tickets, which the house keeps |
| ``variance`` | variances of closed drawers; negative if cash was missing |

As at a table, what the house owes is positive and the cash that it holds is negative. The sum of the accounts
``tickets`` of all tables and of the cage is the sum of the outstanding tickets.
"""

from collections.abc import Iterator
from typing import assert_never

from roundhouse.cage import events as e
from roundhouse.cage.names import DrawerId
from roundhouse.cage.state import CageState
from roundhouse.table.ledger import Posting
from roundhouse.table.names import TICKETS, Account

VAULT = Account("vault")
VOIDED = Account("voided")
VARIANCE = Account("variance")


def drawer_account(drawer: DrawerId) -> Account:
    return Account(f"drawer:{drawer}")


def postings(event: e.AnyCageEvent) -> list[Posting]:
    """Return the postings of an event. Their sum is zero; the list is empty if no money moves."""
    return list(_postings(event))


def _postings(event: e.AnyCageEvent) -> Iterator[Posting]:
    match event:
        case e.DrawerOpened(drawer, cents) | e.DrawerFilled(drawer, cents):
            yield Posting(VAULT, cents)
            yield Posting(drawer_account(drawer), -cents)
        case e.DrawerDropped(drawer, cents):
            yield Posting(VAULT, -cents)
            yield Posting(drawer_account(drawer), cents)
        case e.DrawerClosed(drawer, cents, variance):
            yield Posting(VAULT, -cents)
            yield Posting(drawer_account(drawer), cents - variance)
            yield Posting(VARIANCE, variance)
        case e.CreditsSold(drawer, cents):
            yield Posting(drawer_account(drawer), -cents)
            yield Posting(TICKETS, cents)
        case e.TicketPaid(drawer, cents):
            yield Posting(TICKETS, -cents)
            yield Posting(drawer_account(drawer), cents)
        case e.TicketVoided(cents):
            yield Posting(TICKETS, -cents)
            yield Posting(VOIDED, cents)
        case (
            e.CageTermsSet()
            | e.DrawerCounted()
            | e.TicketLookedUp()
            | e.CashReported()
            | e.PersonBarred()
            | e.PersonUnbarred()
            | e.PersonChecked()
        ):
            return
        case _:
            assert_never(event)


def balances(state: CageState) -> dict[Account, int]:
    """Return the balances of all accounts, taken from the state."""
    drawers = {drawer_account(id): -drawer.cash for id, drawer in state.drawers.items()}
    return drawers | {VAULT: state.vault, TICKETS: state.tickets, VOIDED: state.voided, VARIANCE: state.variance}


def imbalance(state: CageState) -> str | None:
    """Check the accounts. Return a description of the first discrepancy, or ``None`` if they balance."""
    for id, drawer in state.drawers.items():
        expected = drawer.float + drawer.filled - drawer.dropped + drawer.sold - drawer.paid if drawer.is_open else 0
        if drawer.cash != expected or drawer.cash < 0:
            return f"drawer {id} has {drawer.cash} cents where {expected} are due"
    if total := sum(balances(state).values()):
        return f"the accounts of the cage add up to {total} cents and not to nothing"
    return None
