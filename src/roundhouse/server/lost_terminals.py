"""Notices terminals that lose their connection while their seats have bets.

A terminal that returns within ``interrupted_seconds`` is not reported. The table decides what its rulebook says about
interrupted terminals.
"""

import asyncio

from roundhouse.floor.access import TableAccess
from roundhouse.server.auth import TerminalCaller
from roundhouse.server.context import ServerContext
from roundhouse.table.names import SeatId, TableId


class LostTerminals:
    """The seats whose terminals have lost their last connection, until they return or are reported."""

    def __init__(self, service: ServerContext) -> None:
        self._service = service
        self._lost: dict[TableId, dict[SeatId, float]] = {}
        """When each seat lost its connection, in seconds of the event loop."""
        self._timers: dict[TableId, asyncio.TimerHandle] = {}

    def expect_returns(self) -> None:
        """Expect every terminal whose seat has bets. After a restart none of them is connected yet."""
        now = asyncio.get_running_loop().time()
        for terminal in self._service.house.terminals.all().values():
            table = self._service.floor.tables.get(terminal.table)
            if table is not None and not self._is_connected(table, terminal.seat):
                self._lost.setdefault(table.id, {})[terminal.seat] = now
                self._schedule(table)

    def disconnected(self, caller: TerminalCaller, table: TableAccess) -> None:
        """Note the end of a connection. A revoked terminal was not interrupted: the pit removed it."""
        terminal = caller.terminal
        if self._is_connected(table, terminal.seat) or not self._service.house.terminals.is_enrolled(terminal.number):
            return
        lost = self._lost.setdefault(table.id, {})
        lost[terminal.seat] = asyncio.get_running_loop().time()
        self._schedule(table)

    def _is_connected(self, table: TableAccess, seat: SeatId) -> bool:
        return bool(table.feed.subscribers.seats.get(seat))

    def _schedule(self, table: TableAccess) -> None:
        if table.id not in self._timers and (lost := self._lost.get(table.id)):
            loop = asyncio.get_running_loop()
            due = min(lost.values()) + self._service.settings.interrupted_seconds
            self._timers[table.id] = loop.call_at(due, self._check, table)

    def _check(self, table: TableAccess) -> None:
        """Report the terminals that did not return in time. Those that were lost together are reported together."""
        del self._timers[table.id]
        now, lost = asyncio.get_running_loop().time(), self._lost[table.id]
        due = [seat for seat, at in lost.items() if at + self._service.settings.interrupted_seconds <= now]
        for seat in due:
            del lost[seat]
        if gone := [seat for seat in due if not self._is_connected(table, seat)]:
            table.report_lost_terminals(gone)
        self._schedule(table)
