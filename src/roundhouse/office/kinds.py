"""Figures of a round by kind of bet, such as ``straight`` or ``red``.

Events store what each seat received, and not each bet. So the results of all seats before and after each event are
compared bet by bet. A seat whose total a correction left unchanged may have other winning kinds after it.
"""

from collections.abc import Iterator

from msgspec import Struct

from roundhouse.office.figures import Figures
from roundhouse.office.periods import Period
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.names import BetType, Pocket, type_of
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber, SeatId
from roundhouse.table.state import RoundRecord

Outcomes = dict[SeatId, Pocket | None]
"""Outcome by which each seat is settled. None if its bets are void."""


class _KindResult(Struct):
    """The result of the bets of one kind. A kind is played unless it is void for all seats."""

    played: bool = False
    void: bool = False
    handle: int = 0
    paid: int = 0


_NO_RESULT = _KindResult()


class SeatOutcomes:
    """Follows the events of a round and keeps the outcome of each seat."""

    def __init__(self, number: RoundNumber, record: RoundRecord) -> None:
        self._number, self._record = number, record
        self._decided: set[SeatId] = set()
        """Seats that a decision settled or voided by themselves. Later corrections of the round leave them out."""
        self.outcomes: Outcomes = {}

    def add(self, event: e.AnyEvent) -> bool:
        """Apply an event. Return whether it changed an outcome of this round."""
        if getattr(event, "round", None) != self._number:
            return False
        match event:
            case e.StakeReturned(seat=seat):
                # The seat may bet again in this round. Then the end of the round settles its new bets.
                self._decided.add(seat)
                return False
            case e.RoundSettled() | e.RoundVoided():
                self._decided -= event.seats.keys()
                outcome = event.outcome if isinstance(event, e.RoundSettled) else None
                self.outcomes = {seat: outcome for seat in self._record.slips if seat not in self._decided}
                self.outcomes |= dict.fromkeys(self._decided & self._record.slips.keys())
            case e.RoundCorrected() | e.RoundReinstated():
                self.outcomes |= {seat: event.outcome for seat in self.outcomes if seat not in self._decided}
                self._decided -= {change.seat for change in event.seats}
            case e.RoundReversed():
                changed = [change.seat for change in event.seats]
                self.outcomes |= dict.fromkeys(changed)
                self._decided.difference_update(changed)
            case e.SeatDecided():
                self.outcomes[event.change.seat] = event.outcome
                self._decided.add(event.change.seat)
            case _:
                return False
        return True


def kind_figures(rounds: TableRounds, number: RoundNumber, period: Period) -> dict[BetType, Figures]:
    """Count the figures of a round by kind of bet, from its events in a period."""
    found: dict[BetType, Figures] = {}
    if (record := rounds.record(number)) is None:
        return found
    seats, before = SeatOutcomes(number, record), dict[BetType, _KindResult]()
    for entry in rounds.entries(number):
        for event in entry.events:
            if not seats.add(event):
                continue
            after = _results(rounds, number, record, seats.outcomes)
            if period.contains(entry.facts.at):
                for kind in before.keys() | after.keys():
                    change = before.get(kind, _NO_RESULT), after.get(kind, _NO_RESULT)
                    _count(*change, isinstance(event, e.RoundSettled | e.RoundVoided), found, kind)
            before = after
    return found


def _count(was: _KindResult, now: _KindResult, ends: bool, found: dict[BetType, Figures], kind: BetType) -> None:
    if was == now:
        return
    figures = found.setdefault(kind, Figures())
    handle, paid = now.handle - was.handle, now.paid - was.paid
    figures.rounds += now.played - was.played
    figures.voids += now.void - was.void
    figures.handle += handle
    figures.paid += paid
    if ends:
        figures.played += now.played
        figures.played_handle += handle
    else:
        figures.adjustments += 1
        figures.adjusted_handle += handle
        figures.adjusted += handle - paid


def _results(
    rounds: TableRounds, number: RoundNumber, record: RoundRecord, outcomes: Outcomes
) -> dict[BetType, _KindResult]:
    found: dict[BetType, _KindResult] = {}
    for kind, cents, back in bets_of_seats(rounds, number, record, outcomes):
        result = found.setdefault(kind, _KindResult())
        if back is not None:
            result.played = True
            result.handle += cents
            result.paid += back
    for result in found.values():
        result.void = not result.played
    return found


def bets_of_seats(
    rounds: TableRounds, number: RoundNumber, record: RoundRecord, outcomes: Outcomes
) -> Iterator[tuple[BetType, int, int | None]]:
    """Yield kind, stake and returned amount of each bet. The amount is None if the bet is void."""
    game = rounds.game(number)
    for seat, outcome in outcomes.items():
        times = game.prices(rounds.layout(seat, game).id).all_times(outcome) if outcome is not None else None
        for position, cents in record.slips[seat].items():
            yield type_of(position), cents, None if times is None else cents * times[position]
