"""The index of a table's entries by round, seat and opening, so that a round is found without reading all entries.

The index is derived from the entries. ``verify`` derives it again and compares.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, NewType, get_args

from roundhouse.journal.entry import Entry, Seq
from roundhouse.table.events import AnyEvent, RoundsSkipped, SeatTaken, TableOpened
from roundhouse.table.names import RoundNumber, SeatId

IndexKey = NewType("IndexKey", str)

OPENING: Final = IndexKey("opening")
_ROUND_EVENTS: Final = frozenset(kind for kind in get_args(AnyEvent) if "round" in kind.__struct_fields__)


class IndexRow(NamedTuple):
    key: IndexKey
    seq: Seq


def round_key(number: RoundNumber) -> IndexKey:
    return IndexKey(f"round:{number}")


def seat_key(seat: SeatId) -> IndexKey:
    return IndexKey(f"seat:{seat}")


def rounds_of(event: AnyEvent) -> tuple[RoundNumber, ...]:
    """Return the rounds that an event names."""
    if type(event) in _ROUND_EVENTS:
        return (event.round,)  # type: ignore[union-attr]  # all these types have it
    return event.rounds if isinstance(event, RoundsSkipped) else ()


def keys_of(events: Sequence[AnyEvent]) -> set[IndexKey]:
    """Return the index keys of one entry's events. Bets have no key; they follow the opening of their round."""
    keys: set[IndexKey] = set()
    for event in events:
        if isinstance(event, SeatTaken):
            keys.add(seat_key(event.seat))
        elif isinstance(event, TableOpened):
            keys.add(OPENING)
        else:
            keys.update(map(round_key, rounds_of(event)))
    return keys


def index_of(entries: Iterable[Entry]) -> list[IndexRow]:
    """Return the index rows of these entries."""
    return [IndexRow(key, entry.seq) for entry in entries for key in sorted(keys_of(entry.events))]
