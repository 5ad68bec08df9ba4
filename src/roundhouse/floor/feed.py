"""A ring of numbered changes: the last ones are at hand for whoever missed a few. It never grows.

The rooms of a table: who listens at which seat, who only watches, who of the staff looks on.

The hub of a table: what has landed becomes numbered changes, for everybody, for each seat and for the pit.

One frame per listener and batch; the part that everybody sees is encoded once. Nothing is published that is not
durable: the hub hears of entries only when they have landed, and shows what they have made of the table.

The hubs of all tables, as a running house tells them what happens. Whatever fails in one, its table goes on.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct, UnsetType

from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Happened, Notice, WheelReliability, WheelStatus
from roundhouse.floor.audience import CHIP_EVENTS, SINGLE_SEAT_EVENTS, public_event, shares_layout, split_by_seat
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.permissions import TablePermissions
from roundhouse.floor.projection import PublicFields, TableProjection
from roundhouse.floor.subscribers import ChangeBuffer, Subscriber, Subscribers
from roundhouse.journal.entry import Entry
from roundhouse.logs import log_bug
from roundhouse.table.apply import apply
from roundhouse.table.decision import BETTING
from roundhouse.table.events import AnyEvent, RoundCorrected, RoundReversed, RoundSettled, RoundVoided, TableOpened
from roundhouse.table.names import Millis, RequestId, SeatId, TableId
from roundhouse.table.state import Table
from roundhouse.wire.messages import OwnChange, PitChange, PublicChange
from roundhouse.wire.tables import AnyPublicEvent, PublicTable, TableFacts, WheelInfoNow

PUBLIC_KEPT, OWN_KEPT, PIT_KEPT = 256, 32, 64
"""How many changes are at hand for whoever missed some."""
CHIPS_SECONDS = 0.1
"""How long chips on a shared layout gather before all are told of them; a thousand seats bet at once."""

_SAME_MILLIS = 100
_encode = msgspec.json.Encoder().encode
_CONCLUDES = (RoundSettled, RoundVoided, RoundCorrected, RoundReversed)


class _Share(Struct):
    """What happened to one seat in a batch."""

    request: RequestId | None
    """The one request that caused all of it, if it was one."""
    events: list[AnyEvent]


class TableFeed:
    """Of one table, in the loop that owns its keeper. ``landed`` is for ``Keeper.on_landed``, ``heard`` for news."""

    def __init__(self, keeper: Keeper, facts: TableFacts, epoch: str, clock: Callable[[], Millis]) -> None:
        keeper.land()
        self._keeper = keeper
        self.id, self.game, self.facts, self.epoch = keeper.id, keeper.table.game, facts, epoch
        self.version = int(keeper.version)
        self.deadline: Millis | None = None
        self.wheel: WheelInfoNow | None = None
        self.awaiting, self.alert = "", ""
        self.standing = TableProjection(
            self.game, keeper.table.state, lambda number: keeper.table.archive.round(number)
        )
        self.public: ChangeBuffer[str] = ChangeBuffer(PUBLIC_KEPT)
        self.pit: ChangeBuffer[str] = ChangeBuffer(PIT_KEPT)
        self._own: dict[SeatId, ChangeBuffer[OwnChange]] = {}
        self._clock = clock
        self._shared = shares_layout(self.game)
        self._facets = self.standing.facets()
        self._moved: set[SeatId] = set()
        self._gathering: asyncio.TimerHandle | None = None
        self._numbered: dict[RequestId, tuple[Subscriber, OwnChange]] = {}
        self._encoded_table: tuple[tuple[int, int], str] | None = None
        self.rooms = Subscribers()
        self.permissions = TablePermissions(self.id)
        self.failed = False
        """After a bug of ours: it tells nobody anything more, and the table goes on without it."""

    def own(self, seat: SeatId) -> ChangeBuffer[OwnChange]:
        ring = self._own.get(seat)
        if ring is None:
            ring = self._own[seat] = ChangeBuffer(OWN_KEPT)
        return ring

    def numbered(self, request: RequestId, listener: Subscriber) -> OwnChange | None:
        """The change that a request of the batch that has just landed made, where its answer is to carry it."""
        found = self._numbered.get(request)
        if found is None or found[0] is not listener:
            return None
        del self._numbered[request]
        return found[1]

    def fail(self) -> None:
        self.failed = True
        for listener in self.rooms.everybody():
            listener.lost()

    def landed(self, entries: Sequence[Entry]) -> None:
        table, before = self.standing.table, self.game
        own: dict[SeatId, _Share] = {}
        events: list[AnyEvent] = []
        common: list[AnyEvent] = []
        for entry in entries:
            request = entry.request.id if entry.request is not None else None
            for event in entry.events:
                if type(event) is TableOpened and event.rulebook != self.game.hash:
                    table = self._take_rulebook()
                apply(table, event, entry.facts.at)
                events.append(event)
                if type(event) in SINGLE_SEAT_EVENTS:
                    _share(own, event.seat, request, event)  # type: ignore[union-attr]
                else:
                    common.append(event)
                    for seat, share in split_by_seat(event):
                        _share(own, seat, request, share)
        self.version = int(entries[-1].seq)
        if not events:
            return
        if self._shared:
            self._gather(events)
        public = self._public_change(common) if common else None
        self._tell_seats(public, own)
        self._tell_pit(public, self._pit_change(events, own))
        if self.game is not before:
            self._show_all()

    def _take_rulebook(self) -> Table:
        """A table that is opened takes the latest one; what is played from here on is shown by it."""
        self.game = self._keeper.table.game
        self._shared = shares_layout(self.game)
        return self.standing.play(self.game)

    def _show_all(self) -> None:
        """Another game than before: whoever listens is shown the whole, as if he had just come."""
        for listener in self.rooms.watching:
            listener.hear(self.snapshot(None, False))
        for listener in self.rooms.staff:
            listener.hear(self.snapshot(None, True))
        for seat, room in self.rooms.seats.items():
            for listener in room:
                listener.hear(self.snapshot(seat, False))

    def heard(self, news: Notice) -> None:
        """The clock and the wheel of a table that runs by itself. What happened is heard when it has landed."""
        match news:
            case BetsCloseAt(seconds=seconds):
                deadline = Millis(self._clock() + int(seconds * 1000))
                # Told again with every step of the countdown: it is the same until it is another.
                if self.deadline is None or abs(deadline - self.deadline) > _SAME_MILLIS:
                    self.deadline = deadline
                    self._publish(deadline=deadline)
            case WheelStatus():
                reliable = self.wheel is None or self.wheel.reliable
                rotor, speed = _word(news.rotor), news.rotor_decirpm
                self._turn(WheelInfoNow(_word(news.state), self._clock(), rotor, speed, reliable))
            case WheelReliability(connected=connected, alert=alert):
                reliable = connected and not alert
                was = self.wheel or WheelInfoNow("unknown", self._clock())
                self._turn(msgspec.structs.replace(was, at=self._clock(), reliable=reliable))
                if alert != self.alert:
                    self.alert = alert
                    self._tell_pit(None, self._pit_change([], (), alert=alert))
            case DealerWaiting(why=why):
                self.awaiting = why
                self._tell_pit(None, self._pit_change([], (), awaiting=why))
            case Happened():
                pass

    def _turn(self, wheel: WheelInfoNow) -> None:
        if self.wheel is None or msgspec.structs.replace(self.wheel, at=wheel.at) != wheel:
            self.wheel = wheel
            self._publish(wheel=wheel)

    def _gather(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            if type(event) in CHIP_EVENTS:
                self._moved.update(seat for seat, _ in split_by_seat(event))
        if self._moved and self._gathering is None and not self.rooms.empty:
            self._gathering = asyncio.get_running_loop().call_later(CHIPS_SECONDS, self._publish)

    def _publish(self, **changed: object) -> None:
        """A public change that is no event: chips that have gathered, the clock, the wheel."""
        if changed or self._moved:
            public = self._encoded([], changed)
            self._tell_seats(public, {})
            self._tell_pit(public, None)

    def _public_change(self, events: Sequence[AnyEvent]) -> str:
        parts = [part for event in events if (part := public_event(event)) is not None]
        facets = self.standing.facets()
        pairs = zip(PublicFields._fields, facets, self._facets)
        changed: dict[str, object] = {name: now for name, now, was in pairs if now != was}
        self._facets = facets
        concluded = {event.round for event in events if isinstance(event, _CONCLUDES)}
        if concluded:
            changed["results"] = [result for result in self.standing.state.results if result.round in concluded]
        if self.deadline is not None and facets.phase not in BETTING:
            self.deadline = changed["deadline"] = None
        return self._encoded(parts, changed)

    def _encoded(self, events: list[AnyPublicEvent], changed: dict[str, object]) -> str:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        chips: dict[SeatId, dict[str, int]] | UnsetType = UNSET
        if self._moved:
            chips = {seat: self.standing.state.seats[seat].bets for seat in sorted(self._moved)}  # type: ignore[misc]
            self._moved.clear()
        change = PublicChange(self.public.last + 1, self.version, events, chips=chips, **changed)  # type: ignore[arg-type]
        body = _encode(change).decode()
        self.public.add(body)
        return body

    def _tell_seats(self, public: str | None, own: dict[SeatId, _Share]) -> None:
        """Everybody but staff: what all see, and each seat's own, in one frame."""
        shown = f'{{"public":{public}}}' if public is not None else None
        seats, numbered, rooms = self.standing.state.seats, self._numbered, self.rooms.seats
        for id, share in own.items():
            seat, ring, request = seats[id], self.own(id), share.request
            # Encoded only for whoever is told: mostly the answer of who asked carries it.
            change = OwnChange(ring.last + 1, share.events, seat.credits, seat.bets.copy())
            ring.add(change)
            for listener in rooms.get(id, ()):
                # One answer carries the change; whoever else has asked under the same name is told like everybody.
                if request is not None and request not in numbered and listener.awaits(request):
                    numbered[request] = (listener, change)
                    if shown is not None:
                        listener.hear(shown)
                    continue
                body = _encode(change).decode()
                listener.hear(f'{{"public":{public},"own":{body}}}' if public is not None else f'{{"own":{body}}}')
        if shown is not None:
            self.rooms.tell_players(shown, but=own)

    def _pit_change(self, events: list[AnyEvent], own: Iterable[SeatId], **news: str) -> str | None:
        if not self.rooms.staff:
            self.pit.skip()
            return None
        money = {seat: self.standing.money(seat) for seat in own}
        body = _encode(PitChange(self.pit.last + 1, self.version, events, money, **news)).decode()
        self.pit.add(body)
        return body

    def _tell_pit(self, public: str | None, pit: str | None) -> None:
        parts = [f'"{name}":{body}' for name, body in (("public", public), ("pit", pit)) if body is not None]
        if parts:
            self.rooms.tell_staff("{" + ",".join(parts) + "}")

    def snapshot(self, seat: SeatId | None, staff: bool) -> str:
        """The table as it stands, with the numbers of the changes that brought it there."""
        table, state = self._public_table(), self.standing
        parts = [f'"table":{table}']
        if staff:
            parts.append(f'"pit":{_encode(state.whole()).decode()}')
            parts.append(f'"awaiting":{_encode(self.awaiting).decode()},"alert":{_encode(self.alert).decode()}')
        elif seat is not None and (own := state.seat(seat)) is not None:
            parts.append(f'"own":{_encode(own).decode()}')
        number = self.pit.last if staff else self.own(seat).last if seat is not None else 0
        return f'{{"snapshot":{{{",".join(parts)}}},"epoch":"{self.epoch}","public":{self.public.last},"own":{number}}}'

    def missed(self, seat: SeatId | None, staff: bool, epoch: str, public: int, own: int) -> list[str] | None:
        """The frames after these numbers, or nothing where they are not all at hand."""
        if epoch != self.epoch:
            return None
        shown = self.public.after(public)
        mine = self._missed_pit(own) if staff else self._missed_own(seat, own)
        if shown is None or mine is None:
            return None
        return [*(f'{{"public":{body}}}' for body in shown), *mine]

    def _missed_pit(self, number: int) -> list[str] | None:
        found = self.pit.after(number)
        return None if found is None else [f'{{"pit":{body}}}' for body in found]

    def _missed_own(self, seat: SeatId | None, number: int) -> list[str] | None:
        found = self.own(seat).after(number) if seat is not None else []
        return None if found is None else [f'{{"own":{_encode(change).decode()}}}' for change in found]

    def _public_table(self) -> str:
        """Encoded once for as long as it stays the same."""
        # Chips that have gathered are told first: the snapshot must not be ahead of its number.
        self._publish()
        if self._encoded_table is None or self._encoded_table[0] != (self.public.last, self.version):
            body = _encode(self.shown()).decode()
            self._encoded_table = ((self.public.last, self.version), body)
        return self._encoded_table[1]

    def shown(self) -> PublicTable:
        """The table as everybody may see it, as the journal has it."""
        facets, state = self._facets, self.standing.state
        return PublicTable(
            id=self.id,
            game=self.game.id,
            rulebook=self.game.hash,
            facts=self.facts,
            version=self.version,
            last_results=state.results,
            deadline=self.deadline,
            wheel=self.wheel,
            chips={id: seat.bets for id, seat in state.seats.items() if seat.bets} if self._shared else None,
            **facets._asdict(),
        )


def _share(own: dict[SeatId, _Share], seat: SeatId, request: RequestId | None, event: AnyEvent) -> None:
    share = own.get(seat)
    if share is None:
        own[seat] = _Share(request, [event])
        return
    if share.request != request:
        share.request = None
    share.events.append(event)


def _word(value: object) -> str:
    return str(getattr(value, "name", value)).lower()


class TableFeeds:
    def __init__(self, hubs: Mapping[TableId, TableFeed]) -> None:
        self.of = hubs

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        hub = self.of[table]
        if not hub.failed:
            try:
                hub.landed(entries)
            except Exception as bug:
                _failed(hub, bug)

    def news(self, table: TableId, news: Notice) -> None:
        hub = self.of[table]
        if not hub.failed:
            try:
                hub.heard(news)
            except Exception as bug:
                _failed(hub, bug)


def _failed(hub: TableFeed, bug: Exception) -> None:
    """What it shows may be wrong from here on, so it shows nothing; whoever listened is told to go."""
    log_bug("a hub failed", bug, table=hub.id)
    hub.fail()
