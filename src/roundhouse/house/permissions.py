"""Permissions: the position in which a session or a terminal may send a command to a table.

The committed state of the house answers, without a lock. Which person or terminal asks comes from a session or a
key, never from a message.
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
"""What a terminal may ask for, of its own seat."""


def commands_of(terminal: EnrolledTerminal) -> frozenset[type[c.Command]]:
    """The commands that the house takes from a terminal; credits are bought only where it takes bills."""
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
        asked: StaffPosition | None = None,
    ) -> StaffPosition | ApprovalNeeded | HouseRefused:
        """The position in which a command is sent to a table. The table may still refuse the command.

        ``command.by`` is ignored; ``asked`` is the position that the request names, if it names one.
        """
        if isinstance(caller, EnrolledTerminal):
            return self._position_of_terminal(caller, table, command, asked)
        now = self._sessions.may_act(caller, at)
        if isinstance(now, HouseRefused):
            return now
        if now.auditor:
            return StaffPosition.PLAYER if isinstance(command, c.Show) else _refuse_auditor()
        here = now.positions_at(table)
        if not here:
            return HouseRefused(HouseRefusal.OTHER_TABLE, f"your console is that of {now.console}")
        if asked is not None and asked not in here:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, f"you do not act as {asked} at this table")
        position = asked or _best_position(here, state, command, at)
        return approval_needed(state, command, position, at) or position

    def _position_of_terminal(
        self, terminal: EnrolledTerminal, table: TableId, command: c.AnyCommand, asked: StaffPosition | None
    ) -> StaffPosition | HouseRefused:
        """Runs for every bet, so that the usual case comes first."""
        if not self._terminals.is_enrolled(terminal.number):
            return HouseRefused(HouseRefusal.TERMINAL_IS_REVOKED)
        if terminal.table != table:
            return HouseRefused(HouseRefusal.OTHER_TABLE, f"this terminal belongs to {terminal.table}")
        if asked is not None and asked is not _PLAYER:
            return HouseRefused(HouseRefusal.NOT_AUTHORISED, "at a terminal everybody is a player")
        kind = type(command)
        if kind not in TERMINAL_COMMANDS:
            return _PLAYER if kind is c.Show else HouseRefused(HouseRefusal.NOT_AUTHORISED, "this is not for terminals")
        if command.seat != terminal.seat:  # type: ignore[union-attr]
            return HouseRefused(HouseRefusal.OTHER_SEAT, f"this terminal is seat {terminal.seat}")
        if isinstance(command, c.TakeSeat) and command.terminal != terminal.terminal:
            return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL, f"this terminal is a {terminal.terminal}")
        if kind is c.BuyCredits and not terminal.bill_acceptor:
            return HouseRefused(HouseRefusal.NO_BILL_ACCEPTOR, "credits are bought from the cashier")
        return _PLAYER


def _refuse_auditor() -> HouseRefused:
    return HouseRefused(HouseRefusal.NOT_AUTHORISED, "an auditor sees everything and changes nothing")


def _best_position(
    positions: tuple[StaffPosition, ...], state: Table, command: c.AnyCommand, at: Millis
) -> StaffPosition:
    """The highest of somebody's positions in which the table would hear him; else his highest, to be refused in."""
    for position in positions:
        if isinstance(command, c.Show) or _is_authorised(state, command, position, at):
            return position
    return positions[0]


def _is_authorised(state: Table, command: c.AnyCommand, position: StaffPosition, at: Millis) -> bool:
    if not isinstance(command, (*MAY_NEED_APPROVAL, c.CallNoSpin)):
        return may_ask(state, command, position)
    refused = dry_run(state, command, position, at).refused
    return refused is None or refused.refusal is not TableRefusal.NOT_AUTHORISED
