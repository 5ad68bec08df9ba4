"""Projection of a table's committed state, combined with notices of the dealer's clock and the wheel.

HTTP, WebSocket and metrics all read a table here. The writer's working state may be one uncommitted batch ahead, so it
is copied once, when the table opens, and not read later.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from roundhouse.dealer.loop import BetsCloseAt, DealerWaiting, Notice, WheelReliability, WheelStatus
from roundhouse.floor import audience
from roundhouse.floor.batch import Rounds
from roundhouse.floor.interruptions import InterruptedSeats
from roundhouse.floor.seat_desk import disputes_at
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, Pocket
from roundhouse.table.apply import apply
from roundhouse.table.decision import AFTER_CLOSING, BETTING
from roundhouse.table.desk_state import DealerOfRecord, DisputeRecord
from roundhouse.table.events import TableOpened, TableStopped, TerminalsInterrupted
from roundhouse.table.evidence import Evidence
from roundhouse.table.limits import Limits
from roundhouse.table.names import Millis, Phase, RoundNumber, SeatId, TableId
from roundhouse.table.session_view import session_view
from roundhouse.table.state import Archive, ColourChips, RoundRecord, Seat, Table, TableState
from roundhouse.table.view import (
    FloatView,
    TableView,
    asked_now,
    float_view,
    is_withheld,
    meters_view,
    open_disputes,
    outcome_of,
    reports_disagree,
    view_of,
)
from roundhouse.wire.tables import CashOutAsked, OwnSeat, PublicTable, TableFacts, WheelInfoNow, WheelUse

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableState).decode

_TOLERANCE_MILLIS = 100
"""The dealer repeats the deadline at every step of the countdown. A smaller difference is not a new deadline."""
_UNKNOWN = "unknown"
_NO_ROUNDS: Rounds = {}
_BETWEEN_ROUNDS = (Phase.IDLE, Phase.CLOSED)


class PublicFields(NamedTuple):
    """Public fields that are compared before and after a change. The change contains those that differ."""

    phase: Phase
    round: RoundNumber
    phrase: str | None
    outcome: Pocket | None
    readings_disagree: bool
    limits: Limits
    next_limits: Limits | None
    last_rounds: int | None
    mode: Literal["manual", "automatic"]
    mode_reason: str
    deadline: Millis | None
    wheel: WheelInfoNow | None
    cash_chips: tuple[Cents, ...]
    colours: dict[SeatId, ColourChips]


class PitFields(NamedTuple):
    """Fields for staff that are compared before and after a change."""

    meters: dict[str, int | str]
    matters: dict[RoundNumber, str]
    matter_seats: dict[RoundNumber, tuple[SeatId, ...]]
    interrupted: bool
    evidence: Evidence | None
    registered: Pocket | None
    reports_disagree: bool
    disputes: tuple[DisputeRecord, ...]
    dealer: DealerOfRecord | None
    float: FloatView | None
    awaiting: str
    alert: str
    calls: dict[SeatId, Millis]


class PastRounds:
    """The past rounds of a table, read for corrections. ``keep`` stores nothing, because the writer stores them."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._changed: Rounds = {}
        """Past rounds that the last applied batch changed. They need not be read from the store."""
        self._loaded: dict[RoundNumber, RoundRecord | None] = {}
        self.changes = 0
        """Number of batches that changed past rounds."""
        self._games: dict[str, Game | None] = {}
        """Games of the rulebooks that were loaded, by the hash of the rulebook."""

    def round(self, number: RoundNumber) -> RoundRecord | None:
        if number in self._loaded:
            return self._loaded[number]
        return self._changed.get(number) or self._archive.round(number)

    def set_changed(self, changed: Rounds) -> None:
        self._changed, self._loaded = changed, {}
        self.changes += 1

    def missing(self, numbers: Iterable[RoundNumber]) -> list[RoundNumber]:
        """List the rounds that ``round`` would read from the store."""
        return [number for number in numbers if number not in self._loaded and number not in self._changed]

    def load(self, numbers: Iterable[RoundNumber]) -> dict[RoundNumber, RoundRecord | None]:
        """Read rounds from the store. This may run in any thread."""
        return {number: self._archive.round(number) for number in numbers}

    def add_loaded(self, rounds: Mapping[RoundNumber, RoundRecord | None]) -> None:
        self._loaded |= rounds

    def keep(self, record: RoundRecord) -> None:
        pass

    def game(self, rulebook: str) -> Game | None:
        return self._games[rulebook] if rulebook in self._games else self._archive.game(rulebook)

    def missing_games(self, numbers: Iterable[RoundNumber], played: str) -> list[str]:
        """List the rulebooks of loaded rounds that ``game`` would read from the store. ``played`` is in use."""
        records = (self._loaded.get(number) or self._changed.get(number) for number in numbers)
        found = {record.rulebook for record in records if record is not None}
        return [hash for hash in found if hash != played and hash not in self._games]

    def load_games(self, rulebooks: Iterable[str]) -> dict[str, Game | None]:
        """Read games from the store. This may run in any thread."""
        return {hash: self._archive.game(hash) for hash in rulebooks}

    def add_games(self, games: Mapping[str, Game | None]) -> None:
        self._games |= games


