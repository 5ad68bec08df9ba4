"""Describes events and requests in English, with the clauses they cite.

The golden journals of earlier versions contain these texts, and a test compares them. They must not change.
"""

from collections.abc import Mapping
from typing import assert_never

from roundhouse.audit.care_wording import describe_care
from roundhouse.audit.desk_wording import describe_desk
from roundhouse.audit.evidence_wording import Description, Reader, describe_evidence
from roundhouse.rules.names import PositionId, StaffPosition, format_amount
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.names import ChipAction, SeatId, masked

_ACTIONS = {
    ChipAction.PLACED: "placed",
    ChipAction.PACKAGE: "placed as a package",
    ChipAction.REPEATED: "repeated",
    ChipAction.DOUBLED: "doubled",
    ChipAction.WITHDRAWN: "withdrew",
    ChipAction.CLEARED: "cleared",
    ChipAction.UNDONE: "took back the last step:",
}


def chips(bets: Mapping[PositionId, int]) -> str:
    return (
        ", ".join(f"{format_amount(cents)} on {position}" for position, cents in bets.items())
        or "bets that were not named"
    )


def lateness(millis: int) -> str:
    """Format milliseconds as seconds.

    >>> lateness(1250)
    '1.250 s'
    """
    return f"{millis // 1000}.{millis % 1000:03d} s"


def seat_of(entry_part: object) -> SeatId | None:
    """Return the seat that an event or a request concerns, or None."""
    match entry_part:
        case e.SeatDecided(change=change):
            return change.seat
        case e.DecisionMade(for_seat=seat):
            return seat
    seat = getattr(entry_part, "seat", None)
    return SeatId(seat) if isinstance(seat, str) else None


def concerns_seat(event: e.AnyEvent, seat: SeatId) -> bool:
    """Return whether an event concerns this seat or the whole table."""
    match event:
        case e.TerminalsInterrupted(terminals=seats):
            return seat in seats
        case e.MatterReferred(for_seats=seats) if seats:
            return seat in seats
    return seat_of(event) in (None, seat)


def describe_event(event: e.AnyEvent, reader: Reader) -> Description:
    """Return a description of an event in English, and the clauses that it cites."""
    match event:
        case (
            e.SpinStarted(source=source)
            | e.SpinObserved(source=source)
            | e.BallRested(source=source)
            | e.ResultRegistered(source=source)
            | e.ResultConfirmed(source=source)
        ) if source is not None:
            return describe_evidence(event, source, reader)
        case e.OutcomeRead(source=source) | e.ReadingAmended(source=source):
            return describe_evidence(event, source, reader)
        case e.BetsPlaced(seat, bets, how, package):
            named = f" ({package})" if package else ""
            return f"seat {seat} {_ACTIONS[how]}{named} {chips(bets)}", ()
        case e.BetsWithdrawn(seat, bets, how):
            return f"seat {seat} {_ACTIONS[how]} {chips(bets)}", ()
        case e.LateBetRefused(seat, how, late, clause, bets):
            return f"seat {seat} came {lateness(late)} late with {chips(bets)} ({how}): not accepted", (clause,)
        case e.LateWithdrawalRefused(seat, how, late, clause, bets):
            return f"seat {seat} came {lateness(late)} late to take back {chips(bets)} ({how}): it stands", (clause,)
        case e.BetsOpened(number, phrase, clause):
            return f"bets are opened for round {number}: “{phrase}”", (clause,)
        case e.BetsClosed(_, phrase, clause, staked):
            return f"bets are closed: “{phrase}”; {format_amount(staked)} stand on the layout", (clause,)
        case e.SpinStarted():
            return "the spin is begun", ()
        case e.SpinObserved():
            return _observed(event), ()
        case e.BallRested(_, outcome, clause):
            return f"at rest: {outcome}", (clause,)
        case e.ResultRegistered(_, outcome):
            return f"{outcome} is registered at the Game Console", ()
        case e.ResultConfirmed(_, dolly):
            return f"{dolly} is confirmed and marked on the layout", ()
        case (
            e.RoundSettled()
            | e.RoundVoided()
            | e.RoundCorrected()
            | e.RoundReversed()
            | e.RoundReinstated()
            | e.SeatDecided()
            | e.StakeReturned()
        ):
            return _verdict(event, reader)
        case e.RoundsSkipped(rounds, irregularity, clause):
            one = len(rounds) == 1
            which = f"round {rounds[0]} is" if one else f"rounds {', '.join(map(str, rounds))} are"
            return f"{which} void already ({irregularity}): nothing changes", (clause,)
        case e.SoftwareStopped(number, phase):
            return f"the software is stopped in an orderly way during round {number} ({phase}): no interruption", ()
        case e.TerminalsInterrupted():
            return _terminals_interrupted(event, reader)
        case e.MatterReferred():
            return _referred(event, reader)
        case e.DecisionMade():
            return _decided(event, reader)
        case e.TableResumed(reason, by, clause, stopped):
            return f"the {_position(by)} lets the table go on ({stopped}), because “{reason}”", (clause,)
        case e.InterruptionRecovered(number, phase, irregularity, clause) if event.asks:
            text = f"reopened after an interruption of round {number} ({phase}): what does the wheel show?"
            return text, (clause,)
        case e.InterruptionRecovered(number, phase, irregularity, clause):
            waits = "; it still waits for people" if event.waits else ""
            return f"reopened after an interruption of round {number} ({phase}): {irregularity}{waits}", (clause,)
        case e.ColourIssued(seat, colour, value, clause):
            return f"seat {seat} gets {colour} chips at {format_amount(value)} each", (clause,)
        case e.ColourRedeemed(seat, colour, value, clause):
            return f"seat {seat} gives back its {colour} chips, which were {format_amount(value)} each", (clause,)
        case (
            e.Disputed()
            | e.DisputeClosed()
            | e.DisplayQuestioned()
            | e.SeatPaused()
            | e.SeatResumed()
            | e.DealerChanged()
            | e.FloatCounted()
            | e.FloatFilled()
            | e.FloatCredited()
            | e.DropTaken()
        ):
            return describe_desk(event, reader)
        case e.ProtectionSet() | e.BreakTaken() | e.CheckAcknowledged() | e.AttendantCalled() | e.CallAttended():
            return describe_care(event), ()
        case _:
            return _describe_other(event), ()


