"""The projection of a table: its committed entries and the notices of its clock and wheel, made into what is shown.

HTTP, sockets and metrics all read a table here. The state of the writer may be ahead of the journal by a batch that is
being committed, so it is copied once, when the table opens, and never read again.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Notice, WheelReliability, WheelStatus
from roundhouse.floor import audience
from roundhouse.floor.batch import Rounds
from roundhouse.floor.committed import CommittedTable
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket
from roundhouse.table.apply import apply
from roundhouse.table.decision import AFTER_CLOSING, BETTING
from roundhouse.table.events import TableStopped
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, Phase, RoundNumber, SeatId, TableId
from roundhouse.table.state import Archive, Seat, Table, TableState
from roundhouse.table.view import TableView, meters_view, outcome_of, view_of
from roundhouse.wire.tables import OwnSeat, PublicTable, TableFacts, WheelInfoNow

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableState).decode

_DEADLINE_TOLERANCE_MILLIS = 100
"""The dealer repeats a deadline with every step of the countdown; one that differs by less is the same."""
_NOT_CONNECTED, _UNKNOWN = "not_connected", "unknown"
_NO_ROUNDS: Rounds = {}
_BETWEEN_ROUNDS = (Phase.IDLE, Phase.CLOSED)


class PublicFields(NamedTuple):
    """The public fields that are compared before and after a change. A change carries those that differ."""

    phase: Phase
    round: RoundNumber
    phrase: str | None
    outcome: Pocket | None
    limits: Limits
    last_rounds: int | None
    mode: Literal["manual", "automatic"]
    mode_reason: str
    deadline: Millis | None
    wheel: WheelInfoNow | None


class PitFields(NamedTuple):
    """The fields for staff that are compared before and after a change."""

    meters: dict[str, int | str]
    matters: dict[RoundNumber, str]
    interrupted: bool
    awaiting: str
    alert: str


class TableProjection:
    """One table as it is shown. ``table`` is its committed state at opening; ``latest`` the rulebook that it is
    opened with the next time."""

    def __init__(
        self,
        id: TableId,
        table: Table,
        version: Seq,
        latest: Game,
        facts: TableFacts,
        archive: Archive,
        clock: Callable[[], Millis],
    ) -> None:
        self.id, self.version, self.facts = id, version, facts
        self.awaiting = ""
        """What the automatic dealer waits for."""
        self.reliability: WheelReliability | None = None
        """The last notice of it; none before a wheel was connected for the first time."""
        self._committed = CommittedTable(table, latest, archive)
        self._clock = clock
        self._closes: tuple[RoundNumber, Millis] | None = None
        self._status: WheelStatus | None = None
        self._wheel: WheelInfoNow | None = None

    @property
    def game(self) -> Game:
        """The rulebook in play."""
        return self.table.game

    @property
    def table(self) -> Table:
        """The committed table, to be read only."""
        return self._committed.table

    @property
    def state(self) -> TableState:
        return self._committed.state

    @property
    def has_dealer(self) -> bool:
        """Whether the table has an automatic dealer: a wheel that it can read, or a betting time."""
        return self._wheel is not None or self.facts.betting_seconds is not None

    @property
    def alert(self) -> str:
        """What is wrong with the wheel; empty while nothing is."""
        return self.reliability.alert if self.reliability is not None else ""

    # what moves it

    def apply(self, entry: Entry, rounds: Rounds = _NO_ROUNDS) -> None:
        """Applies a committed entry. ``rounds`` are the past rounds that its batch changed."""
        self._committed.apply(entry, rounds)
        self.version = entry.seq

    def notice(self, notice: Notice) -> None:
        """Applies a notice of the clock, the wheel or the dealer. Events are applied when they are committed."""
        match notice:
            case BetsCloseAt(round=round, seconds=seconds):
                at = Millis(self._clock() + int(seconds * 1000))
                if self._closes is None or self._closes[0] != round or abs(at - self._closes[1]) > _DEADLINE_TOLERANCE_MILLIS:
                    self._closes = round, at
            case WheelStatus():
                self._status = notice
                self._show_wheel()
            case WheelReliability():
                self.reliability = notice
                self._show_wheel()
            case DealerWaiting(why=why):
                self.awaiting = why

    def _show_wheel(self) -> None:
        at, status, connected = self._clock(), self._status, self.reliability is None or self.reliability.connected
        if not connected:
            wheel = WheelInfoNow(_NOT_CONNECTED, at, reliable=False)
        elif status is None:
            wheel = WheelInfoNow(_UNKNOWN, at, reliable=not self.alert)
        else:
            state, rotor = status.state.name.lower(), status.rotor.value
            wheel = WheelInfoNow(state, at, rotor, status.rotor_decirpm, not self.alert)
        if self._wheel is None or replace(self._wheel, at=at) != wheel:
            self._wheel = wheel

    def stop(self, fault: str) -> None:
        """Shows a table whose journal cannot be written any more: it stands still where its last entry left it."""
        apply(self.table, TableStopped(fault), self.state.last_event_at)

    # what it shows

    def public_fields(self) -> PublicFields:
        state = self.state
        closes, at = self._closes or (None, None)
        return PublicFields(
            state.phase,
            state.round,
            phrase_of(self.game, state.phase),
            outcome_of(state),
            state.limits,
            state.last_rounds,
            "automatic" if state.automatic else "manual",
            state.mode_reason,
            at if closes == state.round and state.phase in BETTING else None,
            self._wheel,
        )

    def public_table(self) -> PublicTable:
        state, shared = self.state, audience.shares_layout(self.game)
        return PublicTable(
            id=self.id,
            game=self.game.id,
            rulebook=self.game.hash,
            facts=self.facts,
            version=self.version,
            last_results=state.results,
            chips={id: seat.bets for id, seat in state.seats.items() if seat.bets} if shared else None,
            **self.public_fields()._asdict(),
        )

    def own_seat(self, id: SeatId) -> OwnSeat | None:
        seat = self.state.seats.get(id)
        if seat is None:
            return None
        undoable = self.undoable(seat)
        return OwnSeat(id, seat.terminal, seat.credits, seat.bets, seat.on_layout, seat.last_slip, undoable)

    def undoable(self, seat: Seat) -> bool:
        """Whether the seat has a step of this round to undo. The steps of the last round count no more."""
        return bool(seat.steps) and self.state.phase_before_stop not in _BETWEEN_ROUNDS

    def pit_fields(self) -> PitFields:
        state = self.state
        meters, matters = meters_view(state.meters), dict(state.referrals)
        return PitFields(meters, matters, bool(state.interrupted), self.awaiting, self.alert)

    def view(self) -> TableView:
        """All of the table, for staff."""
        return view_of(self.table)


def phrase_of(game: Game, phase: Phase) -> str | None:
    """The announcement that the terminals show in a phase."""
    betting = game.rulebook.betting
    if phase in BETTING:
        return betting.opens.phrases[0]
    return betting.closes.phrases[0] if phase in AFTER_CLOSING else None
