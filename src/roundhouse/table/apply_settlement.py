"""Applies events that move money at the end of a round, and later changes of past rounds."""

from msgspec import UNSET

from roundhouse.rules.names import Cents, Pocket, PositionId
from roundhouse.table import events as e
from roundhouse.table import seat_sessions as sessions
from roundhouse.table.names import Phase, RoundNumber, SeatId
from roundhouse.table.state import KEPT_RESULTS, Result, RoundRecord, Seat, Table, TableState


def settle(table: Table, event: e.RoundSettled) -> None:
    state = table.state
    slips: dict[SeatId, dict[PositionId, int]] = {}
    returned: dict[SeatId, int] = {}
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
    _keep_record(table, RoundRecord(event.round, event.outcome, slips, returned))
    _conclude(state, event.round, event.outcome)


def void(table: Table, event: e.RoundVoided) -> None:
    state = table.state
    slips: dict[SeatId, dict[PositionId, int]] = {}
    for id, back in event.seats.items():
        seat = state.seats[id]
        slips[id] = seat.bets
        seat.credits += back
        seat.returned += back
        state.layout -= back
        _clear_chips(seat)
    state.meters.voids += 1
    _keep_record(table, RoundRecord(event.round, None, slips, {}))
    _conclude(state, event.round, None)


def _keep_record(table: Table, record: RoundRecord) -> None:
    """Add the evidence to the record of a round, and the seats whose stakes a decision returned before its end."""
    state = table.state
    record.rulebook, record.evidence = state.rulebook, state.evidence
    for id, slip in (state.returned_slips or {}).items():
        if id not in record.slips:
            record.slips[id], record.returned[id] = slip, sum(slip.values())
            record.decided = {**(record.decided or {}), id: None}
            state.seats[id].last_slip = slip
    state.returned_slips = UNSET
    table.archive.keep(record)


def return_stake(state: TableState, id: SeatId, cents: Cents) -> None:
    seat = state.seats[id]
    seat.credits += cents
    seat.returned += cents
    state.layout -= cents
    state.returned_slips = {**(state.returned_slips or {}), id: seat.bets}
    seat.bets, seat.steps, seat.on_layout = {}, [], 0


def _clear_chips(seat: Seat) -> None:
    """Remove a seat's chips from the layout. Store them in ``last_slip``, from which ``Repeat`` places them again."""
    seat.last_slip = seat.bets
    seat.bets = {}
    seat.on_layout = 0


def _conclude(state: TableState, number: RoundNumber, outcome: Pocket | None) -> None:
    state.phase = Phase.IDLE
    state.interrupted = state.before_interruption = UNSET
    if state.evidence is not UNSET:
        readings = [one for one in state.evidence.readings if outcome is None or one.outcome == outcome]
        if readings or outcome is not None:
            # A round without a reading leaves the segment that was indicated before.
            state.segment = next((one.segment for one in readings if one.segment is not None), UNSET)
        state.evidence = UNSET
    state.wheel_outcome = state.registered_outcome = None
    state.results = [Result(number, outcome), *state.results][:KEPT_RESULTS]
    if state.last_rounds is not None:
        state.last_rounds = max(0, state.last_rounds - 1)


def restate(
    table: Table, number: RoundNumber, outcome: Pocket | None, seats: tuple[e.Restated, ...], was_void: bool = False
) -> None:
    """Change the outcome of a past round, or void it, and update the seats, the meters and its record.

    ``was_void`` comes from the event, because the record that a projection reads is already changed.
    """
    state = table.state
    record = table.archive.round(number)
    assert record is not None, "the archive has every settled round"
    returned, short = dict(record.returned), dict(record.shortfall)
    for change in seats:
        seat = state.seats[change.seat]
        moved = change.credited - change.taken
        seat.credits += moved
        seat.won += moved
        sessions.go_on(seat)
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


def restate_seat(table: Table, event: e.SeatDecided) -> None:
    """Change what one seat received for a past round, and keep the decision in the round's record."""
    state, change = table.state, event.change
    record = table.archive.round(event.round)
    assert record is not None, "the archive has every past round"
    seat, staked = state.seats[change.seat], sum(record.slips[change.seat].values())
    moved = change.credited - change.taken
    seat.credits += moved
    seat.won += moved
    sessions.go_on(seat)
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
