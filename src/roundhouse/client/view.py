"""What a client knows of its table: a snapshot, moved on by numbered changes. A change out of turn changes nothing.

Nothing is worked out here: whatever stands here was said by the house.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET

from roundhouse.rules.names import PositionId
from roundhouse.table.state import KEPT_RESULTS, Result
from roundhouse.wire.messages import ChangeMessage, OwnChange, PitChange, PublicChange, SnapshotMessage, SocketSnapshot
from roundhouse.wire.tables import NumberedAnswer, PublicTable

Change = SocketSnapshot | PublicChange | OwnChange | PitChange
"""What a follower gets: the table as it stands, or what has changed of it."""

_ALIKE = (
    "version",
    "phase",
    "round",
    "phrase",
    "outcome",
    "limits",
    "last_rounds",
    "mode",
    "mode_reason",
    "deadline",
    "wheel",
)


@dataclass
class View:
    """``table`` is what everybody sees; ``credits`` and ``bets`` are the own seat's."""

    table: PublicTable | None = None
    credits: int = 0
    bets: dict[PositionId, int] = field(default_factory=dict)
    seated: bool = False
    epoch: str = ""
    public: int = 0
    own: int = 0

    def shown(self, message: SnapshotMessage) -> SocketSnapshot:
        shown = message.snapshot
        self.table, self.epoch, self.public, self.own = shown.table, message.epoch, message.public, message.own
        self.seated = shown.own is not None
        self.credits, self.bets = (shown.own.credits, shown.own.bets) if shown.own is not None else (0, {})
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
        change = OwnChange(answer.own, answer.events or [], answer.credits, answer.bets)
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
                    self.table = _moved_on(self.table, change)
            case OwnChange():
                self.own, self.credits, self.bets, self.seated = change.n, change.credits, change.bets, True
            case PitChange():
                self.own = change.n
            case SocketSnapshot():
                raise AssertionError("a snapshot is shown, not applied")


def _moved_on(table: PublicTable, change: PublicChange) -> PublicTable:
    found = {name: value for name in _ALIKE if (value := getattr(change, name)) is not UNSET}
    if change.results is not UNSET:
        found["last_results"] = _results(table.last_results, change.results)
    if change.chips is not UNSET:
        chips = {**(table.chips or {}), **change.chips}
        found["chips"] = {seat: bets for seat, bets in chips.items() if bets}
    return msgspec.structs.replace(table, **found)


def _results(known: Sequence[Result], told: Sequence[Result]) -> list[Result]:
    """New ones first; those that are told again have another outcome now."""
    again = {result.round: result for result in told}
    kept = [again.pop(result.round, result) for result in known]
    return [*(result for result in told if result.round in again), *kept][:KEPT_RESULTS]
