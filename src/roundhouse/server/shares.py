"""Whose an event is: every seat with its own share of it, in one pass over the event."""

from collections.abc import Iterator
from typing import Final, get_args

from msgspec.structs import replace

from roundhouse.table import events as e
from roundhouse.table.names import SeatId

SEATED: Final = frozenset(kind for kind in get_args(e.AnyEvent) if "seat" in kind.__struct_fields__)
"""Events of one seat: all of it is that seat's, and nobody else's."""

MOVES_CHIPS: Final = frozenset({e.BetsPlaced, e.BetsWithdrawn, e.RoundSettled, e.RoundVoided})
"""Events after which other chips stand on the layout."""


def shares(event: e.AnyEvent) -> Iterator[tuple[SeatId, e.AnyEvent]]:
    """What ``seen.own_part`` gives each seat, without asking for every seat there is."""
    match event:
        case e.RoundSettled(round=round, outcome=outcome):
            for seat, (staked, returned) in event.seats.items():
                yield seat, e.RoundSettled(round, outcome, staked, returned, {seat: (staked, returned)})
        case e.RoundVoided():
            for seat, cents in event.seats.items():
                yield seat, replace(event, seats={seat: cents})
        case e.RoundCorrected() | e.RoundReversed():
            for change in event.seats:
                yield change.seat, replace(event, seats=(change,))
        case _:
            if type(event) in SEATED:
                yield event.seat, event  # type: ignore[union-attr]
