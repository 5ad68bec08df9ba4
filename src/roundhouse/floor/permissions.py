"""Permissions at a table: the commands that a caller may send now. Frames to the caller include them.

``table/permissions.py`` derives what a position may do. This module adds the caller: the positions of a person at this
table, the commands that a terminal may send, and whether there is an automatic dealer for ``hand_back``.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.commands import HandBack
from roundhouse.table.limits import Limits
from roundhouse.table.names import Phase, TableId
from roundhouse.table.permissions import Permissions, name_of, permissions
from roundhouse.table.state import Table

Identity = Session | EnrolledTerminal
_encode = msgspec.json.Encoder().encode
_PLAYER: Final = (StaffPosition.PLAYER,)


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


class TablePermissions:
    """Permissions at one table, encoded once for all callers with the same rights."""

    def __init__(self, id: TableId) -> None:
        self._id = id
        # The values that ``_allowed`` was computed from. They are compared for every frame, and separate fields are
        # compared faster than tuples.
        self._game: Game | None = None
        self._phase = Phase.CLOSED
        self._automatic = self._has_dealer = False
        self._allowed: dict[tuple[object, ...], str] = {}
        self._limits: tuple[Game, Limits] | None = None
        self._bounds: dict[LayoutId, str] = {}

    def allowed(self, table: Table, has_dealer: bool, caller: Identity) -> str:
        state = table.state
        if (
            state.phase is not self._phase
            or state.automatic is not self._automatic
            or has_dealer is not self._has_dealer
            or table.game is not self._game
        ):
            self._game, self._phase = table.game, state.phase
            self._automatic, self._has_dealer = state.automatic, has_dealer
            self._allowed = {}
        if isinstance(caller, EnrolledTerminal):
            rights: tuple[object, ...] = ("terminal", caller.bill_acceptor)
        else:
            rights = caller.positions_at(self._id)
        found = self._allowed.get(rights)
        if found is None:
            found = self._allowed[rights] = _encode(permissions_of(table, self._id, has_dealer, caller)).decode()
        return found

    def bounds(self, table: Table, caller: EnrolledTerminal) -> str:
        game, limits = table.game, table.state.limits
        if self._limits is None or self._limits[0] is not game or self._limits[1] is not limits:
            self._limits, self._bounds = (game, limits), {}
        terminal = game.terminals.get(caller.terminal)
        if terminal is None:
            return ""
        layout = terminal.layout
        if layout.id not in self._bounds:
            self._bounds[layout.id] = _encode(limits.resolved(layout)).decode()
        return self._bounds[layout.id]


class PermissionUpdates:
    """The permissions last sent to one subscriber."""

    def __init__(self) -> None:
        self._allowed = self._bounds = ""

    def members(self, of: TablePermissions, table: Table, has_dealer: bool, caller: Identity | None) -> str:
        """Return the changed permissions as JSON members, for the end of a frame. Return "" if none has changed."""
        if caller is None:
            return ""
        found = ""
        # Unchanged permissions are usually the same string object. Comparing identities is faster than comparing text.
        if (allowed := of.allowed(table, has_dealer, caller)) is not self._allowed:
            if allowed != self._allowed:
                found = f',"allowed":{allowed}'
            self._allowed = allowed
        if isinstance(caller, EnrolledTerminal) and (bounds := of.bounds(table, caller)) is not self._bounds:
            if bounds != self._bounds and bounds:
                found += f',"bounds":{bounds}'
            self._bounds = bounds
        return found


def permissions_of(table: Table, id: TableId, has_dealer: bool, caller: Identity) -> Permissions:
    """Return what a caller may do at a table now."""
    if isinstance(caller, EnrolledTerminal):
        accepted = frozenset(map(name_of, commands_of(caller)))
        commands = permissions(table, _PLAYER).commands
        return Permissions(tuple(name for name in commands if name in accepted))
    found = permissions(table, caller.positions_at(id))
    if has_dealer:
        return found
    return replace(found, commands=tuple(name for name in found.commands if name != name_of(HandBack)))


def refuse_terminal(
    terminal: EnrolledTerminal,
    enrolled: bool,
    table: TableId,
    command: c.AnyCommand,
    requested: StaffPosition | None = None,
) -> HouseRefused | None:
    """Return why a terminal may not send a command to a table, or None if it may. This runs for every bet.

    ``enrolled`` is False if the terminal was revoked. ``requested`` is the position that the request names.
    """
    kind = type(command)
    if not enrolled:
        return HouseRefused(HouseRefusal.TERMINAL_IS_REVOKED)
    if terminal.table != table:
        return HouseRefused(HouseRefusal.OTHER_TABLE, f"this terminal belongs to table {terminal.table}")
    if requested is not None and requested is not StaffPosition.PLAYER:
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, "a terminal sends commands of a Player only")
    if kind not in TERMINAL_COMMANDS:
        return HouseRefused(HouseRefusal.NOT_AUTHORISED, "a terminal may not send this command")
    if command.seat != terminal.seat:  # type: ignore[union-attr]
        return HouseRefused(HouseRefusal.OTHER_SEAT, f"this terminal belongs to seat {terminal.seat}")
    if isinstance(command, c.TakeSeat) and command.terminal != terminal.terminal:
        return HouseRefused(HouseRefusal.NO_SUCH_TERMINAL, f"this terminal is of the kind {terminal.terminal}")
    if kind is c.BuyCredits and not terminal.bill_acceptor:
        reason = "this terminal has no bill acceptor; buy credits from the cashier"
        return HouseRefused(HouseRefusal.NO_BILL_ACCEPTOR, reason)
    return None
