"""Decides a command: checks the sender's position, the phase and the rules, then returns events or a refusal.

The table itself is changed later, when ``apply`` applies the events. Changes of a settled round and resuming
a stopped table need a second person's approval, if the sender is logged in.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from roundhouse.rules.names import StaffPosition
from roundhouse.table import betting, cage, irregularities, lifecycle, round
from roundhouse.table import commands as c
from roundhouse.table.decision import (
    ANYONE,
    AT_THE_CAGE,
    DEALER,
    PLAYER,
    STAFF,
    Decision,
    Facts,
    authorised,
    not_authorised,
    refuse,
)
from roundhouse.table.events import AnyEvent, RoundCorrected, RoundReversed, TableResumed
from roundhouse.table.lifecycle import resume_table
from roundhouse.table.names import Phase
from roundhouse.table.phases import out_of_phase
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table

Decider = Callable[[Table, Any, Facts], Decision]

MAY_NEED_APPROVAL: Final = (c.CorrectResult, c.Decide, c.Declare, c.ResumeTable)
"""Commands that may need a second person's approval, depending on what they change."""


def effects_needing_approval(decision: Decision) -> tuple[AnyEvent, ...]:
    """Return the events that need approval: changes of settled rounds, or all events if the table resumes."""
    if any(isinstance(event, TableResumed) for event in decision.events):
        return tuple(decision.events)
    return tuple(event for event in decision.events if isinstance(event, RoundCorrected | RoundReversed))


def requires_approval(decider: Decider) -> Decider:
    """Wrap a decider. The result refuses commands that need approval unless a second person has approved them.

    Approval is checked here because the round may have been settled since the command was sent.
    """

    def decide(table: Table, command: Any, facts: Facts) -> Decision:
        decision = decider(table, command, facts)
        alone = command.who is not UNSET and (command.second is UNSET or command.second == command.who)
        if alone and effects_needing_approval(decision):
            action = "resuming a stopped table" if isinstance(command, c.ResumeTable) else "changing a settled round"
            return refuse(Refusal.NEEDS_SECOND_PERSON, reason=f"{action} needs a second person's approval")
        return decision

    return decide


_DECIDE_BETS, _STOPPED = betting.decide_bets, Phase.STOPPED
_BETS = (c.PlaceBets, c.PlacePackage, c.WithdrawBets, c.Undo, c.Clear, c.Repeat, c.Double)

# Positions that may send each command. Some clauses restrict a command further; its decider checks them.
_RIGHTS: dict[type[c.Command], tuple[tuple[StaffPosition, ...], Callable[[Table, Any, Facts], Decision]]] = {
    **dict.fromkeys(_BETS, (PLAYER, betting.decide_bets)),
    c.OpenTable: (STAFF, lifecycle.open_table),
    c.CloseTable: (STAFF, lifecycle.close_table),
    c.TakeSeat: (ANYONE, cage.take_seat),
    c.BuyCredits: (AT_THE_CAGE, cage.buy_credits),
    c.RedeemTicket: (AT_THE_CAGE, cage.redeem_ticket),
    c.CashOut: (AT_THE_CAGE, cage.cash_out),
    c.OpenBets: (DEALER, round.open_bets),
    c.CloseBets: (DEALER, round.close_bets),
    c.StartSpin: (DEALER, round.start_spin),
    c.ObserveSpin: (DEALER, round.observe_spin),
    c.BallAtRest: (DEALER, round.ball_at_rest),
    c.RegisterResult: (DEALER, round.register_result),
    c.ConfirmResult: (DEALER, irregularities.confirm_result),
    c.Declare: (STAFF, requires_approval(irregularities.declare)),
    c.CallNoSpin: (STAFF, irregularities.call_no_spin),
    c.CorrectResult: (STAFF, requires_approval(irregularities.correct_result)),
    c.Refer: (STAFF, irregularities.refer),
    c.Decide: (STAFF, requires_approval(irregularities.decide_matter)),
    c.TakeOver: (STAFF, lifecycle.take_over),
    c.HandBack: (STAFF, lifecycle.hand_back),
    c.ResumeTable: (STAFF, requires_approval(resume_table)),
}


def may_ask(table: Table, command: c.AnyCommand, by: StaffPosition) -> bool:
    """Return whether a position may send this command, before the decider checks the clauses on it."""
    return has_right(table, type(command), by)


def has_right(table: Table, command: type[c.Command], by: StaffPosition) -> bool:
    """Return whether a position may send this type of command, without regard to the rulebook's clauses."""
    offices, _ = _RIGHTS[command]
    return by in offices or authorised(table, by, offices)


def decide(table: Table, command: c.AnyCommand, facts: Facts) -> Decision:
    offices, decider = _RIGHTS[type(command)]
    if command.by not in offices and not authorised(table, command.by, offices):
        return not_authorised(table, f"this command is for {' or '.join(offices)}")
    if decider is _DECIDE_BETS:
        if table.state.phase is _STOPPED:
            return refuse(Refusal.TABLE_IS_STOPPED, reason=table.state.stopped)
    elif refused := out_of_phase(table, command):
        return Decision([], refused)
    return decider(table, command, facts)