def _describe_other(
    event: e.TableOpened
    | e.ProcedureAdopted
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.TableStopped
    | e.SeatTaken
    | e.CreditsBought
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.CashedOut
    | e.TicketRedeemed
    | e.PurchaseReversed
    | e.CashOutRequested
    | e.LimitsChanged
    | e.EnrolmentAllowed,
) -> str:
    """Describe an event that is not part of a round."""
    match event:
        case e.TableOpened(game, version):
            return f"the table is opened: {game}, version {version}"
        case e.ProcedureAdopted(procedure):
            return f"the table goes on under procedure {procedure}: a result needs evidence"
        case e.LastRoundsAnnounced(rounds):
            return f"the last {rounds} rounds are announced"
        case e.TableClosed():
            return "the table is closed"
        case e.TableStopped(reason):
            return f"the table stops: {reason}"
        case e.SeatTaken(seat, terminal):
            return f"seat {seat} is taken at {terminal}"
        case e.CreditsBought(seat, cents):
            return f"seat {seat} buys {format_amount(cents)} of credits"
        case e.ManualModeEntered(reason):
            return f"people deal from here on: {reason}"
        case e.AutomaticModeEntered():
            return "the automatic dealer deals from here on"
        case e.CashedOut(seat, cents, ticket):
            return f"seat {seat} cashes out {format_amount(cents)} to ticket {masked(ticket)}"
        case e.TicketRedeemed(seat, cents, ticket):
            return f"seat {seat} redeems ticket {masked(ticket)} for {format_amount(cents)}"
        case e.PurchaseReversed(seat, cents, purchase):
            return f"purchase {purchase} of seat {seat} is reversed: {format_amount(cents)}"
        case e.CashOutRequested(seat, cents, source):
            return f"the {_position(source.by)} asks for a cash-out of seat {seat}: {format_amount(cents)}"
        case e.LimitsChanged(reason=reason):
            because = f": {reason}" if reason else ""
            return f"the limits change from the next round on{because}"
        case e.EnrolmentAllowed(seat, cents):
            return f"another terminal is allowed at seat {seat}, which has {format_amount(cents)}"
        case _:
            assert_never(event)


