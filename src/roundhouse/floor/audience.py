"""What each audience sees of an event: everybody its public part, a seat its own part, the pit all of it.

Nothing is public unless ``wire.tables`` lists it: a new kind of event reaches only the pit until it is listed.
"""

from collections.abc import Iterable, Iterator
from typing import Final, get_args

from msgspec.structs import replace

from roundhouse.journal.entry import Answer, Entry
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.rules.rulebook import AnnouncedBy
from roundhouse.table import events as e
from roundhouse.table.names import SeatId
from roundhouse.table.state import RoundRecord
from roundhouse.wire.tables import PUBLIC_PARTS, AnyPublicEvent, PastRound, SeatRound, WholeEvent

SINGLE_SEAT_EVENTS: Final = frozenset(kind for kind in get_args(e.AnyEvent) if "seat" in kind.__struct_fields__)
"""Events of one seat. All of such an event is that seat's, and no other's."""

CHIP_EVENTS: Final = frozenset({e.BetsPlaced, e.BetsWithdrawn, e.RoundSettled, e.RoundVoided})
"""Events that move chips on the layout."""

_WHOLE: Final = frozenset(get_args(WholeEvent))


def shares_layout(game: Game) -> bool:
    """Where a Dealer calls the bets they are chips on one layout, and everybody sees every chip."""
    return game.rulebook.betting.announced_by is AnnouncedBy.DEALER


def public_event(event: e.AnyEvent) -> AnyPublicEvent | None:
    """The part of an event that everybody may see, or nothing."""
    if type(event) in _WHOLE:
        return event
    part = PUBLIC_PARTS.get(type(event))
    return part(*(getattr(event, name) for name in part.__struct_fields__)) if part is not None else None


def split_by_seat(event: e.AnyEvent) -> Iterator[tuple[SeatId, e.AnyEvent]]:
    """Every seat that has a part of an event, with that part. A total becomes the seat's own."""
    match event:
        case e.RoundSettled(round=round, outcome=outcome):
            for seat, (staked, returned) in event.seats.items():
                yield seat, e.RoundSettled(round, outcome, staked, returned, {seat: (staked, returned)})
        case e.RoundVoided():
            for seat, cents in event.seats.items():
                yield seat, replace(event, seats={seat: cents})
        case e.RoundCorrected() | e.RoundReversed():
            for change in event.seats:
                yield change.seat, replace(event, seats=(change,))
        case _:
            if type(event) in SINGLE_SEAT_EVENTS:
                yield event.seat, event  # type: ignore[union-attr]


def seat_event(event: e.AnyEvent, seat: SeatId) -> e.AnyEvent | None:
    """The part of an event that is this seat's own, or nothing."""
    return next((part for id, part in split_by_seat(event) if id == seat), None)


def event_in_history(event: e.AnyEvent, seat: SeatId, on_layout: Cents) -> e.AnyEvent | None:
    """An event as a seat may read it afterwards: its own part, else the public part in the journal's type.

    ``on_layout`` is the seat's own stake: the total of all seats would tell one what the others had.
    """
    if (own := seat_event(event, seat)) is not None:
        return own
    match event:
        case e.BetsClosed():
            return replace(event, staked=on_layout)
        case e.RoundSettled():
            return replace(event, staked=Cents(0), returned=Cents(0), seats={})
        case e.RoundVoided():
            return replace(event, seats={})
        case e.RoundCorrected() | e.RoundReversed():
            return replace(event, seats=())
        case e.TableStopped():
            return e.TableStopped("the table has stopped")
        case e.TableResumed():
            return replace(event, reason="on record with the house", stopped="")
        case e.MatterReferred():
            return replace(event, question="a matter of this round")
        case e.DecisionMade():
            return replace(event, reason="on record with the house")
        case _:
            return event if type(event) in _WHOLE else None


def entries_in_history(entries: Iterable[tuple[Entry, Game]], seat: SeatId) -> Iterator[tuple[Entry, Game]]:
    """The entries of a round with this seat's money and no other's; entries without a part for it are left out."""
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
        # A refusal is for the seat that sent the request, and for no other.
        if events or (entry.refusal is not None and getattr(entry.request, "seat", None) == seat):
            yield replace(entry, events=events), game


def past_round(record: RoundRecord, seat: SeatId | None, all_seats: bool) -> PastRound:
    """A past round with the money of one seat, of all seats, or of none."""
    seats = {}
    for id, slip in record.slips.items():
        if all_seats or id == seat:
            staked = sum(slip.values())
            # A void round gave every stake back. Only one that was settled before has returns on record.
            seats[id] = SeatRound(staked, record.returned.get(id, staked if record.void else 0))
    return PastRound(record.number, record.outcome, record.rulebook, seats)


def answer_for_seat(answer: Answer, seat: SeatId) -> Answer:
    """An answer as a terminal may have it: without another seat's money."""
    events = answer.events
    if not events or (len(events) == 1 and getattr(events[0], "seat", None) == seat):
        return answer
    parts = (event_in_history(event, seat, Cents(0)) for event in events)
    return replace(answer, events=[part for part in parts if part is not None])
