"""Decides on irregularities, "no spin" calls, corrections of results, and matters referred for a decision.

A void round returns every stake once. A settled round can still be corrected or voided. Amounts that cannot
be taken back from a seat are recorded as its shortfall.
"""

from roundhouse.rules.authority import may_decide, may_declare
from roundhouse.rules.names import Cents, Clause, IrregularityId, Pocket, StaffPosition
from roundhouse.rules.rulebook import Effect, Irregularity, Rulebook, Until
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import IN_ROUND, STAFF, Decision, Facts, not_authorised, refuse
from roundhouse.table.lifecycle import ended
from roundhouse.table.names import Phase, RoundNumber, Ruling, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import closing, confirmed, settled, voided
from roundhouse.table.state import RoundRecord, Table

NO_SPIN = IrregularityId("no_spin")
_WHEEL_DECIDES = (Effect.SETTLE_BY_WHEEL, Effect.WHEEL_PREVAILS)
_RESTED = (Phase.AT_REST, Phase.REGISTERED)


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
    records = {number: _past_round(table, number) for number in past}
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
    # Reverse rounds that credit seats first. Seats then have more credits to take, and shortfalls are smaller.
    for record in sorted(found, key=_taken_by_reversal):
        events.append(reversed_round(table, record, (listed.clause,), (id,), events))
    return Decision([*events, *(closing(table) if in_progress and state.round in numbers else ())])


def untimely_declaration(table: Table, listed: Irregularity, past: bool) -> Refusal | None:
    """Return the refusal if the phase forbids a declaration, else ``None``.

    ``past`` is true for settled rounds and false for the round in progress.
    """
    phase = table.state.phase
    if not past and phase not in IN_ROUND:
        return Refusal.NO_ROUND
    return _untimely(phase, listed, past)


def _untimely(phase: Phase, listed: Irregularity, past: bool) -> Refusal | None:
    if listed.until is Until.REST and phase in _RESTED:
        return Refusal.TOO_LATE_TO_DECLARE
    return Refusal.ROUND_IS_SETTLED if past and listed.effect is not Effect.VOID_AFFECTED_ROUNDS else None


def _taken_by_reversal(record: RoundRecord) -> int:
    staked = sum(sum(slip.values()) for slip in record.slips.values())
    return sum(record.returned.values()) - staked


def _past_round(table: Table, number: RoundNumber) -> RoundRecord | None:
    """Return a past round, or ``None`` if this number was never played."""
    return table.archive.round(number) if 0 < number <= table.state.round else None


def reversed_round(
    table: Table,
    record: RoundRecord,
    clauses: tuple[Clause, ...],
    causes: tuple[IrregularityId, ...],
    before: list[e.AnyEvent],
) -> e.RoundReversed:
    """Void a settled round: each seat gets its stake back and repays the amount returned to it.

    ``before`` holds the earlier events of the same decision, which may have changed a seat's credits.
    """
    assert record.outcome is not None
    stakes = {seat: sum(slip.values()) for seat, slip in record.slips.items()}
    seats = tuple(_restated(table, record, seat, staked, before) for seat, staked in stakes.items())
    return e.RoundReversed(record.number, record.outcome, clauses, seats, causes)


def _restated(table: Table, record: RoundRecord, seat: SeatId, now: int, before: list[e.AnyEvent]) -> e.Restated:
    """Compute the correction for a seat that should have received ``now`` cents. At most its credits are taken."""
    was = record.returned.get(seat, 0)
    owed = record.shortfall.get(seat, 0)
    difference = now - was
    if difference >= 0:
        repaid = min(owed, difference)
        return e.Restated(
            seat, Cents(was), Cents(now), Cents(difference - repaid), Cents(0), -repaid, Cents(owed - repaid)
        )
    credits = table.state.seats[seat].credits + sum(_credited_by(event, seat) for event in before)
    taken = min(credits, -difference)
    short = -difference - taken
    return e.Restated(seat, Cents(was), Cents(now), Cents(0), Cents(taken), short, Cents(owed + short))


