"""Decides opening and closing, manual and automatic mode, resuming, and recovery after an interruption.

After an interruption the table asks what the wheel shows. An outcome on record stays, and people go on with the round.
A rulebook without a clause on interruptions has the round referred. A round that waits for people continues to wait.
"""

from typing import Final

from msgspec import UNSET

from roundhouse.rules.authority import may_decide
from roundhouse.rules.names import Clause, IrregularityId
from roundhouse.rules.rulebook import Rulebook
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table import first_procedure as first
from roundhouse.table.authority import within_configuration
from roundhouse.table.chips import fault_of_chips
from roundhouse.table.dealers import released_by_automatic
from roundhouse.table.decision import IN_ROUND, Decision, Facts, HouseTerms, refuse, with_second_person
from roundhouse.table.ledger import imbalance
from roundhouse.table.limits import faults_of
from roundhouse.table.names import EVIDENCE, HELD, PLANNED_STOP, Phase
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import WITH_OUTCOME, WITHOUT_OUTCOME, bets_closed, referred_by_table
from roundhouse.table.state import Table

MAX_LAST_ROUNDS = 100
INTERRUPTED = IrregularityId("interrupted")
"""An interruption for which it is not yet on record whether the wheel shows an outcome."""
WHEN_INTERRUPTED: Final[dict[Phase, str]] = {
    Phase.BETS_OPEN: "while bets were open",
    Phase.BETS_CLOSED: "after bets were closed",
    Phase.SPINNING_BETS_OPEN: "during the spin, while bets were open",
    Phase.SPINNING: "during the spin",
    Phase.AT_REST: "after the outcome was read",
    Phase.REGISTERED: "after the result was registered",
}
"""The phase of an interrupted round in words, for games with and without a ball."""


def open_table(table: Table, command: c.OpenTable, facts: Facts) -> Decision:
    """Open the table under the house's terms. A rulebook is refused before the instant from which it is in force."""
    house = facts.house
    if house is None:
        return first.open_table(table, command, facts)
    rulebook = table.game.rulebook
    if facts.at < rulebook.effective.timestamp() * 1000:
        since = rulebook.effective.isoformat()
        return refuse(Refusal.NOT_IN_FORCE, reason=f"rulebook {rulebook.id} is in force from {since}")
    limits = house.limits if command.limits is None else command.limits.completed(house.limits)
    if limits is None:
        return refuse(Refusal.NO_LIMITS, rulebook.betting.limits, "a table opens with limits only")
    if wrong := faults_of(limits, table.game.layouts):  # type: ignore[arg-type]
        return refuse(Refusal.BAD_LIMITS, reason=wrong)
    chips = () if rulebook.chips is None else command.chips or house.chips
    if rulebook.chips is not None and (wrong := fault_of_chips(chips)):
        return refuse(Refusal.BAD_CHIPS, rulebook.chips.clause, wrong)
    opened = Decision(
        [
            e.TableOpened(
                rulebook.id,
                rulebook.version,
                table.game.hash,
                limits,
                EVIDENCE,
                house.currency,
                chips,
                house.opens_phrase,
                house.closes_phrase,
            )
        ]
    )
    return within_configuration(table, command, limits, facts, opened)


def close_table(table: Table, command: c.CloseTable, facts: Facts) -> Decision:
    """Close the table now, or announce the last rounds if one is in progress or ``last_rounds`` is given."""
    state = table.state
    if not 0 <= command.last_rounds <= MAX_LAST_ROUNDS:
        return refuse(Refusal.BAD_AMOUNT, reason=f"last_rounds must be 0 to {MAX_LAST_ROUNDS}")
    in_round = state.phase in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED)
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


def is_real_money(table: Table) -> bool:
    """Return whether the table was opened for real money, so that a person must deal."""
    terms = table.state.terms
    return table.state.by_evidence and bool(terms.currency) and not terms.is_play_money


def hand_back(table: Table, command: c.HandBack, facts: Facts) -> Decision:
    """Switch to the automatic dealer, for play money only: with real money a person deals."""
    state = table.state
    if state.automatic:
        return refuse(Refusal.MODE_IS_AUTOMATIC)
    if is_real_money(table):
        reason = "with real money a person deals"
        return refuse(Refusal.NEEDS_A_DEALER, table.game.rulebook.spin.clause, reason)
    return Decision([*released_by_automatic(table), e.AutomaticModeEntered()])


def recover(table: Table, house: HouseTerms) -> list[e.AnyEvent]:
    """Return the events that recover a table after a restart.

    A table of the first procedure adopts the current one, now if a round is in progress, else with its next act.
    Empty if nothing is to be recorded, which includes an orderly stop of the software.
    """
    state = table.state
    if not state.by_evidence:
        in_round = state.phase in (*IN_ROUND, Phase.REFERRED)
        return [_adopted(table, house), *recover_from(table, state.phase)] if in_round else []
    orderly = state.orderly_stop_at is not UNSET and state.orderly_stop_at == state.last_event_at
    return [] if orderly else recover_from(table, state.phase)


def _adopted(table: Table, house: HouseTerms) -> e.ProcedureAdopted:
    chips = house.chips if table.game.rulebook.chips is not None else ()
    return e.ProcedureAdopted(EVIDENCE, house.currency, chips, house.opens_phrase, house.closes_phrase)


