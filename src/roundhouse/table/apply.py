"""Applies events to the state, in place and in constant time per bet.

Events are facts, so they are never refused here. Applying the same journal always gives the same state.
"""

from typing import assert_never

from msgspec import UNSET

from roundhouse.table import apply_desk as desk
from roundhouse.table import apply_evidence as evidence
from roundhouse.table import apply_money as money
from roundhouse.table import apply_settlement as settlement
from roundhouse.table import events as e
from roundhouse.table import seat_sessions as sessions
from roundhouse.table.evidence import Evidence, Reading
from roundhouse.table.names import EVIDENCE, ChipAction, Millis, Phase, Ruling
from roundhouse.table.state import ColourChips, Seat, Table, TableState, Terms

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
        case e.CreditsBought():
            money.buy(state, event, at)
        case e.LateBetRefused() | e.LateWithdrawalRefused():
            state.meters.late_bets += 1
        case e.TableOpened():
            state.phase = Phase.IDLE
            table.set_limits(event.limits)
            state.next_limits = UNSET
            state.rulebook = event.rulebook
            if event.procedure >= EVIDENCE:
                _adopt(table, event)
            state.last_rounds = None
        case e.LastRoundsAnnounced(rounds):
            state.last_rounds = rounds
        case e.ProcedureAdopted():
            _adopt(table, event)
            evidence.keep_entries(state)
        case e.TableClosed():
            state.phase = Phase.CLOSED
            state.last_rounds = None
        case e.TableStopped(reason):
            if state.phase is not Phase.STOPPED:
                state.before_stop = state.phase
            state.phase = Phase.STOPPED
            state.stopped = reason
        case e.SoftwareStopped():
            state.orderly_stop_at = at
            state.server_stopped = True
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
            money.begin_limits(table)
            state.wheel_outcome = state.registered_outcome = None
            state.resolved = False
            state.server_stopped = state.power_cut = UNSET
            if state.by_evidence:
                state.evidence = Evidence()
            for seat in state.seats.values():
                seat.steps = []
                if not seat.credits and (session := seat.session) is not UNSET and session.emptied_at is UNSET:
                    session.emptied_at = at
        case e.BetsClosed():
            spinning = state.phase_of_round is Phase.SPINNING_BETS_OPEN
            _enter(state, Phase.SPINNING if spinning else Phase.BETS_CLOSED)
            state.closed_at = at
        case e.SpinStarted():
            _enter(state, Phase.SPINNING_BETS_OPEN if state.phase_of_round is Phase.BETS_OPEN else Phase.SPINNING)
            evidence.start_spin(state, event)
            state.power_cut = UNSET
        case e.SpinObserved():
            evidence.add_report(state, event)
        case e.BallRested(_, outcome):
            _enter(state, Phase.AT_REST)
            state.wheel_outcome = outcome
            state.rested_by = event.read_by
            state.before_interruption = UNSET
            if event.source is not None:
                evidence.add_reading(state, Reading(event.source, outcome, event.read_by, event.segment))
        case e.OutcomeRead(_, outcome):
            evidence.add_reading(state, Reading(event.source, outcome, event.read_by, event.segment))
        case e.ReadingAmended():
            evidence.amend_reading(state, event)
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
            settlement.settle(table, event)
        case e.RoundVoided():
            settlement.void(table, event)
        case e.RoundCorrected():
            state.meters.corrections += 1
            settlement.restate(table, event.round, event.outcome, event.seats)
        case e.RoundReversed():
            state.meters.voids += 1
            state.meters.rounds -= 1
            settlement.restate(table, event.round, None, event.seats)
        case e.RoundReinstated():
            state.meters.voids -= 1
            state.meters.rounds += 1
            settlement.restate(table, event.round, event.outcome, event.seats, was_void=True)
        case e.SeatDecided():
            settlement.restate_seat(table, event)
        case e.StakeReturned(_, id, cents):
            settlement.return_stake(state, id, cents)
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
        case e.CashedOut():
            money.cash_out(state, event, at)
        case e.TicketRedeemed():
            money.redeem(state, event, at)
        case e.PurchaseReversed():
            money.reverse(state, event, at)
        case e.CashOutRequested():
            money.ask_cash_out(state, event, at)
        case e.LimitsChanged(now=limits):
            state.next_limits = limits
        case e.EnrolmentAllowed():
            money.allow_enrolment(state, event)
        case e.ProtectionSet() | e.BreakTaken() | e.CheckAcknowledged():
            sessions.protect(state.seats[event.seat], event, at)
        case e.AttendantCalled(id):
            state.calls = {**(state.calls or {}), id: at}
        case e.CallAttended(id):
            state.calls = {seat: since for seat, since in (state.calls or {}).items() if seat != id} or UNSET
        case e.ColourIssued(id, colour, value_cents):
            state.seats[id].colour = ColourChips(colour, value_cents)
        case e.ColourRedeemed(id):
            state.seats[id].colour = UNSET
        case e.InterruptionRecovered():
            state.server_stopped = state.power_cut = True
            if event.asks:
                state.before_interruption = Phase(event.phase)
                state.phase = Phase.INTERRUPTED
            elif event.waits:
                state.interrupted = True
        case (
            e.Disputed()
            | e.DisputeClosed()
            | e.DisplayQuestioned()
            | e.SeatPaused()
            | e.SeatResumed()
            | e.DealerChanged()
            | e.FloatCounted()
            | e.FloatFilled()
            | e.FloatCredited()
            | e.DropTaken()
        ):
            desk.apply_desk(state, event, at)
        case _:
            assert_never(event)


