"""The stakes of a round and what they returned, after all changes."""

from collections import defaultdict
from collections.abc import Set
from typing import NamedTuple

from roundhouse.office.kinds import bets_of_seats
from roundhouse.office.round_facts import RoundFacts
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.names import BetType, PositionId, type_of
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId


class RoundMoney(NamedTuple):
    seats: tuple[SeatId, ...]
    """Seats with such bets, in order."""
    staked: int
    returned: int
    """A void bet returns its stake. A bet in progress has returned 0."""


def money_of(
    rounds: TableRounds, number: RoundNumber, facts: RoundFacts, only: Set[SeatId] | None, kind: BetType | None
) -> RoundMoney:
    """Add up the bets of a round: of these seats only, and of one kind only, if they are given."""
    record = rounds.record(number) if facts.ended is not None else None
    if record is None:
        return _in_progress(rounds, number, only, kind)
    seats: list[SeatId] = []
    staked = returned = 0
    for seat in sorted(record.slips):
        if only is not None and seat not in only:
            continue
        bets = list(bets_of_seats(rounds, number, record, {seat: record.outcome_of(seat)}))
        own = [(cents, back) for of, cents, back in bets if kind in (None, of)]
        if own:
            seats.append(seat)
        staked += sum(cents for cents, _ in own)
        returned += sum(cents if back is None else back for cents, back in own)
    return RoundMoney(tuple(seats), staked, returned)


def _in_progress(
    rounds: TableRounds, number: RoundNumber, only: Set[SeatId] | None, kind: BetType | None
) -> RoundMoney:
    slips: dict[SeatId, dict[PositionId, int]] = defaultdict(lambda: defaultdict(int))
    for entry in rounds.entries_during(number):
        for event in entry.events:
            match event:
                case e.BetsPlaced(seat, bets) | e.BetsWithdrawn(seat, bets):
                    sign = 1 if isinstance(event, e.BetsPlaced) else -1
                    for position, cents in bets.items():
                        slips[seat][position] += sign * cents
                case e.StakeReturned(seat=seat):
                    slips.pop(seat, None)
    staked = {
        seat: sum(cents for position, cents in slip.items() if kind in (None, type_of(position)))
        for seat, slip in slips.items()
        if only is None or seat in only
    }
    return RoundMoney(tuple(sorted(seat for seat, cents in staked.items() if cents)), sum(staked.values()), 0)