def _credited_by(event: e.AnyEvent, seat: SeatId) -> int:
    """Return how much an earlier event of the same decision changes a seat's credits."""
    match event:
        case e.RoundVoided():
            return event.seats.get(seat, 0)
        case e.RoundReversed():
            return sum(change.credited - change.taken for change in event.seats if change.seat == seat)
        case _:
            return 0


def confirm_result(table: Table, command: c.ConfirmResult, facts: Facts) -> Decision:
    """Confirm the result and settle the round. Refused while the readings of wheel and console disagree."""
    state = table.state
    if state.readings_disagree:
        reason = f"the wheel reads {state.wheel_outcome}, the console has {state.registered_outcome}"
        return refuse(Refusal.READINGS_DISAGREE, correcting_clause(table), reason)
    return confirmed(table)


def correct_result(table: Table, command: c.CorrectResult, facts: Facts) -> Decision:
    rulebook, state = table.game.rulebook, table.state
    if not may_correct(rulebook, command.by):
        return not_authorised(table, f"a {command.by} may not correct a result")
    clause = correcting_clause(table)
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
    record = _past_round(table, command.round)
    if record is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    if record.void:
        return refuse(Refusal.ROUND_IS_VOID, clause)
    if record.rulebook != table.game.hash:
        return _other_rulebook(record)
    if record.outcome == command.outcome:
        return refuse(Refusal.NOTHING_TO_CORRECT, clause)
    return Decision([corrected(table, record, command.outcome, clause)])


def _other_rulebook(record: RoundRecord) -> Decision:
    """Refuse to correct a round that was played by another rulebook, because its prices may differ."""
    reason = f"round {record.number} was played by rulebook {record.rulebook}; open the table with that rulebook"
    return refuse(Refusal.PLAYED_BY_OTHER_RULEBOOK, reason=reason)


def may_correct(rulebook: Rulebook, by: StaffPosition) -> bool:
    """Return whether a position may correct a result. If no clause names positions, all staff except Dealers may."""
    wrong = [listed for listed in rulebook.irregularities.values() if listed.effect is Effect.SETTLE_BY_WHEEL]
    if wrong:
        return any(may_declare(rulebook.authority, listed, by) for listed in wrong)
    return by in STAFF and by is not StaffPosition.DEALER


def correcting_clause(table: Table) -> Clause:
    """Return the clause by which the wheel overrides the console, or else the clause on results."""
    irregularities = table.game.rulebook.irregularities.values()
    for effect in _WHEEL_DECIDES:
        for listed in irregularities:
            if listed.effect is effect:
                return listed.clause
    return table.game.rulebook.spin.result


def corrected(table: Table, record: RoundRecord, outcome: Pocket, clause: Clause) -> e.RoundCorrected:
    assert record.outcome is not None
    due = {seat: table.seat_returns(seat, slip, outcome) for seat, slip in record.slips.items()}
    seats = tuple(
        _restated(table, record, seat, now, []) for seat, now in due.items() if now != record.returned.get(seat, 0)
    )
    return e.RoundCorrected(record.number, record.outcome, outcome, clause, seats)


def refer(table: Table, command: c.Refer, facts: Facts) -> Decision:
    state, decides = table.state, table.game.rulebook.authority.decides
    in_progress = command.round == state.round and state.phase in (*IN_ROUND, Phase.REFERRED)
    if not in_progress and _past_round(table, command.round) is None:
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
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this decision is for the {authority.decides.position}")
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
    """Return the events that end a round which was interrupted while it waited for a decision.

    Empty if there was no interruption, or if the readings of wheel and console disagree.
    """
    state = table.state
    assert state.before_referral is not None
    return ended(table) if state.interrupted and not state.disagree_in(state.before_referral) else []


def _decide_past(table: Table, command: c.Decide, event: e.DecisionMade) -> Decision:
    record = _past_round(table, command.round)
    assert record is not None, "a referred round is in the archive"
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
            return Decision([event, corrected(table, record, command.outcome, event.clause)])
