"""Splits events by audience: observers get the public part, a seat its own part, the pit the whole event.

Events are private unless ``wire.tables`` lists them as public. A new event type is visible to the pit only.
"""

from collections.abc import Iterable, Iterator
from typing import Final, get_args

from msgspec.structs import replace

from roundhouse.journal.entry import Answer, Entry
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.rules.rulebook import AnnouncedBy
from roundhouse.table import events as e
from roundhouse.table.evidence import Source
from roundhouse.table.names import SeatId
from roundhouse.table.state import RoundRecord
from roundhouse.wire.tables import PUBLIC_PARTS, AnyPublicEvent, PastRound, SeatRound, WholeEvent

NAMING_EVENTS: Final = frozenset({e.Disputed, e.DisputeClosed})
"""Events of one seat that name staff. The seat receives them without names."""
SINGLE_SEAT_EVENTS: Final = (
    frozenset(kind for kind in get_args(e.AnyEvent) if "seat" in kind.__struct_fields__) - NAMING_EVENTS
)
"""Events that concern one seat. Only that seat and the pit receive them."""

CHIP_EVENTS: Final = frozenset({e.BetsPlaced, e.BetsWithdrawn, e.RoundSettled, e.RoundVoided, e.StakeReturned})
"""Events that move chips on the layout."""

_WHOLE: Final = frozenset(get_args(WholeEvent))


def shares_layout(game: Game) -> bool:
    """Check whether all seats share one layout with public chips: a game in which the Dealer announces the bets."""
    return game.rulebook.betting.announced_by is AnnouncedBy.DEALER


def public_event(event: e.AnyEvent) -> AnyPublicEvent | None:
    """Return the public part of an event, or ``None`` if it has none."""
    if type(event) in _WHOLE:
        return event
    if _single_seats(event):
        return None
    part = PUBLIC_PARTS.get(type(event))
    return part(*(getattr(event, name) for name in part.__struct_fields__)) if part is not None else None


def _single_seats(event: e.AnyEvent) -> tuple[SeatId, ...]:
    """Return the seats that a referral or a decision is limited to; empty if it concerns a whole round."""
    match event:
        case e.MatterReferred(for_seats=seats):
            return seats
        case e.DecisionMade(for_seat=seat) if seat is not None:
            return (seat,)
        case _:
            return ()


def split_by_seat(event: e.AnyEvent) -> Iterator[tuple[SeatId, e.AnyEvent]]:
    """Yield each seat that an event concerns, with its part of the event. Totals are replaced by the seat's amounts."""
    match event:
        case e.CreditsBought() | e.CashedOut() | e.TicketRedeemed() | e.PurchaseReversed() | e.CashOutRequested() if (
            event.source is not None
        ):
            reason = {"reason": ""} if isinstance(event, e.PurchaseReversed) else {}
            yield event.seat, replace(event, source=Source(event.source.by), **reason)
        case e.EnrolmentAllowed():
            yield event.seat, replace(event, source=Source(event.source.by), reason="")
        case e.RoundSettled(round=round, outcome=outcome):
            for seat, (staked, returned) in event.seats.items():
                yield seat, e.RoundSettled(round, outcome, staked, returned, {seat: (staked, returned)})
        case e.RoundVoided():
            for seat, cents in event.seats.items():
                yield seat, replace(event, seats={seat: cents})
        case e.RoundCorrected() | e.RoundReversed() | e.RoundReinstated():
            for change in event.seats:
                yield change.seat, replace(event, seats=(change,))
        case e.SeatDecided():
            yield event.change.seat, event
        case e.Disputed(seat=seat):
            yield seat, replace(event, source=None)
        case e.DisputeClosed(seat=seat):
            yield seat, replace(event, who=None, second=None)
        case e.CallAttended(seat=seat):
            yield seat, replace(event, who=None)
        case e.TerminalsInterrupted():
            for seat in event.terminals:
                yield seat, replace(event, terminals=(seat,))
        case e.MatterReferred() | e.DecisionMade():
            for seat in _single_seats(event):
                yield seat, _private_part(event, seat)
        case _:
            if type(event) in SINGLE_SEAT_EVENTS:
                yield event.seat, event  # type: ignore[union-attr]


