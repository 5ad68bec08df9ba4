"""Who deals: people, or the automatic dealer. Recorded when it changes, and shown at every terminal.

The mode decides nothing about play: what people may do by the rulebook they may do in either.
"""

from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.deciding import Decision, Facts, refuse
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table


def take_over(table: Table, command: c.TakeOver, facts: Facts) -> Decision:
    memory = table.memory
    if not memory.automatic:
        return refuse(Refusal.MODE_IS_MANUAL, reason=memory.mode_reason)
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="say why people deal from here on")
    return Decision([e.ManualModeEntered(command.reason)])


def hand_back(table: Table, command: c.HandBack, facts: Facts) -> Decision:
    if table.memory.automatic:
        return refuse(Refusal.MODE_IS_AUTOMATIC)
    return Decision([e.AutomaticModeEntered()])
