"""Decides the acts of a round: opening and closing bets, the spin, readings, registration and confirmation.

A result is confirmed only if the spin was measured or attested as valid, and if all readings and the registered
outcome agree.
"""

from msgspec import UNSET

from roundhouse.rules.authority import may_declare
from roundhouse.rules.judge import Misreported, reported_irregularities
from roundhouse.rules.names import Cents, Clause, IrregularityId, Pocket, StaffPosition
from roundhouse.rules.rulebook import Effect, Moment, Rulebook, Spun
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import (
    BETTING,
    DEALER,
    STAFF,
    Decision,
    Facts,
    authorised,
    not_authorised,
    refuse,
    source_of,
    stopping,
    with_second_person,
)
from roundhouse.table.evidence import PROGRAMS, Evidence, Reading, SpinReport
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import Phase, ReadBy, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table

_WHEEL_DECIDES = (Effect.SETTLE_BY_WHEEL, Effect.WHEEL_PREVAILS)


def open_bets(table: Table, command: c.OpenBets, facts: Facts) -> Decision:
    state, opens = table.state, table.game.rulebook.betting.opens
    if wrong := imbalance(state):
        return stopping(wrong)
    number = RoundNumber(state.round + 1)
    return Decision([e.BetsOpened(number, state.terms.opens_phrase or opens.phrases[0], opens.clause)])


def close_bets(table: Table, command: c.CloseBets, facts: Facts) -> Decision:
    if refusal := closing_out_of_order(table):
        return refuse(refusal, table.game.rulebook.betting.closes.moment_clause)
    return Decision([bets_closed(table)])


def bets_closed(table: Table) -> e.BetsClosed:
    state, closes = table.state, table.game.rulebook.betting.closes
    phrase = state.terms.closes_phrase or closes.phrases[0]
    return e.BetsClosed(state.round, phrase, closes.clause, Cents(state.layout))


def start_spin(table: Table, command: c.StartSpin, facts: Facts) -> Decision:
    if refusal := spin_out_of_order(table):
        return refuse(refusal, table.game.rulebook.betting.closes.moment_clause)
    state = table.state
    segment = None if state.segment is UNSET else state.segment
    return Decision([e.SpinStarted(state.round, source_of(command), command.by_hand is True, segment)])


def closing_out_of_order(table: Table) -> Refusal | None:
    """Return a refusal if the spin has not begun and the rulebook closes bets while the ball rotates."""
    moment = table.game.rulebook.betting.closes.moment
    early = table.state.phase is Phase.BETS_OPEN and moment is Moment.WHILE_SPINNING
    return Refusal.BETS_CLOSE_WHILE_SPINNING if early else None


def spin_out_of_order(table: Table) -> Refusal | None:
    """Return a refusal if bets are open and the rulebook closes them before the spin."""
    moment = table.game.rulebook.betting.closes.moment
    early = table.state.phase is Phase.BETS_OPEN and moment is Moment.BEFORE_SPIN
    return Refusal.BETS_CLOSE_BEFORE_SPIN if early else None


def evidence_of(table: Table) -> Evidence:
    """Return the evidence of the round in progress; empty if nothing is recorded yet."""
    evidence = table.state.evidence
    return Evidence() if evidence is UNSET else evidence


def may_report(table: Table, by: StaffPosition) -> bool:
    """Return whether a position may report the spin: the Dealer first, then all of the staff."""
    return by in PROGRAMS or bool(evidence_of(table).reports) or authorised(table, by, DEALER)


def observe_spin(table: Table, command: c.ObserveSpin, facts: Facts) -> Decision:
    """Record a report of the spin. An irregularity voids the round, unless an earlier report says otherwise.

    Reports that differ are a dispute: the later one does not replace the earlier one.
    """
    state, rulebook, evidence = table.state, table.game.rulebook, evidence_of(table)
    source = source_of(command)
    if not may_report(table, command.by):
        return not_authorised(table, "the first report of the spin is for the dealer")
    report = SpinReport(source, command.revolutions, command.ball or None, command.wheel or None, command.seen)
    differs = any(report.contradicts(earlier) for earlier in evidence.reports)
    try:
        found = reported_irregularities(rulebook, command.ball, command.wheel, command.revolutions, command.seen)
        if not differs:
            # Two incomplete reports may show an irregularity together, such as one direction each.
            ball, wheel = (
                command.ball or evidence.ball or command.ball,
                command.wheel or evidence.wheel or command.wheel,
            )
            revolutions = evidence.revolutions if command.revolutions is None else command.revolutions
            found = reported_irregularities(rulebook, ball, wheel, revolutions, command.seen)
    except Misreported as error:
        return refuse(Refusal.MISREPORTED, reason=str(error))
    for id, clause in found.items():
        if id == NO_SPIN:
            return refuse(Refusal.NO_REASON_GIVEN, clause, HOW_TO_CALL_NO_SPIN)
        if evidence.readings and id in NOT_AT_REST:
            return refuse(Refusal.AGAINST_THE_RECORD, clause, f"the ball is on record at rest: not '{id}'")
    observed = e.SpinObserved(state.round, report.revolutions, report.ball, report.wheel, report.seen, source)
    if not found or differs:
        return Decision([observed])
    void = voided(table, tuple(dict.fromkeys(found.values())), tuple(found))
    decision = Decision([observed, void, *closing(table)])
    registered = state.phase is Phase.REGISTERED and not source.is_program
    return with_second_person(command, decision, "voiding a registered round") if registered else decision


