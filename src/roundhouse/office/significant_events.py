"""Significant events: the entries of a journal that a pit, an auditor or a regulator wants to see.

Events are selected by type and amount, and by what the round's earlier events say, so that every export selects the
same ones. All events of the house's own chain are significant.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, assert_never

import msgspec
from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.office.disagreements import Differs, Disagreements
from roundhouse.office.records import HOUSE, EntryEvents, HouseRecord
from roundhouse.rules.names import StaffPosition
from roundhouse.table import events as e
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId, masked
from roundhouse.table.round import NO_SPIN

LARGE_CENTS = 1_000_000


class SignificantKind(StrEnum):
    """Kinds of significant events of a table. An event of the house has its own name as its kind."""

    TABLE_OPENED = "table_opened"
    PROCEDURE_ADOPTED = "procedure_adopted"
    LAST_ROUNDS_ANNOUNCED = "last_rounds_announced"
    TABLE_CLOSED = "table_closed"
    TABLE_STOPPED = "table_stopped"
    SOFTWARE_STOPPED = "software_stopped"
    TABLE_RESUMED = "table_resumed"
    ROUND_VOIDED = "round_voided"
    NO_SPIN = "no_spin"
    ROUNDS_SKIPPED = "rounds_skipped"
    ROUND_REVERSED = "round_reversed"
    ROUND_REINSTATED = "round_reinstated"
    SPUN_BY_HAND = "spun_by_hand"
    READ_WITHOUT_BALL = "read_without_ball"
    READINGS_DIFFER = "readings_differ"
    REPORTS_DIFFER = "reports_differ"
    READING_AMENDED = "reading_amended"
    REGISTRATION_CHANGED = "registration_changed"
    RESULT_CORRECTED = "result_corrected"
    SEAT_DECIDED = "seat_decided"
    STAKE_RETURNED = "stake_returned"
    TERMINALS_INTERRUPTED = "terminals_interrupted"
    SHORTFALL = "shortfall"
    MATTER_REFERRED = "matter_referred"
    DECISION_MADE = "decision_made"
    OFF_RECORD_DECISION = "off_record_decision"
    MANUAL_MODE = "manual_mode"
    AUTOMATIC_MODE = "automatic_mode"
    INTERRUPTION_RECOVERED = "interruption_recovered"
    LARGE_WIN = "large_win"
    LARGE_PURCHASE = "large_purchase"
    PURCHASE_REVERSED = "purchase_reversed"
    CASHED_OUT_BY_STAFF = "cashed_out_by_staff"
    LIMITS_CHANGED = "limits_changed"
    ENROLMENT_ALLOWED = "enrolment_allowed"
    LARGE_TICKET_ISSUED = "large_ticket_issued"
    LARGE_TICKET_REDEEMED = "large_ticket_redeemed"
    DISPUTE = "dispute"
    DISPUTE_CLOSED = "dispute_closed"
    DISPLAY_QUESTIONED = "display_questioned"
    SEAT_PAUSED = "seat_paused"
    SEAT_RESUMED = "seat_resumed"
    DEALER_CHANGED = "dealer_changed"
    FLOAT_COUNTED = "float_counted"
    FLOAT_FILLED = "float_filled"
    FLOAT_CREDITED = "float_credited"
    DROP_REMOVED = "drop_removed"
    GOODWILL = "goodwill"
    FLOAT_VARIANCE = "float_variance"


class Thresholds(Struct, frozen=True):
    """Amounts in cents from which a win, a ticket or a purchase is significant."""

    win_cents: int = LARGE_CENTS
    ticket_cents: int = LARGE_CENTS
    purchase_cents: int = LARGE_CENTS


DEFAULT_THRESHOLDS = Thresholds()


class Significant(Struct, frozen=True, tag_field="export", tag="event.v1", omit_defaults=True):
    """A significant event. ``table``, ``seq``, ``kind``, ``round`` and ``seat`` together identify it in all exports."""

    table: TableId
    seq: Seq
    at: Millis
    kind: str
    round: RoundNumber | None = None
    seat: SeatId | None = None
    cents: int | None = None
    by: str | None = None
    """Position of the person who made the request. None if the table acted without a request."""
    who: str | None = None
    """Person who made the request."""
    second: str | None = None
    """Person who approved the request."""
    detail: dict[str, Any] = {}
    """Other fields of the recorded event. Amounts of the seats are included only for corrections and large wins."""


Selected = tuple[SignificantKind, SeatId | None, int | None]
"""Kind, seat and amount in cents."""


def table_events(
    table: TableId, entry: EntryEvents, thresholds: Thresholds, disagreements: Disagreements
) -> Iterator[Significant]:
    request = entry.request
    by, who, second = (request.by, request.who, request.second) if request else (None, None, None)
    for event in entry.events:
        begun = disagreements.begun_by(event, entry.seq)
        differing = ((_DIFFERING[one], None, None) for one in Differs if one in begun)
        for kind, seat, cents in (*significant_in(event, thresholds), *differing):
            number = getattr(event, "round", None)
            yield Significant(
                table, entry.seq, entry.at, kind, number, seat, cents, by, who, second, _detail(event, kind, seat)
            )


_DIFFERING: Final = {
    Differs.READINGS: SignificantKind.READINGS_DIFFER,
    Differs.REPORTS: SignificantKind.REPORTS_DIFFER,
}


def house_event(entry: HouseRecord) -> Significant:
    """Convert an entry of the house's own chain to a significant event. The kind is the name of its event."""
    detail = dict(entry.event)
    kind = str(detail.pop("event", "unknown")).partition(".v")[0]
    by, who = entry.by.get("position") or entry.by.get("kind"), entry.by.get("person")
    if entry.by:
        detail["asked_by"] = entry.by
    return Significant(HOUSE, entry.seq, entry.at, kind, by=by, who=who, detail=detail)


