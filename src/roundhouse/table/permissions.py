"""Lists the commands that a position may send to a table now, and the irregularities it may declare.

User interfaces use it to offer only commands that will not be refused. It reads the same tables of rights and
phases as ``decide``, which makes the actual decision.
"""

from collections.abc import Iterable
from typing import Final, get_args

from msgspec import UNSET, Struct, UnsetType

from roundhouse.rules.authority import may_decide, may_declare
from roundhouse.rules.names import IrregularityId, StaffPosition
from roundhouse.rules.rulebook import Rulebook
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, has_right
from roundhouse.table.decision import BETTING, IN_ROUND
from roundhouse.table.irregularities import NO_SPIN, is_declarable, names_position, untimely_declaration
from roundhouse.table.names import Phase
from roundhouse.table.phases import refusal_in
from roundhouse.table.refusals import Refusal
from roundhouse.table.round import closing_out_of_order, may_correct, spin_out_of_order
from roundhouse.table.state import Table

_BETS: Final = frozenset(get_args(c.BetCommand))
_KINDS: Final[tuple[type[c.Command], ...]] = tuple(kind for kind in get_args(c.AnyCommand) if kind is not c.Show)
ABOUT_ROUNDS: Final = frozenset(kind for kind in _KINDS if {"round", "rounds"} & set(kind.__struct_fields__))
"""Commands that name rounds."""


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
    current = {kind for kind in kinds if kind in ABOUT_ROUNDS and _concerns_current(table, kind, declare)}
    past = {kind for kind in kinds if kind in ABOUT_ROUNDS and _concerns_past(kind, declare)}
    sendable = [kind for kind in kinds if kind not in ABOUT_ROUNDS or kind in current or kind in past]
    approval = [kind for kind in sendable if kind in MAY_NEED_APPROVAL and _may_need_approval(table, kind, held, past)]
    return Permissions(_names(sendable), _names(current), _names(past), _names(approval), declare)


def _may_need_approval(
    table: Table, kind: type[c.Command], held: tuple[StaffPosition, ...], past: set[type[c.Command]]
) -> bool:
    """Return whether a command may need a second person now, depending on what it changes."""
    phase = table.state.phase
    if kind is c.CashOut:
        return all(position is StaffPosition.DEALER for position in held if has_right(table, kind, position))
    if kind is c.BallAtRest:
        return phase is Phase.INTERRUPTED
    if kind in (c.CallNoSpin, c.ObserveSpin):
        return phase is Phase.REGISTERED
    return kind is not c.Declare or kind in past or phase in (Phase.REGISTERED, Phase.INTERRUPTED)


def _names(kinds: Iterable[type[c.Command]]) -> tuple[str, ...]:
    return tuple(sorted(map(name_of, kinds)))


def _may_send(table: Table, kind: type[c.Command], by: StaffPosition) -> bool:
    """Return whether position, rulebook and phase allow a command, without regard to the round it names."""
    return has_right(table, kind, by) and _named_by_clause(table.game.rulebook, kind, by) and _timely(table, kind)


def _named_by_clause(rulebook: Rulebook, kind: type[c.Command], by: StaffPosition) -> bool:
    """Return whether the rulebook allows a command to this position. True if no clause restricts it."""
    if kind is c.CallNoSpin:
        listed = rulebook.irregularities.get(NO_SPIN)
        return listed is not None and may_declare(rulebook.authority, listed, by)
    if kind is c.CorrectResult:
        return may_correct(rulebook, by)
    if kind in (c.Decide, c.ResumeTable):
        return may_decide(rulebook.authority, by)
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
    if kind is c.HandBack:
        return not state.automatic
    if kind is c.CallNoSpin:
        return untimely_declaration(table, NO_SPIN, table.game.rulebook.irregularities[NO_SPIN], past=False) is None
    return True


def _concerns_current(table: Table, kind: type[c.Command], declare: dict[IrregularityId, Declarable]) -> bool:
    phase = table.state.phase
    if kind is c.Declare:
        return any(one.current is UNSET for one in declare.values())
    if kind is c.CorrectResult:
        return phase is Phase.REGISTERED
    if kind is c.Decide:
        return phase is Phase.REFERRED
    return phase in IN_ROUND


def _concerns_past(kind: type[c.Command], declare: dict[IrregularityId, Declarable]) -> bool:
    return kind is not c.Declare or any(one.past is UNSET for one in declare.values())


def _declarable(table: Table, positions: tuple[StaffPosition, ...]) -> dict[IrregularityId, Declarable]:
    """Find the irregularities that void a round and that people can declare, with their refusals."""
    rulebook = table.game.rulebook
    people = [one for one in StaffPosition if has_right(table, c.Declare, one)]
    phase = refusal_in(table.state.phase, c.Declare)
    found: dict[IrregularityId, Declarable] = {}
    declarers = [one for one in people if one in positions]
    for id, listed in rulebook.irregularities.items():
        if not is_declarable(rulebook, id) or not any(names_position(rulebook, listed, one) for one in people):
            continue
        # Same order as in ``decide``: rights of the position, then the phase, then the rulebook's clause.
        named = any(may_declare(rulebook.authority, listed, one) for one in declarers)
        refusal = (phase or (None if named else Refusal.NOT_AUTHORISED)) if declarers else Refusal.NOT_AUTHORISED
        if refusal is not None:
            found[id] = Declarable(refusal, refusal)
        else:
            now, before = (untimely_declaration(table, id, listed, past) for past in (False, True))
            found[id] = Declarable(now or UNSET, before or UNSET)
    return found
