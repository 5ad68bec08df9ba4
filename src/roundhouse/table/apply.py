"""Applies events to the state, in place and in constant time per bet.

Events are facts, so they are never refused here. Applying the same journal always gives the same state.
"""

from typing import assert_never

from msgspec import UNSET

from roundhouse.rules.names import Cents, Pocket, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.evidence import Evidence, Reading, Source, SpinReport
from roundhouse.table.names import EVIDENCE, ChipAction, Millis, Phase, ReadBy, RoundNumber, Ruling, SeatId
from roundhouse.table.state import (
    KEPT_RESULTS,
    ColourChips,
    Result,
    RoundRecord,
    Seat,
    Table,
    TableState,
    Terms,
)

# Module-level names avoid attribute look-ups in the code for placed bets, the most frequent event.
_UNDONE, _BetsPlaced = ChipAction.UNDONE, e.BetsPlaced


def apply(table: Table, event: e.AnyEvent, at: Millis) -> None:
    state = table.state
    state.last_event_at = at
    match event:
        case _BetsPlaced():
            _place(state, event)
        case e.BetsWithdrawn():
            _take_back(state, event)
        case e.CreditsBought(id, cents):
            state.seats[id].credits += cents
            state.seats[id].bought += cents
            state.cashier -= cents
            state.meters.bought += cents
        case e.LateBetRefused() | e.LateWithdrawalRefused():
            state.meters.late_bets += 1
        case e.TableOpened():
            state.phase = Phase.IDLE
            table.set_limits(event.limits)
            state.rulebook = event.rulebook
            if event.procedure >= EVIDENCE:
                _adopt(table, event)
            state.last_rounds = None
        case e.LastRoundsAnnounced(rounds):
            state.last_rounds = rounds
        case e.ProcedureAdopted():
            _adopt(table, event)
            _keep_evidence_of_first_procedure(state)
        case e.TableClosed():
            state.phase = Phase.CLOSED
            state.last_rounds = None
        case e.TableStopped(reason):
            if state.phase is not Phase.STOPPED:
                state.before_stop = state.phase
            state.phase = Phase.STOPPED
            state.stopped = reason
        case e.TableResumed():
            state.phase, state.before_stop = state.phase_before_stop, UNSET
            state.stopped = ""
        case e.SeatTaken(id, terminal, layout):
            seat = state.seats[id] = Seat(id, terminal, layout or table.game.terminals[terminal].layout.id)
            if event.offers is not None:
                seat.offers = event.offers
        case e.BetsOpened(number):
            state.phase = Phase.BETS_OPEN
            state.round = number
            state.wheel_outcome = state.registered_outcome = None
            state.resolved = False
            if state.by_evidence:
                state.evidence = Evidence()
            for seat in state.seats.values():
                seat.steps = []
        case e.BetsClosed():
            spinning = state.phase is Phase.SPINNING_BETS_OPEN
            state.phase = Phase.SPINNING if spinning else Phase.BETS_CLOSED
            state.closed_at = at
        case e.SpinStarted():
            state.phase = Phase.SPINNING_BETS_OPEN if state.phase is Phase.BETS_OPEN else Phase.SPINNING
            if state.evidence is not UNSET and event.source is not None:
                state.evidence.started_by = event.source
        case e.SpinObserved():
            if state.evidence is not UNSET and (source := event.source) is not None:
                state.evidence.reports.append(
                    SpinReport(source, event.revolutions, event.ball, event.wheel, event.seen)
                )
        case e.BallRested(_, outcome):
            state.phase = Phase.AT_REST
            state.wheel_outcome = outcome
            state.rested_by = event.read_by
            state.before_interruption = UNSET
            if event.source is not None:
                _add_reading(state, Reading(event.source, outcome, event.read_by, event.segment))
        case e.OutcomeRead(_, outcome):
            _add_reading(state, Reading(event.source, outcome, event.read_by, event.segment))
        case e.ReadingAmended():
            _amend_reading(state, event)
        case e.ResultRegistered(_, outcome):
            state.phase = Phase.REGISTERED
            state.registered_outcome = outcome
            if event.resolved_by is not None:
                state.wheel_outcome = outcome
                state.resolved = True
                state.meters.corrections += 1
        case e.ResultConfirmed():
            pass
        case e.RoundSettled():
            _settle(table, event)
        case e.RoundVoided():
            _void(table, event)
        case e.RoundCorrected():
            state.meters.corrections += 1
            _restate(table, event.round, event.outcome, event.seats)
        case e.RoundReversed():
            state.meters.voids += 1
            state.meters.rounds -= 1
            _restate(table, event.round, None, event.seats)
        case e.RoundReinstated():
            state.meters.voids -= 1
            state.meters.rounds += 1
            _restate(table, event.round, event.outcome, event.seats)
        case e.SeatDecided():
            _restate_seat(table, event)
        case e.StakeReturned(_, id, cents):
            _return_stake(state, id, cents)
        case e.RoundsSkipped():
            pass
        case e.TerminalsInterrupted():
            if state.evidence is not UNSET:
                dark = state.evidence.dark_seats
                dark.extend(seat for seat in event.terminals if seat not in dark)
        case e.MatterReferred():
            _refer(state, event)
        case e.DecisionMade():
            _decide(state, event)
        case e.ManualModeEntered(reason):
            state.automatic, state.mode_reason = False, reason
        case e.AutomaticModeEntered():
            state.automatic, state.mode_reason = True, ""
        case e.CashedOut(id, cents):
            state.seats[id].credits -= cents
            state.seats[id].cashed_out += cents
            state.tickets += cents
            state.meters.tickets_out += cents
        case e.TicketRedeemed(id, cents):
            state.seats[id].credits += cents
            state.seats[id].redeemed += cents
            state.tickets -= cents
            state.meters.tickets_in += cents
        case e.ColourIssued(id, colour, value_cents):
            state.seats[id].colour = ColourChips(colour, value_cents)
        case e.ColourRedeemed(id):
            state.seats[id].colour = UNSET
        case e.InterruptionRecovered():
            if event.asks:
                state.before_interruption = Phase(event.phase)
                state.phase = Phase.INTERRUPTED
            elif event.waits:
                state.interrupted = True
        case _:
            assert_never(event)