NO_SPIN = IrregularityId("no_spin")
HOW_TO_CALL_NO_SPIN = "use call_no_spin, and give the irregularity that is suspected as its reason"
NOT_AT_REST = frozenset(map(IrregularityId, ("ball_did_not_drop", "ball_left_wheel", "clapper_on_pin")))
"""Irregularities of a ball or wheel that came to rest nowhere. A reading of the outcome contradicts them."""


def ball_at_rest(table: Table, command: c.BallAtRest, facts: Facts) -> Decision:
    """Record a reading of the outcome. If bets are still open, it closes them and the round is referred."""
    state, rulebook, evidence = table.state, table.game.rulebook, evidence_of(table)
    source, phase = source_of(command), state.phase_of_round
    further = phase in (Phase.AT_REST, Phase.REGISTERED)
    if not source.is_program:
        if command.read_by is ReadBy.WHEEL:
            return not_authorised(table, "only the driver of the wheel reads for the wheel")
        if not further and not authorised(table, command.by, DEALER):
            return not_authorised(table, "the first reading is for the dealer")
    if rests_before_spin(table):
        return refuse(Refusal.AWAITING_DECISION, rulebook.authority.decides.clause)
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if (refused := _refuse_segment(table, command)) is not None:
        return refused
    segment = None if command.segment is UNSET else command.segment
    read_by = ReadBy.WHEEL if source.is_program else ReadBy.DEALER
    if further:
        if evidence.may_have_read(source):
            reason = "this reading is on record; amend it with amend_reading"
            return refuse(Refusal.BALL_IS_AT_REST, rulebook.spin.result, reason)
        return Decision([e.OutcomeRead(state.round, command.outcome, source, read_by, segment)])
    reason = "" if command.reason is UNSET else command.reason.strip()
    if facts.ball_on_line is False and not source.is_program and state.phase is not Phase.INTERRUPTED and not reason:
        text = "the wheel's line reported no ball in this round; give the reason for a result without one"
        return refuse(Refusal.NO_REASON_GIVEN, rulebook.spin.result, text)
    rested = e.BallRested(state.round, command.outcome, rulebook.spin.result, read_by, source, segment, reason)
    if state.phase is Phase.REFERRED:
        return _rest_while_referred(table, command, rested)
    if phase is Phase.INTERRUPTED:
        return _rest_after_interruption(table, command, rested)
    decision = Decision([rested])
    if phase is Phase.SPINNING_BETS_OPEN:
        referred = referred_by_table(table, question_of_early_rest(command.outcome))
        decision = Decision([bets_closed(table), rested, referred])
    if not state.power_cut:
        return decision
    return with_second_person(command, decision, "telling the outcome of an interrupted round")


def rests_before_spin(table: Table) -> bool:
    """Return whether the round was referred before a spin, so that no ball can be at rest.

    If the table itself referred it, the software was stopped, and the ball may have been spun since.
    """
    state = table.state
    if state.phase is not Phase.REFERRED or state.phase_of_round not in (Phase.BETS_OPEN, Phase.BETS_CLOSED):
        return False
    return not referred_by_program(table)


def referred_by_program(table: Table) -> bool:
    """Return whether a program of the house, or the table itself, referred the round in progress."""
    referrer = (table.state.referred_by or {}).get(table.state.round)
    return referrer is not None and referrer.is_program


