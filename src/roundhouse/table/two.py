"""What takes two persons: whatever happens to a round that has been settled, and with it every shortfall; and that a
table which has stopped goes on.

Where nobody has logged in there are no persons to count, only positions; a house with log-ins names them.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from roundhouse.table import commands as c
from roundhouse.table.deciding import Decision, Facts, refuse
from roundhouse.table.events import AnyEvent, RoundCorrected, RoundReversed, TableResumed
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table

Decider = Callable[[Table, Any, Facts], Decision]

MAY_TAKE_TWO: Final = (c.CorrectResult, c.Decide, c.Declare, c.ResumeTable)
"""The requests that may take two."""


def touched(decision: Decision) -> tuple[AnyEvent, ...]:
    """What a decision does to settled rounds; where it lets a table go on, all that it does."""
    if any(isinstance(event, TableResumed) for event in decision.events):
        return tuple(decision.events)
    return tuple(event for event in decision.events if isinstance(event, RoundCorrected | RoundReversed))


def takes_two(decider: Decider) -> Decider:
    """The same, except that one person alone does not get what takes two.

    Looked at when it is decided: when it was asked, the round may not have been settled yet.
    """

    def decide(table: Table, command: Any, facts: Facts) -> Decision:
        decision = decider(table, command, facts)
        alone = command.who is not UNSET and (command.second is UNSET or command.second == command.who)
        if alone and touched(decision):
            what = "a table that has stopped" if isinstance(command, c.ResumeTable) else "a settled round"
            return refuse(Refusal.NEEDS_SECOND_PERSON, reason=f"{what} is touched by two persons, or not at all")
        return decision

    return decide
