"""A WebSocket connection as a subscriber of one table's feed."""

from collections.abc import Container
from typing import Protocol

import msgspec

from roundhouse.floor.feed import TableFeed
from roundhouse.floor.permissions import PermissionUpdates
from roundhouse.floor.subscribers import SeatChange
from roundhouse.journal.entry import Answer
from roundhouse.server.auth import Caller, identity_of
from roundhouse.server.sender import FrameSender
from roundhouse.table.names import RequestId
from roundhouse.wire.messages import CloseReason, OwnChange

_encode = msgspec.json.Encoder().encode


class Subscribed(Protocol):
    """The connection behind a subscription."""

    @property
    def caller(self) -> Caller: ...

    @property
    def muted(self) -> bool: ...

    @property
    def sender(self) -> FrameSender: ...

    @property
    def waiting(self) -> Container[RequestId]:
        """Ids of unanswered requests."""


class Subscription:
    """Sends the changes of one feed to a connection. ``tagged`` adds the table to each frame, for the pit's socket."""

    def __init__(self, connection: Subscribed, feed: TableFeed, tagged: bool) -> None:
        self._connection = connection
        self.feed = feed
        self.tag = f',"table":{_encode(feed.id).decode()}}}' if tagged else ""
        self._permissions = PermissionUpdates()
        self._held: SeatChange | None = None
        """A change caused by a request of this connection. It is held back because the answer will include it."""

    def send(self, frame: str) -> None:
        if not self._connection.muted:
            news = self._permission_news()
            self._connection.sender.write(frame[:-1] + news + (self.tag or "}") if news or self.tag else frame)

    def _permission_news(self) -> str:
        """Return the caller's permissions as JSON members if they changed since the last frame, or an empty string."""
        projection, caller = self.feed.projection, identity_of(self._connection.caller)
        return self._permissions.members(self.feed.permissions, projection.table, projection.has_dealer, caller)

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        self._release()
        if change.request not in self._connection.waiting:
            self.send(change.frame(public))
            return
        self._held = change
        if public is not None:
            self.send(f'{{"public":{public}}}')

    def change_for(self, answer: Answer) -> OwnChange | None:
        """Return the change that this answer must include, or None."""
        held = self._held
        if held is None or held.request != answer.id:
            return None
        if held.version != answer.version:
            # Two requests have this id; the change was caused by the other one.
            self._release()
            return None
        self._held = None
        return held.own

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self.send(held.frame())

    def feed_failed(self) -> None:
        self._connection.sender.close(CloseReason.OUR_OWN_BUG)
