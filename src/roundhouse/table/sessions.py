"""A seat's session: how long its Player has played, what was staked, and the net result.

The net result is computed from the seat's totals, so a bet costs nothing here. A session begins with a purchase or a
ticket at a seat without one. A cash-out copies it to the ticket, and the seat that redeems the ticket continues it.

The same result must not be counted twice when parts of a session come together again. Each part therefore knows how
much of its net result another part counts as well (``shared``).
"""

from typing import Final, NewType

from msgspec import UNSET, Struct, UnsetType

from roundhouse.table.names import Millis, SeatId

SessionId = NewType("SessionId", str)
"""Name of a session: the seat at which it began and the time."""

MAX_IDS: Final = 16
"""Most sessions that one session remembers to contain. Beyond them only losses are added."""


class Figures(Struct, frozen=True):
    """Net result and stakes of a session, in cents."""

    net: int
    """Net win of the Player; negative for a loss. Chips on the layout still count as theirs."""
    staked: int
    """Stakes of settled rounds, and chips on the layout."""

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(self.net + other.net, self.staked + other.staked)

    def __sub__(self, other: "Figures") -> "Figures":
        return Figures(self.net - other.net, self.staked - other.staked)


NOTHING: Final = Figures(0, 0)


class Session(Struct):
    """The session of a seat."""

    ids: tuple[SessionId, ...]
    began: Millis
    """When it began, if it was played without a pause. Time during which a ticket was not redeemed does not count."""
    before: Figures
    """The seat's totals before the session, less what a ticket brought along."""
    shared: Figures | UnsetType = UNSET
    """Figures that another part of the session counts as well. Unset if there is no other part."""
    emptied_at: Millis | UnsetType = UNSET
    """Since when the seat has had neither credits nor chips on the layout."""


class CarriedSession(Struct, frozen=True, omit_defaults=True):
    """The session that a ticket carries along. Chips left on the layout count as lost."""

    ids: tuple[SessionId, ...]
    figures: Figures
    millis: Millis
    """Time played."""
    shared: Figures | None = None


def session_id(seat: SeatId, at: Millis) -> SessionId:
    return SessionId(f"{seat}@{at}")


def merged_ids(ids: tuple[SessionId, ...], added: tuple[SessionId, ...]) -> tuple[SessionId, ...]:
    return tuple(dict.fromkeys((*ids, *added)))[:MAX_IDS]


def merge_shared(one: Figures | None, other: Figures | None) -> Figures | None:
    """Return what two parts of one session share with further parts. The part in which it began shares nothing."""
    if one is None or other is None:
        return None
    return Figures(min(one.net, other.net), max(one.staked, other.staked))


def merge_figures(
    here: tuple[SessionId, ...],
    figures: Figures,
    shared: Figures | None,
    brought: CarriedSession,
) -> tuple[Figures, Figures | None]:
    """Return the figures of a seat's session and a ticket's session together, and what they share with others."""
    if set(here) & set(brought.ids):
        own = (figures - (shared or NOTHING)) + (brought.figures - (brought.shared or NOTHING))
        left = merge_shared(shared, brought.shared)
        return own + (left or NOTHING), left
    added = brought.figures
    if len(set(here) | set(brought.ids)) > MAX_IDS:
        added = Figures(min(0, added.net), added.staked)
    left = None if shared is None and brought.shared is None else (shared or NOTHING) + (brought.shared or NOTHING)
    return figures + added, left
