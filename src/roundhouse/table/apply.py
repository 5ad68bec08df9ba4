"""Applying events to the state, in place and in constant time per bet.

An event is a fact: nothing is refused here, and nothing is decided. Applying the same journal gives the same
state for ever.
"""

from typing import assert_never

from msgspec import UNSET

from roundhouse.rules.names import Pocket
from roundhouse.table import events as e
from roundhouse.table.names import How, Millis, Phase, RoundNumber
from roundhouse.table.state import LAST_RESULTS, Memory, Result, RoundRecord, Seat, Table

# Looked up once: nearly every event is of bets that were placed.
_UNDONE, _BetsPlaced = How.UNDONE, e.BetsPlaced


def apply(table: Table, event: e.AnyEvent, at: Millis) -> None:
    memory = table.memory
    memory.at = at
    match event:
        case _BetsPlaced():
            _place(memory, event)
        case e.BetsWithdrawn():
            _take_back(memory, event)
        case e.CreditsBought(id, cents):
            memory.seats[id].credits += cents
            memory.seats[id].bought += cents
            memory.cashier -= cents
            memory.meters.bought += cents
        case e.LateBetRefused() | e.LateWithdrawalRefused():
            memory.meters.late_bets += 1
        case e.TableOpened():
            memory.phase = Phase.IDLE
            table.set_limits(event.limits)
            memory.rulebook = event.rulebook
            memory.last_rounds = None
        case e.LastRoundsAnnounced(rounds):
            memory.last_rounds = rounds
        case e.TableClosed():
            memory.phase = Phase.CLOSED
            memory.last_rounds = None
        case e.TableStopped(reason):
            if memory.phase is not Phase.STOPPED:
                memory.before_stop = memory.phase
            memory.phase = Phase.STOPPED
            memory.stopped = reason
        case e.TableResumed():
            memory.phase, memory.before_stop = memory.stands, UNSET
            memory.stopped = ""
        case e.SeatTaken(id, terminal, layout):
            memory.seats[id] = Seat(id, terminal, layout or table.game.terminals[terminal].layout.id)
        case e.BetsOpened(number):
            memory.phase = Phase.BETS_OPEN
            memory.round = number
            memory.rested = memory.registered = None
            memory.resolved = False
            for seat in memory.seats.values():
                seat.steps = []
        case e.BetsClosed():
            spinning = memory.phase is Phase.SPINNING_BETS_OPEN
            memory.phase = Phase.SPINNING if spinning else Phase.BETS_CLOSED
            memory.closed_at = at
        case e.SpinStarted():
            memory.phase = Phase.SPINNING_BETS_OPEN if memory.phase is Phase.BETS_OPEN else Phase.SPINNING
        case e.SpinObserved():
            pass
        case e.BallRested(_, outcome):
            memory.phase = Phase.AT_REST
            memory.rested = outcome
            memory.rested_by = event.read_by
        case e.ResultRegistered(_, outcome):
            memory.phase = Phase.REGISTERED
            memory.registered = outcome
            if event.resolved_by is not None:
                memory.rested = outcome
                memory.resolved = True
                memory.meters.corrections += 1
        case e.ResultConfirmed():
            pass
        case e.RoundSettled():
            _settle(table, event)
        case e.RoundVoided():
            _void(table, event)
        case e.RoundCorrected():
            memory.meters.corrections += 1
            _restate(table, event.round, event.outcome, event.seats)
        case e.RoundReversed():
            memory.meters.voids += 1
            memory.meters.rounds -= 1
            _restate(table, event.round, None, event.seats)
        case e.MatterReferred(number, question):
            memory.matters[number] = question
            if number == memory.round and memory.phase not in (Phase.IDLE, Phase.CLOSED):
                memory.before_referral = memory.phase
                memory.phase = Phase.REFERRED
        case e.DecisionMade(number):
            memory.matters.pop(number, None)
            if memory.phase is Phase.REFERRED and number == memory.round:
                assert memory.before_referral is not None
                memory.phase = memory.before_referral
                memory.before_referral = None
        case e.ManualModeEntered(reason):
            memory.automatic, memory.mode_reason = False, reason
        case e.AutomaticModeEntered():
            memory.automatic, memory.mode_reason = True, ""
        case e.CashedOut(id, cents):
            memory.seats[id].credits -= cents
            memory.seats[id].cashed_out += cents
            memory.tickets += cents
            memory.meters.tickets_out += cents
        case e.TicketRedeemed(id, cents):
            memory.seats[id].credits += cents
            memory.seats[id].redeemed += cents
            memory.tickets -= cents
            memory.meters.tickets_in += cents
        case e.InterruptionRecovered():
            if event.waits:
                memory.interrupted = True
        case _:
            assert_never(event)


