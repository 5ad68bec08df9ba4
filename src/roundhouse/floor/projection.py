"""A table as the journal has it: its state once copied, and then moved on by what has landed, and by nothing else.

The keeper's own state may be ahead by a batch that is being made durable. Whatever is shown is shown from here.

A table as everybody sees it, and a seat as it sees itself. Made from what the table shows when it is asked.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from roundhouse.config.loading import Configuration
from roundhouse.floor import audience
from roundhouse.floor.table import TableAccess
from roundhouse.journal.entry import Answer
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents, Pocket
from roundhouse.table.decision import AFTER_CLOSING, BETTING
from roundhouse.table.limits import Limits
from roundhouse.table.names import Phase, RoundNumber, SeatId, TableId
from roundhouse.table.state import Result, RoundRecord, Table, TableState
from roundhouse.table.view import TableView, outcome_of, view_of
from roundhouse.wire.messages import SeatMoney
from roundhouse.wire.tables import OwnSeat, PublicTable, TableFacts

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableState).decode

Recall = Callable[[RoundNumber], RoundRecord | None]


class _Past:
    """Past rounds are looked up when a correction comes; they are kept by the keeper, and not a second time here."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    def round(self, number: RoundNumber) -> RoundRecord | None:
        return self._recall(number)

    def keep(self, record: RoundRecord) -> None:
        pass


class PublicFields(NamedTuple):
    """What of a table everybody sees beside its events: compared before and after, so that changes are told."""

    phase: Phase
    round: RoundNumber
    phrase: str | None
    outcome: Pocket | None
    limits: Limits
    last_rounds: int | None
    mode: str
    mode_reason: str


class TableProjection:
    def __init__(self, game: Game, state: TableState, recall: Recall) -> None:
        self.table = Table(game, _decode(_encode(state)), _Past(recall))

    def play(self, game: Game) -> Table:
        """From here on by another rulebook; whose money is whose stays."""
        self.table = Table(game, self.table.state, self.table.archive)
        return self.table

    @property
    def state(self) -> TableState:
        return self.table.state

    def facets(self) -> PublicFields:
        state = self.table.state
        return PublicFields(
            state.phase,
            state.round,
            phrase_of(self.table.game, state.phase),
            outcome_of(state),
            state.limits,
            state.last_rounds,
            "automatic" if state.automatic else "manual",
            state.mode_reason,
        )

    def results(self) -> dict[RoundNumber, Result]:
        return {result.round: result for result in self.table.state.results}

    def seat(self, id: SeatId) -> OwnSeat | None:
        seat = self.table.state.seats.get(id)
        if seat is None:
            return None
        return OwnSeat(id, seat.terminal, seat.credits, seat.bets, seat.on_layout, seat.last_slip, bool(seat.steps))

    def money(self, id: SeatId) -> SeatMoney:
        seat = self.table.state.seats[id]
        return SeatMoney(seat.credits, seat.bets)

    def whole(self) -> TableView:
        return view_of(self.table)


def phrase_of(game: Game, phase: Phase) -> str | None:
    """The words that stand at the terminals."""
    betting = game.rulebook.betting
    if phase in BETTING:
        return betting.opens.phrases[0]
    return betting.closes.phrases[0] if phase in AFTER_CLOSING else None


_CHIPS = tuple(
    Cents(cents) for cents in (10, 50, 100, 500, 2_500, 10_000, 50_000, 100_000, 500_000, 2_500_000, 10_000_000)
)
_MOST_CHIPS = 7


def facts_of(configuration: Configuration, id: TableId) -> TableFacts:
    plan, table = configuration.plan, configuration.table(id)
    seats = tuple(seat for terminals in plan.terminals if terminals.table == id for seat in terminals.seats)
    seconds = table.betting_seconds if table.automatic else None
    return TableFacts(plan.house.name, plan.house.currency, chips_for(table.limits), seats, seconds)


def chips_for(limits: Limits) -> tuple[Cents, ...]:
    """Values of chips with which a seat can bet from its least to its most.

    >>> from roundhouse.table.limits import Bounds
    >>> chips_for(Limits(seat=Bounds(Cents(100), Cents(50_000))))
    (100, 500, 2500, 10000, 50000)
    """
    fitting = tuple(cents for cents in _CHIPS if limits.seat.min <= cents <= limits.seat.max)
    return fitting[:_MOST_CHIPS] or (limits.seat.min,)


def public_table(table: TableAccess, answer: Answer) -> PublicTable:
    shown = answer.state
    assert shown is not None, "a table that is asked to show itself does"
    return PublicTable(
        id=table.id,
        game=table.game.id,
        rulebook=table.game.hash,
        facts=table.facts,
        version=answer.version or 0,
        phase=shown.phase,
        round=shown.round,
        phrase=phrase_of(table.game, shown.phase),
        outcome=shown.outcome,  # type: ignore[arg-type]
        limits=shown.limits,
        last_results=shown.last_results,
        last_rounds=shown.last_rounds,
        mode=shown.mode,
        mode_reason=shown.mode_reason,
        deadline=table.deadline,
        wheel=table.wheel,
        chips={id: seat.bets for id, seat in shown.seats.items() if seat.bets}
        if audience.shares_layout(table.game)
        else None,
    )


def seat_shown(table: TableAccess, shown: TableView, id: SeatId) -> OwnSeat | None:
    seat, kept = shown.seats.get(id), table.table.state.seats.get(id)
    if seat is None or kept is None:
        return None
    return OwnSeat(id, seat.terminal, seat.credits, seat.bets, seat.staked, dict(kept.last_slip), bool(kept.steps))
