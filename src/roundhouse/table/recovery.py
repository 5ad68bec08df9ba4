"""Recovery: what a table does when it is opened again in the middle of a round.

The rulebook says it: with an outcome established the round is concluded, without one it is void. Where a
rulebook has no clause on interruption the same is done, as general law.
"""

from roundhouse.rules.names import GENERAL_LAW, IrregularityId
from roundhouse.table import events as e
from roundhouse.table.deciding import IN_ROUND
from roundhouse.table.names import Phase
from roundhouse.table.play import closing, settled, voided
from roundhouse.table.state import Table

WITH_OUTCOME = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME = IrregularityId("interrupted_without_outcome")


def recover(table: Table) -> list[e.AnyEvent]:
    """The events of recovery; none when no round was in progress, or when it waits for people to decide."""
    return recover_from(table, table.memory.phase)


def recover_from(table: Table, phase: Phase) -> list[e.AnyEvent]:
    memory = table.memory
    if phase not in IN_ROUND or memory.held_in(phase):
        return []
    # What the wheel showed is established, whatever was registered afterwards.
    established = memory.rested
    id = WITHOUT_OUTCOME if established is None else WITH_OUTCOME
    listed = table.game.rulebook.irregularities.get(id)
    clause = listed.clause if listed else GENERAL_LAW
    recovered = e.InterruptionRecovered(memory.round, phase, id, clause)
    if established is None:
        return [recovered, voided(table, (clause,), (id,)), *closing(table)]
    return [recovered, settled(table, established), *closing(table)]