def _place(memory: Memory, event: e.BetsPlaced) -> None:
    """Chips from a seat's credits to the layout."""
    seat, placed = memory.seats[event.seat], event.bets
    bets = seat.bets
    total = 0
    for position, cents in placed.items():
        bets[position] = bets.get(position, 0) + cents
        total += cents
    seat.staked += total
    seat.credits -= total
    seat.standing += total
    memory.layout += total
    if event.how is _UNDONE:
        seat.steps.pop()
    else:
        seat.steps.append((True, placed))  # type: ignore[arg-type]


def _take_back(memory: Memory, event: e.BetsWithdrawn) -> None:
    """Chips from the layout to a seat's credits."""
    seat, taken = memory.seats[event.seat], event.bets
    bets = seat.bets
    total = 0
    for position, cents in taken.items():
        standing = bets[position] - cents
        if standing:
            bets[position] = standing
        else:
            del bets[position]
        total += cents
    seat.returned += total
    seat.credits += total
    seat.standing -= total
    memory.layout -= total
    if event.how is _UNDONE:
        seat.steps.pop()
    else:
        seat.steps.append((False, taken))  # type: ignore[arg-type]


def _settle(table: Table, event: e.RoundSettled) -> None:
    memory = table.memory
    slips, returned = {}, {}
    for id, (staked, back) in event.seats.items():
        seat = memory.seats[id]
        slips[id], returned[id] = seat.bets, int(back)
        seat.credits += back
        seat.won += back
        seat.handle += staked
        seat.paid += back
        _clear_chips(seat)
    memory.layout -= event.staked
    memory.house += event.staked - event.returned
    memory.meters.rounds += 1
    memory.meters.handle += event.staked
    memory.meters.paid += event.returned
    table.archive.keep(RoundRecord(event.round, event.outcome, slips, returned, rulebook=memory.rulebook))
    _conclude(memory, event.round, event.outcome)


def _void(table: Table, event: e.RoundVoided) -> None:
    memory = table.memory
    slips = {}
    for id, back in event.seats.items():
        seat = memory.seats[id]
        slips[id] = seat.bets
        seat.credits += back
        seat.returned += back
        memory.layout -= back
        _clear_chips(seat)
    memory.meters.voids += 1
    table.archive.keep(RoundRecord(event.round, None, slips, {}, rulebook=memory.rulebook))
    _conclude(memory, event.round, None)


def _clear_chips(seat: Seat) -> None:
    """The chips leave the layout; what stood there can be repeated. Steps are forgotten when bets open again."""
    seat.last_slip = seat.bets
    seat.bets = {}
    seat.standing = 0


def _conclude(memory: Memory, number: RoundNumber, outcome: Pocket | None) -> None:
    memory.phase = Phase.IDLE
    memory.interrupted = UNSET
    memory.rested = memory.registered = None
    memory.results = [Result(number, outcome), *memory.results][:LAST_RESULTS]
    if memory.last_rounds is not None:
        memory.last_rounds = max(0, memory.last_rounds - 1)


def _restate(table: Table, number: RoundNumber, outcome: Pocket | None, seats: tuple[e.Restated, ...]) -> None:
    """A past round gets another outcome, or none. What is kept of it is set, not added to."""
    memory = table.memory
    record = table.archive.round(number)
    assert record is not None, "a round that was settled is kept"
    returned, short = dict(record.returned), dict(record.shortfall)
    for change in seats:
        seat = memory.seats[change.seat]
        moved = change.credited - change.taken
        seat.credits += moved
        seat.won += moved
        seat.shortfall += change.shortfall
        memory.shortfall -= change.shortfall
        memory.house += change.was - change.now
        returned[change.seat] = int(change.now)
        short[change.seat] = int(change.owes)
        staked = sum(record.slips[change.seat].values())
        if outcome is None:
            seat.handle -= staked
            seat.paid -= change.was
            memory.meters.handle -= staked
            memory.meters.paid -= change.was
        else:
            seat.paid += change.now - change.was
            memory.meters.paid += change.now - change.was
    table.archive.keep(RoundRecord(number, outcome, record.slips, returned, short, record.rulebook))
    memory.results = [Result(number, outcome) if result.round == number else result for result in memory.results]
