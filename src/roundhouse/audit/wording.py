"""Describes events and requests in English, with the clauses they cite.

The golden journals of earlier versions contain these texts, and a test compares them. They must not change.
"""

from collections.abc import Mapping
from typing import assert_never

from roundhouse.rules.names import Clause, PositionId, StaffPosition, format_amount
from roundhouse.rules.rulebook import Rulebook
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.names import ChipAction, SeatId

Description = tuple[str, tuple[Clause, ...]]
"""Text, and the clauses it cites."""

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


def title(rulebook: Rulebook, by: StaffPosition) -> str:
    return rulebook.authority.titles.get(by) or by.replace("_", " ").capitalize()


def seat_of(entry_part: object) -> SeatId | None:
    """Return the seat that an event or a request concerns, or None."""
    seat = getattr(entry_part, "seat", None)
    return SeatId(seat) if isinstance(seat, str) else None


def describe_event(event: e.AnyEvent) -> Description:
    """Return a description of an event in English, and the clauses that it cites."""
    match event:
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
        case e.RoundSettled() | e.RoundVoided() | e.RoundCorrected() | e.RoundReversed():
            return _verdict(event)
        case e.MatterReferred(number, question, decides, clause):
            return f"round {number} is referred to the {_position(decides)}: “{question}”", (clause,)
        case e.DecisionMade(number, ruling, reason, by, clause):
            return f"the {_position(by)} decides round {number}: {ruling}, because “{reason}”", (clause,)
        case e.TableResumed(reason, by, clause, stopped):
            return f"the {_position(by)} lets the table go on ({stopped}), because “{reason}”", (clause,)
        case e.InterruptionRecovered(number, phase, irregularity, clause):
            waits = "; it still waits for people" if event.waits else ""
            return f"reopened after an interruption of round {number} ({phase}): {irregularity}{waits}", (clause,)
        case _:
            return _describe_other(event), ()


def _describe_other(
    event: e.TableOpened
    | e.LastRoundsAnnounced
    | e.TableClosed
    | e.TableStopped
    | e.SeatTaken
    | e.CreditsBought
    | e.ManualModeEntered
    | e.AutomaticModeEntered
    | e.CashedOut
    | e.TicketRedeemed,
) -> str:
    """Describe an event that is not part of a round."""
    match event:
        case e.TableOpened(game, version):
            return f"the table is opened: {game}, version {version}"
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
            return f"seat {seat} cashes out {format_amount(cents)} to ticket {ticket}"
        case e.TicketRedeemed(seat, cents, ticket):
            return f"seat {seat} redeems ticket {ticket} for {format_amount(cents)}"
        case _:
            assert_never(event)


def _observed(event: e.SpinObserved) -> str:
    directions = [f", {part} {which}" for part, which in (("ball", event.ball), ("wheel", event.wheel)) if which]
    seen = f", seen: {', '.join(event.seen)}" if event.seen else ""
    return f"observed: {event.revolutions} revolutions{''.join(directions)}{seen}"


def _verdict(event: e.RoundSettled | e.RoundVoided | e.RoundCorrected | e.RoundReversed) -> Description:
    match event:
        case e.RoundSettled():
            text = f"round {event.round} is settled with {event.outcome}"
            return f"{text}: {format_amount(event.staked)} staked, {format_amount(event.returned)} returned", ()
        case e.RoundVoided():
            causes = f" ({', '.join(event.causes)})" if event.causes else ""
            text = f"round {event.round} is void{causes}: {format_amount(sum(event.seats.values()))} go back"
            return text, (*event.clauses, event.returns)
        case e.RoundCorrected():
            return f"round {event.round} is corrected from {event.was} to {event.outcome}", (event.clause,)
        case e.RoundReversed():
            causes = f" ({', '.join(event.causes)})" if event.causes else ""
            return f"round {event.round}, settled with {event.was}, is void after all{causes}", event.clauses


def describe_request(request: c.AnyCommand) -> str:
    """Describe a request that was refused."""
    name = str(request.__struct_config__.tag).replace("_", " ")
    match request:
        case c.PlaceBets(bets=bets) | c.WithdrawBets(bets=bets):
            return f"{name}: " + ", ".join(f"{format_amount(chip.cents)} on {chip.position}" for chip in bets)
        case c.PlacePackage():
            return f"{name}: {request.package} at {format_amount(request.unit_cents)} a piece"
        case c.CorrectResult() | c.BallAtRest() | c.RegisterResult():
            return f"{name}: {request.outcome}"
        case c.Declare():
            return f"{name}: {request.irregularity}"
        case _:
            return name


def _position(by: StaffPosition) -> str:
    return by.replace("_", " ")
