"""Applies events to the state, in place and in constant time per bet.

Events are facts, so they are never refused here. Applying the same journal always gives the same state.
"""

from typing import assert_never

from msgspec import UNSET

from roundhouse.rules.names import Pocket
from roundhouse.table import events as e
from roundhouse.table.names import ChipAction, Millis, Phase, RoundNumber
from roundhouse.table.state import KEPT_RESULTS, Result, RoundRecord, Seat, Table, TableState

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
            state.last_rounds = None
        case e.LastRoundsAnnounced(rounds):
            state.last_rounds = rounds
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
            state.seats[id] = Seat(id, terminal, layout or table.game.terminals[terminal].layout.id)
        case e.BetsOpened(number):
            state.phase = Phase.BETS_OPEN
            state.round = number
            state.wheel_outcome = state.registered_outcome = None
            state.resolved = False
            for seat in state.seats.values():
                seat.steps = []
        case e.BetsClosed():
            spinning = state.phase is Phase.SPINNING_BETS_OPEN
            state.phase = Phase.SPINNING if spinning else Phase.BETS_CLOSED
            state.closed_at = at
        case e.SpinStarted():
            state.phase = Phase.SPINNING_BETS_OPEN if state.phase is Phase.BETS_OPEN else Phase.SPINNING
        case e.SpinObserved():
            pass
        case e.BallRested(_, outcome):
            state.phase = Phase.AT_REST
            state.wheel_outcome = outcome
            state.rested_by = event.read_by
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
        case e.MatterReferred(number, question):
            state.referrals[number] = question
            if number == state.round and state.phase not in (Phase.IDLE, Phase.CLOSED):
                state.before_referral = state.phase
                state.phase = Phase.REFERRED
        case e.DecisionMade(number):
            state.referrals.pop(number, None)
            if state.phase is Phase.REFERRED and number == state.round:
                assert state.before_referral is not None
                state.phase = state.before_referral
                state.before_referral = None
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
        case e.InterruptionRecovered():
            if event.waits:
                state.interrupted = True
        case _:
            assert_never(event)


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
    table.archive.keep(RoundRecord(event.round, event.outcome, slips, returned, rulebook=state.rulebook))
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
    table.archive.keep(RoundRecord(event.round, None, slips, {}, rulebook=state.rulebook))
    _conclude(state, event.round, None)


def _clear_chips(seat: Seat) -> None:
    """Remove a seat's chips from the layout. Store them in ``last_slip``, from which ``Repeat`` places them again."""
    seat.last_slip = seat.bets
    seat.bets = {}
    seat.on_layout = 0


def _conclude(state: TableState, number: RoundNumber, outcome: Pocket | None) -> None:
    state.phase = Phase.IDLE
    state.interrupted = UNSET
    state.wheel_outcome = state.registered_outcome = None
    state.results = [Result(number, outcome), *state.results][:KEPT_RESULTS]
    if state.last_rounds is not None:
        state.last_rounds = max(0, state.last_rounds - 1)


def _restate(table: Table, number: RoundNumber, outcome: Pocket | None, seats: tuple[e.Restated, ...]) -> None:
    """Change the outcome of a past round, or void it, and update the seats, the meters and its record."""
    state = table.state
    record = table.archive.round(number)
    assert record is not None, "the archive has every settled round"
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
        else:
            seat.paid += change.now - change.was
            state.meters.paid += change.now - change.was
    table.archive.keep(RoundRecord(number, outcome, record.slips, returned, short, record.rulebook))
    state.results = [Result(number, outcome) if result.round == number else result for result in state.results]
