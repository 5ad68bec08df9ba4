"""Decides who is the Dealer of record. While there is one, another Dealer only looks on.

A Dealer goes on record by their own act only. Without a Dealer of record, every person with the position may deal.
Commands that name no person are decided as if there were none.
"""

from typing import Final

from msgspec import UNSET

from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, refuse, source_of
from roundhouse.table.disputes import refuse_text
from roundhouse.table.evidence import same_name
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Table

_OF_ANYBODY: Final = (c.TakeTable, c.TakeSeat, c.Refer, c.Dispute, c.QuestionDisplay)
"""Commands of a Dealer who only looks on: they raise a question, and do not deal."""
GONE: Final = "the session of the Dealer before had ended"
"""The reason of a change that needed no supervisor. Stored in journals: it never changes."""


def refuse_second_dealer(table: Table, command: c.Command) -> Refused | None:
    """Refuse the acts of a Dealer at a table that another one deals."""
    dealer = table.state.dealer
    if dealer is UNSET or command.by is not StaffPosition.DEALER or isinstance(command, _OF_ANYBODY):
        return None
    who = source_of(command).who
    if who is None or same_name(who, dealer.name):
        return None
    return Refused(Refusal.TABLE_HAS_DEALER, None, _deals(dealer.name))


def _deals(name: str) -> str:
    return f"{name} is the Dealer of record; {name} hands the table over, or a Pit Supervisor takes it"


def take_table(table: Table, command: c.TakeTable, facts: Facts) -> Decision:
    """Put the sender on record. A position above the Dealer takes the table from another Dealer, with a reason."""
    state, name = table.state, source_of(command).who
    if state.automatic:
        return refuse(Refusal.MODE_IS_AUTOMATIC, reason="the automatic dealer deals; take over first")
    if name is None:
        return refuse(Refusal.NO_NAME_GIVEN, reason="the Dealer of record is a person; name them in 'who'")
    if state.dealer is UNSET:
        return Decision([e.DealerChanged(name)])
    was = state.dealer.name
    if same_name(was, name):
        return refuse(Refusal.ALREADY_DEALER)
    if facts.dealer_gone:
        return Decision([e.DealerChanged(name, was, GONE)])
    if command.by is StaffPosition.DEALER:
        return refuse(Refusal.TABLE_HAS_DEALER, reason=_deals(was))
    reason = "" if command.reason is UNSET else command.reason
    return refuse_text(reason, f"say why you take the table from {was}") or Decision(
        [e.DealerChanged(name, was, reason.strip())]
    )


def hand_table(table: Table, command: c.HandTable, facts: Facts) -> Decision:
    """End the duty of the Dealer of record. Any other person than the Dealer gives a reason."""
    dealer, name = table.state.dealer, source_of(command).who
    reason = "" if command.reason is UNSET else command.reason
    if dealer is UNSET:
        return refuse(Refusal.NO_DEALER, reason="the table has no Dealer of record")
    own = (name is not None and same_name(name, dealer.name)) or command.by is StaffPosition.DEALER
    if (reason or not own) and (refused := refuse_text(reason, f"say why you end the duty of {dealer.name}")):
        return refused
    return Decision([e.DealerChanged(None, dealer.name, reason.strip())])


def released_by_automatic(table: Table) -> list[e.AnyEvent]:
    """Return the end of the Dealer's duty when the automatic dealer takes the table."""
    dealer = table.state.dealer
    return [] if dealer is UNSET else [e.DealerChanged(None, dealer.name)]
