"""Deciding a command: who asks, whether it is the moment, and then what happens or why nothing does.

Nothing is changed here. The events of a decision change the table when they are applied.
"""

from collections.abc import Callable
from typing import Any

from roundhouse.rules.names import StaffPosition
from roundhouse.table import betting, cage, irregular, mode, play
from roundhouse.table import commands as c
from roundhouse.table.deciding import (
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
from roundhouse.table.names import Phase
from roundhouse.table.phases import out_of_phase
from roundhouse.table.refusals import Refusal
from roundhouse.table.resuming import resume_table
from roundhouse.table.state import Table
from roundhouse.table.two import takes_two

_DECIDE_BETS, _STOPPED = betting.decide_bets, Phase.STOPPED
_BETS = (c.PlaceBets, c.PlacePackage, c.WithdrawBets, c.Undo, c.Clear, c.Repeat, c.Double)

# Who may ask. Where a clause names who, the decision itself asks further.
_RIGHTS: dict[type[c.Command], tuple[tuple[StaffPosition, ...], Callable[[Table, Any, Facts], Decision]]] = {
    **dict.fromkeys(_BETS, (PLAYER, betting.decide_bets)),
    c.OpenTable: (STAFF, mode.open_table),
    c.CloseTable: (STAFF, mode.close_table),
    c.TakeSeat: (ANYONE, cage.take_seat),
    c.BuyCredits: (AT_THE_CAGE, cage.buy_credits),
    c.RedeemTicket: (AT_THE_CAGE, cage.redeem_ticket),
    c.CashOut: (AT_THE_CAGE, cage.cash_out),
    c.OpenBets: (DEALER, play.open_bets),
    c.CloseBets: (DEALER, play.close_bets),
    c.StartSpin: (DEALER, play.start_spin),
    c.ObserveSpin: (DEALER, play.observe_spin),
    c.BallAtRest: (DEALER, play.ball_at_rest),
    c.RegisterResult: (DEALER, play.register_result),
    c.ConfirmResult: (DEALER, irregular.confirm_result),
    c.Declare: (STAFF, takes_two(irregular.declare)),
    c.CallNoSpin: (STAFF, irregular.call_no_spin),
    c.CorrectResult: (STAFF, takes_two(irregular.correct_result)),
    c.Refer: (STAFF, irregular.refer),
    c.Decide: (STAFF, takes_two(irregular.decide_matter)),
    c.TakeOver: (STAFF, mode.take_over),
    c.HandBack: (STAFF, mode.hand_back),
    c.ResumeTable: (STAFF, takes_two(resume_table)),
}


def may_ask(table: Table, command: c.AnyCommand, by: StaffPosition) -> bool:
    """Whether a position may ask for this at all; where a clause names who, the decision itself asks further."""
    offices, _ = _RIGHTS[type(command)]
    return by in offices or authorised(table, by, offices)


def decide(table: Table, command: c.AnyCommand, facts: Facts) -> Decision:
    offices, decider = _RIGHTS[type(command)]
    if command.by not in offices and not authorised(table, command.by, offices):
        return not_authorised(table, f"this is for {' or '.join(offices)}")
    if decider is _DECIDE_BETS:
        if table.memory.phase is _STOPPED:
            return refuse(Refusal.TABLE_IS_STOPPED, reason=table.memory.stopped)
    elif refused := out_of_phase(table, command):
        return Decision([], refused)
    return decider(table, command, facts)