def _rest_while_referred(table: Table, command: c.BallAtRest, rested: e.BallRested) -> Decision:
    """Record the outcome of a round that waits for a decision. It goes on waiting.

    Two persons read it if the software was stopped during the round.
    """
    state = table.state
    if state.phase_of_round is Phase.INTERRUPTED:
        return _rest_after_interruption(table, command, rested)
    closes = [bets_closed(table)] if state.phase_of_round in BETTING else []
    decision = Decision([*closes, *_attested_start(table, command), rested])
    if not referred_by_program(table) and not state.interrupted and not state.power_cut:
        return decision
    return with_second_person(command, decision, "telling the outcome after a stop of the software")


def question_of_early_rest(outcome: Pocket) -> str:
    """Return the question under which the table refers a round whose ball came to rest while bets were open."""
    return f"The ball came to rest in {outcome} while bets were still open."


def _rest_after_interruption(table: Table, command: c.BallAtRest, rested: e.BallRested) -> Decision:
    """Go on with an interrupted round whose outcome stands at the wheel. Two persons attest it, or the wheel's line."""
    state = table.state
    before = state.before_interruption
    events: list[e.AnyEvent] = [bets_closed(table)] if before in BETTING else []
    events += _attested_start(table, command)
    listed = table.game.rulebook.irregularities.get(WITH_OUTCOME)
    assert listed is not None, "only a rulebook with a clause on interruptions asks the wheel"
    events += [rested, e.InterruptionRecovered(state.round, Phase.AT_REST, WITH_OUTCOME, listed.clause)]
    return with_second_person(command, Decision(events), "telling the outcome after an interruption")


def _attested_start(table: Table, command: c.BallAtRest) -> list[e.AnyEvent]:
    """Attest the start of a spin that is not on record, because the software had stopped. A reading implies it."""
    state = table.state
    if evidence_of(table).started_by is not None:
        return []
    segment = None if state.segment is UNSET else state.segment
    return [e.SpinStarted(state.round, source_of(command), from_segment=segment)]


WITH_OUTCOME = IrregularityId("interrupted_with_outcome")
WITHOUT_OUTCOME = IrregularityId("interrupted_without_outcome")


def referred_by_table(table: Table, question: str) -> e.MatterReferred:
    """Refer a question of the round in progress that no person asked."""
    decides = table.game.rulebook.authority.decides
    source = source_of(None)
    return e.MatterReferred(table.state.round, question, decides.position, decides.clause, source)


def _refuse_segment(table: Table, command: c.BallAtRest | c.AmendReading) -> Decision | None:
    if command.segment is UNSET:
        return None
    wheel = table.game.wheel
    if wheel.spun is not Spun.WHEEL:
        return refuse(Refusal.NO_SUCH_SEGMENT, reason="only a wheel with a clapper has segments")
    if not 0 <= command.segment < len(wheel.order):
        return refuse(Refusal.NO_SUCH_SEGMENT, reason=f"the wheel has segments 0 to {len(wheel.order) - 1}")
    if (symbol := wheel.order[command.segment]) != command.outcome:
        return refuse(Refusal.NO_SUCH_SEGMENT, reason=f"segment {command.segment} bears {symbol}")
    return None


def amend_reading(table: Table, command: c.AmendReading, facts: Facts) -> Decision:
    """Change the sender's own reading. The journal records the old value and the new one."""
    state, source, evidence = table.state, source_of(command), evidence_of(table)
    clause = table.game.rulebook.spin.result
    if not evidence.readings:
        return refuse(Refusal.AWAITING_DECISION, table.game.rulebook.authority.decides.clause)
    own = evidence.reading_of(source)
    if own is None or source.is_program:
        return refuse(Refusal.NO_READING_TO_AMEND, clause, "a person may amend their own reading only")
    if state.resolved:
        return not_authorised(table, f"an authorised person has set the result {state.registered_outcome}")
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if (refused := _refuse_segment(table, command)) is not None:
        return refused
    segment = None if command.segment is UNSET else command.segment
    if (command.outcome, segment) == (own.outcome, own.segment):
        return refuse(Refusal.NOTHING_TO_CORRECT, clause)
    amended = e.ReadingAmended(state.round, own.outcome, command.outcome, source, segment, own.segment)
    decision = Decision([amended])
    if own.source.second is None:
        return decision
    return with_second_person(command, decision, "changing a reading that two persons attested")


def register_result(table: Table, command: c.RegisterResult, facts: Facts) -> Decision:
    state = table.state
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    before = state.registered_outcome
    if state.resolved and command.outcome != before:
        # The console cannot override a result set by an authorised person.
        return not_authorised(table, f"an authorised person has set the result {before}")
    was = before if before != command.outcome else None
    return Decision([e.ResultRegistered(state.round, command.outcome, was=was, source=source_of(command))])


