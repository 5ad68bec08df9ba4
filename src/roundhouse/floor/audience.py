"""Who sees what of an event: everybody its public part, a seat its own part, the pit all of it.

What is not named here as public is not: a new kind of event reaches nobody but the pit until somebody decides.

Whose an event is: every seat with its own share of it, in one pass over the event.
"""

from collections.abc import Iterator
from typing import Final, get_args

from msgspec.structs import replace

from roundhouse.journal.entry import Answer
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.rules.rulebook import AnnouncedBy
from roundhouse.table import events as e
from roundhouse.table.names import SeatId
from roundhouse.wire import tables as p


def shares_layout(game: Game) -> bool:
    """Where a Dealer calls the bets they are chips on one layout, and everybody sees every chip."""
    return game.rulebook.betting.announced_by is AnnouncedBy.DEALER


def public_event(event: e.AnyEvent) -> p.AnyPublicEvent | None:
    """What everybody may see of an event, or nothing."""
    match event:
        case (
            e.TableOpened()
            | e.LastRoundsAnnounced()
            | e.TableClosed()
            | e.BetsOpened()
            | e.SpinStarted()
            | e.SpinObserved()
            | e.BallRested()
            | e.ResultRegistered()
            | e.ResultConfirmed()
            | e.ManualModeEntered()
            | e.AutomaticModeEntered()
            | e.InterruptionRecovered()
        ):
            return event
        case e.TableStopped():
            # Its reason names a seat and its cents.
            return p.PublicTableStopped()
        case e.TableResumed():
            return p.PublicTableResumed(event.by, event.clause)
        case e.BetsClosed():
            return p.PublicBetsClosed(event.round, event.phrase, event.clause)
        case e.RoundSettled():
            return p.PublicRoundSettled(event.round, event.outcome)
        case e.RoundVoided():
            return p.PublicRoundVoided(event.round, event.clauses, event.returns, event.causes)
        case e.RoundCorrected():
            return p.PublicRoundCorrected(event.round, event.was, event.outcome, event.clause)
        case e.RoundReversed():
            return p.PublicRoundReversed(event.round, event.was, event.clauses, event.causes)
        case e.MatterReferred():
            return p.PublicMatterReferred(event.round, event.decides, event.clause)
        case e.DecisionMade():
            return p.PublicDecisionMade(event.round, event.ruling, event.by, event.clause)
        case _:
            return None


def seat_event(event: e.AnyEvent, seat: SeatId) -> e.AnyEvent | None:
    """An event with this seat's share of it and nobody else's, or nothing where it has none."""
    match event:
        case e.RoundSettled():
            if seat not in event.seats:
                return None
            staked, returned = event.seats[seat]
            return replace(event, staked=staked, returned=returned, seats={seat: (staked, returned)})
        case e.RoundVoided():
            return replace(event, seats={seat: event.seats[seat]}) if seat in event.seats else None
        case e.RoundCorrected() | e.RoundReversed():
            own = tuple(change for change in event.seats if change.seat == seat)
            return replace(event, seats=own) if own else None
        case _:
            return event if getattr(event, "seat", None) == seat else None


def event_in_history(event: e.AnyEvent, seat: SeatId, standing: Cents) -> e.AnyEvent | None:
    """An event as a seat may be told it afterwards: its own part, else what is public, in the journal's words.

    ``standing`` is what the seat had on the layout: a total of all seats would tell one what the others had.
    """
    if (own := seat_event(event, seat)) is not None:
        return own
    match event:
        case e.BetsClosed():
            return replace(event, staked=standing)
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
            return event if public_event(event) is event else None


def answer_for_seat(answer: Answer, seat: SeatId) -> Answer:
    """An answer as a terminal may have it: its own seat, and no other seat's money nor the table's."""
    state = answer.state
    if state is not None:
        own = {id: one for id, one in state.seats.items() if id == seat}
        state = replace(state, seats=own, accounts={}, meters={}, matters={})
    events = answer.events
    if events is not None:
        parts = (event_in_history(event, seat, Cents(0)) for event in events)
        events = [part for part in parts if part is not None]
    return replace(answer, state=state, events=events)


SINGLE_SEAT_EVENTS: Final = frozenset(kind for kind in get_args(e.AnyEvent) if "seat" in kind.__struct_fields__)
"""Events of one seat: all of it is that seat's, and nobody else's."""

CHIP_EVENTS: Final = frozenset({e.BetsPlaced, e.BetsWithdrawn, e.RoundSettled, e.RoundVoided})
"""Events after which other chips stand on the layout."""


def split_by_seat(event: e.AnyEvent) -> Iterator[tuple[SeatId, e.AnyEvent]]:
    """What ``seen.own_part`` gives each seat, without asking for every seat there is."""
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
