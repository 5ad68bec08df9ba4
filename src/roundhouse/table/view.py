"""A view of a table's state for clients and reports: phase, seats, accounts and meters."""

from typing import Literal

from msgspec import UNSET, Struct

from roundhouse.rules.names import Cents, Pocket, PositionId, TerminalId
from roundhouse.table.apply_money import spent
from roundhouse.table.desk_state import DealerOfRecord, DisputeRecord
from roundhouse.table.evidence import Evidence
from roundhouse.table.floats import expected, open_float, win_of
from roundhouse.table.ledger import balances
from roundhouse.table.limits import Limits
from roundhouse.table.money_state import AskedCashOut, Purchase
from roundhouse.table.names import Account, Millis, Phase, RoundNumber, SeatId
from roundhouse.table.state import ColourChips, Meters, Result, Seat, Table, TableState


class FloatView(Struct, frozen=True):
    """The open float, with what a count would find now. Amounts are in cents."""

    opener: int
    since: Millis
    in_chips: bool
    fills: int
    credits: int
    win: int
    exchanged: int
    drop: int
    expected: int


class SeatView(Struct, frozen=True, omit_defaults=True):
    terminal: TerminalId
    credits: int
    bets: dict[PositionId, int]
    staked: int
    meters: dict[str, int]
    purchases: tuple[Purchase, ...] = ()
    """Purchases that can be reversed, because their credits are unspent. Missing if there is none."""
    asked: AskedCashOut | None = None
    """A request for a cash-out of the credits that the seat has now. Missing if there is none."""
    paused: str = ""
    """Why the seat takes no new bets; empty if it takes them."""


class TableView(Struct, frozen=True):
    phase: Phase
    round: RoundNumber
    outcome: str | None
    """Outcome read by the wheel or registered at the console. Between rounds, the last result."""
    seats: dict[SeatId, SeatView]
    accounts: dict[Account, int]
    limits: Limits
    last_results: list[Result]
    last_rounds: int | None
    matters: dict[RoundNumber, str]
    meters: dict[str, int | str]
    rulebook: dict[str, str]
    mode: Literal["manual", "automatic"]
    mode_reason: str
    """Reason for manual mode; empty in automatic mode."""
    interrupted: bool
    """Whether the server restarted while the round waited for people."""
    evidence: Evidence | None = None
    """Reports of the spin and readings of the outcome in the round in progress."""
    readings_disagree: bool = False
    """Whether the readings and the registered outcome differ. No outcome is shown then."""
    reports_disagree: bool = False
    """Whether the reports of the spin differ, and no decision has accepted the spin."""
    registered: Pocket | None = None
    """Outcome that is registered in the round in progress. It is not a reading."""
    currency: str = ""
    chips: tuple[Cents, ...] = ()
    """Values of the cash chips; empty if the game is not played with chips."""
    colours: dict[SeatId, ColourChips] = {}
    """Colour chips issued to seats."""
    matter_seats: dict[RoundNumber, tuple[SeatId, ...]] = {}
    """Seats whose matters wait for a decision, by round."""
    next_limits: Limits | None = None
    """Limits from the next round on; ``None`` if they stay."""
    disputes: tuple[DisputeRecord, ...] = ()
    """Open disputes, the oldest first."""
    dealer: DealerOfRecord | None = None
    """The Dealer of record; ``None`` if the table has none, or if the automatic dealer deals."""
    float: FloatView | None = None
    """The open float; ``None`` before its opener and after its closer."""
    calls: dict[SeatId, Millis] = {}
    """Seats that wait for an attendant, with the time of the call."""


def float_view(state: TableState) -> FloatView | None:
    found = open_float(state)
    if found is None:
        return None
    return FloatView(
        found.opener,
        found.since,
        found.in_chips,
        found.fills,
        found.credits,
        win_of(state, found),
        found.exchanged,
        found.drop,
        expected(state, found),
    )