def _adopt(table: Table, event: e.TableOpened | e.ProcedureAdopted) -> None:
    """Put the table under the procedure and the terms of an event."""
    terms = Terms(event.procedure, event.currency, event.chips, event.opens_phrase, event.closes_phrase)
    table.state.opened_under = terms
    table.has_chips = bool(terms.chips)


def _enter(state: TableState, phase: Phase) -> None:
    """Set the phase of the round. A referred round stays referred, and is in this phase if it is to stand."""
    if state.phase is Phase.REFERRED:
        state.before_referral = phase
    else:
        state.phase = phase


def _refer(state: TableState, event: e.MatterReferred) -> None:
    number = event.round
    # The matter of single seats may be open when the whole round is referred.
    open_matter = state.referrals.get(number) if state.by_evidence else None
    state.referrals[number] = f"{open_matter} {event.question}" if open_matter else event.question
    if event.source is not None:
        if open_matter and (earlier := state.referrers_of(number)):
            state.earlier_referrers = {**(state.earlier_referrers or {}), number: earlier}
        state.referred_by = {**(state.referred_by or {}), number: event.source}
    seats = (state.referred_seats or {}).get(number, ())
    if open_matter and bool(event.for_seats) is not bool(seats):
        state.referred_wholly = (*(state.referred_wholly or ()), number)
    if event.for_seats:
        state.referred_seats = {**(state.referred_seats or {}), number: (*seats, *event.for_seats)}
    if event.for_seats or number != state.round or state.phase in (Phase.IDLE, Phase.CLOSED):
        return
    state.before_referral = state.phase
    state.phase = Phase.REFERRED


def _decide(state: TableState, event: e.DecisionMade) -> None:
    """End a referral, unless the decision concerns one seat only: then the matter of the round stays open.

    A matter that concerns only seats ends with the decision on the last of them.
    """
    number, known = event.round, state.referred_seats or {}
    seats = known.get(number, ())
    decided = seats if event.for_seat is None else (event.for_seat,)
    if left := tuple(seat for seat in seats if seat not in decided):
        state.referred_seats = {**known, number: left}
    elif number in known:
        state.referred_seats = {round: seats for round, seats in known.items() if round != number} or UNSET
    of_seats_only = bool(seats) and number not in (state.referred_wholly or ())
    if event.for_seat is not None and (left or not of_seats_only):
        return
    state.referrals.pop(number, None)
    if state.referred_wholly:
        state.referred_wholly = tuple(one for one in state.referred_wholly if one != number) or UNSET
    if state.referred_by:
        state.referred_by = {round: source for round, source in state.referred_by.items() if round != number} or UNSET
    if state.earlier_referrers:
        state.earlier_referrers = {
            round: sources for round, sources in state.earlier_referrers.items() if round != number
        } or UNSET
    if state.phase is Phase.REFERRED and number == state.round:
        assert state.before_referral is not None
        state.phase = state.before_referral
        state.before_referral = None
        # The stop does not cover later events. Their time may equal its time, because the clock may be set back.
        state.orderly_stop_at = UNSET
        if event.ruling is Ruling.STAND:
            evidence.accept_spin(state)


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
