"""Lists the commands that a position may send to a table now, and the irregularities it may declare.

User interfaces use it to offer only commands that will not be refused. It reads the same tables of rights and
phases as ``decide``, which makes the actual decision.
"""

from collections.abc import Iterable
from typing import Final, get_args

from msgspec import UNSET, Struct, UnsetType

from roundhouse.rules.authority import may_decide
from roundhouse.rules.names import IrregularityId, StaffPosition
from roundhouse.rules.rulebook import Irregularity
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, has_right, refuse_automatic
from roundhouse.table.decision import BETTING, DEALER, IN_ROUND, authorised
from roundhouse.table.decisions import may_decide_now
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.irregularities import (
    TERMINALS,
    contradiction,
    is_declarable,
    names_position,
    untimely_declaration,
)
from roundhouse.table.lifecycle import is_real_money
from roundhouse.table.names import Phase
from roundhouse.table.phases import refusal_in
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import (
    NO_SPIN,
    clause_on_wrong_results,
    closing_out_of_order,
    evidence_of,
    may_correct,
    may_report,
    rests_before_spin,
    spin_out_of_order,
)
from roundhouse.table.state import Table
from roundhouse.table.terms import bound_of

_BETS: Final = frozenset(get_args(c.BetCommand))
_KINDS: Final[tuple[type[c.Command], ...]] = tuple(kind for kind in get_args(c.AnyCommand) if kind is not c.Show)
_WITH_ROUND: Final = (*IN_ROUND, Phase.INTERRUPTED)
_NEVER_WAITS: Final = (c.Dispute, c.QuestionDisplay)
"""Commands about a round that do not wait for a decision on it."""
_ABOUT_A_ROUND: Final = frozenset(kind for kind in _KINDS if {"round", "rounds"} & set(kind.__struct_fields__))


class Declarable(Struct, frozen=True, omit_defaults=True):
    """Whether one irregularity may be declared now."""

    current: Refusal | UnsetType = UNSET
    """Refusal for the round in progress; unset if it may be declared."""
    past: Refusal | UnsetType = UNSET
    """Refusal for settled rounds; unset if it may be declared."""


class Permissions(Struct, frozen=True, omit_defaults=True):
    """The commands that a caller may send now, by their names in ``do``."""

    commands: tuple[str, ...]
    current: tuple[str, ...] = ()
    """Commands about a round that are allowed for the round in progress."""
    past: tuple[str, ...] = ()
    """Commands about a round that are allowed for settled rounds."""
    approval: tuple[str, ...] = ()
    """Commands that may need a second person's approval now, depending on what they change."""
    declare: dict[IrregularityId, Declarable] = {}
    """The game's irregularities that people can declare."""


def name_of(command: type[c.Command]) -> str:
    """Return the name of a command in JSON.

    >>> name_of(c.OpenBets)
    'open_bets'
    """
    return str(command.__struct_config__.tag)


def allowed(table: Table, positions: Iterable[StaffPosition]) -> frozenset[str]:
    """Return the names of the commands that a person in these positions may send now."""
    return frozenset(permissions(table, positions).commands)


def permissions(table: Table, positions: Iterable[StaffPosition]) -> Permissions:
    """Return the commands that a person in these positions may send now, with details for each."""
    held = tuple(positions)
    declare = _declarable(table, held)
    kinds = [kind for kind in _KINDS if any(_may_send(table, kind, position) for position in held)]
    current = {kind for kind in kinds if kind in _ABOUT_A_ROUND and _concerns_current(table, kind, declare)}
    past = {kind for kind in kinds if kind in _ABOUT_A_ROUND and _concerns_past(table, kind, declare)}
    sendable = [kind for kind in kinds if kind not in _ABOUT_A_ROUND or kind in current or kind in past]
    approval = [kind for kind in sendable if kind in MAY_NEED_APPROVAL and _may_need_approval(table, kind, held)]
    return Permissions(_names(sendable), _names(current), _names(past), _names(approval), declare)


def _may_need_approval(table: Table, kind: type[c.Command], held: tuple[StaffPosition, ...]) -> bool:
    """Return whether a command may need a second person now. It depends on what the command changes."""
    phase = table.state.phase
    if kind is c.CashOut:
        alone = {StaffPosition.PLAYER} if table.money.protects_seats else {StaffPosition.PLAYER, StaffPosition.CASHIER}
        return alone.isdisjoint(held)
    if kind in (c.BuyCredits, c.ReversePurchase):
        bounds = [bound_of(table.money.buy_in, position) for position in held]
        return any(bound.alone is not None or bound.hour is not None for bound in bounds)
    if kind is c.OpenTable:
        return table.money.limits is not None
    if kind is c.ObserveSpin:
        return phase is Phase.REGISTERED
    if kind is c.CallNoSpin:
        return phase in (Phase.REGISTERED, Phase.INTERRUPTED) or bool(table.state.power_cut)
    if kind is c.BallAtRest:
        return phase in (Phase.INTERRUPTED, Phase.REFERRED) or bool(table.state.power_cut)
    if kind is c.AmendReading:
        return any(reading.source.second for reading in evidence_of(table).readings)
    return True


def _names(kinds: Iterable[type[c.Command]]) -> tuple[str, ...]:
    return tuple(sorted(map(name_of, kinds)))


def _may_send(table: Table, kind: type[c.Command], by: StaffPosition) -> bool:
    """Return whether position, rulebook and phase allow a command, without regard to the round it names."""
    if not has_right(table, kind, by) or (by is StaffPosition.AUTOMATIC_DEALER and refuse_automatic(table, kind)):
        return False
    return _named_by_clause(table, kind, by) and _timely(table, kind)


