"""Significant events: the entries of a journal that a pit, an auditor or a regulator wants to see.

Events are selected by type and amount only, so that every export selects the same ones. All events of the
house's own chain are significant.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, assert_never

import msgspec
from msgspec import Struct

from roundhouse.journal.entry import Seq
from roundhouse.office.records import HOUSE, EntryEvents, HouseRecord
from roundhouse.table import events as e
from roundhouse.table.irregularities import NO_SPIN
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId

LARGE_CENTS = 1_000_000


class SignificantKind(StrEnum):
    """Kinds of significant events of a table. An event of the house has its own name as its kind."""

    TABLE_OPENED = "table_opened"
    LAST_ROUNDS_ANNOUNCED = "last_rounds_announced"
    TABLE_CLOSED = "table_closed"
    TABLE_STOPPED = "table_stopped"
    TABLE_RESUMED = "table_resumed"
    ROUND_VOIDED = "round_voided"
    NO_SPIN = "no_spin"
    ROUND_REVERSED = "round_reversed"
    RESULT_CORRECTED = "result_corrected"
    SHORTFALL = "shortfall"
    MATTER_REFERRED = "matter_referred"
    DECISION_MADE = "decision_made"
    MANUAL_MODE = "manual_mode"
    AUTOMATIC_MODE = "automatic_mode"
    INTERRUPTION_RECOVERED = "interruption_recovered"
    LARGE_WIN = "large_win"
    LARGE_TICKET_ISSUED = "large_ticket_issued"
    LARGE_TICKET_REDEEMED = "large_ticket_redeemed"


class Thresholds(Struct, frozen=True):
    """Amounts in cents from which a win or a ticket is significant."""

    win_cents: int = LARGE_CENTS
    ticket_cents: int = LARGE_CENTS


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


def table_events(table: TableId, entry: EntryEvents, thresholds: Thresholds) -> Iterator[Significant]:
    request = entry.request
    by, who, second = (request.by, request.who, request.second) if request else (None, None, None)
    for event in entry.events:
        for kind, seat, cents in significant_in(event, thresholds):
            number = getattr(event, "round", None)
            yield Significant(
                table, entry.seq, entry.at, kind, number, seat, cents, by, who, second, _detail(event, kind, seat)
            )


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
        case e.CashedOut(seat, cents):
            if cents >= thresholds.ticket_cents:
                yield SignificantKind.LARGE_TICKET_ISSUED, seat, cents
        case e.TicketRedeemed(seat, cents):
            if cents >= thresholds.ticket_cents:
                yield SignificantKind.LARGE_TICKET_REDEEMED, seat, cents
        case e.RoundVoided():
            returned = sum(event.seats.values())
            yield (SignificantKind.NO_SPIN if NO_SPIN in event.causes else SignificantKind.ROUND_VOIDED), None, returned
        case e.RoundCorrected() | e.RoundReversed():
            changed = sum(change.now - change.was for change in event.seats)
            reversed_ = isinstance(event, e.RoundReversed)
            yield (SignificantKind.ROUND_REVERSED if reversed_ else SignificantKind.RESULT_CORRECTED), None, changed
            for change in event.seats:
                if change.shortfall:
                    yield SignificantKind.SHORTFALL, change.seat, change.shortfall
        case e.ResultRegistered():
            if event.resolved_by is not None:
                yield SignificantKind.RESULT_CORRECTED, None, None
        case (
            e.CreditsBought()
            | e.SeatTaken()
            | e.BetsOpened()
            | e.BetsPlaced()
            | e.BetsWithdrawn()
            | e.LateBetRefused()
            | e.LateWithdrawalRefused()
            | e.BetsClosed()
            | e.SpinStarted()
            | e.SpinObserved()
            | e.BallRested()
            | e.ResultConfirmed()
        ):
            return
        case _:
            yield _kind_of(event), None, None


def _kind_of(
    event: e.TableOpened
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.TableStopped
    | e.TableResumed
    | e.MatterReferred
    | e.DecisionMade
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.InterruptionRecovered,
) -> SignificantKind:
    match event:
        case e.TableOpened():
            return SignificantKind.TABLE_OPENED
        case e.LastRoundsAnnounced():
            return SignificantKind.LAST_ROUNDS_ANNOUNCED
        case e.TableClosed():
            return SignificantKind.TABLE_CLOSED
        case e.TableStopped():
            return SignificantKind.TABLE_STOPPED
        case e.TableResumed():
            return SignificantKind.TABLE_RESUMED
        case e.MatterReferred():
            return SignificantKind.MATTER_REFERRED
        case e.DecisionMade():
            return SignificantKind.DECISION_MADE
        case e.ManualModeEntered():
            return SignificantKind.MANUAL_MODE
        case e.AutomaticModeEntered():
            return SignificantKind.AUTOMATIC_MODE
        case e.InterruptionRecovered():
            return SignificantKind.INTERRUPTION_RECOVERED
        case _:
            assert_never(event)


def _detail(event: e.AnyEvent, kind: SignificantKind, seat: SeatId | None) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(event, str_keys=True)
    seats = fields.pop("seats", None)
    if kind in (SignificantKind.RESULT_CORRECTED, SignificantKind.ROUND_REVERSED) and seats:
        fields["seats"] = seats
    if kind is SignificantKind.LARGE_WIN and seats:
        fields["staked"], fields["returned"] = seats[seat]
    return {name: value for name, value in fields.items() if name not in ("event", "round", "seat", "cents")}
