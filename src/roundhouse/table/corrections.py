"""Computes what a correction, a reversal or a reinstatement of a past round changes for each seat.

Amounts that cannot be taken back from a seat are recorded as its shortfall.
"""

from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, Clause, IrregularityId, Pocket
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId
from roundhouse.table.state import RoundRecord, Table


def past_round(table: Table, number: RoundNumber) -> RoundRecord | None:
    """Return a past round, or ``None`` if this number was never played."""
    return table.archive.round(number) if 0 < number <= table.state.round else None


def stake_of(record: RoundRecord, seat: SeatId) -> int:
    return sum(record.slips[seat].values())


def taken_by_reversal(record: RoundRecord) -> int:
    """Return what a reversal takes from the seats in total; negative if it credits them."""
    return sum(record.returned.values()) - sum(sum(slip.values()) for slip in record.slips.values())


def reversed_round(
    table: Table,
    record: RoundRecord,
    clauses: tuple[Clause, ...],
    causes: tuple[IrregularityId, ...],
    before: list[e.AnyEvent],
) -> e.RoundReversed:
    """Void a settled round: each seat gets its stake back and repays the amount returned to it.

    ``before`` holds the earlier events of the same decision, which may have changed a seat's credits. Seats whose
    bets are void by a decision are left out.
    """
    assert record.outcome is not None
    seats = tuple(
        restated(table, record, seat, stake_of(record, seat), before)
        for seat in record.slips
        if record.outcome_of(seat) is not None
    )
    return e.RoundReversed(record.number, record.outcome, clauses, seats, causes)


def corrected_round(table: Table, record: RoundRecord, outcome: Pocket, clause: Clause, game: Game) -> e.RoundCorrected:
    """Settle a settled round again by another outcome. Seats that were decided by themselves are left out."""
    assert record.outcome is not None
    due = _due(table, record, outcome, game)
    seats = tuple(
        restated(table, record, seat, now, []) for seat, now in due.items() if now != record.returned.get(seat, 0)
    )
    return e.RoundCorrected(record.number, record.outcome, outcome, clause, seats)


def reinstated_round(
    table: Table, record: RoundRecord, outcome: Pocket, clause: Clause, game: Game
) -> e.RoundReinstated:
    """Settle a void round: each seat stakes its bets again and is paid what they return."""
    assert record.void
    due = _due(table, record, outcome, game)
    seats = tuple(restated(table, record, seat, now, []) for seat, now in due.items())
    return e.RoundReinstated(record.number, outcome, clause, seats)


def _due(table: Table, record: RoundRecord, outcome: Pocket, game: Game) -> dict[SeatId, Cents]:
    decided = record.decided or {}
    return {
        seat: table.seat_returns(seat, slip, outcome, game)
        for seat, slip in record.slips.items()
        if seat not in decided
    }


def returned_to(record: RoundRecord, seat: SeatId) -> int:
    """Return the amount that a seat has received for a past round. A void round returned its stake."""
    return record.returned.get(seat, stake_of(record, seat) if record.void else 0)


def restated(table: Table, record: RoundRecord, seat: SeatId, now: int, before: list[e.AnyEvent]) -> e.Restated:
    """Compute the change for a seat that should have received ``now`` cents. Takes at most its credits."""
    was = returned_to(record, seat)
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
    """Return the change of a seat's credits by an earlier event of the same decision."""
    match event:
        case e.RoundVoided():
            return event.seats.get(seat, 0)
        case e.RoundReversed():
            return sum(change.credited - change.taken for change in event.seats if change.seat == seat)
        case _:
            return 0
