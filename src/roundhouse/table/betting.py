"""Decides bet commands: place, withdraw, undo, clear, repeat, double.

Limits apply to the resulting stakes: first on each position, then of the seat, then of the whole table. The
seat's credits and the Player's protection are checked last. Late bets are refused and recorded.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from msgspec import UNSET

from roundhouse.rules.names import MAX_STAKE_CENTS, Clause, PackageId, PositionId
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.chips import refuse_amounts
from roundhouse.table.decision import AFTER_CLOSING, BETTING, Decision, Facts, refuse
from roundhouse.table.limits import BoundsOf, out_of_bounds
from roundhouse.table.names import ChipAction, Millis, Phase
from roundhouse.table.pauses import refuse_new_bets
from roundhouse.table.refusals import Refusal, Refused
from roundhouse.table.seat_sessions import refuse_bet
from roundhouse.table.state import Seat, Table

_HOW = {
    c.PlaceBets: ChipAction.PLACED,
    c.PlacePackage: ChipAction.PACKAGE,
    c.Repeat: ChipAction.REPEATED,
    c.Double: ChipAction.DOUBLED,
    c.WithdrawBets: ChipAction.WITHDRAWN,
    c.Clear: ChipAction.CLEARED,
    c.Undo: ChipAction.UNDONE,
}
# Module-level names avoid attribute look-ups in the code for bets, the most frequent commands.
_PLACED, _PlaceBets, _BetsPlaced = ChipAction.PLACED, c.PlaceBets, e.BetsPlaced
_TAKES_BACK = (ChipAction.WITHDRAWN, ChipAction.CLEARED, ChipAction.UNDONE)


def decide_bets(table: Table, command: c.BetCommand, facts: Facts) -> Decision:
    state = table.state
    if state.phase not in BETTING:
        return _not_open(table, command, facts)
    seat = state.seats.get(command.seat)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    if seat.paused is not UNSET and (refused := refuse_new_bets(seat, command)):
        return Decision([], refused)
    bounds = table.bounds.get(seat.layout)
    if bounds is None or seat.terminal not in table.terminals:
        reason = f"the rulebook in use has no terminal {seat.terminal}; take another seat"
        return refuse(Refusal.NO_SUCH_TERMINAL, reason=reason)
    match command:
        case _PlaceBets():
            return _place_bets(table, seat, bounds, command.bets, facts.at)
        case c.PlacePackage():
            return _place_package(table, seat, bounds, command, facts.at)
        case c.WithdrawBets(bets=bets):
            return _withdraw(table, seat, bounds, bets)
        case c.Undo():
            return _undo(table, seat, bounds, facts.at)
        case c.Clear():
            if not seat.bets:
                return refuse(Refusal.NOTHING_TO_CLEAR)
            return Decision([e.BetsWithdrawn(seat.id, dict(seat.bets), ChipAction.CLEARED)])  # type: ignore[arg-type]
        case c.Repeat():
            if not seat.last_slip:
                return refuse(Refusal.NOTHING_TO_REPEAT)
            # If the table was reopened with another rulebook, the layout may lack positions of the last bets.
            if unknown := seat.last_slip.keys() - bounds.keys():
                return _no_such_position(seat, min(unknown))
            return _place(table, seat, bounds, dict(seat.last_slip), facts.at, ChipAction.REPEATED)
        case c.Double():
            if not seat.bets:
                return refuse(Refusal.NOTHING_TO_DOUBLE)
            return _place(table, seat, bounds, dict(seat.bets), facts.at, ChipAction.DOUBLED)
        case _:
            assert_never(command)


def _place_bets(table: Table, seat: Seat, bounds: BoundsOf, bets: Iterable[c.Chips], at: Millis) -> Decision:
    """Place chips on positions. An unknown position is refused before an invalid amount."""
    added: dict[PositionId, int] = {}
    valid_amounts = True
    for chips in bets:
        found = bounds.get(chips.position)
        if found is None:
            return _no_such_position(seat, chips.position)
        position, cents = found[0], chips.cents
        if not 0 < cents <= MAX_STAKE_CENTS:
            valid_amounts = False
        added[position] = added.get(position, 0) + cents
    return _place(table, seat, bounds, added, at, _PLACED) if added and valid_amounts else refuse(Refusal.BAD_AMOUNT)


def _sum(bets: Iterable[c.Chips]) -> dict[PositionId, int] | None:
    """Add up chips by position. Return ``None`` if an amount is invalid or there are no chips."""
    added: dict[PositionId, int] = {}
    for chips in bets:
        position, cents = chips.position, chips.cents
        if not 0 < cents <= MAX_STAKE_CENTS:
            return None
        added[position] = added.get(position, 0) + cents
    return added or None


def _no_such_position(seat: Seat, position: PositionId) -> Decision:
    return refuse(Refusal.NO_SUCH_POSITION, reason=f"layout {seat.layout} has no position '{position}'")


def _place(
    table: Table,
    seat: Seat,
    bounds: BoundsOf,
    added: dict[PositionId, int],
    at: Millis,
    how: ChipAction,
    package: PackageId | None = None,
) -> Decision:
    state, current = table.state, seat.bets
    if table.has_chips and (refused := refuse_amounts(table, seat, added.values())):
        return refused
    total = 0
    for position, cents in added.items():
        _, minimum, maximum = bounds[position]
        if not minimum <= current.get(position, 0) + cents <= maximum:
            return Decision([], out_of_bounds(bounds, current, added, _on_limits(table)))
        total += cents
    if seat.on_layout + total > table.max_of_a_seat:
        most = f"a seat may have at most {table.max_of_a_seat} cents on the layout"
        reason = f"{most}, not {seat.on_layout + total}"
        return refuse(Refusal.ABOVE_SEAT_MAXIMUM, _on_limits(table), reason)
    if state.layout + total > table.max_of_all:
        reason = f"all seats together may have at most {table.max_of_all} cents on the layout"
        return refuse(Refusal.ABOVE_TABLE_MAXIMUM, _on_limits(table), reason)
    if total > seat.credits:
        reason = f"the bets need {total} cents, but the seat has {seat.credits}"
        return refuse(Refusal.NOT_ENOUGH_CREDITS, reason=reason)
    if seat.protection is not UNSET and (over := refuse_bet(seat, total, at)):
        return Decision([], over)
    return Decision([_BetsPlaced(seat.id, added, how, package)])  # type: ignore[arg-type]


def _place_package(table: Table, seat: Seat, bounds: BoundsOf, command: c.PlacePackage, at: Millis) -> Decision:
    package = table.game.terminals[seat.terminal].package(command.package)
    if package is None or (seat.offers is not UNSET and package.id not in seat.offers):
        return refuse(Refusal.NO_SUCH_PACKAGE, reason=f"terminal {seat.terminal} has no package '{command.package}'")
    if not 0 < command.unit_cents <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    added = {piece.position: piece.pieces * command.unit_cents for piece in package.pieces}
    return _place(table, seat, bounds, added, at, ChipAction.PACKAGE, package.id)


def _on_limits(table: Table) -> Clause | None:
    return table.game.rulebook.betting.limits


def _withdraw(table: Table, seat: Seat, bounds: BoundsOf, bets: Iterable[c.Chips]) -> Decision:
    removed = _sum(bets)
    if removed is None:
        return refuse(Refusal.BAD_AMOUNT)
    for position, cents in removed.items():
        if cents > seat.bets.get(position, 0):
            return refuse(Refusal.NOTHING_THERE, reason=f"there are less than {cents} cents on '{position}'")
    if table.has_chips and (cannot := refuse_amounts(table, seat, removed.values())):
        return cannot
    if refused := out_of_bounds(bounds, seat.bets, _negated(removed), _on_limits(table)):
        return Decision([], refused)
    return Decision([e.BetsWithdrawn(seat.id, removed)])  # type: ignore[arg-type]


def _undo(table: Table, seat: Seat, bounds: BoundsOf, at: Millis) -> Decision:
    """Undo the seat's last change of its bets. Undoing a removal needs enough credits to place the chips again."""
    if not seat.steps:
        return refuse(Refusal.NOTHING_TO_UNDO)
    added, chips = seat.steps[-1]
    if added:
        return Decision([e.BetsWithdrawn(seat.id, dict(chips), ChipAction.UNDONE)])  # type: ignore[arg-type]
    return _place(table, seat, bounds, dict(chips), at, ChipAction.UNDONE)


