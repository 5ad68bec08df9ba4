"""Decides corrections of results, and matters that are referred to the person who decides under the rulebook.

The pit resolves readings that differ to one of them. Any other number is for the person who decides, with a second
person, and it is marked in the journal.
"""

from msgspec import UNSET

from roundhouse.rules.authority import may_decide
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.corrections import (
    corrected_round,
    past_round,
    reinstated_round,
    restated,
    reversed_round,
    stake_of,
)
from roundhouse.table.decision import (
    IN_ROUND,
    Decision,
    Facts,
    not_authorised,
    refuse,
    source_of,
    with_second_person,
)
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.lifecycle import asks_after_decision
from roundhouse.table.names import Phase, RoundNumber, Ruling
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import (
    bets_closed,
    clause_on_wrong_results,
    closing,
    correcting_clause,
    evidence_of,
    may_correct,
    voided,
)
from roundhouse.table.round import settled as settled_round
from roundhouse.table.state import RoundRecord, Table

NO_ROUND = RoundNumber(0)
"""Number under which a question about the rules is referred that concerns no round."""
_MONEY_OF_PAST_ROUNDS = (e.RoundCorrected, e.RoundReversed, e.SeatDecided)


def correct_result(table: Table, command: c.CorrectResult, facts: Facts) -> Decision:
    """Resolve readings that differ, or correct a settled round. Both need two persons."""
    rulebook, state = table.game.rulebook, table.state
    if not may_correct(rulebook, command.by):
        return not_authorised(table, f"a {command.by} may not correct a result")
    if command.round == state.round:
        if state.phase is Phase.REFERRED:
            return refuse(Refusal.AWAITING_DECISION, rulebook.authority.decides.clause)
        if state.phase is Phase.INTERRUPTED:
            return refuse(Refusal.AWAITING_WHEEL, rulebook.spin.result)
        if state.phase in IN_ROUND:
            return _resolve(table, command)
    return _correct_past(table, command, facts)


def _resolve(table: Table, command: c.CorrectResult) -> Decision:
    state, clause = table.state, correcting_clause(table.game.rulebook)
    if state.phase not in (Phase.AT_REST, Phase.REGISTERED):
        return refuse(Refusal.NO_RESULT_REGISTERED, clause)
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if not state.readings_disagree:
        if state.phase is Phase.AT_REST:
            return refuse(Refusal.NO_RESULT_REGISTERED, clause)
        if command.outcome == state.registered_outcome:
            return refuse(Refusal.NOTHING_TO_CORRECT, clause)
    if command.outcome not in evidence_of(table).outcomes:
        reason = "there is no reading of this outcome at the wheel; refer the round to the person who decides"
        return refuse(Refusal.NOT_A_READING, clause, reason)
    was = state.registered_outcome if state.registered_outcome != command.outcome else None
    event = e.ResultRegistered(state.round, command.outcome, command.by, clause, was, source_of(command))
    return with_second_person(command, Decision([event]), "resolving readings that differ")


def _correct_past(table: Table, command: c.CorrectResult, facts: Facts) -> Decision:
    authority = table.game.rulebook.authority
    record = past_round(table, command.round)
    if record is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    game = table.game_of(record)
    if game is None:
        return _unknown_rulebook(record)
    clause = correcting_clause(game.rulebook)
    if command.outcome not in game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if record.void:
        return refuse(Refusal.ROUND_IS_VOID, clause)
    if clause_on_wrong_results(game.rulebook) is None:
        reason = "this rulebook has no clause on wrong results; refer the round to the person who decides"
        return refuse(Refusal.ROUND_IS_SETTLED, authority.decides.clause, reason)
    if record.outcome == command.outcome:
        return refuse(Refusal.NOTHING_TO_CORRECT, clause)
    if facts.money is not None and facts.money.needs_reason and not (command.reason or "").strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause, "write why the settled round is corrected")
    decision = Decision([corrected_round(table, record, command.outcome, clause, game)])
    return with_second_person(command, decision, "changing a settled round")


def _unknown_rulebook(record: RoundRecord) -> Decision:
    reason = f"round {record.number} was played by rulebook {record.rulebook}, which is not in the journal"
    return refuse(Refusal.PLAYED_BY_OTHER_RULEBOOK, reason=reason)


