"""The feed of a table: numbers the changes of its projection and sends them to its subscribers.

Changes are numbered for everybody, for each seat and for the pit. A subscriber gets one frame for each batch; the
public part is encoded once. The feed hears only of committed entries, so it sends nothing that is not durable.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse.dealer.loop import Notice
from roundhouse.floor.audience import CHIP_EVENTS, SINGLE_SEAT_EVENTS, public_event, shares_layout, split_by_seat
from roundhouse.floor.batch import Rounds
from roundhouse.floor.permissions import TablePermissions
from roundhouse.floor.projection import PitFields, PublicFields, TableProjection
from roundhouse.floor.subscribers import ChangeBuffer, SeatChange, Subscribers
from roundhouse.journal.entry import Entry
from roundhouse.logs import log_bug
from roundhouse.rules.game import Game
from roundhouse.rules.names import PositionId
from roundhouse.table.events import AnyEvent, RoundCorrected, RoundReversed, RoundSettled, RoundVoided
from roundhouse.table.ledger import balances_of
from roundhouse.table.names import RequestId, SeatId
from roundhouse.table.view import seat_view
from roundhouse.wire.messages import OwnChange, PitChange, PublicChange
from roundhouse.wire.tables import AnyPublicEvent

PUBLIC_BUFFER_SIZE, SEAT_BUFFER_SIZE, PIT_BUFFER_SIZE = 256, 32, 64
"""How many changes are kept for clients that reconnect."""
CHIPS_SECONDS = 0.1
"""How long moved chips on a shared layout are gathered into one public change: a thousand seats bet at once."""

_encode = msgspec.json.Encoder().encode
_RESULT_EVENTS: Final = (RoundSettled, RoundVoided, RoundCorrected, RoundReversed)
_ROUND_END_EVENTS: Final = frozenset({RoundSettled, RoundVoided})
"""After these the bets of a seat can be repeated, and no longer undone."""


class _SeatPart(Struct):
    """The part of a batch that concerns one seat."""

    request: RequestId | None
    """The one request that caused all of it, if it was one."""
    version: int
    events: list[AnyEvent]
    ended: bool = False
    """Whether the seat's round has ended."""


