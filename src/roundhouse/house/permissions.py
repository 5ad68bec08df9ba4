"""Permissions: the position in which a session or a terminal may send a command to a table.

Reads the committed state of the house without a lock. The caller is identified by its session or key, never by the
content of a message.
"""

from typing import Final

from roundhouse.house.approvals import ApprovalNeeded, approval_needed, dry_run
from roundhouse.house.session import Session
from roundhouse.house.sessions import Sessions
from roundhouse.house.terminals import EnrolledTerminal, Terminals
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.rules.names import StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.decide import MAY_NEED_APPROVAL, may_ask
from roundhouse.table.names import Millis, TableId
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.table.state import Table

_PLAYER: Final = StaffPosition.PLAYER
TERMINAL_COMMANDS: Final[frozenset[type[c.Command]]] = frozenset(
    {
        c.TakeSeat,
        c.BuyCredits,
        c.PlaceBets,
        c.PlacePackage,
        c.WithdrawBets,
        c.Undo,
        c.Clear,
        c.Repeat,
        c.Double,
        c.CashOut,
        c.RedeemTicket,
    }
)
"""Commands that a terminal may send for its own seat."""


def commands_of(terminal: EnrolledTerminal) -> frozenset[type[c.Command]]:
    """Return the commands that a terminal may send. Only one with a bill acceptor may buy credits."""
    return TERMINAL_COMMANDS if terminal.bill_acceptor else TERMINAL_COMMANDS - {c.BuyCredits}


class Permissions:
    def __init__(self, sessions: Sessions, terminals: Terminals) -> None:
        self._sessions, self._terminals = sessions, terminals

    def position_for(
        self,
        caller: Session | EnrolledTerminal,
        table: TableId,
        state: Table,
        command: c.AnyCommand,
        at: Millis,
        requested: StaffPosition | None = None,
    ) -> StaffPosition | ApprovalNeeded | HouseRefused:
        """Find the position in which the caller sends a command. The table may still refuse the command.

        ``command.by`` is ignored; ``requested`` is the position that the request names, if it names one.
        """
        if isinstance(caller, EnrolledTerminal):
            return self._position_of_terminal(caller, table, command, requested)
        now = self._sessions.may_act(caller, at)
        if isinstance(now, HouseRefused):
            return now
        if now.auditor:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "an auditor may read everything and change nothing")
        here = now.positions_at(table)
        if not here:
            return HouseRefused(HouseRefusal.OTHER_TABLE, f"your console belongs to table {now.console}")
        if requested is not None and requested not in here:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"you do not act as {requested} at this table")
        position = requested or _choose(here, state, command, at)
        return approval_needed(state, command, position, at) or position

    def _position_of_terminal(
        self, terminal: EnrolledTerminal, table: TableId, command: c.AnyCommand, requested: StaffPosition | None
    ) -> StaffPosition | HouseRefused:
        """Find the position of a terminal. This runs for every bet."""
        if not self._terminals.is_enrolled(terminal.number):
            return HouseRefused(HouseRefusal.TERMINAL_IS_REVOKED)
        if terminal.table != table:
            return HouseRefused(HouseRefusal.OTHER_TABLE, f"this terminal belongs to table {terminal.table}")
        if requested is not None and requested is not _PLAYER:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "a terminal sends commands of a Player only")
        kind = type(command)
        if kind not in TERMINAL_COMMANDS:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "a terminal may not send this command")
        if command.seat != terminal.seat:  # type: ignore[union-attr]
            return HouseRefused(HouseRefusal.OTHER_SEAT, f"this terminal belongs to seat {terminal.seat}")
        if isinstance(command, c.TakeSeat) and command.terminal != terminal.terminal:
            return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL, f"this terminal is of the kind {terminal.terminal}")
        if kind is c.BuyCredits and not terminal.bill_acceptor:
            return HouseRefused(
                HouseRefusal.NO_BILL_ACCEPTOR, "this terminal has no bill acceptor; buy credits from the cashier"
            )
        return _PLAYER


def _choose(positions: tuple[StaffPosition, ...], state: Table, command: c.AnyCommand, at: Millis) -> StaffPosition:
    """Choose the highest position that may send the command; without one, the highest, which the table will refuse."""
    for position in positions:
        if _is_authorised(state, command, position, at):
            return position
    return positions[0]


def _is_authorised(state: Table, command: c.AnyCommand, position: StaffPosition, at: Millis) -> bool:
    if not isinstance(command, (*MAY_NEED_APPROVAL, c.CallNoSpin)):
        return may_ask(state, command, position)
    refused = dry_run(state, command, position, at).refused
    return refused is None or refused.refusal is not TableRefusal.NOT_AUTHORISED
