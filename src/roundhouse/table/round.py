"""The round of play: bets opened and closed, the spin, the result, and its settlement for every seat."""

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
    memory, opens = table.memory, table.game.rulebook.betting.opens
    if wrong := imbalance(memory):
        return stopping(wrong)
    number = RoundNumber(memory.round + 1)
    return Decision([e.BetsOpened(number, opens.phrases[0], opens.clause)])


def close_bets(table: Table, command: c.CloseBets, facts: Facts) -> Decision:
    memory, closes = table.memory, table.game.rulebook.betting.closes
    if memory.phase is Phase.BETS_OPEN and closes.moment is Moment.WHILE_SPINNING:
        return refuse(Refusal.BETS_CLOSE_WHILE_SPINNING, closes.moment_clause)
    return Decision([e.BetsClosed(memory.round, closes.phrases[0], closes.clause, Cents(memory.layout))])


def start_spin(table: Table, command: c.StartSpin, facts: Facts) -> Decision:
    memory, closes = table.memory, table.game.rulebook.betting.closes
    if memory.phase is Phase.BETS_OPEN and closes.moment is Moment.BEFORE_SPIN:
        return refuse(Refusal.BETS_CLOSE_BEFORE_SPIN, closes.moment_clause)
    return Decision([e.SpinStarted(memory.round)])


def observe_spin(table: Table, command: c.ObserveSpin, facts: Facts) -> Decision:
    """What was seen of the spin. An irregularity voids the round at once, under all clauses that apply."""
    number = table.memory.round
    spin = Spin(ball=command.ball, wheel=command.wheel, revolutions=command.revolutions, seen=command.seen)
    try:
        found = irregularities_of(table.game.rulebook, spin)
    except Misreported as misreported:
        return refuse(Refusal.MISREPORTED, reason=str(misreported))
    observed = e.SpinObserved(number, command.revolutions, command.ball or None, command.wheel or None, command.seen)
    if not found:
        return Decision([observed])
    void = voided(table, tuple(dict.fromkeys(found.values())), tuple(found))
    return Decision([observed, void, *closing(table)])


def ball_at_rest(table: Table, command: c.BallAtRest, facts: Facts) -> Decision:
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    clause = table.game.rulebook.spin.result
    return Decision([e.BallRested(table.memory.round, command.outcome, clause, command.read_by)])


def register_result(table: Table, command: c.RegisterResult, facts: Facts) -> Decision:
    if command.outcome not in table.game.wheel.rank:
        return refuse(Refusal.NO_SUCH_OUTCOME)
    if table.memory.resolved and command.outcome != table.memory.registered:
        # Somebody with the authority has named the result of this round; the console does not overrule that.
        return not_authorised(table, f"{table.memory.registered} was named by somebody with the authority")
    return Decision([e.ResultRegistered(table.memory.round, command.outcome)])


def confirmed(table: Table) -> Decision:
    outcome = table.memory.registered
    assert outcome is not None, "a registered phase has a registered result"
    rested = table.memory.rested
    made = e.ResultConfirmed(table.memory.round, outcome, rested if rested != outcome else None)
    return Decision([made, settled(table, outcome), *closing(table)])


def settled(table: Table, outcome: Pocket) -> e.RoundSettled:
    """Every seat at once: a round cannot conclude while one of them is unsettled."""
    memory = table.memory
    seats = {
        seat.id: (Cents(seat.standing), table.seat_returns(seat.id, seat.bets, outcome))
        for seat in memory.seats.values()
        if seat.bets
    }
    returned = Cents(sum([back for _, back in seats.values()]))
    return e.RoundSettled(memory.round, outcome, Cents(memory.layout), returned, seats)


def voided(table: Table, clauses: tuple[Clause, ...], causes: tuple[IrregularityId, ...] = ()) -> e.RoundVoided:
    memory = table.memory
    seats = {seat.id: Cents(seat.standing) for seat in memory.seats.values() if seat.bets}
    return e.RoundVoided(memory.round, clauses, table.game.rulebook.settlement.void_returns, seats, causes)


def closing(table: Table) -> list[e.AnyEvent]:
    """The table closes by itself when the last of the announced rounds has ended."""
    last = table.memory.last_rounds
    return [e.TableClosed()] if last is not None and last <= 1 else []
