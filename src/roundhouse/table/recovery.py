"""Recovery: what a table does when it is opened again in the middle of a round.

The rulebook says it: with an outcome established the round is concluded, without one it is void. Where a
rulebook has no clause on interruption the same is done, as general law. A round that waits for people goes on waiting,
and it is on record that it was interrupted. Where wheel and console disagree it waits until they agree: its outcome is
established. Where it waits for a decision and is to stand, it ends, because an interrupted spin does not go on.
"""

from roundhouse.rules.names import GENERAL_LAW, Clause, IrregularityId
from roundhouse.table import events as e
from roundhouse.table.deciding import IN_ROUND
from roundhouse.table.names import HELD, Phase
from roundhouse.table.play import closing, settled, voided
from roundhouse.table.state import Table

WITH_OUTCOME = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME = IrregularityId("interrupted_without_outcome")


def recover(table: Table) -> list[e.AnyEvent]:
    """The events of recovery; none when no round was in progress, or when it is known that it was interrupted."""
    return recover_from(table, table.memory.phase)


def recover_from(table: Table, phase: Phase) -> list[e.AnyEvent]:
    memory = table.memory
    waits = HELD if memory.held_in(phase) else Phase.REFERRED if phase is Phase.REFERRED else None
    if waits is not None:
        return [] if memory.interrupted else [_recovered(table, waits)]
    return [_recovered(table, phase), *ended(table)] if phase in IN_ROUND else []


def ended(table: Table) -> list[e.AnyEvent]:
    """How an interrupted round ends."""
    established = table.memory.rested
    if established is not None:
        return [settled(table, established), *closing(table)]
    id, clause = _by(table)
    return [voided(table, (clause,), (id,)), *closing(table)]


def _recovered(table: Table, phase: str) -> e.InterruptionRecovered:
    return e.InterruptionRecovered(table.memory.round, phase, *_by(table))


def _by(table: Table) -> tuple[IrregularityId, Clause]:
    """What the wheel showed is established, whatever was registered afterwards."""
    id = WITHOUT_OUTCOME if table.memory.rested is None else WITH_OUTCOME
    listed = table.game.rulebook.irregularities.get(id)
    return id, listed.clause if listed else GENERAL_LAW
