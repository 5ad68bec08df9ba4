"""Decides a command: checks the sender's position, the phase and the rules, then returns events or a refusal.

The table itself is changed later, when ``apply`` applies the events. A table that an earlier version opened decides
the acts of a round by the first procedure, until it is opened by this version.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from roundhouse.rules.names import StaffPosition
from roundhouse.table import (
    authority,
    betting,
    cage,
    care,
    chips,
    dealers,
    decisions,
    disputes,
    floats,
    irregularities,
    lifecycle,
    pauses,
    purchases,
    round,
)
from roundhouse.table import commands as c
from roundhouse.table import first_procedure as first
from roundhouse.table.decision import (
    ANYONE,
    AT_THE_CAGE,
    DEALER,
    PLAYER,
    STAFF,
    SUPERVISORS,
    Decision,
    Facts,
    authorised,
    not_authorised,
    refuse,
)
from roundhouse.table.events import AnyEvent
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.names import PersonName, Phase
from roundhouse.table.phases import out_of_phase
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.state import Table

Decider = Callable[[Table, Any, Facts], Decision]
Rights = dict[type[c.Command], tuple[tuple[StaffPosition, ...], Decider]]

_DECIDE_BETS, _STOPPED = betting.decide_bets, Phase.STOPPED
_AUTOMATIC: Final = StaffPosition.AUTOMATIC_DEALER
_BETS = (c.PlaceBets, c.PlacePackage, c.WithdrawBets, c.Undo, c.Clear, c.Repeat, c.Double)
_DEALS = (*DEALER, StaffPosition.AUTOMATIC_DEALER)
_READS = (*STAFF, *PROGRAMS)

# Positions that may send each command. Deciders check clauses that restrict it further.
_RIGHTS: Rights = {
    **dict.fromkeys(_BETS, (PLAYER, betting.decide_bets)),
    c.OpenTable: ((*STAFF, StaffPosition.SYSTEM), lifecycle.open_table),
    c.CloseTable: (STAFF, lifecycle.close_table),
    c.TakeSeat: (ANYONE, cage.take_seat),
    c.BuyCredits: (AT_THE_CAGE, purchases.buy_credits),
    c.ReversePurchase: ((StaffPosition.CASHIER, *DEALER), purchases.reverse_purchase),
    c.RequestCashOut: (AT_THE_CAGE, purchases.request_cash_out),
    c.AllowEnrolment: (STAFF[1:], purchases.allow_enrolment),
    c.ChangeLimits: (STAFF[1:], authority.change_limits),
    c.RedeemTicket: (AT_THE_CAGE, cage.redeem_ticket),
    c.CashOut: (AT_THE_CAGE, cage.cash_out),
    c.SetProtection: (PLAYER, care.set_protection),
    c.TakeBreak: (PLAYER, care.take_break),
    c.AcknowledgeCheck: (PLAYER, care.acknowledge_check),
    c.CallAttendant: (PLAYER, care.call_attendant),
    c.AttendCall: (STAFF, care.attend_call),
    c.IssueColour: (DEALER, chips.issue_colour),
    c.RedeemColour: (DEALER, chips.redeem_colour),
    c.OpenBets: (_DEALS, round.open_bets),
    c.CloseBets: (_DEALS, round.close_bets),
    c.StartSpin: (_DEALS, round.start_spin),
    c.ObserveSpin: (_READS, round.observe_spin),
    c.BallAtRest: (_READS, round.ball_at_rest),
    c.AmendReading: (STAFF, round.amend_reading),
    c.RegisterResult: (_DEALS, round.register_result),
    c.ConfirmResult: (_DEALS, round.confirm_result),
    c.Declare: (_READS, irregularities.declare),
    c.CallNoSpin: (STAFF, irregularities.call_no_spin),
    c.CorrectResult: (STAFF, decisions.correct_result),
    c.Refer: (_READS, decisions.refer),
    c.Decide: ((*STAFF, StaffPosition.AUTOMATIC_DEALER), decisions.decide_matter),
    c.TakeOver: (_READS, lifecycle.take_over),
    c.HandBack: ((*STAFF, StaffPosition.AUTOMATIC_DEALER), lifecycle.hand_back),
    c.ResumeTable: (STAFF, lifecycle.resume_table),
    c.Dispute: ((*PLAYER, *STAFF), disputes.dispute),
    c.CloseDispute: (STAFF, disputes.close_dispute),
    c.QuestionDisplay: (STAFF, disputes.question_display),
    c.PauseSeat: (SUPERVISORS, pauses.pause_seat),
    c.ResumeSeat: (SUPERVISORS, pauses.resume_seat),
    c.TakeTable: (STAFF, dealers.take_table),
    c.HandTable: (STAFF, dealers.hand_table),
    c.CountFloat: (STAFF, floats.count_float),
    c.Fill: (STAFF, floats.fill),
    c.Credit: (STAFF, floats.credit),
    c.DropRemoved: (STAFF, floats.drop_removed),
}

_FIRST_RIGHTS: Rights = _RIGHTS | {
    c.CashOut: (AT_THE_CAGE, cage.ticket_for),
    c.StartSpin: (DEALER, first.start_spin),
    c.ObserveSpin: (DEALER, first.observe_spin),
    c.BallAtRest: (DEALER, first.ball_at_rest),
    c.RegisterResult: (DEALER, first.register_result),
    c.ConfirmResult: (DEALER, first.confirm_result),
    c.Declare: (STAFF, first.with_approval(first.declare)),
    c.CallNoSpin: (STAFF, first.call_no_spin),
    c.CorrectResult: (STAFF, first.with_approval(first.correct_result)),
    c.Refer: (STAFF, first.refer),
    c.Decide: (STAFF, first.with_approval(first.decide_matter)),
    c.ResumeTable: (STAFF, first.with_approval(lifecycle.resume_table)),
}


MAY_NEED_APPROVAL: Final = (
    c.AllowEnrolment,
    c.AmendReading,
    c.BallAtRest,
    c.BuyCredits,
    c.CallNoSpin,
    c.CashOut,
    c.ChangeLimits,
    c.CloseDispute,
    c.CorrectResult,
    c.CountFloat,
    c.Credit,
    c.Decide,
    c.Declare,
    c.DropRemoved,
    c.Fill,
    c.ObserveSpin,
    c.OpenTable,
    c.ResumeTable,
    c.ReversePurchase,
)
"""Commands that may need a second person's approval, depending on what they change."""