class TableFeed:
    """The feed of one table, in the loop of its writer. ``committed`` takes entries, ``heard`` notices.

    If it fails because of a bug, it sends nothing more, and the table goes on without it.
    """

    def __init__(self, projection: TableProjection, epoch: str) -> None:
        self.projection, self.id, self.epoch = projection, projection.id, epoch
        self.subscribers = Subscribers()
        self.failed = False
        self.public: ChangeBuffer[str] = ChangeBuffer(PUBLIC_BUFFER_SIZE)
        self.pit: ChangeBuffer[str] = ChangeBuffer(PIT_BUFFER_SIZE)
        self._seat_buffers: dict[SeatId, ChangeBuffer[OwnChange]] = {}
        # What the subscribers were told last: a change carries what differs from it.
        self._public_sent, self._pit_sent = projection.public_fields(), projection.pit_fields()
        self._undoable_sent = {id for id, seat in projection.state.seats.items() if projection.undoable(seat)}
        self._moved: set[SeatId] = set()
        self._gathering: asyncio.TimerHandle | None = None
        self._encoded_table: tuple[tuple[int, int], str] | None = None
        self.permissions = TablePermissions(self.id)

    def seat_buffer(self, seat: SeatId) -> ChangeBuffer[OwnChange]:
        buffer = self._seat_buffers.get(seat)
        if buffer is None:
            buffer = self._seat_buffers[seat] = ChangeBuffer(SEAT_BUFFER_SIZE)
        return buffer

    # what it hears

    def committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        """Apply committed entries to the projection and send the changes.

        The automatic dealer goes by the projection, so it is applied even if sending has failed.
        """
        before = self.projection.game
        try:
            for entry in entries:
                self.projection.apply(entry, rounds)
        except Exception as bug:
            self._fail(bug)
        else:
            self._guard(partial(self._send, entries, before))

    def apply_notice(self, notice: Notice) -> None:
        self._guard(partial(self._apply_change, partial(self.projection.notice, notice)))

    def stop(self, fault: str) -> None:
        """The table cannot go on."""
        self._guard(partial(self._apply_change, partial(self.projection.stop, fault)))

    def _guard(self, work: Callable[[], None]) -> None:
        """A bug here must not stop the table. The projection may be wrong from then on, so nothing shows it."""
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
        seats: dict[SeatId, _SeatPart] = {}
        events: list[AnyEvent] = []
        common: list[AnyEvent] = []
        for entry in entries:
            request = entry.request.id if entry.request is not None else None
            for event in entry.events:
                events.append(event)
                if type(event) in SINGLE_SEAT_EVENTS:
                    _add_seat_part(seats, event.seat, request, entry.seq, event)  # type: ignore[union-attr]
                    continue
                common.append(event)
                for seat, part in split_by_seat(event):
                    _add_seat_part(seats, seat, request, entry.seq, part).ended |= type(event) in _ROUND_END_EVENTS
        if not events:
            return
        if any(type(event) in _ROUND_END_EVENTS for event in common):
            # A seat that took all its bets back has no part in the result, and nothing to undo any more.
            for seat in self._undoable_sent - seats.keys():
                seats[seat] = _SeatPart(None, 0, [])
        if shares_layout(projection.game):
            self._gather(events)
        public = self._public_change(common) if common else None
        self._send_to_players(public, seats)
        self._send_to_pit(public, self._pit_change(events, seats))
        if projection.game is not before:
            self._send_snapshots()

    def _apply_change(self, change: Callable[[], None]) -> None:
        """A change of the projection that is no event."""
        change()
        if self.projection.public_fields() != self._public_sent:
            self._publish([])
        if self.projection.pit_fields() != self._pit_sent:
            self._send_to_pit(None, self._pit_change([], ()))

    def _send_snapshots(self) -> None:
        """Sends a snapshot to every subscriber, because another rulebook counts from here on."""
        for subscriber in self.subscribers.observers:
            subscriber.send(self.snapshot(None, False))
        for subscriber in self.subscribers.staff:
            subscriber.send(self.snapshot(None, True))
        for seat, group in self.subscribers.seats.items():
            for subscriber in group:
                subscriber.send(self.snapshot(seat, False))

    # everybody

    def _gather(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            if type(event) in CHIP_EVENTS:
                self._moved.update(seat for seat, _ in split_by_seat(event))
        if self._moved and self._gathering is None and self.subscribers:
            self._gathering = asyncio.get_running_loop().call_later(CHIPS_SECONDS, self._guard, self.flush)

    def flush(self) -> None:
        """Sends the chips that have been gathered."""
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
        told, self._public_sent = self._public_sent, projection.public_fields()
        changed = _differences(told, self._public_sent)
        if concluded := {event.round for event in events if isinstance(event, _RESULT_EVENTS)}:
            changed["results"] = [result for result in projection.state.results if result.round in concluded]
        if self._moved:
            changed["chips"] = {seat: projection.state.seats[seat].bets for seat in sorted(self._moved)}
            self._moved.clear()
        body = _encode(PublicChange(self.public.last + 1, projection.version, parts, **changed)).decode()
        self.public.add(body)
        return body

    # seats

    def _send_to_players(self, public: str | None, shares: dict[SeatId, _SeatPart]) -> None:
        """Sends to everybody but staff: the public change, and each seat's own, in one frame."""
        seats = self.subscribers.seats
        for id, share in shares.items():
            # Encoded only where it is sent: mostly the answer to the request carries it.
            change = SeatChange(self._seat_change(id, share), share.request, share.version)
            for subscriber in seats.get(id, ()):
                subscriber.send_seat_change(change, public)
        if public is not None:
            self.subscribers.send_to_players(f'{{"public":{public}}}', but=shares)

    def _seat_change(self, id: SeatId, share: _SeatPart) -> OwnChange:
        seat, buffer, told = self.projection.state.seats[id], self.seat_buffer(id), self._undoable_sent
        undoable: bool | UnsetType = self.projection.undoable(seat)
        if undoable == (id in told):
            undoable = UNSET
        else:
            told.symmetric_difference_update((id,))
        repeatable: dict[PositionId, int] | UnsetType = seat.last_slip if share.ended else UNSET
        change = OwnChange(buffer.last + 1, share.events, seat.credits, seat.bets.copy(), undoable, repeatable)
        buffer.add(change)
        return change

    # the pit

    def _pit_change(self, events: list[AnyEvent], seats: Iterable[SeatId]) -> str | None:
        state = self.projection.state
        told, self._pit_sent = self._pit_sent, self.projection.pit_fields()
        if not self.subscribers.staff:
            self.pit.skip()
            return None
        views = {seat: seat_view(state.seats[seat]) for seat in seats}
        accounts = balances_of(state, views) if events else {}
        changed = _differences(told, self._pit_sent)
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

    # snapshots and resuming

    def snapshot(self, seat: SeatId | None, staff: bool) -> str:
        """The table now, with the numbers of the last changes."""
        projection = self.projection
        parts = [f'"table":{self._public_table()}']
        if staff:
            parts.append(f'"pit":{_encode(projection.view()).decode()}')
            told = _encode(projection.awaiting).decode(), _encode(projection.alert).decode()
            parts.append(f'"awaiting":{told[0]},"alert":{told[1]}')
        elif seat is not None and (own := projection.own_seat(seat)) is not None:
            parts.append(f'"own":{_encode(own).decode()}')
        number = self.pit.last if staff else self.seat_buffer(seat).last if seat is not None else 0
        return f'{{"snapshot":{{{",".join(parts)}}},"epoch":"{self.epoch}","public":{self.public.last},"own":{number}}}'

    def missed(self, seat: SeatId | None, staff: bool, epoch: str, public: int, own: int) -> list[str] | None:
        """The frames after these numbers, or nothing if some of them are gone."""
        if epoch != self.epoch:
            return None
        shown = self.public.after(public)
        mine: list[str] | None = []
        if staff:
            found = self.pit.after(own)
            mine = None if found is None else [f'{{"pit":{body}}}' for body in found]
        elif seat is not None:
            changes = self.seat_buffer(seat).after(own)
            mine = None if changes is None else [SeatChange(change, None, 0).frame() for change in changes]
        if shown is None or mine is None:
            return None
        return [*(f'{{"public":{body}}}' for body in shown), *mine]

    def _public_table(self) -> str:
        """Encoded once for as long as it stays the same."""
        # A snapshot must not be ahead of its number.
        self.flush()
        key = (self.public.last, self.projection.version)
        if self._encoded_table is None or self._encoded_table[0] != key:
            self._encoded_table = key, _encode(self.projection.public_table()).decode()
        return self._encoded_table[1]


def _add_seat_part(
    seats: dict[SeatId, _SeatPart], seat: SeatId, request: RequestId | None, version: int, event: AnyEvent
) -> _SeatPart:
    share = seats.get(seat)
    if share is None:
        share = seats[seat] = _SeatPart(request, version, [event])
        return share
    if share.version != version:
        share.request = None
    share.events.append(event)
    return share


def _differences(before: PublicFields | PitFields, now: PublicFields | PitFields) -> dict[str, Any]:
    """The fields of two named tuples of one type that differ, with their values now."""
    return {name: value for name, was, value in zip(now._fields, before, now) if was != value}
