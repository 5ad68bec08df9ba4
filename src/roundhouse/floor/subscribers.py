"""Who follows a table, and the last changes that were sent: what a reconnecting client is caught up with."""

from collections import deque
from collections.abc import Container, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from roundhouse.table.names import RequestId, SeatId

Kept = TypeVar("Kept")


class ChangeBuffer(Generic[Kept]):
    """
    >>> ring: ChangeBuffer[str] = ChangeBuffer(most=2)
    >>> for body in "abc": ring.add(body)
    >>> ring.last, ring.after(1), ring.after(3), ring.after(0), ring.after(4)
    (3, ['b', 'c'], [], None, None)
    """

    __slots__ = ("_kept", "last")

    def __init__(self, most: int) -> None:
        self.last = 0
        """The number of the last change; the first is 1."""
        self._kept: deque[Kept] = deque(maxlen=most)

    def add(self, change: Kept) -> None:
        self.last += 1
        self._kept.append(change)

    def skip(self) -> None:
        """A change that nobody was there to hear is not kept: whoever comes back is shown the whole."""
        self.last += 1
        self._kept.clear()

    def after(self, number: int) -> list[Kept] | None:
        """What came after this number, or nothing where not all of it is at hand."""
        missing = self.last - number
        if missing < 0 or missing > len(self._kept):
            return None
        return list(self._kept)[len(self._kept) - missing :]


class Subscriber(Protocol):
    """Somebody at the other end of a socket. No call may wait or raise, or change who listens."""

    def hear(self, frame: str) -> None: ...

    def awaits(self, request: RequestId) -> bool:
        """Whether it has asked this and is about to be answered."""

    def lost(self) -> None:
        """Nothing more will be told, because of a bug of ours."""


class Subscribers:
    def __init__(self) -> None:
        self.seats: dict[SeatId, list[Subscriber]] = {}
        self.watching: list[Subscriber] = []
        self.staff: list[Subscriber] = []

    def join(self, listener: Subscriber, seat: SeatId | None, staff: bool) -> None:
        self._room(seat, staff).append(listener)

    def leave(self, listener: Subscriber, seat: SeatId | None, staff: bool) -> None:
        room = self._room(seat, staff)
        if listener in room:
            room.remove(listener)
        if seat is not None and not room:
            self.seats.pop(seat, None)

    def _room(self, seat: SeatId | None, staff: bool) -> list[Subscriber]:
        if staff:
            return self.staff
        return self.watching if seat is None else self.seats.setdefault(seat, [])

    def at(self, seat: SeatId) -> Sequence[Subscriber]:
        return self.seats.get(seat, ())

    def everybody(self) -> Iterator[Subscriber]:
        yield from self.watching
        yield from self.staff
        for room in self.seats.values():
            yield from room

    @property
    def empty(self) -> bool:
        return not (self.seats or self.watching or self.staff)

    def tell_players(self, frame: str, but: Container[SeatId]) -> None:
        """Whoever watches, and every seat but those that have had it already."""
        for listener in self.watching:
            listener.hear(frame)
        for seat, room in self.seats.items():
            if seat not in but:
                for listener in room:
                    listener.hear(frame)

    def tell_staff(self, frame: str) -> None:
        for listener in self.staff:
            listener.hear(frame)