def may_ask(table: Table, command: c.AnyCommand, by: StaffPosition) -> bool:
    """Return whether a position may send this command. The decider checks clauses that restrict it further."""
    return has_right(table, type(command), by)


def has_right(table: Table, command: type[c.Command], by: StaffPosition) -> bool:
    """Return whether a position may send this type of command, without regard to the rulebook's clauses."""
    offices, _ = _RIGHTS[command]
    return by in offices or authorised(table, by, offices)


def refuse_automatic(table: Table, command: type[c.Command]) -> Refused | None:
    """Refuse a command of the automatic dealer if people deal, or if the table is not for play money."""
    state = table.state
    if command in (c.HandBack, c.TakeOver):
        return None
    if not state.automatic:
        return Refused(Refusal.MODE_IS_MANUAL, None, state.mode_reason or "people deal at this table")
    if lifecycle.is_real_money(table):
        return Refused(Refusal.NEEDS_A_DEALER, table.game.rulebook.spin.clause, "with real money a person deals")
    return None


def decide(table: Table, command: c.AnyCommand, facts: Facts) -> Decision:
    offices, decider = _RIGHTS[type(command)]
    adopts = False
    if decider is not _DECIDE_BETS and not table.state.by_evidence:
        # Entries of earlier versions have no terms of the house.
        adopts = facts.house is not None
        if not adopts and first.knows(command):
            offices, decider = _FIRST_RIGHTS[type(command)]
    if command.by not in offices and not authorised(table, command.by, offices):
        return not_authorised(table, f"this command is for {' or '.join(offices)}")
    if command.by is _AUTOMATIC and (refused := refuse_automatic(table, type(command))):
        return Decision([], refused)
    if decider is _DECIDE_BETS:
        if table.state.phase is _STOPPED:
            return refuse(Refusal.TABLE_IS_STOPPED, reason=table.state.stopped)
    elif refused := out_of_phase(table, command) or dealers.refuse_second_dealer(table, command):
        return Decision([], refused)
    decision = decider(table, command, facts)
    return lifecycle.with_adoption(table, command, facts, decision) if adopts else decision


_SECOND: Final = PersonName("second person")
"""Stands for the person who has not approved yet."""


def effect_with_second_person(table: Table, command: c.AnyCommand, facts: Facts) -> tuple[AnyEvent, ...]:
    """Return the events that a command would cause if a second person approved it; empty if it needs none.

    ``command.who`` names the first person.
    """
    alone = decide(table, command, facts).refused
    if alone is None or alone.refusal is not Refusal.NEEDS_SECOND_PERSON:
        return ()
    return tuple(decide(table, replace(command, second=_SECOND), facts).events)