class CommittedTable:
    """A copy of a table to which only committed entries are applied. ``latest`` is the rulebook of its next opening."""

    def __init__(self, table: Table, latest: Game, archive: Archive) -> None:
        self._latest, self.past_rounds = latest, PastRounds(archive)
        self.state = _decode(msgspec.json.encode(table.state))
        self.table = Table(table.game, self.state, self.past_rounds)

    def apply(self, entry: Entry, rounds: Rounds) -> None:
        """Apply a committed entry. ``rounds`` are the past rounds that its batch changed."""
        if rounds:
            self.past_rounds.set_changed(rounds)
        for event in entry.events:
            if type(event) is TableOpened and event.rulebook != self.table.game.hash:
                assert event.rulebook == self._latest.hash, "a table is opened with the latest rulebook"
                before, self.table = self.table, Table(self._latest, self.state, self.past_rounds)
                self.table.set_house(before.terms, before.money)
            apply(self.table, event, entry.facts.at)


class TableProjection:
    """The projection of one table.

    ``table`` is the table as the writer loaded it; ``latest`` is the rulebook of its next opening.
    """

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
        """Text for staff: the event or time that the automatic dealer waits for."""
        self.reliability: WheelReliability | None = None
        """The last notice about the wheel's reliability; ``None`` before the first notice."""
        self._committed = CommittedTable(table, latest, archive)
        self.state = self._committed.state
        self._set_table()
        self.interrupted = InterruptedSeats(self.table)
        """Seats whose terminals were interrupted in this round or the last one."""
        self._clock = clock
        self._closes: tuple[RoundNumber, Millis] | None = None
        self._status: WheelStatus | None = None
        self._wheel: WheelInfoNow | None = None

    def _set_table(self) -> None:
        self.table = self._committed.table
        """The committed table. Callers must not change it."""
        self.game = self.table.game
        """The rulebook in play."""
        self.shares_layout = audience.shares_layout(self.game)

    @property
    def has_dealer(self) -> bool:
        """Whether the table has an automatic dealer: a readable wheel or a configured betting time."""
        return self._wheel is not None or self.facts.betting_seconds is not None

    @property
    def in_round(self) -> bool:
        """Whether a round is in progress. A stop of the table does not end it."""
        return self.state.phase_before_stop not in _BETWEEN_ROUNDS

    @property
    def alert(self) -> str:
        """The fault of the wheel; empty if it has none."""
        return self.reliability.alert if self.reliability is not None else ""

    # Input: committed entries and notices

    def apply(self, entry: Entry, rounds: Rounds = _NO_ROUNDS) -> None:
        """Apply a committed entry. ``rounds`` are the past rounds that its batch changed."""
        if self.interrupted.seats or (entry.events and type(entry.events[0]) is TerminalsInterrupted):
            self.interrupted.note(entry, self.state)
        self._committed.apply(entry, rounds)
        self.version = entry.seq
        if self._committed.table is not self.table:
            self._set_table()

    def notice(self, notice: Notice) -> None:
        """Apply a notice of the clock, the wheel or the dealer."""
        match notice:
            case BetsCloseAt(round=round, seconds=seconds):
                at = Millis(self._clock() + int(seconds * 1000))
                if self._closes is None or self._closes[0] != round or abs(at - self._closes[1]) > _TOLERANCE_MILLIS:
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
        at, status, use = self._clock(), self._status, wheel_use(self.reliability)
        if use in UNREACHABLE:
            # The last status is out of date.
            wheel = WheelInfoNow(use.value, at, reliable=False, use=use)
        elif status is None:
            wheel = WheelInfoNow(_UNKNOWN, at, reliable=not self.alert, use=use)
        else:
            state, rotor = status.state.name.lower(), status.rotor.value
            wheel = WheelInfoNow(state, at, rotor, status.rotor_decirpm, not self.alert, use)
        if self._wheel is None or replace(self._wheel, at=at) != wheel:
            self._wheel = wheel

    def stop(self, fault: str) -> None:
        """Show the table as stopped after its last entry, because its journal can no longer be written."""
        apply(self.table, TableStopped(fault), self.state.last_event_at)

    # Output: the fields and views that displays read

    def public_fields(self) -> PublicFields:
        state = self.state
        closes, at = self._closes or (None, None)
        return PublicFields(
            state.phase,
            state.round,
            phrase_of(self.game, state),
            outcome_of(state),
            is_withheld(state),
            state.limits,
            state.next_limits or None,
            state.last_rounds,
            "automatic" if state.automatic else "manual",
            state.mode_reason,
            at if closes == state.round and state.phase in BETTING and state.automatic else None,
            self._wheel,
            state.terms.chips,
            {id: seat.colour for id, seat in state.seats.items() if seat.colour} if state.terms.chips else {},
        )

    def public_table(self) -> PublicTable:
        state, shared = self.state, self.shares_layout
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
        undoable, interrupted = self.undoable(seat), self.interrupted.of(seat, self.state)
        asked = CashOutAsked(one.source.by, one.cents, one.at) if (one := asked_now(seat)) else None
        return OwnSeat(
            id,
            seat.terminal,
            seat.credits,
            seat.bets,
            seat.on_layout,
            seat.last_slip,
            undoable,
            interrupted,
            asked,
            seat.paused or "",
            disputes_at(id, self.state),
            session_view(seat, self.state.last_event_at),
            (self.state.calls or {}).get(id),
        )

    def undoable(self, seat: Seat) -> bool:
        """Check whether the seat has a bet in this round to undo. Bets of the last round cannot be undone."""
        return self.in_round and bool(seat.steps)

    def pit_fields(self) -> PitFields:
        state = self.state
        return PitFields(
            meters_view(state.meters),
            dict(state.referrals),
            dict(state.referred_seats or {}),
            bool(state.interrupted) or state.phase is Phase.INTERRUPTED,
            _copy(state.evidence) if state.evidence else None,
            state.registered_outcome,
            reports_disagree(state),
            open_disputes(state),
            state.dealer or None,
            float_view(state),
            self.awaiting,
            self.alert,
            dict(state.calls or {}),
        )

    async def load_rounds_for(self, command: Struct) -> None:
        """Load the past rounds that a command needs, so that its dry run in the event loop executes no SQL.

        The rulebooks that they were played by are loaded too.
        """
        past, state = self._committed.past_rounds, self.state
        named = getattr(command, "round", UNSET)
        numbers = {state.round, *((named,) if named is not UNSET else ()), *(getattr(command, "rounds", None) or ())}
        while True:
            if missing := past.missing(numbers):
                changes = past.changes
                found = await asyncio.to_thread(past.load, missing)
                if past.changes == changes:
                    past.add_loaded(found)
            elif rulebooks := past.missing_games(numbers, self.game.hash):
                past.add_games(await asyncio.to_thread(past.load_games, rulebooks))
            else:
                return

    def view(self) -> TableView:
        """Return the whole table, for staff."""
        return view_of(self.table)


