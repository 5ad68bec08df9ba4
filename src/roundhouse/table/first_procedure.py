"""Decides the acts of a round by the first procedure, under which the registered outcome was the result.

Journals of earlier versions contain decisions of this procedure. ``audit`` decides them again, so nothing here may
change. A table leaves this procedure when the current version of the program opens it.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from roundhouse.rules.authority import may_decide, may_declare
from roundhouse.rules.judge import Misreported, Spin, irregularities_of
from roundhouse.rules.names import GENERAL_LAW, Clause, IrregularityId
from roundhouse.rules.rulebook import Effect, Irregularity, Until
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.corrections import corrected_round, past_round, reversed_round, taken_by_reversal
from roundhouse.table.decision import IN_ROUND, Decision, Facts, not_authorised, refuse
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.names import HELD, Phase, RoundNumber, Ruling
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import closing, correcting_clause, may_correct, settled, spin_out_of_order, voided
from roundhouse.table.state import RoundRecord, Table

NO_SPIN: Final = IrregularityId("no_spin")
WITH_OUTCOME: Final = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME: Final = IrregularityId("interrupted_without_outcome")
_RESTED = (Phase.AT_REST, Phase.REGISTERED)
Decider = Callable[[Table, Any, Facts], Decision]


def knows(command: c.Command) -> bool:
    """Return whether earlier versions could decode a command. They required a round in matters for a decision."""
    return not isinstance(command, c.Refer | c.Decide) or command.round is not UNSET


def open_table(table: Table, command: c.OpenTable, facts: Facts) -> Decision:
    limits = command.limits or Limits()
    if wrong := faults_of(limits, table.game.layouts):  # type: ignore[arg-type]
        return refuse(Refusal.BAD_LIMITS, reason=wrong)
    rulebook = table.game.rulebook
    return Decision([e.TableOpened(rulebook.id, rulebook.version, table.game.hash, limits)])


def start_spin(table: Table, command: c.StartSpin, facts: Facts) -> Decision:
    if refusal := spin_out_of_order(table):
        return refuse(refusal, table.game.rulebook.betting.closes.moment_clause)
    return Decision([e.SpinStarted(table.state.round)])


def observe_spin(table: Table, command: c.ObserveSpin, facts: Facts) -> Decision:
    """Record observations of the spin. An irregularity voids the round at once, citing all clauses that apply."""
    number = table.state.round
    assert command.revolutions is not None, "earlier versions required a number"
    spin = Spin(ball=command.ball, wheel=command.wheel, revolutions=command.revolutions, seen=command.seen)
    try:
        found = irregularities_of(table.game.rulebook, spin)
    except Misreported as error:
        return refuse(Refusal.MISREPORTED, reason=str(error))
    observed = e.SpinObserved(number, command.revolutions, command.ball or None, command.wheel or None, command.seen)
    if not found:
        return Decision([observed])
    void = voided(table, tuple(dict.fromkeys(found.values())), tuple(found))
    return Decision([observed, void, *closing(table)])


def ball_at_rest(table: Table, command: c.BallAtRest, facts: Facts) -> Decision:
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    clause = table.game.rulebook.spin.result
    return Decision([e.BallRested(table.state.round, command.outcome, clause, command.read_by)])


def register_result(table: Table, command: c.RegisterResult, facts: Facts) -> Decision:
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if table.state.resolved and command.outcome != table.state.registered_outcome:
        # The console cannot override a result set by an authorised person.
        return not_authorised(table, f"an authorised person has set the result {table.state.registered_outcome}")
    return Decision([e.ResultRegistered(table.state.round, command.outcome)])


def declare(table: Table, command: c.Declare, facts: Facts) -> Decision:
    rulebook = table.game.rulebook
    listed = rulebook.irregularities.get(command.irregularity)
    if listed is None or not listed.effect.voids:
        known = ", ".join(id for id, found in rulebook.irregularities.items() if found.effect.voids)
        reason = f"'{command.irregularity}' cannot be declared; use one of {known}"
        return refuse(Refusal.NO_SUCH_IRREGULARITY, reason=reason)
    if not may_declare(rulebook.authority, listed, command.by):
        return not_authorised(table, f"a {command.by} may not declare '{command.irregularity}'")
    return _declare(table, command.irregularity, listed, command.rounds)


def call_no_spin(table: Table, command: c.CallNoSpin, facts: Facts) -> Decision:
    rulebook = table.game.rulebook
    listed = rulebook.irregularities.get(NO_SPIN)
    if listed is None:
        return refuse(Refusal.NO_SUCH_IRREGULARITY, reason="this rulebook has no 'no spin' call")
    if not may_declare(rulebook.authority, listed, command.by):
        return not_authorised(table, f"a {command.by} may not call 'no spin'")
    return _declare(table, NO_SPIN, listed, None)


def _declare(
    table: Table, id: IrregularityId, listed: Irregularity, rounds: tuple[RoundNumber, ...] | None
) -> Decision:
    state = table.state
    in_progress = state.phase in IN_ROUND
    numbers = sorted(set(rounds)) if rounds else [state.round]
    past = [number for number in numbers if not in_progress or number != state.round]
    if not rounds and not in_progress:
        return refuse(Refusal.NO_ROUND, listed.clause)
    records = {number: past_round(table, number) for number in past}
    if missing := [number for number, record in records.items() if record is None]:
        return refuse(Refusal.NO_SUCH_ROUND, reason=f"there is no settled round {missing[0]}")
    if refusal := _untimely(state.phase, listed, bool(past)):
        return refuse(refusal, listed.clause)
    found = [record for record in records.values() if record is not None]
    if void := [record for record in found if record.void]:
        return refuse(Refusal.ROUND_IS_VOID, reason=f"round {void[0].number} is already void")
    events: list[e.AnyEvent] = []
    if in_progress and state.round in numbers:
        events.append(voided(table, (listed.clause,), (id,)))
    # Reversals that credit seats come first, so that those that take credits leave the smallest shortfall.
    for record in sorted(found, key=taken_by_reversal):
        events.append(reversed_round(table, record, (listed.clause,), (id,), events))
    return Decision([*events, *(closing(table) if in_progress and state.round in numbers else ())])


def _untimely(phase: Phase, listed: Irregularity, past: bool) -> Refusal | None:
    if listed.until is Until.REST and phase in _RESTED:
        return Refusal.TOO_LATE_TO_DECLARE
    return Refusal.ROUND_IS_SETTLED if past and listed.effect is not Effect.VOID_AFFECTED_ROUNDS else None


def confirm_result(table: Table, command: c.ConfirmResult, facts: Facts) -> Decision:
    """Confirm the result and settle the round. Refused while the readings of wheel and console disagree."""
    state = table.state
    if state.readings_disagree:
        reason = f"the wheel reads {state.wheel_outcome}, the console has {state.registered_outcome}"
        return refuse(Refusal.READINGS_DISAGREE, correcting_clause(table.game.rulebook), reason)
    outcome = state.registered_outcome
    assert outcome is not None, "the phase REGISTERED has a registered result"
    read = state.wheel_outcome
    event = e.ResultConfirmed(state.round, outcome, read if read != outcome else None)
    return Decision([event, settled(table, outcome), *closing(table)])


def correct_result(table: Table, command: c.CorrectResult, facts: Facts) -> Decision:
    rulebook, state = table.game.rulebook, table.state
    if not may_correct(rulebook, command.by):
        return not_authorised(table, f"a {command.by} may not correct a result")
    clause = correcting_clause(rulebook)
    in_progress = command.round == state.round and state.phase in IN_ROUND
    if command.round == state.round and state.phase is Phase.REFERRED:
        return refuse(Refusal.AWAITING_DECISION, rulebook.authority.decides.clause)
    if in_progress and state.phase is not Phase.REGISTERED:
        return refuse(Refusal.NO_RESULT_REGISTERED, clause)
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if in_progress:
        if command.outcome == state.registered_outcome and not state.readings_disagree:
            return refuse(Refusal.NOTHING_TO_CORRECT, clause)
        return Decision([e.ResultRegistered(state.round, command.outcome, command.by, clause)])
    record = past_round(table, command.round)
    if record is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    if record.void:
        return refuse(Refusal.ROUND_IS_VOID, clause)
    if record.rulebook != table.game.hash:
        return _other_rulebook(record)
    if record.outcome == command.outcome:
        return refuse(Refusal.NOTHING_TO_CORRECT, clause)
    return Decision([corrected_round(table, record, command.outcome, clause, table.game)])


def _other_rulebook(record: RoundRecord) -> Decision:
    """Refuse to correct a round that was played by another rulebook, because its prices may differ."""
    reason = f"round {record.number} was played by rulebook {record.rulebook}; open the table with that rulebook"
    return refuse(Refusal.PLAYED_BY_OTHER_RULEBOOK, reason=reason)


def refer(table: Table, command: c.Refer, facts: Facts) -> Decision:
    state, decides = table.state, table.game.rulebook.authority.decides
    assert command.round is not UNSET, "earlier versions required a round"
    in_progress = command.round == state.round and state.phase in (*IN_ROUND, Phase.REFERRED)
    if not in_progress and past_round(table, command.round) is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    if command.round in state.referrals:
        return refuse(Refusal.ALREADY_REFERRED, decides.clause)
    if not command.question.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="write the question to be decided")
    return Decision([e.MatterReferred(command.round, command.question, decides.position, decides.clause)])


def decide_matter(table: Table, command: c.Decide, facts: Facts) -> Decision:
    """Decide a referred matter: void the round, settle it or let it stand. The reason is recorded."""
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    assert command.round is not UNSET, "earlier versions required a round"
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this is for the {authority.decides.position}")
    if command.outcome is not None and command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if command.round not in state.referrals:
        return refuse(Refusal.NOTHING_REFERRED, clause)
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause)
    event = e.DecisionMade(command.round, command.ruling, command.reason, command.by, clause)
    if state.phase is Phase.REFERRED and command.round == state.round:
        return _decide_current(table, command, event)
    return _decide_past(table, command, event)


def _decide_current(table: Table, command: c.Decide, event: e.DecisionMade) -> Decision:
    match command.ruling:
        case Ruling.STAND:
            return Decision([event, *_end_if_interrupted(table)])
        case Ruling.VOID:
            return Decision([event, voided(table, (event.clause,)), *closing(table)])
        case Ruling.SETTLE:
            outcome = command.outcome or table.state.wheel_outcome
            if outcome is None:
                return refuse(Refusal.OUTCOME_NEEDED, event.clause)
            return Decision([event, settled(table, outcome), *closing(table)])


def _end_if_interrupted(table: Table) -> list[e.AnyEvent]:
    """End a round that was interrupted while it waited for a decision, as any interrupted round ends.

    If the readings of wheel and console disagree, it continues to wait.
    """
    state = table.state
    assert state.before_referral is not None
    return ended(table) if state.interrupted and not state.disagree_in(state.before_referral) else []


def _decide_past(table: Table, command: c.Decide, event: e.DecisionMade) -> Decision:
    record = past_round(table, event.round)
    assert record is not None, "only rounds that exist are referred"
    match command.ruling:
        case Ruling.STAND:
            return Decision([event])
        case Ruling.VOID:
            if record.void:
                return refuse(Refusal.ROUND_IS_VOID, event.clause)
            return Decision([event, reversed_round(table, record, (event.clause,), (), [])])
        case Ruling.SETTLE:
            if record.void:
                return refuse(Refusal.ROUND_IS_VOID, event.clause)
            if record.rulebook != table.game.hash:
                return _other_rulebook(record)
            if command.outcome is None:
                return refuse(Refusal.OUTCOME_NEEDED, event.clause)
            if command.outcome == record.outcome:
                return refuse(Refusal.NOTHING_TO_CORRECT, event.clause)
            return Decision([event, corrected_round(table, record, command.outcome, event.clause, table.game)])


def recover(table: Table) -> list[e.AnyEvent]:
    """Return the events by which earlier versions recovered a table after a restart."""
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


def with_approval(decider: Decider) -> Decider:
    """Wrap a decider so that a named person alone changes no settled round and resumes no table."""

    def decide(table: Table, command: Any, facts: Facts) -> Decision:
        decision = decider(table, command, facts)
        alone = command.who is not UNSET and (command.second is UNSET or command.second == command.who)
        kinds = (e.RoundCorrected, e.RoundReversed, e.TableResumed)
        if alone and any(isinstance(event, kinds) for event in decision.events):
            action = "resuming a stopped table" if isinstance(command, c.ResumeTable) else "changing a settled round"
            return refuse(Refusal.NEEDS_SECOND_PERSON, reason=f"{action} needs a second person's approval")
        return decision

    return decide