def significant_in(event: e.AnyEvent, thresholds: Thresholds) -> Iterator[Selected]:
    """Yield the significant parts of an event: none, one, or one for each seat concerned."""
    match event:
        case e.RoundSettled():
            for seat, (staked, back) in event.seats.items():
                if back - staked >= thresholds.win_cents:
                    yield SignificantKind.LARGE_WIN, seat, back - staked
        case e.CreditsBought(seat, cents):
            if cents >= thresholds.purchase_cents:
                yield SignificantKind.LARGE_PURCHASE, seat, cents
        case e.PurchaseReversed(seat, cents):
            yield SignificantKind.PURCHASE_REVERSED, seat, cents
        case e.EnrolmentAllowed(seat, cents):
            yield SignificantKind.ENROLMENT_ALLOWED, seat, cents
        case e.CashedOut(seat, cents):
            if event.source is not None and event.source.by is not StaffPosition.PLAYER:
                yield SignificantKind.CASHED_OUT_BY_STAFF, seat, cents
            if cents >= thresholds.ticket_cents:
                yield SignificantKind.LARGE_TICKET_ISSUED, seat, cents
        case e.TicketRedeemed(seat, cents):
            if cents >= thresholds.ticket_cents:
                yield SignificantKind.LARGE_TICKET_REDEEMED, seat, cents
        case e.RoundVoided():
            returned = sum(event.seats.values())
            yield (SignificantKind.NO_SPIN if NO_SPIN in event.causes else SignificantKind.ROUND_VOIDED), None, returned
        case e.RoundCorrected() | e.RoundReversed() | e.RoundReinstated():
            yield _RESTATED[type(event)], None, sum(change.now - change.was for change in event.seats)
            yield from _shortfalls(event.seats)
        case e.SeatDecided(change=change):
            yield SignificantKind.SEAT_DECIDED, change.seat, change.now - change.was
            yield from _shortfalls((change,))
        case e.StakeReturned(_, seat, cents):
            yield SignificantKind.STAKE_RETURNED, seat, cents
        case e.ResultRegistered():
            if event.resolved_by is not None:
                yield SignificantKind.RESULT_CORRECTED, None, None
            elif event.source is not None and event.was is not None:
                yield SignificantKind.REGISTRATION_CHANGED, None, None
        case e.SpinStarted():
            if event.by_hand:
                yield SignificantKind.SPUN_BY_HAND, None, None
        case e.BallRested():
            if event.reason:
                yield SignificantKind.READ_WITHOUT_BALL, None, None
        case (
            e.SeatTaken()
            | e.CashOutRequested()
            | e.BetsOpened()
            | e.BetsPlaced()
            | e.BetsWithdrawn()
            | e.LateBetRefused()
            | e.LateWithdrawalRefused()
            | e.BetsClosed()
            | e.SpinObserved()
            | e.OutcomeRead()
            | e.ResultConfirmed()
            | e.ColourIssued()
            | e.ProtectionSet()
            | e.BreakTaken()
            | e.CheckAcknowledged()
            | e.AttendantCalled()
            | e.CallAttended()
            | e.ColourRedeemed()
        ):
            return
        case e.Disputed(seat=seat) | e.SeatPaused(seat=seat) | e.SeatResumed(seat=seat):
            yield _DESK[type(event)], seat, None
        case e.DisputeClosed(seat=seat, paid=paid):
            yield SignificantKind.DISPUTE_CLOSED, seat, None
            if paid:
                yield SignificantKind.GOODWILL, seat, paid
        case e.FloatCounted(cents=cents, variance=variance):
            yield SignificantKind.FLOAT_COUNTED, None, cents
            if variance:
                yield SignificantKind.FLOAT_VARIANCE, None, variance
        case e.FloatFilled(cents) | e.FloatCredited(cents) | e.DropTaken(cents):
            yield _DESK[type(event)], None, cents
        case e.DisplayQuestioned() | e.DealerChanged():
            yield _DESK[type(event)], None, None
        case _:
            yield _kind_of(event), None, None


