"""A table that has stopped goes on, when people have looked at it and its money is right.

It goes on where it stood. A round that was in progress was interrupted, and ends by its rulebook's clause on that.
"""

from msgspec import UNSET

from roundhouse.rules.authority import may_decide
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.deciding import Decision, Facts, refuse
from roundhouse.table.money import imbalance
from roundhouse.table.recovery import recover_from
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table


def resume_table(table: Table, command: c.ResumeTable, facts: Facts) -> Decision:
    memory, authority = table.memory, table.game.rulebook.authority
    clause = authority.decides.clause
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this is for the {authority.decides.position}")
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "say what was wrong, and what was done about it")
    if memory.before_stop is UNSET:
        # A table that stands in for one whose journal cannot be read.
        return refuse(Refusal.TABLE_IS_STOPPED, reason=memory.stopped)
    if wrong := imbalance(memory):
        return refuse(Refusal.TABLE_IS_STOPPED, reason=wrong)
    resumed = e.TableResumed(command.reason, command.by, clause, memory.stopped)
    return Decision([resumed, *recover_from(table, memory.stands)])
