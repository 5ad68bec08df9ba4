"""The facts of one round: when it began and ended, its status, its people and its later changes."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import UNSET, Struct

from roundhouse.journal.entry import Entry, Seq
from roundhouse.journal.index import rounds_of
from roundhouse.office.dealers import Dealt, dealt
from roundhouse.rules.names import Clause, Pocket, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.names import Millis, PersonName, RoundNumber, SeatId


class RoundStatus(StrEnum):
    """The status of a round, after all its changes."""

    OPEN = "open"
    """In progress."""
    REFERRED = "referred"
    """A question about the round waits for a decision."""
    SETTLED = "settled"
    CORRECTED = "corrected"
    """Settled, and its result, or that of a seat, was changed later."""
    REINSTATED = "reinstated"
    """Settled by a decision after it had been void."""
    VOID = "void"


class Change(StrEnum):
    """A later change of a past round."""

    CORRECTED = "corrected"
    VOIDED = "voided"
    REINSTATED = "reinstated"
    SEAT_DECIDED = "seat_decided"


class Adjustment(Struct, frozen=True):
    """A later change of a past round: who made it, when, by which clause, and what it changed."""

    entry: Seq
    at: Millis
    what: Change
    by: StaffPosition | None
    who: PersonName | None
    second: PersonName | None
    """Person who approved it."""
    clauses: tuple[Clause, ...]
    outcome: Pocket | None
    """Outcome after the change. None if the bets are void."""
    seats: tuple[SeatId, ...]
    """Seats whose amounts changed."""
    win: int
    """Change of the house's win in cents."""


class RoundFacts(Struct):
    began_at: Millis
    began: Seq
    dealt: Dealt
    ended: Seq | None = None
    """Entry that settled the round or made it void. None while the round is in progress."""
    ended_at: Millis | None = None
    outcome: Pocket | None = None
    """Outcome after all changes."""
    status: RoundStatus = RoundStatus.OPEN
    adjustments: list[Adjustment] = []
    decided_by: list[PersonName] = []
    """People who decided, declared, corrected or referred something about the round."""
    approved_by: list[PersonName] = []
    """People who approved such a request as the second person."""


def facts_of(entries: Sequence[Entry], number: RoundNumber) -> RoundFacts:
    """Return the facts of a round, given the entries that name it, in order."""
    first = entries[0]
    facts = RoundFacts(first.facts.at, first.seq, dealt(entries, number))
    referred = False
    for entry in entries:
        for event in entry.events:
            if number not in rounds_of(event):
                continue
            if isinstance(event, e.MatterReferred):
                referred = True
            elif isinstance(event, e.DecisionMade):
                referred = referred and event.for_seat is not None
            _apply(facts, entry, event)
            if isinstance(event, _DECIDING) or (isinstance(event, e.ResultRegistered) and event.resolved_by):
                _add_people(facts, entry)
    if referred:
        facts.status = RoundStatus.REFERRED
    return facts


_DECIDING = (
    e.RoundVoided
    | e.RoundCorrected
    | e.RoundReversed
    | e.RoundReinstated
    | e.RoundsSkipped
    | e.SeatDecided
    | e.StakeReturned
    | e.MatterReferred
    | e.DecisionMade
)


def _apply(facts: RoundFacts, entry: Entry, event: e.AnyEvent) -> None:
    match event:
        case e.RoundSettled() | e.RoundVoided():
            facts.ended, facts.ended_at = entry.seq, entry.facts.at
            facts.outcome = event.outcome if isinstance(event, e.RoundSettled) else None
            facts.status = RoundStatus.VOID if facts.outcome is None else RoundStatus.SETTLED
        case e.RoundCorrected():
            _adjust(facts, entry, Change.CORRECTED, (event.clause,), event.outcome, event.seats)
            facts.outcome, facts.status = event.outcome, RoundStatus.CORRECTED
        case e.RoundReversed():
            _adjust(facts, entry, Change.VOIDED, event.clauses, None, event.seats)
            facts.outcome, facts.status = None, RoundStatus.VOID
        case e.RoundReinstated():
            _adjust(facts, entry, Change.REINSTATED, (event.clause,), event.outcome, event.seats)
            facts.outcome, facts.status = event.outcome, RoundStatus.REINSTATED
        case e.SeatDecided():
            _adjust(facts, entry, Change.SEAT_DECIDED, (event.clause,), event.outcome, (event.change,))
            if facts.status is RoundStatus.SETTLED:
                facts.status = RoundStatus.CORRECTED


def _adjust(
    facts: RoundFacts,
    entry: Entry,
    what: Change,
    clauses: tuple[Clause, ...],
    outcome: Pocket | None,
    seats: Sequence[e.Restated],
) -> None:
    request = entry.request
    who, second = (request.who, request.second) if request is not None else (UNSET, UNSET)
    win = sum(change.was - change.now for change in seats)
    facts.adjustments.append(
        Adjustment(
            entry.seq,
            entry.facts.at,
            what,
            request.by if request is not None else None,
            who or None,
            second or None,
            clauses,
            outcome,
            tuple(change.seat for change in seats),
            win,
        )
    )


def _add_people(facts: RoundFacts, entry: Entry) -> None:
    request = entry.request
    if request is None:
        return
    for name, known in ((request.who, facts.decided_by), (request.second, facts.approved_by)):
        if name and name not in known:
            known.append(name)