UNREACHABLE = (WheelUse.NOT_CONNECTED, WheelUse.SILENT)
"""Conditions of a wheel from which no messages arrive."""


def wheel_use(reliability: WheelReliability | None) -> WheelUse:
    """Return whether a table can use its wheel, from the last notice about it; ``None`` before the first."""
    if reliability is None:
        return WheelUse.NOT_READY
    if not reliability.connected:
        return WheelUse.NOT_CONNECTED
    if reliability.silent:
        return WheelUse.SILENT
    if reliability.alert:
        return WheelUse.OUT_OF_USE
    return WheelUse.READY if reliability.ready else WheelUse.NOT_READY


def _copy(evidence: Evidence) -> Evidence:
    """Copy evidence, because the table adds to it in place."""
    return replace(
        evidence, reports=[*evidence.reports], readings=[*evidence.readings], dark_seats=[*evidence.dark_seats]
    )


def phrase_of(game: Game, state: TableState) -> str | None:
    """Return the announcement that terminals show now, as the house chose it; ``None`` if there is none."""
    betting, terms, phase = game.rulebook.betting, state.terms, state.phase
    if phase in BETTING:
        return terms.opens_phrase or betting.opens.phrases[0]
    if phase in (Phase.INTERRUPTED, Phase.REFERRED):
        # While a round waits for people no bets are taken. The phrase of the closing stays, if it was announced.
        phase = state.before_interruption or state.phase_of_round
    return terms.closes_phrase or betting.closes.phrases[0] if phase in AFTER_CLOSING else None
