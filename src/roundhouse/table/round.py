"""Decides the commands of a round: opening and closing bets, the spin, the result and the settlement."""

from roundhouse.rules.judge import Misreported, Spin, irregularities_of
from roundhouse.rules.names import Cents, Clause, IrregularityId, Pocket
from roundhouse.rules.rulebook import Moment
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Decision, Facts, not_authorised, refuse, stopping
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import Phase, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table


def open_bets(table: Table, command: c.OpenBets, facts: Facts) -> Decision:
    state, opens = table.state, table.game.rulebook.betting.opens
    if wrong := imbalance(state):
        return stopping(wrong)
    number = RoundNumber(state.round + 1)
    return Decision([e.BetsOpened(number, opens.phrases[0], opens.clause)])


def close_bets(table: Table, command: c.CloseBets, facts: Facts) -> Decision:
    state, closes = table.state, table.game.rulebook.betting.closes
    if refusal := closing_out_of_order(table):
        return refuse(refusal, closes.moment_clause)
    return Decision([e.BetsClosed(state.round, closes.phrases[0], closes.clause, Cents(state.layout))])


def start_spin(table: Table, command: c.StartSpin, facts: Facts) -> Decision:
    if refusal := spin_out_of_order(table):
        return refuse(refusal, table.game.rulebook.betting.closes.moment_clause)
    return Decision([e.SpinStarted(table.state.round)])


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


def observe_spin(table: Table, command: c.ObserveSpin, facts: Facts) -> Decision:
    """Record observations of the spin. An irregularity voids the round at once, citing all clauses that apply."""
    number = table.state.round
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


def confirmed(table: Table) -> Decision:
    outcome = table.state.registered_outcome
    assert outcome is not None, "the phase REGISTERED has a registered result"
    read = table.state.wheel_outcome
    event = e.ResultConfirmed(table.state.round, outcome, read if read != outcome else None)
    return Decision([event, settled(table, outcome), *closing(table)])


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


def voided(table: Table, clauses: tuple[Clause, ...], causes: tuple[IrregularityId, ...] = ()) -> e.RoundVoided:
    state = table.state
    seats = {seat.id: Cents(seat.on_layout) for seat in state.seats.values() if seat.bets}
    return e.RoundVoided(state.round, clauses, table.game.rulebook.settlement.void_returns, seats, causes)


def closing(table: Table) -> list[e.AnyEvent]:
    """Return the event that closes the table if the round that ends now is the last announced round."""
    last = table.state.last_rounds
    return [e.TableClosed()] if last is not None and last <= 1 else []