_DESK: Final = {
    e.Disputed: SignificantKind.DISPUTE,
    e.DisplayQuestioned: SignificantKind.DISPLAY_QUESTIONED,
    e.SeatPaused: SignificantKind.SEAT_PAUSED,
    e.SeatResumed: SignificantKind.SEAT_RESUMED,
    e.DealerChanged: SignificantKind.DEALER_CHANGED,
    e.FloatFilled: SignificantKind.FLOAT_FILLED,
    e.FloatCredited: SignificantKind.FLOAT_CREDITED,
    e.DropTaken: SignificantKind.DROP_REMOVED,
}
_RESTATED: Final = {
    e.RoundCorrected: SignificantKind.RESULT_CORRECTED,
    e.RoundReversed: SignificantKind.ROUND_REVERSED,
    e.RoundReinstated: SignificantKind.ROUND_REINSTATED,
}


def _shortfalls(changes: Iterable[e.Restated]) -> Iterator[Selected]:
    for change in changes:
        if change.shortfall:
            yield SignificantKind.SHORTFALL, change.seat, change.shortfall


def _kind_of(
    event: e.TableOpened
    | e.ProcedureAdopted
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.TableStopped
    | e.SoftwareStopped
    | e.TableResumed
    | e.ReadingAmended
    | e.RoundsSkipped
    | e.TerminalsInterrupted
    | e.MatterReferred
    | e.DecisionMade
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.InterruptionRecovered
    | e.LimitsChanged,
) -> SignificantKind:
    match event:
        case e.TableOpened():
            return SignificantKind.TABLE_OPENED
        case e.ProcedureAdopted():
            return SignificantKind.PROCEDURE_ADOPTED
        case e.LastRoundsAnnounced():
            return SignificantKind.LAST_ROUNDS_ANNOUNCED
        case e.TableClosed():
            return SignificantKind.TABLE_CLOSED
        case e.TableStopped():
            return SignificantKind.TABLE_STOPPED
        case e.SoftwareStopped():
            return SignificantKind.SOFTWARE_STOPPED
        case e.TableResumed():
            return SignificantKind.TABLE_RESUMED
        case e.ReadingAmended():
            return SignificantKind.READING_AMENDED
        case e.RoundsSkipped():
            return SignificantKind.ROUNDS_SKIPPED
        case e.TerminalsInterrupted():
            return SignificantKind.TERMINALS_INTERRUPTED
        case e.MatterReferred():
            return SignificantKind.MATTER_REFERRED
        case e.DecisionMade():
            return SignificantKind.OFF_RECORD_DECISION if event.off_record else SignificantKind.DECISION_MADE
        case e.ManualModeEntered():
            return SignificantKind.MANUAL_MODE
        case e.AutomaticModeEntered():
            return SignificantKind.AUTOMATIC_MODE
        case e.InterruptionRecovered():
            return SignificantKind.INTERRUPTION_RECOVERED
        case e.LimitsChanged():
            return SignificantKind.LIMITS_CHANGED
        case _:
            assert_never(event)


def _detail(event: e.AnyEvent, kind: SignificantKind, seat: SeatId | None) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(event, str_keys=True)
    seats = fields.pop("seats", None)
    if kind in _RESTATED.values() and seats:
        fields["seats"] = seats
    if kind is SignificantKind.LARGE_WIN and seats:
        fields["staked"], fields["returned"] = seats[seat]
    if isinstance(event, e.CashedOut | e.TicketRedeemed):
        fields["ticket"] = masked(event.ticket)
    return {name: value for name, value in fields.items() if name not in ("event", "round", "seat", "cents")}