def _private_part(event: e.MatterReferred | e.DecisionMade, seat: SeatId) -> e.AnyEvent:
    """Return a referral or a decision without the names and the words of staff."""
    if isinstance(event, e.MatterReferred):
        for_seats = (seat,) if event.for_seats else ()
        return replace(event, question="a matter of this round", source=None, for_seats=for_seats)
    return replace(event, reason="on record with the house", who=None, second=None)


def own_part(event: e.AnyEvent) -> e.AnyEvent:
    """Return the part of an event of one seat that this seat may see: staff appear by their positions."""
    return next(part for _, part in split_by_seat(event))


def seat_event(event: e.AnyEvent, seat: SeatId) -> e.AnyEvent | None:
    """Return this seat's part of an event, or ``None`` if the event does not concern it."""
    return next((part for id, part in split_by_seat(event) if id == seat), None)


def event_in_history(event: e.AnyEvent, seat: SeatId, on_layout: Cents) -> e.AnyEvent | None:
    """Return an event without the data of other seats, for the history of this seat; ``None`` if it may not see it.

    ``on_layout`` is the seat's own stake. It replaces the total stake, which would reveal the stakes of other seats.
    """
    if (own := seat_event(event, seat)) is not None:
        return own
    match event:
        case e.BetsClosed():
            return replace(event, staked=on_layout)
        case e.RoundSettled():
            return replace(event, staked=Cents(0), returned=Cents(0), seats={})
        case e.RoundVoided():
            return replace(event, seats={}, reason="")
        case e.RoundCorrected() | e.RoundReversed() | e.RoundReinstated():
            return replace(event, seats=())
        case e.LimitsChanged():
            return replace(event, reason="", source=Source(event.source.by))
        case e.SpinStarted() | e.SpinObserved() | e.ResultRegistered() | e.ResultConfirmed():
            return replace(event, source=None)
        case e.BallRested():
            return replace(event, source=None, reason="")
        case e.TableStopped():
            return e.TableStopped("the table has stopped")
        case e.TableResumed():
            return replace(event, reason="on record with the house", stopped="")
        case e.MatterReferred() | e.DecisionMade():
            # A matter of other seats is theirs alone.
            return None if _single_seats(event) else _private_part(event, seat)
        case _:
            return event if type(event) in _WHOLE else None


def entries_in_history(entries: Iterable[tuple[Entry, Game]], seat: SeatId) -> Iterator[tuple[Entry, Game]]:
    """Yield the entries of a round with this seat's amounts only. Entries that do not concern it are omitted."""
    on_layout = 0
    for entry, game in entries:
        events = []
        for event in entry.events:
            match event:
                case e.BetsPlaced(seat=of, bets=bets) if of == seat:
                    on_layout += sum(bets.values())
                case e.BetsWithdrawn(seat=of, bets=bets) if of == seat:
                    on_layout -= sum(bets.values())
            if (part := event_in_history(event, seat, Cents(on_layout))) is not None:
                events.append(part)
        # Only the seat that sent a refused request sees the refusal.
        if events or (entry.refusal is not None and getattr(entry.request, "seat", None) == seat):
            yield replace(entry, events=events), game


def past_round(record: RoundRecord, seat: SeatId | None, all_seats: bool) -> PastRound:
    """Return a past round with the amounts of all seats, or else only those of ``seat``, if it is not ``None``."""
    seats = {}
    for id, slip in record.slips.items():
        if all_seats or id == seat:
            staked = sum(slip.values())
            # A void round returned every stake. Its record has amounts only if the round was settled before.
            seats[id] = SeatRound(staked, record.returned.get(id, staked if record.void else 0))
    return PastRound(record.number, record.outcome, record.rulebook, seats)


def answer_for_seat(answer: Answer, seat: SeatId) -> Answer:
    """Return an answer without the amounts of other seats, for the terminal of this seat."""
    events = answer.events
    if not events or (len(events) == 1 and getattr(events[0], "seat", None) == seat):
        return answer
    parts = (event_in_history(event, seat, Cents(0)) for event in events)
    return replace(answer, events=[part for part in parts if part is not None])
