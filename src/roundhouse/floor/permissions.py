"""Permissions at a table: the commands that a caller may send now. Frames to the caller include them.

``table/permissions.py`` derives what a position may do. This module adds the caller: the positions of a person at this
table, the commands that a terminal may send, and whether there is an automatic dealer for ``hand_back``.
"""

from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.rules.names import LayoutId, StaffPosition, TerminalId
from roundhouse.table import commands as c
from roundhouse.table.commands import HandBack
from roundhouse.table.names import TableId
from roundhouse.table.permissions import Permissions, name_of, permissions
from roundhouse.table.state import Table, TableState

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
        c.RequestCashOut,
        c.RedeemTicket,
        c.Dispute,
        c.SetProtection,
        c.TakeBreak,
        c.AcknowledgeCheck,
        c.CallAttendant,
    }
)
"""Commands that a terminal may send for its own seat."""


class TerminalRights(NamedTuple):
    """The properties of a terminal that its permissions depend on."""

    bill_acceptor: bool
    terminal: TerminalId


Rights = TerminalRights | tuple[StaffPosition, ...]
"""The properties of a caller that its permissions depend on. Those of staff are their positions at the table."""


def rights_of(caller: Identity, table: TableId) -> Rights:
    if isinstance(caller, EnrolledTerminal):
        return TerminalRights(caller.bill_acceptor, caller.terminal)
    return caller.positions_at(table)


def commands_of(rights: TerminalRights) -> frozenset[type[c.Command]]:
    """Return the commands that a terminal may send. Only one with a bill acceptor may buy credits."""
    return TERMINAL_COMMANDS if rights.bill_acceptor else TERMINAL_COMMANDS - {c.BuyCredits}


class EncodedPermissions(NamedTuple):
    """The permissions of all callers with the same rights, as JSON."""

    allowed: str = ""
    bounds: str = ""
    """The limits of the terminal's layout; empty for staff."""


_NOTHING_SENT: Final = EncodedPermissions()


def _record_of(state: TableState) -> tuple[object, ...]:
    """Return what permissions depend on in the evidence of the round and in the matters that wait for a decision."""
    evidence, matters = state.evidence, tuple(state.referrals)
    if not evidence:
        return (matters,)
    # Reports are only added, and readings are replaced when they are amended.
    return matters, evidence.started_by, len(evidence.reports), tuple(evidence.readings), state.registered_outcome


class TablePermissions:
    """Permissions at one table, encoded once for all callers with the same rights."""

    def __init__(self, table: Table, has_dealer: bool) -> None:
        self.version = 0
        """Counts the changes. Permissions that were sent with this number are up to date."""
        self._encoded: dict[Rights, EncodedPermissions] = {}
        self._changes: dict[tuple[Rights, EncodedPermissions], tuple[EncodedPermissions, str]] = {}
        self._bounds: dict[LayoutId, str] = {}
        self._set(table, has_dealer)

    def _set(self, table: Table, has_dealer: bool) -> None:
        # Everything that permissions depend on. Compared for every batch: separate fields are faster than a tuple.
        state = table.state
        self._table, self._game, self._limits, self._has_dealer = table, table.game, state.limits, has_dealer
        self._phase, self._automatic, self._record = state.phase, state.automatic, _record_of(state)

    def update(self, table: Table, has_dealer: bool) -> None:
        """Take over a change of the table. The feed calls this before it sends the change."""
        state = table.state
        same_limits = state.limits is self._limits and table.game is self._game
        if (
            same_limits
            and state.phase is self._phase
            and state.automatic is self._automatic
            and has_dealer is self._has_dealer
            and _record_of(state) == self._record
        ):
            return
        if not same_limits:
            self._bounds = {}
        self.version += 1
        self._encoded, self._changes = {}, {}
        self._set(table, has_dealer)

    def encoded(self, rights: Rights) -> EncodedPermissions:
        found = self._encoded.get(rights)
        if found is None:
            allowed = _encode(permissions_of(self._table, self._has_dealer, rights)).decode()
            bounds = self._bounds_of(rights.terminal) if isinstance(rights, TerminalRights) else ""
            found = self._encoded[rights] = EncodedPermissions(allowed, bounds)
        return found

    def _bounds_of(self, id: TerminalId) -> str:
        terminal = self._game.terminals.get(id)
        if terminal is None:
            return ""
        layout = terminal.layout
        if layout.id not in self._bounds:
            self._bounds[layout.id] = _encode(self._limits.resolved(layout)).decode()
        return self._bounds[layout.id]

    def change(self, rights: Rights, sent: EncodedPermissions) -> tuple[EncodedPermissions, str]:
        """Return the permissions for these rights, and what of them differs from ``sent``, as JSON members."""
        found = self._changes.get((rights, sent))
        if found is None:
            now = self.encoded(rights)
            members = f',"allowed":{now.allowed}' if now.allowed != sent.allowed else ""
            if now.bounds and now.bounds != sent.bounds:
                members += f',"bounds":{now.bounds}'
            found = self._changes[rights, sent] = now, members
        return found


class PermissionUpdates:
    """Encodes the permissions that changed since the last frame to one subscriber."""

    __slots__ = ("_of", "_rights", "_sent", "_version")

    def __init__(self, of: TablePermissions, rights: Rights | None) -> None:
        self._of, self._sent = of, _NOTHING_SENT
        self.set_rights(rights)

    def set_rights(self, rights: Rights | None) -> None:
        """Set the rights of the subscriber's caller; ``None`` if it is anonymous."""
        self._rights, self._version = rights, -1

    def members(self) -> str:
        """Encode the permissions that changed since the last call, as JSON members to insert before a frame's closing
        brace. Return an empty string if none changed.
        """
        of = self._of
        if self._version == of.version or self._rights is None:
            return ""
        self._version = of.version
        self._sent, members = of.change(self._rights, self._sent)
        return members


def permissions_of(table: Table, has_dealer: bool, rights: Rights) -> Permissions:
    """Return what a caller with these rights may do at a table now."""
    if isinstance(rights, TerminalRights):
        accepted = frozenset(map(name_of, commands_of(rights)))
        commands = permissions(table, _PLAYER).commands
        return Permissions(tuple(name for name in commands if name in accepted))
    found = permissions(table, rights)
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
