"""The rooms of a table: who listens at which seat, who only watches, who of the staff looks on."""

from collections.abc import Container, Iterator, Sequence
from typing import Protocol

from roundhouse.table.names import RequestId, SeatId


class Listener(Protocol):
    """Somebody at the other end of a socket. No call may wait or raise, or change who listens."""

    def hear(self, frame: str) -> None: ...

    def awaits(self, request: RequestId) -> bool:
        """Whether it has asked this and is about to be answered."""

    def lost(self) -> None:
        """Nothing more will be told, because of a bug of ours."""


class Rooms:
    def __init__(self) -> None:
        self.seats: dict[SeatId, list[Listener]] = {}
        self.watching: list[Listener] = []
        self.staff: list[Listener] = []

    def join(self, listener: Listener, seat: SeatId | None, staff: bool) -> None:
        self._room(seat, staff).append(listener)

    def leave(self, listener: Listener, seat: SeatId | None, staff: bool) -> None:
        room = self._room(seat, staff)
        if listener in room:
            room.remove(listener)
        if seat is not None and not room:
            self.seats.pop(seat, None)

    def _room(self, seat: SeatId | None, staff: bool) -> list[Listener]:
        if staff:
            return self.staff
        return self.watching if seat is None else self.seats.setdefault(seat, [])

    def at(self, seat: SeatId) -> Sequence[Listener]:
        return self.seats.get(seat, ())

    def everybody(self) -> Iterator[Listener]:
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