def _named_by_clause(table: Table, kind: type[c.Command], by: StaffPosition) -> bool:
    """Return whether the rulebook allows a command to this position. True if no clause restricts it."""
    rulebook = table.game.rulebook
    if kind is c.CallNoSpin:
        listed = rulebook.irregularities.get(NO_SPIN)
        return listed is not None and names_position(rulebook, listed, by)
    if kind is c.CorrectResult:
        return may_correct(rulebook, by)
    if kind is c.Decide and by in PROGRAMS:
        return may_decide_now(table, by, table.state.round)
    if kind in (c.Decide, c.ResumeTable, c.CloseDispute):
        return may_decide(rulebook.authority, by)
    if kind is c.ObserveSpin:
        return may_report(table, by)
    if kind is c.BallAtRest and by not in PROGRAMS:
        rests = table.state.phase_of_round in (Phase.AT_REST, Phase.REGISTERED)
        return rests or authorised(table, by, DEALER)
    return True


def _timely(table: Table, kind: type[c.Command]) -> bool:
    state = table.state
    if kind in _BETS:
        return state.phase in BETTING
    if refusal_in(state.phase, kind) is not None:
        return False
    if kind is c.CloseBets:
        return closing_out_of_order(table) is None
    if kind is c.StartSpin:
        return spin_out_of_order(table) is None
    if kind is c.TakeOver:
        return state.automatic
    if kind is c.TakeTable:
        return not state.automatic
    if kind is c.HandBack:
        return not state.automatic and not is_real_money(table)
    if kind is c.BallAtRest:
        return not rests_before_spin(table)
    if kind is c.AmendReading:
        return not state.resolved and bool(evidence_of(table).readings)
    if kind is c.RegisterResult:
        return not state.resolved
    if kind is c.CallNoSpin:
        return untimely_declaration(table, NO_SPIN, table.game.rulebook.irregularities[NO_SPIN], past=False) is None
    return True


def _concerns_current(table: Table, kind: type[c.Command], declare: dict[IrregularityId, Declarable]) -> bool:
    state = table.state
    if kind is c.Declare:
        return any(one.current is UNSET for one in declare.values())
    if kind is c.CorrectResult:
        return state.phase is Phase.REGISTERED or (state.phase is Phase.AT_REST and state.readings_disagree)
    if kind in _NEVER_WAITS:
        return state.phase in (*_WITH_ROUND, Phase.REFERRED)
    if kind is c.Decide:
        return state.phase is Phase.REFERRED or (state.phase in _WITH_ROUND and state.round in state.referrals)
    return state.phase in _WITH_ROUND


def _concerns_past(table: Table, kind: type[c.Command], declare: dict[IrregularityId, Declarable]) -> bool:
    if kind is c.CorrectResult:
        return clause_on_wrong_results(table.game.rulebook) is not None
    return kind is not c.Declare or any(one.past is UNSET for one in declare.values())


def _declarable(table: Table, positions: tuple[StaffPosition, ...]) -> dict[IrregularityId, Declarable]:
    """Find the irregularities that people can declare, with their refusals for the holder of these positions."""
    rulebook = table.game.rulebook
    people = [one for one in StaffPosition if one not in PROGRAMS and has_right(table, c.Declare, one)]
    found: dict[IrregularityId, Declarable] = {}
    for id, listed in rulebook.irregularities.items():
        if not is_declarable(rulebook, id) or not any(names_position(rulebook, listed, one) for one in people):
            continue
        refusals = [refusals_of_declaration(table, id, listed, one) for one in positions]
        current, past = (_least([refusal[past] for refusal in refusals]) for past in (0, 1))
        found[id] = Declarable(current or UNSET, past or UNSET)
    return found


def refusals_of_declaration(
    table: Table, id: IrregularityId, listed: Irregularity, by: StaffPosition
) -> tuple[Refusal | None, Refusal | None]:
    """Return the refusals of a declaration for the round in progress and for settled rounds, as ``decide`` does."""
    state, rulebook = table.state, table.game.rulebook
    if not has_right(table, c.Declare, by):
        return Refusal.NOT_AUTHORISED, Refusal.NOT_AUTHORISED
    if by is StaffPosition.AUTOMATIC_DEALER and (refused := refuse_automatic(table, c.Declare)):
        return refused.refusal, refused.refusal
    if refusal := refusal_in(state.phase, c.Declare):
        return refusal, refusal
    if state.phase is Phase.REFERRED and id != TERMINALS:
        return Refusal.AWAITING_DECISION, Refusal.AWAITING_DECISION
    if not names_position(rulebook, listed, by):
        return Refusal.NOT_AUTHORISED, Refusal.NOT_AUTHORISED
    if id == TERMINALS:
        in_round = state.phase in (*_WITH_ROUND, Phase.REFERRED)
        return (None, Refusal.ROUND_IS_SETTLED) if in_round else (Refusal.NO_ROUND, Refusal.NO_ROUND)
    current = untimely_declaration(table, id, listed, past=False)
    if current is None and contradiction(rulebook, evidence_of(table), id):
        current = Refusal.AGAINST_THE_RECORD
    if current is None and id == NO_SPIN:
        current = Refusal.NO_REASON_GIVEN  # it is called with its reason
    past = untimely_declaration(table, id, listed, past=True)
    return current, past or (Refusal.NOT_AUTHORISED if by is StaffPosition.DEALER else None)


def _least(refusals: list[Refusal | None]) -> Refusal | None:
    """Return ``None`` if any position may declare, else the refusal of the position that comes closest."""
    if not refusals:
        return Refusal.NOT_AUTHORISED
    if None in refusals:
        return None
    return next((one for one in refusals if one is not Refusal.NOT_AUTHORISED), Refusal.NOT_AUTHORISED)