def _adopt(table: Table, event: e.TableOpened | e.ProcedureAdopted) -> None:
    """Put the table under the procedure and the terms of an event."""
    terms = Terms(event.procedure, event.currency, event.chips, event.opens_phrase, event.closes_phrase)
    table.state.opened_under = terms
    table.has_chips = bool(terms.chips)


def _keep_evidence_of_first_procedure(state: TableState) -> None:
    """Take what the first procedure recorded of the round in progress as evidence: no report of the spin."""
    phase = (state.before_referral or state.phase) if state.phase is Phase.REFERRED else state.phase
    if phase in (Phase.CLOSED, Phase.IDLE, Phase.STOPPED):
        return
    state.evidence = Evidence()
    dealer = Source(StaffPosition.DEALER)
    if phase not in (Phase.BETS_OPEN, Phase.BETS_CLOSED):
        state.evidence.started_by = dealer
    if state.wheel_outcome is not None:
        source = Source(StaffPosition.SYSTEM) if state.rested_by is ReadBy.WHEEL else dealer
        state.evidence.readings = [Reading(source, state.wheel_outcome, state.rested_by)]


def _add_reading(state: TableState, reading: Reading) -> None:
    assert state.evidence is not UNSET, "the current procedure keeps evidence from the opening of bets"
    state.evidence.readings.append(reading)
    _name_wheel_outcome(state)


def _amend_reading(state: TableState, event: e.ReadingAmended) -> None:
    assert state.evidence is not UNSET, "an amended reading is on record"
    readings, own = state.evidence.readings, state.evidence.reading_of(event.source)
    assert own is not None, "a person amends their own reading"
    readings[readings.index(own)] = Reading(own.source, event.outcome, own.read_by, event.segment)
    _name_wheel_outcome(state)


