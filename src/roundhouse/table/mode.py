"""Who deals: people, or the automatic dealer. Recorded when it changes, and shown at every terminal.

The mode decides nothing about play: what people may do by the rulebook they may do in either.
"""

from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.deciding import IN_ROUND, Decision, Facts, refuse
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table

MAX_LAST_ROUNDS = 100


def open_table(table: Table, command: c.OpenTable, facts: Facts) -> Decision:
    limits = command.limits or Limits()
    if wrong := faults_of(limits, table.game.layouts):  # type: ignore[arg-type]
        return refuse(Refusal.BAD_LIMITS, reason=wrong)
    rulebook = table.game.rulebook
    return Decision([e.TableOpened(rulebook.id, rulebook.version, table.game.hash, limits)])


def close_table(table: Table, command: c.CloseTable, facts: Facts) -> Decision:
    """At once when no round is in progress and none is announced; else after the last round."""
    memory = table.memory
    if not 0 <= command.last_rounds <= MAX_LAST_ROUNDS:
        return refuse(Refusal.BAD_AMOUNT, reason=f"last_rounds is 0 to {MAX_LAST_ROUNDS}")
    in_round = memory.phase in (*IN_ROUND, Phase.REFERRED)
    if command.last_rounds or in_round:
        return Decision([e.LastRoundsAnnounced(max(command.last_rounds, 1))])
    return Decision([e.TableClosed()])


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
