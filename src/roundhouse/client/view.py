"""A client's copy of its table: a snapshot, updated by numbered changes. A change out of order is not applied.

All values come from the server; the client applies no rules.
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
"""An update for followers: a snapshot, or a change of the public state, the seat or the pit."""

_PUBLIC_FIELDS = frozenset(PublicChange.__struct_fields__) & frozenset(PublicTable.__struct_fields__) - {"chips"}
_SHARED_FIELDS = frozenset(PublicTable.__struct_fields__) & frozenset(TableView.__struct_fields__) - {
    "rulebook",
    "chips",
}
"""Fields of ``TableView`` that are also public. A public change updates them."""
_PIT_FIELDS = (
    *("meters", "matters", "matter_seats", "interrupted", "evidence", "registered", "reports_disagree"),
    *("disputes", "dealer", "float", "calls"),
)


@dataclass
class View:
    """The state of a table that the client may see."""

    table: PublicTable | None = None
    """Public state. None before the first snapshot."""
    seat: OwnSeat | None = None
    """The client's own seat. None if it has not taken one."""
    pit: TableView | None = None
    """The whole table, for staff only; otherwise None."""
    awaiting: str = ""
    alert: str = ""
    epoch: str = ""
    public: int = 0
    """Number of the last public change."""
    own: int = 0
    """Number of the last change of the seat; for staff, of the last pit change."""

    @property
    def seated(self) -> bool:
        return self.seat is not None

    @property
    def credits(self) -> int:
        return self.seat.credits if self.seat is not None else 0

    @property
    def bets(self) -> dict[PositionId, int]:
        return self.seat.bets if self.seat is not None else {}

    def apply_snapshot(self, message: SnapshotMessage) -> SocketSnapshot:
        snapshot = message.snapshot
        self.table, self.epoch, self.public, self.own = snapshot.table, message.epoch, message.public, message.own
        self.seat, self.pit, self.awaiting, self.alert = snapshot.own, snapshot.pit, snapshot.awaiting, snapshot.alert
        return snapshot

    def apply_change(self, message: ChangeMessage) -> tuple[list[Change], bool]:
        """Apply the changes that are next in order. Return them, and whether earlier changes are missing."""
        changes: list[Change] = []
        gap = False
        if message.public is not UNSET:
            gap |= self._add_if_next(message.public, self.public, changes)
        own = message.pit if message.pit is not UNSET else message.own
        if own is not UNSET:
            gap |= self._add_if_next(own, self.own, changes)
        for change in changes:
            self._apply(change)
        return changes, gap

    def apply_answer(self, answer: NumberedAnswer) -> tuple[list[Change], bool]:
        """Apply the change of the seat that an answer contains, if it contains one."""
        if answer.own is UNSET or answer.credits is UNSET or answer.bets is UNSET:
            return [], False
        events, undoable, repeatable = answer.events or [], answer.undoable, answer.repeatable
        change = OwnChange(
            answer.own,
            events,
            answer.credits,
            answer.bets,
            undoable,
            repeatable,
            answer.interrupted,
            paused=answer.paused,
            disputes=answer.disputes,
            session=answer.session,
            called_at=answer.called_at,
        )
        return self.apply_change(ChangeMessage(own=change))

    def _add_if_next(self, change: PublicChange | OwnChange | PitChange, last: int, changes: list[Change]) -> bool:
        """Add the change if its number is ``last`` + 1. Return True if changes between them are missing."""
        if change.n == last + 1:
            changes.append(change)
        return change.n > last + 1

    def _apply(self, change: Change) -> None:
        match change:
            case PublicChange():
                self.public = change.n
                if self.table is not None:
                    self.table = _public_after(self.table, change)
                    if self.pit is not None:
                        shared = {name: getattr(self.table, name) for name in _SHARED_FIELDS}
                        self.pit = replace(self.pit, chips=self.table.cash_chips, **shared)
            case OwnChange():
                self.own, self.seat = change.n, _seat_after(self.seat, change)
            case PitChange():
                self.own = change.n
                self.awaiting = self.awaiting if change.awaiting is UNSET else change.awaiting
                self.alert = self.alert if change.alert is UNSET else change.alert
                if self.pit is not None:
                    self.pit = _pit_after(self.pit, change)
            case SocketSnapshot():
                raise AssertionError("a snapshot is applied by apply_snapshot")


def _given(change: Struct, names: Iterable[str]) -> dict[str, Any]:
    """Return the fields that a change sets. The others have not changed."""
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
    assert seat is not None, "the first change of a seat is SeatTaken"
    names = ("credits", "bets", "undoable", "repeatable", "interrupted", "paused", "disputes", "session", "called_at")
    given = _given(change, names)
    return replace(seat, staked=sum(change.bets.values()), **given)


def _pit_after(pit: TableView, change: PitChange) -> TableView:
    seats, accounts = {**pit.seats, **change.seats}, {**pit.accounts, **change.accounts}
    return replace(pit, seats=seats, accounts=accounts, **_given(change, _PIT_FIELDS))


def _results(known: Sequence[Result], received: Sequence[Result]) -> list[Result]:
    """Merge the received results into the known ones, latest first. A received result replaces the known one."""
    by_round = {result.round: result for result in received}
    updated = [by_round.pop(result.round, result) for result in known]
    return [*(result for result in received if result.round in by_round), *updated][:KEPT_RESULTS]