def _name_wheel_outcome(state: TableState) -> None:
    """Take the wheel's own reading as its outcome, or else the first reading."""
    assert state.evidence is not UNSET, "a reading is evidence"
    readings = state.evidence.readings
    chosen = next((one for one in readings if one.read_by is ReadBy.WHEEL), readings[0])
    state.wheel_outcome, state.rested_by = chosen.outcome, chosen.read_by


def _refer(state: TableState, event: e.MatterReferred) -> None:
    number = event.round
    state.referrals[number] = event.question
    if event.source is not None:
        state.referred_by = {**(state.referred_by or {}), number: event.source}
    if event.for_seats or number != state.round or state.phase in (Phase.IDLE, Phase.CLOSED):
        return
    state.before_referral = state.before_interruption or state.phase
    state.before_interruption = UNSET
    state.phase = Phase.REFERRED


def _decide(state: TableState, event: e.DecisionMade) -> None:
    """End a referral, unless the decision concerns one seat only: then the matter of the round stays open."""
    number = event.round
    if event.for_seat is not None:
        return
    state.referrals.pop(number, None)
    if state.referred_by:
        state.referred_by = {round: source for round, source in state.referred_by.items() if round != number} or UNSET
    if state.phase is Phase.REFERRED and number == state.round:
        assert state.before_referral is not None
        state.phase = state.before_referral
        state.before_referral = None
        if event.ruling is Ruling.STAND and state.evidence is not UNSET and state.evidence.reports_differ:
            state.evidence.spin_accepted = True


def _return_stake(state: TableState, id: SeatId, cents: Cents) -> None:
    seat = state.seats[id]
    seat.credits += cents
    seat.returned += cents
    state.layout -= cents
    seat.bets, seat.steps, seat.on_layout = {}, [], 0


def _place(state: TableState, event: e.BetsPlaced) -> None:
    """Move chips from a seat's credits to the layout."""
    seat, placed = state.seats[event.seat], event.bets
    bets = seat.bets
    total = 0
    for position, cents in placed.items():
        bets[position] = bets.get(position, 0) + cents
        total += cents
    seat.staked += total
    seat.credits -= total
    seat.on_layout += total
    state.layout += total
    if event.how is _UNDONE:
        seat.steps.pop()
    else:
        seat.steps.append((True, placed))  # type: ignore[arg-type]


def _take_back(state: TableState, event: e.BetsWithdrawn) -> None:
    """Move chips from the layout to a seat's credits."""
    seat, taken = state.seats[event.seat], event.bets
    bets = seat.bets
    total = 0
    for position, cents in taken.items():
        remaining = bets[position] - cents
        if remaining:
            bets[position] = remaining
        else:
            del bets[position]
        total += cents
    seat.returned += total
    seat.credits += total
    seat.on_layout -= total
    state.layout -= total
    if event.how is _UNDONE:
        seat.steps.pop()
    else:
        seat.steps.append((False, taken))  # type: ignore[arg-type]


def _settle(table: Table, event: e.RoundSettled) -> None:
    state = table.state
    slips, returned = {}, {}
    for id, (staked, back) in event.seats.items():
        seat = state.seats[id]
        slips[id], returned[id] = seat.bets, int(back)
        seat.credits += back
        seat.won += back
        seat.handle += staked
        seat.paid += back
        _clear_chips(seat)
    state.layout -= event.staked
    state.house += event.staked - event.returned
    state.meters.rounds += 1
    state.meters.handle += event.staked
    state.meters.paid += event.returned
    record = RoundRecord(event.round, event.outcome, slips, returned, rulebook=state.rulebook, evidence=state.evidence)
    table.archive.keep(record)
    _conclude(state, event.round, event.outcome)


