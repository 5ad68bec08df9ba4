"""What a client knows of its table: a snapshot, moved on by numbered changes. A change out of turn changes nothing.

Nothing is worked out here: whatever stands here was said by the house.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from roundhouse.rules.names import PositionId
from roundhouse.table.events import SeatTaken
from roundhouse.table.state import KEPT_RESULTS, Result
from roundhouse.table.view import TableView
from roundhouse.wire.messages import ChangeMessage, OwnChange, PitChange, PublicChange, SnapshotMessage, SocketSnapshot
from roundhouse.wire.tables import NumberedAnswer, OwnSeat, PublicTable

Change = SocketSnapshot | PublicChange | OwnChange | PitChange
"""What a follower gets: the table as it stands, or what has changed of it."""

_PUBLIC_FIELDS = frozenset(PublicChange.__struct_fields__) & frozenset(PublicTable.__struct_fields__) - {"chips"}
_SHARED_FIELDS = frozenset(PublicTable.__struct_fields__) & frozenset(TableView.__struct_fields__) - {"rulebook"}
"""Fields of the whole table that everybody sees; they come with the public change."""
_PIT_FIELDS = ("meters", "matters", "interrupted")


@dataclass
class View:
    """``table`` is what everybody sees, ``seat`` the own seat, ``pit`` the whole table for staff."""

    table: PublicTable | None = None
    seat: OwnSeat | None = None
    pit: TableView | None = None
    awaiting: str = ""
    alert: str = ""
    epoch: str = ""
    public: int = 0
    own: int = 0

    @property
    def seated(self) -> bool:
        return self.seat is not None

    @property
    def credits(self) -> int:
        return self.seat.credits if self.seat is not None else 0

    @property
    def bets(self) -> dict[PositionId, int]:
        return self.seat.bets if self.seat is not None else {}

    def shown(self, message: SnapshotMessage) -> SocketSnapshot:
        shown = message.snapshot
        self.table, self.epoch, self.public, self.own = shown.table, message.epoch, message.public, message.own
        self.seat, self.pit, self.awaiting, self.alert = shown.own, shown.pit, shown.awaiting, shown.alert
        return shown

    def changed(self, message: ChangeMessage) -> tuple[list[Change], bool]:
        """What is news, and whether something is missing before it."""
        news: list[Change] = []
        gap = False
        if message.public is not UNSET:
            gap |= self._in_turn(message.public, self.public, news)
        own = message.pit if message.pit is not UNSET else message.own
        if own is not UNSET:
            gap |= self._in_turn(own, self.own, news)
        for change in news:
            self._apply(change)
        return news, gap

    def answered(self, answer: NumberedAnswer) -> tuple[list[Change], bool]:
        """An answer may itself be the seat's next change."""
        if answer.own is UNSET or answer.credits is UNSET or answer.bets is UNSET:
            return [], False
        events, undoable, repeatable = answer.events or [], answer.undoable, answer.repeatable
        change = OwnChange(answer.own, events, answer.credits, answer.bets, undoable, repeatable)
        return self.changed(ChangeMessage(own=change))

    def _in_turn(self, change: PublicChange | OwnChange | PitChange, last: int, news: list[Change]) -> bool:
        if change.n == last + 1:
            news.append(change)
        return change.n > last + 1

    def _apply(self, change: Change) -> None:
        match change:
            case PublicChange():
                self.public = change.n
                if self.table is not None:
                    self.table = _public_after(self.table, change)
                    if self.pit is not None:
                        shared = {name: getattr(self.table, name) for name in _SHARED_FIELDS}
                        self.pit = replace(self.pit, **shared)
            case OwnChange():
                self.own, self.seat = change.n, _seat_after(self.seat, change)
            case PitChange():
                self.own = change.n
                self.awaiting = self.awaiting if change.awaiting is UNSET else change.awaiting
                self.alert = self.alert if change.alert is UNSET else change.alert
                if self.pit is not None:
                    self.pit = _pit_after(self.pit, change)
            case SocketSnapshot():
                raise AssertionError("a snapshot is shown, not applied")


def _given(change: Struct, names: Iterable[str]) -> dict[str, Any]:
    """The fields that a change carries; those that it leaves out have not changed."""
    return {name: value for name in names if (value := getattr(change, name)) is not UNSET}


def _public_after(table: PublicTable, change: PublicChange) -> PublicTable:
    found = _given(change, _PUBLIC_FIELDS)
    if change.results is not UNSET:
        found["last_results"] = _results(table.last_results, change.results)
    if change.chips is not UNSET:
        chips = {**(table.chips or {}), **change.chips}
        found["chips"] = {seat: bets for seat, bets in chips.items() if bets}
    return replace(table, **found)


def _seat_after(seat: OwnSeat | None, change: OwnChange) -> OwnSeat:
    for event in change.events:
        if isinstance(event, SeatTaken):
            seat = OwnSeat(event.seat, event.terminal, 0, {}, 0, {}, False)
    assert seat is not None, "a seat is taken before it changes"
    given = _given(change, ("credits", "bets", "undoable", "repeatable"))
    return replace(seat, staked=sum(change.bets.values()), **given)


def _pit_after(pit: TableView, change: PitChange) -> TableView:
    seats, accounts = {**pit.seats, **change.seats}, {**pit.accounts, **change.accounts}
    return replace(pit, seats=seats, accounts=accounts, **_given(change, _PIT_FIELDS))


def _results(known: Sequence[Result], told: Sequence[Result]) -> list[Result]:
    """New ones first; those that are told again have another outcome now."""
    again = {result.round: result for result in told}
    kept = [again.pop(result.round, result) for result in known]
    return [*(result for result in told if result.round in again), *kept][:KEPT_RESULTS]