def _negated(change: Mapping[PositionId, int]) -> dict[PositionId, int]:
    return {position: -cents for position, cents in change.items()}


def _not_open(table: Table, command: c.BetCommand, facts: Facts) -> Decision:
    """Refuse a bet command that came too early or too late. A late one is recorded with its delay."""
    state, betting = table.state, table.game.rulebook.betting
    before = state.before_interruption if state.phase_of_round is Phase.INTERRUPTED else state.phase_of_round
    late = before in AFTER_CLOSING
    if state.phase is Phase.CLOSED:
        return refuse(Refusal.TABLE_IS_CLOSED)
    if state.phase is Phase.INTERRUPTED and not late:
        return refuse(Refusal.AWAITING_WHEEL, table.game.rulebook.spin.result)
    if state.phase is Phase.REFERRED and not late:
        return refuse(Refusal.AWAITING_DECISION, table.game.rulebook.authority.decides.clause)
    if not late:
        return refuse(Refusal.BETS_ARE_NOT_OPEN, betting.opens.clause)
    if command.seat not in state.seats:
        return refuse(Refusal.NO_SUCH_SEAT)
    how = _HOW[type(command)]
    bets, takes_back = _late_chips(table, command), how in _TAKES_BACK
    if state.by_evidence and isinstance(command, c.Undo):
        # To undo a withdrawal is to bet again.
        steps = state.seats[command.seat].steps
        takes_back = not steps or steps[-1][0]
    rule = betting.late_withdrawal if takes_back else betting.late_bet
    kind = e.LateWithdrawalRefused if takes_back else e.LateBetRefused
    late_by = Millis(max(0, facts.at - state.closed_at))
    event = kind(command.seat, how, late_by, rule.clause, bets)  # type: ignore[arg-type]
    return Decision([event], Refused(Refusal.BETS_ARE_CLOSED, rule.clause))


def _late_chips(table: Table, command: c.BetCommand) -> dict[PositionId, int]:
    """Return the chips that a late command would have moved; empty if it names none that exist.

    The first procedure recorded them for two commands only.
    """
    seat = table.state.seats[command.seat]
    if isinstance(command, c.PlaceBets | c.WithdrawBets):
        return _sum(command.bets) or {}
    if not table.state.by_evidence:
        return {}
    match command:
        case c.PlacePackage():
            terminal = table.terminals.get(seat.terminal)
            package = terminal.package(command.package) if terminal is not None else None
            if package is None or not 0 < command.unit_cents <= MAX_STAKE_CENTS:
                return {}
            return {piece.position: piece.pieces * command.unit_cents for piece in package.pieces}
        case c.Repeat():
            return dict(seat.last_slip)
        case c.Double() | c.Clear():
            return dict(seat.bets)
        case c.Undo():
            return dict(seat.steps[-1][1]) if seat.steps else {}
        case _:
            assert_never(command)
