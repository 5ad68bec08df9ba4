"""Tells each subscriber of a table what it may ask of it, as members of the frames that it is sent anyway.

``table/permissions.py`` says what a position may do. Here the caller is added: the positions in which a person acts at
this table, the commands that the house takes from a terminal, and whether there is a dealer to hand the table back to.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from roundhouse.house.permissions import commands_of
from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.rules.game import Game
from roundhouse.rules.names import LayoutId, StaffPosition
from roundhouse.table.commands import HandBack
from roundhouse.table.limits import Limits
from roundhouse.table.names import Phase, TableId
from roundhouse.table.permissions import Permissions, name_of, permissions
from roundhouse.table.state import Table

Identity = Session | EnrolledTerminal
_encode = msgspec.json.Encoder().encode
_PLAYER: Final = (StaffPosition.PLAYER,)


class TablePermissions:
    """What each kind of caller may ask of one table, encoded once for all callers of that kind."""

    def __init__(self, id: TableId) -> None:
        self._id = id
        # All that permissions depend on. Compared for every frame, so one by one and without a tuple.
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
        kind = ("terminal", caller.bill_acceptor) if isinstance(caller, EnrolledTerminal) else caller.positions_at(self._id)
        found = self._allowed.get(kind)
        if found is None:
            found = self._allowed[kind] = _encode(permissions_of(table, self._id, has_dealer, caller)).decode()
        return found

    def bounds(self, table: Table, terminal: EnrolledTerminal) -> str:
        game, limits = table.game, table.state.limits
        if self._limits is None or self._limits[0] is not game or self._limits[1] is not limits:
            self._limits, self._bounds = (game, limits), {}
        terminal = game.terminals.get(terminal.terminal)
        if terminal is None:
            return ""
        layout = terminal.layout
        if layout.id not in self._bounds:
            self._bounds[layout.id] = _encode(limits.resolved(layout)).decode()
        return self._bounds[layout.id]


class PermissionUpdates:
    """What one subscriber was last told of its permissions."""

    def __init__(self) -> None:
        self._allowed = self._bounds = ""

    def members(self, of: TablePermissions, table: Table, has_dealer: bool, caller: Identity | None) -> str:
        """What is new, to be put before the closing brace of a frame; empty where nothing is."""
        if caller is None:
            return ""
        found = ""
        # Compared by identity: what has not changed is the same string.
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
    """What a caller may ask of a table now."""
    if isinstance(caller, EnrolledTerminal):
        takes = frozenset(map(name_of, commands_of(caller)))
        commands = permissions(table, _PLAYER).commands
        return Permissions(tuple(name for name in commands if name in takes))
    found = permissions(table, caller.positions_at(id))
    if has_dealer:
        return found
    return replace(found, commands=tuple(name for name in found.commands if name != name_of(HandBack)))
