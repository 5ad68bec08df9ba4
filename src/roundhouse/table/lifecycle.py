"""Decides opening and closing, manual and automatic mode, resuming, and recovery after an interruption.

An interrupted round is settled if the wheel has read an outcome, else it is void. The rulebook's clause on
interruptions is cited, or general law if it has none. A round that waits for people continues to wait.
"""

from msgspec import UNSET

from roundhouse.rules.authority import may_decide
from roundhouse.rules.names import GENERAL_LAW, Clause, IrregularityId
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import IN_ROUND, Decision, Facts, refuse
from roundhouse.table.ledger import imbalance
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.names import HELD, Phase
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import closing, settled, voided
from roundhouse.table.state import Table

MAX_LAST_ROUNDS = 100


def open_table(table: Table, command: c.OpenTable, facts: Facts) -> Decision:
    limits = command.limits or Limits()
    if wrong := faults_of(limits, table.game.layouts):  # type: ignore[arg-type]
        return refuse(Refusal.BAD_LIMITS, reason=wrong)
    rulebook = table.game.rulebook
    return Decision([e.TableOpened(rulebook.id, rulebook.version, table.game.hash, limits)])


def close_table(table: Table, command: c.CloseTable, facts: Facts) -> Decision:
    """Close the table now, or announce the last rounds if one is in progress or ``last_rounds`` is given."""
    state = table.state
    if not 0 <= command.last_rounds <= MAX_LAST_ROUNDS:
        return refuse(Refusal.BAD_AMOUNT, reason=f"last_rounds must be 0 to {MAX_LAST_ROUNDS}")
    in_round = state.phase in (*IN_ROUND, Phase.REFERRED)
    if command.last_rounds or in_round:
        return Decision([e.LastRoundsAnnounced(max(command.last_rounds, 1))])
    return Decision([e.TableClosed()])


def take_over(table: Table, command: c.TakeOver, facts: Facts) -> Decision:
    state = table.state
    if not state.automatic:
        return refuse(Refusal.MODE_IS_MANUAL, reason=state.mode_reason)
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="give the reason for manual mode")
    return Decision([e.ManualModeEntered(command.reason)])


def hand_back(table: Table, command: c.HandBack, facts: Facts) -> Decision:
    if table.state.automatic:
        return refuse(Refusal.MODE_IS_AUTOMATIC)
    return Decision([e.AutomaticModeEntered()])


WITH_OUTCOME = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME = IrregularityId("interrupted_without_outcome")


def recover(table: Table) -> list[e.AnyEvent]:
    """Return the events that recover a table after a restart.

    The list is empty if no round was in progress, or if the interruption of a waiting round is already recorded.
    """
    return recover_from(table, table.state.phase)


def recover_from(table: Table, phase: Phase) -> list[e.AnyEvent]:
    state = table.state
    waits = HELD if state.disagree_in(phase) else Phase.REFERRED if phase is Phase.REFERRED else None
    if waits is not None:
        return [] if state.interrupted else [_recovered(table, waits)]
    return [_recovered(table, phase), *ended(table)] if phase in IN_ROUND else []


def ended(table: Table) -> list[e.AnyEvent]:
    """Return the events that end an interrupted round."""
    outcome = table.state.wheel_outcome
    if outcome is not None:
        return [settled(table, outcome), *closing(table)]
    id, clause = _interruption(table)
    return [voided(table, (clause,), (id,)), *closing(table)]


def _recovered(table: Table, phase: str) -> e.InterruptionRecovered:
    return e.InterruptionRecovered(table.state.round, phase, *_interruption(table))


def _interruption(table: Table) -> tuple[IrregularityId, Clause]:
    """Return the irregularity and clause of an interruption. Only the wheel's reading counts as an outcome."""
    id = WITHOUT_OUTCOME if table.state.wheel_outcome is None else WITH_OUTCOME
    listed = table.game.rulebook.irregularities.get(id)
    return id, listed.clause if listed else GENERAL_LAW


def resume_table(table: Table, command: c.ResumeTable, facts: Facts) -> Decision:
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this decision is for the {authority.decides.position}")
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "describe the fault and how it was resolved")
    if state.before_stop is UNSET:
        # This table is a placeholder for one with a damaged journal, so there is no phase to return to.
        return refuse(Refusal.TABLE_IS_STOPPED, reason=state.stopped)
    if wrong := imbalance(state):
        return refuse(Refusal.TABLE_IS_STOPPED, reason=wrong)
    resumed = e.TableResumed(command.reason, command.by, clause, state.stopped)
    return Decision([resumed, *recover_from(table, state.phase_before_stop)])