def refer(table: Table, command: c.Refer, facts: Facts) -> Decision:
    state, decides = table.state, table.game.rulebook.authority.decides
    number = NO_ROUND if command.round is UNSET else command.round
    in_progress = number == state.round and state.phase in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED)
    if command.round is not UNSET and not in_progress and past_round(table, number) is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    if number in state.referrals and (not in_progress or state.phase is Phase.REFERRED):
        return refuse(Refusal.ALREADY_REFERRED, decides.clause)
    if not command.question.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason="write the question to be decided")
    # Bets do not reopen after a referral during a spin, because the ball may be at rest by then.
    closes: list[e.AnyEvent] = [bets_closed(table)] if in_progress and state.phase is Phase.SPINNING_BETS_OPEN else []
    referred = e.MatterReferred(number, command.question, decides.position, decides.clause, source_of(command))
    return Decision([*closes, referred])


def may_decide_now(table: Table, by: StaffPosition, number: RoundNumber) -> bool:
    """Return whether the holder of a position may decide the matter of a round.

    At an unattended table of play money the automatic dealer may decide what the table itself referred in the round
    in progress.
    """
    state = table.state
    if by not in PROGRAMS:
        return may_decide(table.game.rulebook.authority, by)
    referrer = (state.referred_by or {}).get(number)
    by_table = referrer is not None and referrer.by is StaffPosition.SYSTEM
    unattended = state.automatic and state.terms.is_play_money
    return unattended and by_table and number == state.round and state.phase is Phase.REFERRED


def decide_matter(table: Table, command: c.Decide, facts: Facts) -> Decision:
    """Decide a referred matter: void the round, settle it or let it stand. The reason is recorded."""
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    number = NO_ROUND if command.round is UNSET else command.round
    if not may_decide_now(table, command.by, number):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this command is for the {authority.decides.position}")
    if number not in state.referrals:
        return refuse(Refusal.NOTHING_REFERRED, clause)
    if not command.reason.strip():
        return refuse(Refusal.NO_REASON_GIVEN, clause)
    in_progress = number == state.round and state.phase in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED)
    if number == NO_ROUND:
        if command.ruling is not Ruling.STAND or command.seat is not UNSET:
            return refuse(Refusal.NO_ROUND, clause, "a question without a round is answered with the ruling 'stand'")
        decision = Decision([_made(table, command, number)])
    elif in_progress:
        decision = _decide_current(table, command)
    else:
        decision = _decide_past(table, command, number)
    return _with_second_if_due(table, command, number, decision)


def _with_second_if_due(table: Table, command: c.Decide, number: RoundNumber, decision: Decision) -> Decision:
    """Require a second person for money of past rounds, for an outcome off the record, and for one's own matter."""
    source = source_of(command)
    if any(isinstance(event, _MONEY_OF_PAST_ROUNDS) for event in decision.events):
        return with_second_person(command, decision, "changing a settled round")
    if any(isinstance(event, e.DecisionMade) and event.off_record for event in decision.events):
        if source.is_program:
            return refuse(Refusal.NOT_A_READING, table.game.rulebook.authority.decides.clause)
        return with_second_person(command, decision, "settling to an outcome that no other person has read")
    if not source.is_program and any(one.may_be(source) for one in table.state.referrers_of(number)):
        return with_second_person(command, decision, "deciding a matter that one has referred oneself")
    return decision


def _made(
    table: Table, command: c.Decide, number: RoundNumber, outcome: Pocket | None = None, off_record: bool = False
) -> e.DecisionMade:
    clause, source = table.game.rulebook.authority.decides.clause, source_of(command)
    seat = None if command.seat is UNSET else command.seat
    return e.DecisionMade(
        number, command.ruling, command.reason, command.by, clause, outcome, seat, off_record, source.who, source.second
    )


def _decide_current(table: Table, command: c.Decide) -> Decision:
    state, clause = table.state, table.game.rulebook.authority.decides.clause
    if command.seat is not UNSET:
        return _decide_seat_in_progress(table, command)
    if state.phase is not Phase.REFERRED and command.ruling is not Ruling.STAND:
        return refuse(Refusal.ROUND_IN_PROGRESS, clause, "decide each seat, or wait until the round has ended")
    match command.ruling:
        case Ruling.STAND:
            return Decision([_made(table, command, state.round), *asks_after_decision(table)])
        case Ruling.VOID:
            return Decision([_made(table, command, state.round), voided(table, (clause,)), *closing(table)])
        case Ruling.SETTLE:
            read = evidence_of(table).outcomes
            if not read:
                return refuse(Refusal.BALL_IS_NOT_AT_REST, clause, "a round is settled only after the ball has rested")
            if command.outcome is None and len(read) > 1:
                return refuse(Refusal.OUTCOME_NEEDED, clause)
            outcome = command.outcome or next(iter(read))
            if outcome not in table.game.wheel.rank:
                return refuse(Refusal.NO_SUCH_OUTCOME)
            known = evidence_of(table).outcomes_read_by_others(source_of(command))
            made = _made(table, command, state.round, outcome, outcome not in known)
            return Decision([made, settled_round(table, outcome), *closing(table)])