def _void(table: Table, event: e.RoundVoided) -> None:
    state = table.state
    slips = {}
    for id, back in event.seats.items():
        seat = state.seats[id]
        slips[id] = seat.bets
        seat.credits += back
        seat.returned += back
        state.layout -= back
        _clear_chips(seat)
    state.meters.voids += 1
    record = RoundRecord(event.round, None, slips, {}, rulebook=state.rulebook, evidence=state.evidence)
    table.archive.keep(record)
    _conclude(state, event.round, None)


def _clear_chips(seat: Seat) -> None:
    """Remove a seat's chips from the layout. Store them in ``last_slip``, from which ``Repeat`` places them again."""
    seat.last_slip = seat.bets
    seat.bets = {}
    seat.on_layout = 0


def _conclude(state: TableState, number: RoundNumber, outcome: Pocket | None) -> None:
    state.phase = Phase.IDLE
    state.interrupted = state.before_interruption = UNSET
    if state.evidence is not UNSET:
        segments = [one.segment for one in state.evidence.readings if one.segment is not None]
        state.segment = segments[-1] if segments else state.segment
        state.evidence = UNSET
    state.wheel_outcome = state.registered_outcome = None
    state.results = [Result(number, outcome), *state.results][:KEPT_RESULTS]
    if state.last_rounds is not None:
        state.last_rounds = max(0, state.last_rounds - 1)


def _restate(table: Table, number: RoundNumber, outcome: Pocket | None, seats: tuple[e.Restated, ...]) -> None:
    """Change the outcome of a past round, or void it, and update the seats, the meters and its record."""
    state = table.state
    record = table.archive.round(number)
    assert record is not None, "the archive has every settled round"
    was_void = record.void
    returned, short = dict(record.returned), dict(record.shortfall)
    for change in seats:
        seat = state.seats[change.seat]
        moved = change.credited - change.taken
        seat.credits += moved
        seat.won += moved
        seat.shortfall += change.shortfall
        state.shortfall -= change.shortfall
        state.house += change.was - change.now
        returned[change.seat] = int(change.now)
        short[change.seat] = int(change.owes)
        staked = sum(record.slips[change.seat].values())
        if outcome is None:
            seat.handle -= staked
            seat.paid -= change.was
            state.meters.handle -= staked
            state.meters.paid -= change.was
        elif was_void:
            seat.handle += staked
            seat.paid += change.now
            state.meters.handle += staked
            state.meters.paid += change.now
        else:
            seat.paid += change.now - change.was
            state.meters.paid += change.now - change.was
    changed = {change.seat for change in seats}
    decided = {seat: own for seat, own in (record.decided or {}).items() if seat not in changed} or UNSET
    kept = RoundRecord(number, outcome, record.slips, returned, short, record.rulebook, record.evidence, decided)
    table.archive.keep(kept)
    state.results = [Result(number, outcome) if result.round == number else result for result in state.results]


def _restate_seat(table: Table, event: e.SeatDecided) -> None:
    """Change what one seat received for a past round, and keep the decision in the round's record."""
    state, change = table.state, event.change
    record = table.archive.round(event.round)
    assert record is not None, "the archive has every past round"
    seat, staked = state.seats[change.seat], sum(record.slips[change.seat].values())
    moved = change.credited - change.taken
    seat.credits += moved
    seat.won += moved
    seat.shortfall += change.shortfall
    state.shortfall -= change.shortfall
    state.house += change.was - change.now
    was_void, is_void = event.was is None, event.outcome is None
    handle = (0 if is_void else staked) - (0 if was_void else staked)
    paid = (0 if is_void else change.now) - (0 if was_void else change.was)
    seat.handle += handle
    seat.paid += paid
    state.meters.handle += handle
    state.meters.paid += paid
    returned = {**record.returned, change.seat: int(change.now)}
    short = {**record.shortfall, change.seat: int(change.owes)}
    kept = RoundRecord(
        record.number,
        record.outcome,
        record.slips,
        returned,
        short,
        record.rulebook,
        record.evidence,
        {**(record.decided or {}), change.seat: event.outcome},
    )
    table.archive.keep(kept)
