"""Who deals: people, or the automatic dealer. Recorded when it changes, and shown at every terminal.

The mode decides nothing about play: what people may do by the rulebook they may do in either.

Recovery: what a table does when it is opened again in the middle of a round.

The rulebook says it: with an outcome established the round is concluded, without one it is void. Where a
rulebook has no clause on interruption the same is done, as general law. A round that waits for people goes on waiting,
and it is on record that it was interrupted. Where wheel and console disagree it waits until they agree: its outcome is
established. Where it waits for a decision and is to stand, it ends, because an interrupted spin does not go on.

A table that has stopped goes on, when people have looked at it and its money is right.

It goes on where it stood. A round that was in progress was interrupted, and ends by its rulebook's clause on that.
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
    """At once when no round is in progress and none is announced; else after the last round."""
    state = table.state
    if not 0 <= command.last_rounds <= MAX_LAST_ROUNDS:
        return refuse(Refusal.BAD_AMOUNT, reason=f"last_rounds is 0 to {MAX_LAST_ROUNDS}")
    in_round = state.phase in (*IN_ROUND, Phase.REFERRED)
    if command.last_rounds or in_round:
        return Decision([e.LastRoundsAnnounced(max(command.last_rounds, 1))])
    return Decision([e.TableClosed()])


def take_over(table: Table, command: c.TakeOver, facts: Facts) -> Decision:
    state = table.state
    if not state.automatic:
        return refuse(Refusal.MODE_IS_MANUAL, reason=state.mode_reason)
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="say why people deal from here on")
    return Decision([e.ManualModeEntered(command.reason)])


def hand_back(table: Table, command: c.HandBack, facts: Facts) -> Decision:
    if table.state.automatic:
        return refuse(Refusal.MODE_IS_AUTOMATIC)
    return Decision([e.AutomaticModeEntered()])


WITH_OUTCOME = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME = IrregularityId("interrupted_without_outcome")


def recover(table: Table) -> list[e.AnyEvent]:
    """The events of recovery; none when no round was in progress, or when it is known that it was interrupted."""
    return recover_from(table, table.state.phase)


def recover_from(table: Table, phase: Phase) -> list[e.AnyEvent]:
    state = table.state
    waits = HELD if state.held_in(phase) else Phase.REFERRED if phase is Phase.REFERRED else None
    if waits is not None:
        return [] if state.interrupted else [_recovered(table, waits)]
    return [_recovered(table, phase), *ended(table)] if phase in IN_ROUND else []


def ended(table: Table) -> list[e.AnyEvent]:
    """How an interrupted round ends."""
    established = table.state.wheel_outcome
    if established is not None:
        return [settled(table, established), *closing(table)]
    id, clause = _by(table)
    return [voided(table, (clause,), (id,)), *closing(table)]


def _recovered(table: Table, phase: str) -> e.InterruptionRecovered:
    return e.InterruptionRecovered(table.state.round, phase, *_by(table))


def _by(table: Table) -> tuple[IrregularityId, Clause]:
    """What the wheel showed is established, whatever was registered afterwards."""
    id = WITHOUT_OUTCOME if table.state.wheel_outcome is None else WITH_OUTCOME
    listed = table.game.rulebook.irregularities.get(id)
    return id, listed.clause if listed else GENERAL_LAW


def resume_table(table: Table, command: c.ResumeTable, facts: Facts) -> Decision:
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this is for the {authority.decides.position}")
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "say what was wrong, and what was done about it")
    if state.before_stop is UNSET:
        # A table that stands in for one whose journal cannot be read.
        return refuse(Refusal.TABLE_IS_STOPPED, reason=state.stopped)
    if wrong := imbalance(state):
        return refuse(Refusal.TABLE_IS_STOPPED, reason=wrong)
    resumed = e.TableResumed(command.reason, command.by, clause, state.stopped)
    return Decision([resumed, *recover_from(table, state.phase_before_stop)])