def confirm_result(table: Table, command: c.ConfirmResult, facts: Facts) -> Decision:
    """Confirm the result and settle the round. Refused while evidence is missing or differs."""
    state, rulebook, evidence = table.state, table.game.rulebook, evidence_of(table)
    if state.readings_disagree:
        read = ", ".join(map(_named_reading, evidence.readings))
        reason = f"read: {read}; registered: {state.registered_outcome}"
        return refuse(Refusal.READINGS_DISAGREE, correcting_clause(rulebook), reason)
    if evidence.reports_differ and not evidence.spin_accepted:
        return refuse(Refusal.REPORTS_DISAGREE, rulebook.spin.clause, "refer the round: reports of the spin differ")
    if facts.number_awaited:
        reason = "the wheel's line has not read the number of this round yet; wait for it, or refer the round"
        return refuse(Refusal.AWAITING_WHEEL, rulebook.spin.result, reason)
    missing = not_measured(rulebook, evidence)
    unattended = source_of(command).is_program
    if unattended and not state.terms.is_play_money:
        return refuse(Refusal.NEEDS_A_DEALER, rulebook.spin.clause, "with real money a person confirms the result")
    if missing and not unattended and not evidence.spin_accepted:
        reason = f"neither measured nor attested: {', '.join(missing)}; report the spin with observe_spin"
        return refuse(Refusal.SPIN_NOT_ATTESTED, rulebook.spin.clause, reason)
    outcome = state.registered_outcome
    assert outcome is not None, "the phase REGISTERED has a registered result"
    event = e.ResultConfirmed(state.round, outcome, None, source_of(command), missing)
    return Decision([event, settled(table, outcome), *closing(table)])


def _named_reading(reading: Reading) -> str:
    segment = "" if reading.segment is None else f" in segment {reading.segment}"
    source = "wheel" if reading.read_by is ReadBy.WHEEL else reading.source.who or reading.source.by
    return f"{reading.outcome}{segment} ({source})"


def not_measured(rulebook: Rulebook, evidence: Evidence) -> tuple[str, ...]:
    """List the values that make a spin valid and that are neither measured nor attested."""
    values: dict[str, object] = {"revolutions": evidence.revolutions}
    if rulebook.wheel.spun is Spun.BALL:
        values = {"ball": evidence.ball, "wheel": evidence.wheel, **values}
    return tuple(name for name, value in values.items() if value is None)


def may_correct(rulebook: Rulebook, by: StaffPosition) -> bool:
    """Return whether a position may correct a result. If the rulebook does not state it, all but Dealers may."""
    wrong = [listed for listed in rulebook.irregularities.values() if listed.effect is Effect.SETTLE_BY_WHEEL]
    if wrong:
        return any(may_declare(rulebook.authority, listed, by) for listed in wrong)
    return by in STAFF and by is not StaffPosition.DEALER


def clause_on_wrong_results(rulebook: Rulebook) -> Clause | None:
    """Return the clause by which the wheel overrides a registered or displayed result, if there is one."""
    for effect in _WHEEL_DECIDES:
        for listed in rulebook.irregularities.values():
            if listed.effect is effect:
                return listed.clause
    return None


def correcting_clause(rulebook: Rulebook) -> Clause:
    """Return the clause by which the wheel overrides the console, or else the clause on results."""
    return clause_on_wrong_results(rulebook) or rulebook.spin.result


def settled(table: Table, outcome: Pocket) -> e.RoundSettled:
    """Return one event that settles all seats, so that a round never ends with an unsettled seat."""
    state = table.state
    seats = {
        seat.id: (Cents(seat.on_layout), table.seat_returns(seat.id, seat.bets, outcome))
        for seat in state.seats.values()
        if seat.bets
    }
    returned = Cents(sum([back for _, back in seats.values()]))
    return e.RoundSettled(state.round, outcome, Cents(state.layout), returned, seats)


def voided(
    table: Table, clauses: tuple[Clause, ...], causes: tuple[IrregularityId, ...] = (), reason: str = ""
) -> e.RoundVoided:
    state = table.state
    seats = {seat.id: Cents(seat.on_layout) for seat in state.seats.values() if seat.bets}
    return e.RoundVoided(state.round, clauses, table.game.rulebook.settlement.void_returns, seats, causes, reason)


def closing(table: Table) -> list[e.AnyEvent]:
    """Return the event that closes the table if the round that ends now is the last announced round."""
    last = table.state.last_rounds
    return [e.TableClosed()] if last is not None and last <= 1 else []