def _decide_seat_in_progress(table: Table, command: c.Decide) -> Decision:
    state, clause = table.state, table.game.rulebook.authority.decides.clause
    assert command.seat is not UNSET
    seat = state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    made = _made(table, command, state.round)
    match command.ruling:
        case Ruling.STAND:
            return Decision([made])
        case Ruling.VOID:
            if not seat.bets:
                return refuse(Refusal.NOTHING_THERE, clause, "the seat has no bets in this round")
            return Decision([made, e.StakeReturned(state.round, seat.id, seat.on_layout, clause)])  # type: ignore[arg-type]
        case Ruling.SETTLE:
            return refuse(Refusal.ROUND_IN_PROGRESS, clause, "a seat is settled after the round has ended")


def _decide_past(table: Table, command: c.Decide, number: RoundNumber) -> Decision:
    record = past_round(table, number)
    assert record is not None, "only rounds that exist are referred"
    clause = table.game.rulebook.authority.decides.clause
    if command.ruling is Ruling.STAND:
        return Decision([_made(table, command, number)])
    if command.seat is not UNSET and command.seat not in record.slips:
        return refuse(Refusal.NO_SUCH_SEAT, clause, "the seat has no bets in this round")
    if command.ruling is Ruling.VOID:
        return _void_past(table, command, record)
    game = table.game_of(record)
    if game is None:
        return _unknown_rulebook(record)
    outcome = command.outcome or _only_reading_of_void(record)
    if outcome is None:
        return refuse(Refusal.OUTCOME_NEEDED, clause)
    if outcome not in game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    return _settle_past(table, command, record, outcome, game)


def _only_reading_of_void(record: RoundRecord) -> Pocket | None:
    """Return the outcome that was read in a void round; ``None`` if none was read, or several."""
    read = frozenset[Pocket]() if record.evidence is UNSET else record.evidence.outcomes
    return next(iter(read)) if record.void and len(read) == 1 else None


def _void_past(table: Table, command: c.Decide, record: RoundRecord) -> Decision:
    made = _made(table, command, record.number)
    if command.seat is not UNSET:
        if (was := record.outcome_of(command.seat)) is None:
            return refuse(Refusal.ROUND_IS_VOID, made.clause, "the bets of this seat are already void")
        change = restated(table, record, command.seat, stake_of(record, command.seat), [])
        return Decision([made, e.SeatDecided(record.number, Ruling.VOID, made.clause, change, None, was)])
    if record.void:
        return refuse(Refusal.ROUND_IS_VOID, made.clause)
    return Decision([made, reversed_round(table, record, (made.clause,), (), [])])


def _settle_past(table: Table, command: c.Decide, record: RoundRecord, outcome: Pocket, game: Game) -> Decision:
    """Correct a settled round, or reinstate a void one, for all seats or for one."""
    evidence = record.evidence
    off_record = evidence is UNSET or outcome not in evidence.outcomes_read_by_others(source_of(command))
    made = _made(table, command, record.number, outcome, off_record)
    if command.seat is not UNSET:
        if (was := record.outcome_of(command.seat)) == outcome:
            return refuse(Refusal.NOTHING_TO_CORRECT, made.clause)
        now = table.seat_returns(command.seat, record.slips[command.seat], outcome, game)
        change = restated(table, record, command.seat, now, [])
        return Decision([made, e.SeatDecided(record.number, Ruling.SETTLE, made.clause, change, outcome, was)])
    if record.void:
        return Decision([made, reinstated_round(table, record, outcome, made.clause, game)])
    if record.outcome == outcome:
        return refuse(Refusal.NOTHING_TO_CORRECT, made.clause)
    return Decision([made, corrected_round(table, record, outcome, made.clause, game)])