def with_adoption(table: Table, command: c.AnyCommand, facts: Facts, decision: Decision) -> Decision:
    """Let a table of the first procedure adopt the current one before its first act under this version.

    A new table needs no adoption, because its opening records the procedure.
    """
    if not decision.events or isinstance(command, c.OpenTable) or not table.state.rulebook:
        return decision
    assert facts.house is not None, "the current version decides with terms of the house"
    return Decision([_adopted(table, facts.house), *decision.events], decision.refused)


def stop_software(table: Table) -> list[e.AnyEvent]:
    """Return the events of an orderly stop of the software: a round in progress is referred. Empty between rounds."""
    state = table.state
    if state.phase not in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED):
        return []
    stopped = e.SoftwareStopped(state.round, state.phase)
    if state.phase is Phase.REFERRED:
        return [stopped]
    return [stopped, *_referred(table, state.phase, PLANNED_STOP)]


def _referred(table: Table, phase: Phase, question: str) -> list[e.AnyEvent]:
    """Refer the round in progress. Bets do not reopen after a spin, because the ball may be at rest by then."""
    referred = referred_by_table(table, question)
    return [bets_closed(table), referred] if phase is Phase.SPINNING_BETS_OPEN else [referred]


def recover_from(table: Table, phase: Phase) -> list[e.AnyEvent]:
    """Return the events that recover a table which was in this phase when the server stopped."""
    state, rulebook = table.state, table.game.rulebook
    asks_wheel = WITH_OUTCOME in rulebook.irregularities
    if phase is Phase.REFERRED:
        if state.interrupted:
            return []
        known = state.wheel_outcome is not None
        return [_interrupted(table, phase, established=True) if known else _noted(table, phase)]
    if state.disagree_in(phase):
        held: list[e.AnyEvent] = [] if state.interrupted else [_interrupted(table, HELD, established=True)]
        return held if asks_wheel else [*held, *_referred(table, phase, question_after_restart(phase))]
    if phase not in IN_ROUND:
        return []
    rested = phase in (Phase.AT_REST, Phase.REGISTERED)
    if not asks_wheel:
        return [_interrupted(table, phase, rested), *_referred(table, phase, question_after_restart(phase))]
    return [_interrupted(table, phase, rested) if rested else _noted(table, phase, asks=True)]


def question_after_restart(phase: Phase) -> str:
    """Return the question under which a table without a clause on interruptions refers its round after a restart."""
    return f"The server restarted {WHEN_INTERRUPTED[phase]}. What does the wheel show?"


def _interrupted(table: Table, phase: str, established: bool) -> e.InterruptionRecovered:
    id = WITH_OUTCOME if established else WITHOUT_OUTCOME
    rulebook = table.game.rulebook
    listed = rulebook.irregularities.get(id)
    clause = listed.clause if listed else rulebook.authority.decides.clause
    return e.InterruptionRecovered(table.state.round, phase, id, clause)


def _noted(table: Table, phase: Phase, asks: bool = False) -> e.InterruptionRecovered:
    """Record an interruption for which it is not yet known whether the wheel shows an outcome."""
    clause = clause_on_interruptions(table.game.rulebook)
    return e.InterruptionRecovered(table.state.round, phase, INTERRUPTED, clause, asks)


def clause_on_interruptions(rulebook: Rulebook) -> Clause:
    """Return the clause that contains those on interruptions with and without an outcome.

    For ``5.1.1`` and ``5.1.2`` it is ``5.1``. A rulebook without such clauses has the matter decided by a person.
    """
    listed = rulebook.irregularities
    found = [listed[id].clause for id in (WITH_OUTCOME, WITHOUT_OUTCOME) if id in listed]
    if not found:
        return rulebook.authority.decides.clause
    parents = {clause.rpartition(".")[0] for clause in found}
    return Clause(parents.pop()) if len(parents) == 1 else found[0]


def asks_after_decision(table: Table) -> list[e.AnyEvent]:
    """Ask what the wheel shows if a round was interrupted while it waited for a decision, and it is to stand."""
    state = table.state
    before = state.before_referral
    if not state.interrupted or before not in IN_ROUND or before in (Phase.AT_REST, Phase.REGISTERED):
        return []
    assert before is not None
    return [_noted(table, before, asks=True)] if WITH_OUTCOME in table.game.rulebook.irregularities else []


def resume_table(table: Table, command: c.ResumeTable, facts: Facts) -> Decision:
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this command is for the {authority.decides.position}")
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "describe the fault and how it was resolved")
    if state.before_stop is UNSET:
        # The table replaces one whose journal is damaged, so there is no phase to return to.
        return refuse(Refusal.TABLE_IS_STOPPED, reason=state.stopped)
    if wrong := imbalance(state):
        return refuse(Refusal.TABLE_IS_STOPPED, reason=wrong)
    resumed = e.TableResumed(command.reason, command.by, clause, state.stopped)
    if not state.by_evidence and facts.house is None:
        return Decision([resumed, *first.recover_from(table, state.phase_before_stop)])
    decision = Decision([resumed, *recover_from(table, state.phase_before_stop)])
    return with_second_person(command, decision, "resuming a stopped table")
