"""Finds the Dealer of a round.

The Dealer is read from the requests of the round. While a table has a Dealer of record, no other Dealer's request is
accepted, so both agree. A round can have two Dealers if the table was handed over in it.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, NewType

from msgspec import UNSET

from roundhouse.journal.entry import Entry
from roundhouse.rules.names import StaffPosition
from roundhouse.table import events as e
from roundhouse.table.names import RoundNumber

DealerName = NewType("DealerName", str)
"""Account name of a Dealer, or one of the names below. No account name begins with ``@``."""

AUTOMATIC: Final = DealerName("@automatic_dealer")
"""The automatic dealer."""
UNNAMED: Final = DealerName("@dealer")
"""A Dealer whom the journal does not name, such as at a table without a house."""

_SPIN, _CONFIRMATION, _OPENING = range(3)
"""Acts of a Dealer. The first of them that is on record decides whose round it is."""


class Dealt(NamedTuple):
    """The people who dealt a round."""

    dealer: DealerName
    """The Dealer to whom reports count the round: who started the spin, else who confirmed, else who opened bets."""
    names: tuple[DealerName, ...]
    """Everyone who did one of these acts, in order."""


def dealt(entries: Iterable[Entry], number: RoundNumber) -> Dealt:
    """Return who dealt a round, given the entries that name it."""
    found: dict[int, DealerName] = {}
    names: dict[DealerName, None] = {}
    for entry in entries:
        for event in entry.events:
            act = _act(event)
            if act is None or getattr(event, "round", None) != number:
                continue
            name = _name(entry)
            names[name] = None
            found.setdefault(act, name)
    dealer = found[min(found)] if found else UNNAMED
    return Dealt(dealer, tuple(names))


def _act(event: e.AnyEvent) -> int | None:
    match event:
        case e.SpinStarted():
            return _SPIN
        case e.ResultConfirmed():
            return _CONFIRMATION
        case e.BetsOpened():
            return _OPENING
        case _:
            return None


def _name(entry: Entry) -> DealerName:
    request = entry.request
    if request is None or request.by is StaffPosition.AUTOMATIC_DEALER:
        return AUTOMATIC
    return DealerName(request.who) if request.who is not UNSET and request.who else UNNAMED