def _observed(event: e.SpinObserved) -> str:
    directions = [f", {part} {which}" for part, which in (("ball", event.ball), ("wheel", event.wheel)) if which]
    seen = f", seen: {', '.join(event.seen)}" if event.seen else ""
    turns = "revolutions not measured" if event.revolutions is None else f"{event.revolutions} revolutions"
    return f"observed: {turns}{''.join(directions)}{seen}"


def _terminals_interrupted(event: e.TerminalsInterrupted, reader: Reader) -> Description:
    clauses = dict.fromkeys(one for one in (event.clause, event.registered, event.unregistered) if one is not None)
    terminals = "the terminal of {} is" if len(event.terminals) == 1 else "the terminals of {} are"
    seats = reader.seats(event.terminals)
    return f"{terminals.format(seats)} interrupted; the round goes on", tuple(clauses)


def _referred(event: e.MatterReferred, reader: Reader) -> Description:
    subject = f"round {event.round} is referred" if event.round else "a question about the rules is referred"
    by = f" by {reader.source(event.source)}" if event.source is not None else ""
    if event.for_seats:
        subject = f"the matter of {reader.seats(event.for_seats)} in round {event.round} is referred"
    # A question about several seats may name them, and a seat reads nothing about the others.
    question = f": “{event.question}”" if reader.seat is None or not event.for_seats else ""
    return f"{subject}{by} to the {_position(event.decides)}{question}", (event.clause,)


def _decided(event: e.DecisionMade, reader: Reader) -> Description:
    """Describe a decision. It names the second person, and marks an outcome without a reading."""
    by = f"the {_position(event.by)}"
    if event.who or event.second:
        by = reader.person(event.by, event.who, event.second)
    subject = f"round {event.round}" if event.round else "the question about the rules"
    if event.for_seat is not None:
        subject = f"seat {event.for_seat} of round {event.round}"
    to = f" to {event.outcome}, off the record: no reading of this outcome exists" if event.off_record else ""
    return f"{by} decides {subject}: {event.ruling}{to}, because “{event.reason}”", (event.clause,)


def _verdict(
    event: e.RoundSettled
    | e.RoundVoided
    | e.RoundCorrected
    | e.RoundReversed
    | e.RoundReinstated
    | e.SeatDecided
    | e.StakeReturned,
    reader: Reader,
) -> Description:
    match event:
        case e.RoundSettled():
            text = f"round {event.round} is settled with {event.outcome}"
            return f"{text}: {format_amount(event.staked)} staked, {format_amount(event.returned)} returned", ()
        case e.RoundVoided():
            causes = f" ({', '.join(event.causes)})" if event.causes else ""
            text = f"round {event.round} is void{causes}: {format_amount(sum(event.seats.values()))} go back"
            return text + reader.reason(event.reason), (*event.clauses, event.returns)
        case e.RoundCorrected():
            return f"round {event.round} is corrected from {event.was} to {event.outcome}", (event.clause,)
        case e.RoundReversed():
            causes = f" ({', '.join(event.causes)})" if event.causes else ""
            return f"round {event.round}, settled with {event.was}, is void after all{causes}", event.clauses
        case e.RoundReinstated():
            return f"round {event.round}, which was void, is settled with {event.outcome} after all", (event.clause,)
        case e.SeatDecided(number, _, clause, change, outcome):
            how = "void" if outcome is None else f"settled with {outcome}"
            return f"the bets of seat {change.seat} in round {number} are {how}", (clause,)
        case e.StakeReturned(_, seat, cents, clause):
            return f"the bets of seat {seat} are void: {format_amount(cents)} go back", (clause,)


def describe_request(request: c.AnyCommand) -> str:
    """Describe a request that was refused."""
    name = str(request.__struct_config__.tag).replace("_", " ")
    match request:
        case c.PlaceBets(bets=bets) | c.WithdrawBets(bets=bets):
            return f"{name}: " + ", ".join(f"{format_amount(chip.cents)} on {chip.position}" for chip in bets)
        case c.PlacePackage():
            return f"{name}: {request.package} at {format_amount(request.unit_cents)} a piece"
        case c.CorrectResult() | c.BallAtRest() | c.AmendReading() | c.RegisterResult():
            return f"{name}: {request.outcome}"
        case c.IssueColour():
            return f"{name}: {request.colour} at {format_amount(request.value_cents)} a chip"
        case c.Declare():
            return f"{name}: {request.irregularity}"
        case _:
            return name


def _position(by: StaffPosition) -> str:
    return by.replace("_", " ")