def is_withheld(state: TableState) -> bool:
    """Return whether readings and registration differ, also while the round is referred or the table has stopped."""
    phase = state.phase_before_stop
    return state.disagree_in(state.before_referral or phase if phase is Phase.REFERRED else phase)


def outcome_of(state: TableState) -> Pocket | None:
    """Return the outcome of the round or, between rounds, the last result. ``None`` while readings differ."""
    if is_withheld(state):
        return None
    outcome = state.registered_outcome or state.wheel_outcome
    if outcome is None and state.phase in (Phase.IDLE, Phase.CLOSED) and state.results:
        return state.results[0].outcome
    return outcome


def reports_disagree(state: TableState) -> bool:
    """Return whether the reports of the spin differ, and no decision has accepted the spin."""
    evidence = state.evidence
    return evidence is not UNSET and evidence.reports_differ and not evidence.spin_accepted


def view_of(table: Table) -> TableView:
    state, rulebook = table.state, table.game.rulebook
    return TableView(
        phase=state.phase,
        round=state.round,
        outcome=outcome_of(state),
        seats={id: seat_view(seat) for id, seat in state.seats.items()},
        accounts=balances(state),
        limits=state.limits,
        last_results=list(state.results),
        last_rounds=state.last_rounds,
        matters=dict(state.referrals),
        meters=meters_view(state.meters),
        rulebook={"id": rulebook.id, "version": rulebook.version, "hash": table.game.hash},
        mode="automatic" if state.automatic else "manual",
        mode_reason=state.mode_reason,
        interrupted=bool(state.interrupted) or state.phase is Phase.INTERRUPTED,
        evidence=state.evidence or None,
        readings_disagree=is_withheld(state),
        reports_disagree=reports_disagree(state),
        registered=state.registered_outcome,
        currency=state.terms.currency,
        chips=state.terms.chips,
        colours={id: seat.colour for id, seat in state.seats.items() if seat.colour},
        matter_seats=dict(state.referred_seats or {}),
        next_limits=state.next_limits or None,
        disputes=open_disputes(state),
        dealer=state.dealer or None,
        float=float_view(state),
        calls=dict(state.calls or {}),
    )


def open_disputes(state: TableState) -> tuple[DisputeRecord, ...]:
    return tuple(state.disputes.open.values()) if state.disputes else ()


def seat_view(seat: Seat) -> SeatView:
    meters = {
        "bought": seat.bought,
        "tickets_in": seat.redeemed,
        "tickets_out": seat.cashed_out,
        "drop": seat.bought + seat.redeemed,
        "handle": seat.handle,
        "win": seat.handle - seat.paid,
        "shortfall": seat.shortfall,
    }
    purchases, asked, paused = _reversible(seat), asked_now(seat), seat.paused or ""
    return SeatView(seat.terminal, seat.credits, dict(seat.bets), seat.on_layout, meters, purchases, asked, paused)


def _reversible(seat: Seat) -> tuple[Purchase, ...]:
    return tuple(one for one in seat.purchases or () if one.spent == spent(seat) and one.cents <= seat.credits)


def asked_now(seat: Seat) -> AskedCashOut | None:
    """Return the request for a cash-out if it is for the credits that the seat has now."""
    return seat.asked if seat.asked and seat.asked.cents == seat.credits else None


def meters_view(meters: Meters) -> dict[str, int | str]:
    """Return the meters by name. ``hold`` is the house's win as an exact fraction of the handle."""
    from fractions import Fraction

    return {
        "rounds": meters.rounds,
        "handle": meters.handle,
        "win": meters.win,
        "hold": str(Fraction(meters.win, meters.handle)) if meters.handle else "0",
        "drop": meters.drop,
        "tickets_in": meters.tickets_in,
        "tickets_out": meters.tickets_out,
        "voids": meters.voids,
        "corrections": meters.corrections,
        "late_bets": meters.late_bets,
    }
