"""Decides declarations of irregularities and "no spin" calls.

An irregularity of the spin is declared only for a round that has a spin, and not against what is on record. After a
result is registered it needs a second person. A void round returns every stake once.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from roundhouse.rules.authority import may_declare
from roundhouse.rules.judge import BALL_DROPPED, SAME_DIRECTION, TOO_FEW_REVOLUTIONS, WHEEL_NOT_ROTATING
from roundhouse.rules.names import IrregularityId, StaffPosition
from roundhouse.rules.rulebook import Effect, Irregularity, Rulebook
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.corrections import past_round, reversed_round, taken_by_reversal
from roundhouse.table.decision import (
    BETTING,
    IN_ROUND,
    Decision,
    Facts,
    not_authorised,
    refuse,
    source_of,
    with_second_person,
)
from roundhouse.table.evidence import PROGRAMS, Evidence
from roundhouse.table.names import Phase, RoundNumber, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import (
    HOW_TO_CALL_NO_SPIN,
    NO_SPIN,
    NOT_AT_REST,
    WITHOUT_OUTCOME,
    closing,
    evidence_of,
    voided,
)
from roundhouse.table.state import RoundRecord, Table

TERMINALS: Final = IrregularityId("terminals_interrupted")
_REGISTERED_BETS: Final = IrregularityId("terminal_interrupted_bets_registered")
_UNREGISTERED_BETS: Final = IrregularityId("terminal_interrupted_bets_unregistered")
_OTHERWISE: Final = IrregularityId("terminal_interrupted_otherwise")
_RESTED = (Phase.AT_REST, Phase.REGISTERED)
_ROUND = (*IN_ROUND, Phase.INTERRUPTED)


def is_declarable(rulebook: Rulebook, id: IrregularityId) -> bool:
    """Return whether a person can declare an irregularity of this rulebook: it voids a round, or names terminals."""
    listed = rulebook.irregularities.get(id)
    return listed is not None and (listed.effect.voids or id == TERMINALS)


def names_position(rulebook: Rulebook, listed: Irregularity, by: StaffPosition) -> bool:
    """Return whether the rulebook lets a position declare an irregularity. Programs of the house count as system."""
    return may_declare(rulebook.authority, listed, StaffPosition.SYSTEM if by in PROGRAMS else by)


def declare(table: Table, command: c.Declare, facts: Facts) -> Decision:
    rulebook, id = table.game.rulebook, command.irregularity
    if table.state.phase is Phase.REFERRED and id != TERMINALS:
        return refuse(Refusal.AWAITING_DECISION, rulebook.authority.decides.clause)
    if not is_declarable(rulebook, id):
        known = ", ".join(one for one in rulebook.irregularities if is_declarable(rulebook, one))
        return refuse(Refusal.NO_SUCH_IRREGULARITY, reason=f"'{id}' cannot be declared; use one of {known}")
    listed = rulebook.irregularities[id]
    if not names_position(rulebook, listed, command.by):
        return not_authorised(table, f"a {command.by} may not declare '{id}'")
    if id == TERMINALS:
        return _terminals_interrupted(table, command, listed)
    return _declare(table, command, id, listed)


def call_no_spin(table: Table, command: c.CallNoSpin, facts: Facts) -> Decision:
    """Void the round on a suspicion. The suspicion is recorded as the reason."""
    rulebook = table.game.rulebook
    listed = rulebook.irregularities.get(NO_SPIN)
    if listed is None:
        return refuse(Refusal.NO_SUCH_IRREGULARITY, reason="this rulebook has no 'no spin' call")
    if not names_position(rulebook, listed, command.by):
        return not_authorised(table, f"a {command.by} may not call 'no spin'")
    if refusal := untimely_declaration(table, NO_SPIN, listed, past=False):
        return refuse(refusal, listed.clause)
    reason = "" if command.reason is UNSET else command.reason.strip()
    if not reason:
        return refuse(Refusal.NO_REASON_GIVEN, listed.clause, "name the irregularity that is suspected")
    decision = Decision([voided(table, (listed.clause,), (NO_SPIN,), reason), *closing(table)])
    return _with_second_if_due(table, command, decision)


def _declare(table: Table, command: c.Declare, id: IrregularityId, listed: Irregularity) -> Decision:
    state = table.state
    in_progress = state.phase in _ROUND
    numbers = sorted(set(command.rounds)) if command.rounds else [state.round]
    if not command.rounds and not in_progress:
        return refuse(Refusal.NO_ROUND, listed.clause)
    current = in_progress and state.round in numbers
    past = [number for number in numbers if not in_progress or number != state.round]
    if past and (refusal := untimely_declaration(table, id, listed, past=True)):
        return refuse(refusal, listed.clause)
    if past and command.by is StaffPosition.DEALER:
        return not_authorised(table, "a supervisor or a higher position voids past rounds")
    records = {number: past_round(table, number) for number in past}
    if missing := [number for number, record in records.items() if record is None]:
        return refuse(Refusal.NO_SUCH_ROUND, reason=f"there is no settled round {missing[0]}")
    if current and (refusal := untimely_declaration(table, id, listed, past=False)):
        return refuse(refusal, listed.clause)
    if current and (record := contradiction(table.game.rulebook, evidence_of(table), id)):
        return refuse(Refusal.AGAINST_THE_RECORD, listed.clause, record)
    if id == NO_SPIN:
        return refuse(Refusal.NO_REASON_GIVEN, listed.clause, HOW_TO_CALL_NO_SPIN)
    found = [record for record in records.values() if record is not None]
    return _void_rounds(table, command, id, listed, current, found)


def _void_rounds(
    table: Table, command: c.Declare, id: IrregularityId, listed: Irregularity, current: bool, past: list[RoundRecord]
) -> Decision:
    """Void the round in progress and settled rounds. Rounds that are void already are skipped, on record."""
    settled = [record for record in past if not record.void]
    skipped = tuple(record.number for record in past if record.void)
    if not settled and not current:
        return refuse(Refusal.ROUND_IS_VOID, reason=f"round {skipped[0]} is already void")
    events: list[e.AnyEvent] = [e.RoundsSkipped(skipped, id, listed.clause)] if skipped else []
    if current:
        events.append(voided(table, (listed.clause,), (id,)))
    # Reversals that credit seats come first, so that those that take credits leave the smallest shortfall.
    for record in sorted(settled, key=taken_by_reversal):
        events.append(reversed_round(table, record, (listed.clause,), (id,), events))
    decision = Decision([*events, *(closing(table) if current else ())])
    if settled:
        return with_second_person(command, decision, "voiding a settled round")
    if id == WITHOUT_OUTCOME:
        return with_second_person(command, decision, "stating that the wheel shows no outcome")
    return _with_second_if_due(table, command, decision)


def _with_second_if_due(table: Table, command: c.Declare | c.CallNoSpin, decision: Decision) -> Decision:
    """Require a second person after a result is registered, and after an interruption: the wheel may show a result."""
    if table.state.phase is Phase.REGISTERED:
        return with_second_person(command, decision, "voiding a round whose result is registered")
    if table.state.phase is Phase.INTERRUPTED or table.state.power_cut:
        return with_second_person(command, decision, "voiding an interrupted round")
    return decision


def untimely_declaration(table: Table, id: IrregularityId, listed: Irregularity, past: bool) -> Refusal | None:
    """Return the refusal of a declaration because of the phase, or ``None`` if it is allowed.

    ``past`` asks about a settled round, else about the round in progress.
    """
    phase = table.state.phase
    if past:
        return None if listed.effect is Effect.VOID_AFFECTED_ROUNDS else Refusal.ROUND_IS_SETTLED
    if phase not in _ROUND:
        return Refusal.NO_ROUND
    if id == WITHOUT_OUTCOME and phase in _RESTED:
        return Refusal.TOO_LATE_TO_DECLARE
    if id in (WITHOUT_OUTCOME, TERMINALS) or has_spin(evidence_of(table)):
        return None
    return Refusal.SPIN_HAS_NOT_STARTED


def has_spin(evidence: Evidence) -> bool:
    return evidence.started_by is not None or bool(evidence.readings)


def contradiction(rulebook: Rulebook, evidence: Evidence, id: IrregularityId) -> str:
    """Return what on record contradicts an irregularity, or an empty text if nothing does."""
    revolutions, ball, wheel = evidence.revolutions, evidence.ball, evidence.wheel
    if evidence.readings and id in NOT_AT_REST | {WITHOUT_OUTCOME}:
        return f"the outcome {evidence.readings[0].outcome} is on record"
    if id == TOO_FEW_REVOLUTIONS and revolutions is not None and revolutions >= rulebook.spin.least_revolutions:
        return f"{revolutions} revolutions are on record"
    if id == SAME_DIRECTION and ball is not None and wheel is not None and ball is not wheel:
        return f"ball {ball} and wheel {wheel} are on record"
    if id == WHEEL_NOT_ROTATING and wheel is not None:
        return f"the wheel is on record as rotating {wheel}"
    if id == BALL_DROPPED and (ball is not None or (revolutions or 0) > 0):
        return "the ball is on record as spun"
    return ""


def interruption_of_terminals(
    rulebook: Rulebook, round: RoundNumber, seats: tuple[SeatId, ...]
) -> e.TerminalsInterrupted | None:
    """Return the event for interrupted terminals, with the clauses; ``None`` if the rulebook has no such clause."""
    listed = rulebook.irregularities
    if TERMINALS not in listed:
        return None
    registered, unregistered = (
        listed[id].clause if id in listed else None for id in (_REGISTERED_BETS, _UNREGISTERED_BETS)
    )
    return e.TerminalsInterrupted(round, seats, listed[TERMINALS].clause, registered, unregistered)


def interrupted_terminals(seats: Sequence[SeatId]) -> str:
    """Name interrupted terminals, in a sentence that continues: ``terminal of seat 1 was interrupted``."""
    if len(seats) == 1:
        return f"terminal of seat {seats[0]} was interrupted"
    return f"terminals of seats {', '.join(seats)} were interrupted"


def _terminals_interrupted(table: Table, command: c.Declare, listed: Irregularity) -> Decision:
    """Record that terminals were cut off. The round goes on; bets that were registered stay in it."""
    state, rulebook = table.state, table.game.rulebook
    seats = () if command.seats is UNSET else tuple(dict.fromkeys(command.seats))
    if state.phase not in (*_ROUND, Phase.REFERRED):
        return refuse(Refusal.NO_ROUND, listed.clause)
    if command.rounds and set(command.rounds) != {state.round}:
        return refuse(Refusal.ROUND_IS_SETTLED, listed.clause, "terminals are interrupted in the round in progress")
    if not seats or any(seat not in state.seats for seat in seats):
        return refuse(Refusal.NO_SUCH_SEAT, reason="name the seats of the terminals that were interrupted")
    clauses = rulebook.irregularities
    interrupted = interruption_of_terminals(rulebook, RoundNumber(state.round), seats)
    assert interrupted is not None, "the irregularity is listed"
    events: list[e.AnyEvent] = [interrupted]
    open_matters = (state.referred_seats or {}).get(state.round, ())
    mixed = tuple(seat for seat in seats if state.seats[seat].bets and seat not in open_matters)
    if mixed and _OTHERWISE in clauses and state.phase in BETTING:
        decides = rulebook.authority.decides
        question = f"The {interrupted_terminals(mixed)} after bets were accepted and before bets closed."
        source = source_of(command)
        events.append(
            e.MatterReferred(state.round, question, decides.position, decides.clause, source, for_seats=mixed)
        )
    return Decision(events)
