"""Seats whose terminals were interrupted, until they bet in a later round.

A terminal that returns reads which of its bets are registered, and by which clause.
"""

from typing import Final

from msgspec.structs import replace

from roundhouse.journal.entry import Entry
from roundhouse.table.events import AnyEvent, BetsPlaced, RoundSettled, RoundVoided, TerminalsInterrupted
from roundhouse.table.irregularities import interruption_of_terminals
from roundhouse.table.names import SeatId
from roundhouse.table.state import Seat, Table, TableState
from roundhouse.wire.messages import OwnChange
from roundhouse.wire.tables import SeatInterruption

_ROUND_ENDS: Final = (RoundSettled, RoundVoided)


class InterruptedSeats:
    """Interruptions of terminals by seat. Those of the round in progress are read from the table's evidence."""

    def __init__(self, table: Table) -> None:
        self.seats: dict[SeatId, SeatInterruption] = {}
        """The interruptions. Callers test it first, because it is nearly always empty and every bet passes here."""
        self.told: set[SeatId] = set()
        """Seats that were told of their interruption and not yet of its end."""
        state = table.state
        if state.evidence and state.evidence.dark_seats:
            event = interruption_of_terminals(table.game.rulebook, state.round, tuple(state.evidence.dark_seats))
            if event is not None:
                self._add(event)
        self.told = set(self.seats)

    def note(self, entry: Entry, state: TableState) -> None:
        """Note the events of an entry. ``state`` is the table before them."""
        for event in entry.events:
            if type(event) is TerminalsInterrupted:
                self._add(event)
            elif self.seats:
                self._update(event, state)

    def _add(self, event: TerminalsInterrupted) -> None:
        for seat in event.terminals:
            self.seats[seat] = SeatInterruption(event.round, event.clause, event.registered, event.unregistered, {})

    def _update(self, event: AnyEvent, state: TableState) -> None:
        if isinstance(event, _ROUND_ENDS):
            for id, known in self.seats.items():
                if known.round == event.round and (seat := state.seats.get(id)) is not None:
                    self.seats[id] = replace(known, bets=dict(seat.bets))
        elif isinstance(event, BetsPlaced):
            found = self.seats.get(event.seat)
            if found is not None and found.round != state.round:
                del self.seats[event.seat]

    def of(self, seat: Seat, state: TableState) -> SeatInterruption | None:
        """Return the interruption of a seat's terminal, with the bets that were registered in its round."""
        found = self.seats.get(seat.id)
        if found is None:
            return None
        if state.referred_seats:
            found = replace(found, referred=seat.id in state.referred_seats.get(found.round, ()))
        return found if found.bets or found.round != state.round else replace(found, bets=dict(seat.bets))

    def complete(self, change: OwnChange, seat: Seat, state: TableState) -> OwnChange:
        """Add the interruption of a seat's terminal to a change of the seat, or its end if the seat was told of it."""
        found = self.of(seat, state)
        if found is not None:
            self.told.add(seat.id)
        elif seat.id in self.told:
            self.told.remove(seat.id)
        else:
            return change
        return replace(change, interrupted=found)
