"""The feed of a table: numbers the changes of its projection and sends them to its subscribers.

There is one numbered sequence for the public, one for each seat and one for the pit. A subscriber gets one frame for
each batch; the public part is encoded once. The feed receives committed entries only, so every change is durable.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from roundhouse.dealer.loop import Notice
from roundhouse.floor import seat_desk
from roundhouse.floor.audience import CHIP_EVENTS, SINGLE_SEAT_EVENTS, own_part, public_event, split_by_seat
from roundhouse.floor.batch import Rounds
from roundhouse.floor.own_session import MOVES_CHIPS, with_session
from roundhouse.floor.permissions import TablePermissions
from roundhouse.floor.projection import PitFields, PublicFields, TableProjection
from roundhouse.floor.seat_parts import SeatPart
from roundhouse.floor.subscribers import SeatChange, Subscribers
from roundhouse.journal.entry import Entry
from roundhouse.logs import log_bug
from roundhouse.rules.game import Game
from roundhouse.rules.names import PositionId
from roundhouse.table.decision import BETTING
from roundhouse.table.events import (
    AnyEvent,
    CashedOut,
    ColourIssued,
    ColourRedeemed,
    RoundCorrected,
    RoundReinstated,
    RoundReversed,
    RoundSettled,
    RoundVoided,
    StakeReturned,
)
from roundhouse.table.ledger import balances_of
from roundhouse.table.names import RequestId, SeatId
from roundhouse.table.view import seat_view
from roundhouse.wire.messages import IssuedTicket, OwnChange, PitChange, PublicChange
from roundhouse.wire.tables import AnyPublicEvent

PUBLIC_BUFFER_SIZE, SEAT_BUFFER_SIZE, PIT_BUFFER_SIZE = 256, 32, 64
"""How many changes are buffered for clients that reconnect."""
CHIPS_SECONDS = 0.1
"""Moved chips on a shared layout are collected for this long and sent as one public change, because a thousand seats
may bet at once."""

Change = TypeVar("Change")
_encode = msgspec.json.Encoder().encode
_RESULT_EVENTS: Final = (RoundSettled, RoundVoided, RoundCorrected, RoundReversed, RoundReinstated)
_ROUND_END_EVENTS: Final = frozenset({RoundSettled, RoundVoided})
"""After these events a seat can repeat its bets, but not undo them."""
_COLOUR_EVENTS: Final = frozenset({ColourIssued, ColourRedeemed})
"""Events of one seat that change a public field: the colours at the table."""


class ChangeBuffer(Generic[Change]):
    """The last ``max_size`` changes, numbered from 1.

    >>> buffer: ChangeBuffer[str] = ChangeBuffer(max_size=2)
    >>> for body in "abc": buffer.add(body)
    >>> buffer.last, buffer.after(1), buffer.after(3), buffer.after(0), buffer.after(4)
    (3, ['b', 'c'], [], None, None)
    """

    __slots__ = ("_changes", "last")

    def __init__(self, max_size: int) -> None:
        self.last = 0
        """Number of the last change; 0 before the first."""
        self._changes: deque[Change] = deque(maxlen=max_size)

    def add(self, change: Change) -> None:
        self.last += 1
        self._changes.append(change)

    def skip(self) -> None:
        """Number a change without storing it. Clients that reconnect get a snapshot."""
        self.last += 1
        self._changes.clear()

    def after(self, number: int) -> list[Change] | None:
        """Return the changes after this number, or ``None`` if some of them are no longer buffered."""
        missing = self.last - number
        if missing < 0 or missing > len(self._changes):
            return None
        return list(self._changes)[len(self._changes) - missing :]


class TableFeed:
    """The feed of one table. It runs in the event loop of the table's queue.

    After an internal error it sends no more changes, and the table continues without it.
    """

    def __init__(self, projection: TableProjection, epoch: str) -> None:
        self.projection, self.id, self.epoch = projection, projection.id, epoch
        self.subscribers = Subscribers()
        self.failed = False
        self.ticket_of: Callable[[Entry], IssuedTicket | UnsetType] = lambda _: UNSET
        """Returns the ticket that an entry issued at the request of staff, with its number."""
        self.public: ChangeBuffer[str] = ChangeBuffer(PUBLIC_BUFFER_SIZE)
        self.pit: ChangeBuffer[str] = ChangeBuffer(PIT_BUFFER_SIZE)
        self._seat_buffers: dict[SeatId, ChangeBuffer[OwnChange]] = {}
        # The last sent values of the fields. A change contains the fields whose values differ from these.
        self._public_sent, self._pit_sent = projection.public_fields(), projection.pit_fields()
        self._undoable_sent = {id for id, seat in projection.state.seats.items() if projection.undoable(seat)}
        self._returned = set(projection.state.returned_slips or ())
        """Seats whose stakes a decision returned in this round."""
        self._moved: set[SeatId] = set()
        self._gathering: asyncio.TimerHandle | None = None
        self._encoded_table: tuple[tuple[int, int], str] | None = None
        self.permissions = TablePermissions(projection.table, projection.has_dealer)

    def seat_buffer(self, seat: SeatId) -> ChangeBuffer[OwnChange]:
        buffer = self._seat_buffers.get(seat)
        if buffer is None:
            buffer = self._seat_buffers[seat] = ChangeBuffer(SEAT_BUFFER_SIZE)
        return buffer

    # Input: committed entries and notices

    def committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        """Apply committed entries to the projection and send the changes.

        The projection is updated even if sending has failed, because the automatic dealer reads it.
        """
        before = self.projection.game
        try:
            for entry in entries:
                self.projection.apply(entry, rounds)
        except Exception as bug:
            self._fail(bug)
            return
        if self.failed:
            return
        try:
            self._send(entries, before)
        except Exception as bug:
            self._fail(bug)

    def apply_notice(self, notice: Notice) -> None:
        self._guard(partial(self._apply_change, partial(self.projection.notice, notice)))

    def stop(self, fault: str) -> None:
        """Show the table as stopped, because its journal cannot be written."""
        self._guard(partial(self._apply_change, partial(self.projection.stop, fault)))

    def _guard(self, work: Callable[[], None]) -> None:
        """Run ``work`` so that a bug in it does not stop the table. After a bug the feed sends no more changes."""
        if self.failed:
            return
        try:
            work()
        except Exception as bug:
            self._fail(bug)

    def _fail(self, bug: Exception) -> None:
        log_bug("a feed failed", bug, table=self.id)
        if not self.failed:
            self.failed = True
            for subscriber in self.subscribers:
                subscriber.feed_failed()

    def _send(self, entries: Sequence[Entry], before: Game) -> None:
        projection = self.projection
        seats: dict[SeatId, SeatPart] = {}
        events: list[AnyEvent] = []
        common: list[AnyEvent] = []
        coloured = False
        for entry in entries:
            request = entry.request.id if entry.request is not None else None
            for event in entry.events:
                events.append(event)
                if type(event) in SINGLE_SEAT_EVENTS:
                    if type(event) is StakeReturned:
                        self._returned.add(event.seat)
                    coloured = coloured or type(event) in _COLOUR_EVENTS
                    own = event if type(event) in CHIP_EVENTS else own_part(event)
                    _add_seat_part(seats, event.seat, request, entry.seq, own)  # type: ignore[union-attr]
                    if isinstance(event, CashedOut):
                        seats[event.seat].ticket = self.ticket_of(entry)
                    continue
                common.append(event)
                ended = type(event) in _ROUND_END_EVENTS
                for seat, part in split_by_seat(event):
                    _add_seat_part(seats, seat, request, entry.seq, part, ended)
        if not events:
            return
        if common and any(type(event) in _ROUND_END_EVENTS for event in common):
            # A seat whose stake was returned has no part in the result, but it can repeat its bets.
            for seat in self._returned:
                seats.setdefault(seat, SeatPart(None, 0, [])).ended = True
            self._returned.clear()
            # A seat that withdrew all its bets is not in the result. It must still learn that it can no longer undo.
            for seat in self._undoable_sent - seats.keys():
                seats[seat] = SeatPart(None, 0, [])
        if projection.shares_layout:
            self._gather(events)
        public: str | None = None
        if common or coloured:
            self.permissions.update(projection.table, projection.has_dealer)
            public = self._public_change(common)
        if not self.subscribers.staff:
            self.pit.skip()
        self._send_to_players(public, seats)
        if self.subscribers.staff:
            # Encoded after the players' frames are sent, because a result changes every seat.
            self._send_to_pit(public, self._pit_change(events, seats))
        if projection.game is not before:
            self._send_snapshots()

    def _apply_change(self, change: Callable[[], None]) -> None:
        """Apply a change of the projection that is not an event, and send the fields that differ."""
        change()
        self.permissions.update(self.projection.table, self.projection.has_dealer)
        if self.projection.public_fields() != self._public_sent:
            self._publish([])
        if self.projection.pit_fields() == self._pit_sent:
            return
        if self.subscribers.staff:
            self._send_to_pit(None, self._pit_change([], ()))
        else:
            self.pit.skip()

    def _send_snapshots(self) -> None:
        """Send a snapshot to every subscriber, because the table has switched to another rulebook."""
        for subscriber in self.subscribers.observers:
            subscriber.send(self.snapshot(None, False))
        for subscriber in self.subscribers.staff:
            subscriber.send(self.snapshot(None, True))
        for seat, group in self.subscribers.seats.items():
            for subscriber in group:
                subscriber.send(self.snapshot(seat, False))

    # Public changes

    def _gather(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            if type(event) in CHIP_EVENTS:
                self._moved.update(seat for seat, _ in split_by_seat(event))
        if self._moved and self._gathering is None and self.subscribers:
            self._gathering = asyncio.get_running_loop().call_later(CHIPS_SECONDS, self._guard, self.flush)

    def flush(self) -> None:
        """Send the moved chips that have been collected."""
        if self._moved:
            self._publish([])

    def _publish(self, events: Sequence[AnyEvent]) -> None:
        public = self._public_change(events)
        self._send_to_players(public, {})
        self._send_to_pit(public, None)

    def _public_change(self, events: Sequence[AnyEvent]) -> str:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        projection = self.projection
        parts: list[AnyPublicEvent] = [part for event in events if (part := public_event(event)) is not None]
        sent, self._public_sent = self._public_sent, projection.public_fields()
        changed = _differences(sent, self._public_sent)
        if concluded := {event.round for event in events if isinstance(event, _RESULT_EVENTS)}:
            changed["results"] = [result for result in projection.state.results if result.round in concluded]
        if self._moved:
            changed["chips"] = {seat: projection.state.seats[seat].bets for seat in sorted(self._moved)}
            self._moved.clear()
        body = _encode(PublicChange(self.public.last + 1, projection.version, parts, **changed)).decode()
        self.public.add(body)
        return body

    # Changes of seats

    def _send_to_players(self, public: str | None, parts: dict[SeatId, SeatPart]) -> None:
        """Send the public change, combined with each seat's own change, to all subscribers except staff."""
        subscribers, projection = self.subscribers.seats, self.projection
        in_round = projection.state.phase in BETTING or projection.in_round
        for id, part in parts.items():
            # Not encoded here: usually it is sent inside the answer to the request.
            change = SeatChange(self._seat_change(id, part, in_round), part.request, part.version)
            for subscriber in subscribers.get(id, ()):
                subscriber.send_seat_change(change, public)
        if public is not None:
            self.subscribers.send_to_players(f'{{"public":{public}}}', but=parts)

    def _seat_change(self, id: SeatId, part: SeatPart, in_round: bool) -> OwnChange:
        seat, sent = self.projection.state.seats[id], self._undoable_sent
        buffer = self._seat_buffers.get(id) or self.seat_buffer(id)
        undoable: bool | UnsetType = in_round and bool(seat.steps)
        if undoable is (id in sent):
            undoable = UNSET
        elif undoable:
            sent.add(id)
        else:
            sent.discard(id)
        repeatable: dict[PositionId, int] | UnsetType = seat.last_slip if part.ended else UNSET
        change = OwnChange(buffer.last + 1, part.events, seat.credits, seat.bets.copy(), undoable, repeatable)
        only_chips = MOVES_CHIPS.issuperset(map(type, part.events))
        if seat.protection is not UNSET or not only_chips:
            change = with_session(change, seat, self.projection.state)
        if (interrupted := self.projection.interrupted).seats or interrupted.told:
            change = interrupted.complete(change, seat, self.projection.state)
        if not only_chips:
            change = seat_desk.complete(change, seat, self.projection.state)
            change = replace(change, ticket=part.ticket)
        buffer.add(change)
        return change

    # Changes for the pit

    def _pit_change(self, events: list[AnyEvent], seats: Iterable[SeatId]) -> str:
        state = self.projection.state
        sent, self._pit_sent = self._pit_sent, self.projection.pit_fields()
        views = {seat: seat_view(state.seats[seat]) for seat in seats}
        accounts = balances_of(state, views) if events else {}
        changed = _differences(sent, self._pit_sent)
        change = PitChange(self.pit.last + 1, self.projection.version, events, views, accounts, **changed)
        body = _encode(change).decode()
        self.pit.add(body)
        return body

    def _send_to_pit(self, public: str | None, pit: str | None) -> None:
        parts = [f'"{name}":{body}' for name, body in (("public", public), ("pit", pit)) if body is not None]
        if parts:
            frame = "{" + ",".join(parts) + "}"
            for subscriber in self.subscribers.staff:
                subscriber.send(frame)

    # Snapshots and resuming

    def snapshot(self, seat: SeatId | None, staff: bool) -> str:
        """Encode the table as it is now, with the numbers of the last changes."""
        projection = self.projection
        parts = [f'"table":{self._public_table()}']
        if staff:
            if not self.subscribers.staff:
                # While staff have no subscriber, ``_pit_sent`` is not updated. The next change follows this snapshot.
                self._pit_sent = projection.pit_fields()
            parts.append(f'"pit":{_encode(projection.view()).decode()}')
            awaiting, alert = _encode(projection.awaiting).decode(), _encode(projection.alert).decode()
            parts.append(f'"awaiting":{awaiting},"alert":{alert}')
        elif seat is not None and (own := projection.own_seat(seat)) is not None:
            parts.append(f'"own":{_encode(own).decode()}')
        number = self.pit.last if staff else self.seat_buffer(seat).last if seat is not None else 0
        return f'{{"snapshot":{{{",".join(parts)}}},"epoch":"{self.epoch}","public":{self.public.last},"own":{number}}}'

    def missed(self, seat: SeatId | None, staff: bool, epoch: str, public: int, own: int) -> list[str] | None:
        """Return the frames after these numbers, or ``None`` if some of them are no longer buffered."""
        if epoch != self.epoch:
            return None
        bodies = self.public.after(public)
        frames: list[str] | None = []
        if staff:
            found = self.pit.after(own)
            frames = None if found is None else [f'{{"pit":{body}}}' for body in found]
        elif seat is not None:
            changes = self.seat_buffer(seat).after(own)
            frames = None if changes is None else [SeatChange(change, None, 0).frame() for change in changes]
        if bodies is None or frames is None:
            return None
        return [*(f'{{"public":{body}}}' for body in bodies), *frames]

    def _public_table(self) -> str:
        """Encode the public table. The result is cached until the table changes."""
        # The snapshot contains the collected chips, so their change must be numbered before it.
        self.flush()
        key = (self.public.last, self.projection.version)
        if self._encoded_table is None or self._encoded_table[0] != key:
            self._encoded_table = key, _encode(self.projection.public_table()).decode()
        return self._encoded_table[1]


def _add_seat_part(
    seats: dict[SeatId, SeatPart],
    seat: SeatId,
    request: RequestId | None,
    version: int,
    event: AnyEvent,
    ended: bool = False,
) -> None:
    part = seats.get(seat)
    if part is None:
        seats[seat] = SeatPart(request, version, [event], ended)
        return
    if part.version != version:
        part.request = None
    part.events.append(event)
    part.ended |= ended


def _differences(before: PublicFields | PitFields, now: PublicFields | PitFields) -> dict[str, Any]:
    """Return the fields that differ between two named tuples of one type, with their new values."""
    return {name: value for name, was, value in zip(now._fields, before, now) if was != value}
