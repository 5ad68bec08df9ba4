"""The subscribers of a table."""

from collections.abc import Container, Iterator
from typing import Protocol

import msgspec
from msgspec import Struct

from roundhouse.table.names import RequestId, SeatId
from roundhouse.wire.messages import OwnChange

_encode = msgspec.json.Encoder().encode


class SeatChange(Struct, frozen=True):
    """A numbered change of one seat. ``request`` caused all of it; ``None`` if it was not a single request."""

    own: OwnChange
    request: RequestId | None
    version: int
    """Number of the entry that recorded the request."""

    def frame(self, public: str | None = None, members: str = "") -> str:
        """Encode the change with the public change of the same batch. ``members`` are more JSON members."""
        body = _encode(self.own).decode()
        if public is None:
            return f'{{"own":{body}{members}}}'
        return f'{{"public":{public},"own":{body}{members}}}'


class Subscriber(Protocol):
    """A connection that follows a table. Its methods must not block, raise or change the set of subscribers."""

    def send(self, frame: str) -> None: ...

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        """Send a change of the subscriber's own seat, with the public change of the same batch."""

    def feed_failed(self) -> None:
        """Close the connection, because the feed has failed and sends no more changes."""


class Subscribers:
    def __init__(self) -> None:
        self.seats: dict[SeatId, list[Subscriber]] = {}
        self.observers: list[Subscriber] = []
        self.staff: list[Subscriber] = []

    def join(self, subscriber: Subscriber, seat: SeatId | None, staff: bool) -> None:
        self._group(seat, staff).append(subscriber)

    def leave(self, subscriber: Subscriber, seat: SeatId | None, staff: bool) -> None:
        group = self._group(seat, staff)
        if subscriber in group:
            group.remove(subscriber)
        if seat is not None and not group:
            self.seats.pop(seat, None)

    def _group(self, seat: SeatId | None, staff: bool) -> list[Subscriber]:
        if staff:
            return self.staff
        return self.observers if seat is None else self.seats.setdefault(seat, [])

    def __iter__(self) -> Iterator[Subscriber]:
        yield from self.observers
        yield from self.staff
        for group in self.seats.values():
            yield from group

    def __bool__(self) -> bool:
        return bool(self.seats or self.observers or self.staff)

    def send_to_players(self, frame: str, but: Container[SeatId]) -> None:
        """Send a frame to observers and to every seat except those in ``but``."""
        for subscriber in self.observers:
            subscriber.send(frame)
        for seat, group in self.seats.items():
            if seat not in but:
                for subscriber in group:
                    subscriber.send(frame)
