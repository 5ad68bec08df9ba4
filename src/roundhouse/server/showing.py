"""A table as everybody sees it, and a seat as it sees itself. Made from what the table shows when it is asked."""

from roundhouse.house.configuration import Configuration
from roundhouse.journal.entry import Answer
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.server import seen
from roundhouse.server.floor import OpenTable
from roundhouse.server.wire.tables import PublicTable, SeatShown, TableFacts
from roundhouse.table.deciding import AFTER_CLOSING, BETTING
from roundhouse.table.limits import Limits
from roundhouse.table.names import Phase, SeatId, TableId
from roundhouse.table.showing import Shown

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


def public_table(table: OpenTable, answer: Answer) -> PublicTable:
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
        if seen.shares_layout(table.game)
        else None,
    )


def phrase_of(game: Game, phase: Phase) -> str | None:
    """The words that stand at the terminals."""
    betting = game.rulebook.betting
    if phase in BETTING:
        return betting.opens.phrases[0]
    return betting.closes.phrases[0] if phase in AFTER_CLOSING else None


def seat_shown(table: OpenTable, shown: Shown, id: SeatId) -> SeatShown | None:
    seat, kept = shown.seats.get(id), table.table.memory.seats.get(id)
    if seat is None or kept is None:
        return None
    return SeatShown(id, seat.terminal, seat.credits, seat.bets, seat.staked, dict(kept.last_slip), bool(kept.steps))
