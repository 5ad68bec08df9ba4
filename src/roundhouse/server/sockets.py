"""WebSocket endpoints ``/api/tables/{table}/socket`` and ``/api/pit/socket``: admission, limits and removal.

The connection of a client that does not authenticate in time is closed. If a client loses its access, its connection is
closed at once, not at its next message.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import Receive, Scope, Send

from roundhouse.floor.access import TableAccess
from roundhouse.logs import log_bug
from roundhouse.people import events as e
from roundhouse.people.events import HouseEntry
from roundhouse.server.auth import Anonymous, Caller, StaffCaller, TerminalCaller, deny_socket
from roundhouse.server.connection import Connection
from roundhouse.server.context import ServerContext
from roundhouse.server.limits import rate_limit_key
from roundhouse.server.lost_terminals import LostTerminals
from roundhouse.server.protocol import DIRECT_HANDLER, DIRECT_SENDER, AsgiFrameSender
from roundhouse.server.protocol import Send as FrameSend
from roundhouse.server.requests import pit_desk
from roundhouse.table.names import TableId
from roundhouse.wire.messages import (
    Authenticate,
    CloseReason,
    DoneMessage,
    FromClient,
    HouseMessage,
    Observe,
    StopNotice,
    StoppingMessage,
)
from roundhouse.wire.problems import ErrorCode

POLL_SECONDS = 1.0
"""Interval of the access checks. They find expired appointments and locked consoles, which cause no event."""
_STAFF_BUFFER_FACTOR = 16
"""Staff receive more data than a terminal, so their send buffer is larger by this factor."""
_DESK_EVENTS = (
    e.AlertRaised,
    e.AlertAcknowledged,
    e.AlertCleared,
    e.Proposed,
    e.ProposalApproved,
    e.ProposalRejected,
)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(FromClient).decode


class Sockets:
    """All sockets of one server."""

    def __init__(self, service: ServerContext) -> None:
        self._service = service
        self._connections: set[Connection] = set()
        self._by_owner: dict[str | None, list[Connection]] = {}
        """Connections of each terminal or session, oldest first. The key None holds anonymous observers."""
        self._per_address: Counter[str] = Counter()
        self._lost_terminals = LostTerminals(service)

    def routes(self) -> list[BaseRoute]:
        return [
            WebSocketRoute("/api/tables/{table}/socket", _Endpoint(self, pit=False)),
            WebSocketRoute("/api/pit/socket", _Endpoint(self, pit=True)),
        ]

    async def poll_access(self) -> None:
        """Recheck the access of all connections periodically, until cancelled."""
        self._lost_terminals.expect_returns()
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self._recheck_access()

    def on_recorded(self, entries: Sequence[HouseEntry]) -> None:
        """Handle new entries of the house's chain. Called by the house's writer in the event loop."""
        self._recheck_access()
        if any(isinstance(entry.event, _DESK_EVENTS) for entry in entries):
            self._send_desk([connection for connection in self._connections if connection.pit])

    def announce_stop(self, notice: StopNotice) -> None:
        """Tell every client, also at a locked console, that the house is about to stop."""
        self._service.stop_notice = notice
        frame = _encode(StoppingMessage(notice)).decode()
        for connection in tuple(self._connections):
            connection.sender.write(frame)

    def _recheck_access(self) -> None:
        for connection in tuple(self._connections):
            if (reason := connection.recheck_access()) is not None:
                connection.sender.close(reason)

    def _send_desk(self, connections: Sequence[Connection]) -> None:
        if connections:
            frame = _encode(HouseMessage(pit_desk(self._service))).decode()
            for connection in connections:
                if not connection.muted:
                    connection.sender.write(frame)

    async def serve(self, scope: Scope, receive: Receive, send: Send, pit: bool) -> None:
        await receive()
        headers, address = Headers(scope=scope), (scope.get("client") or ("",))[0]
        tables = self._tables(scope, pit)
        settings = self._service.settings
        network = rate_limit_key(address)
        full = self._per_address[network] >= settings.connections_per_address
        caller = self._service.caller(headers)
        if not tables:
            await send({"type": "websocket.close", "code": 1008})
            return
        if full or self._per_address.total() >= settings.connections:
            await _refuse_full(scope, send)
            return
        # A client without credentials may authenticate by its first message. An unknown key is refused here.
        has_credentials = not isinstance(caller, Anonymous) or "authorization" in headers
        if has_credentials and not await self._has_access(caller, tables, pit, address):
            await send({"type": "websocket.close", "code": 1008})
            return
        await send({"type": "websocket.accept"})
        self._per_address[network] += 1
        try:
            await self._run(scope, receive, send, tables, pit, caller, address)
        finally:
            self._per_address[network] -= 1
            if not self._per_address[network]:
                del self._per_address[network]

    def _tables(self, scope: Scope, pit: bool) -> Mapping[TableId, TableAccess]:
        found = {id: table for id, table in self._service.floor.tables.items() if not table.feed.failed}
        if pit:
            return found
        id = TableId(scope["path_params"]["table"])
        return {id: found[id]} if id in found else {}

    async def _has_access(self, caller: Caller, tables: Mapping[TableId, TableAccess], pit: bool, address: str) -> bool:
        """Return whether a caller with credentials may connect. Records a refusal."""
        unknown = ErrorCode.NOT_LOGGED_IN if isinstance(caller, Anonymous) else None
        problem = unknown or next((found for id in tables if (found := deny_socket(caller, id, pit))), None)
        if problem is None:
            return True
        await self._service.note_refusal("pit_socket" if pit else "socket", problem.value, caller, address)
        return False

    async def _run(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        tables: Mapping[TableId, TableAccess],
        pit: bool,
        caller: Caller,
        address: str,
    ) -> None:
        main = asyncio.current_task()
        assert main is not None
        max_bytes, on_closed = self._service.settings.unread_bytes, partial(_stop, main)
        if (send_now := scope.pop(DIRECT_SENDER, None)) is not None:
            sender = AsgiFrameSender(cast(FrameSend, send), max_bytes, on_closed, send_now)
        else:
            sender = AsgiFrameSender(cast(FrameSend, send), max_bytes, on_closed)
        connection: Connection | None = None
        try:
            if isinstance(caller, Anonymous):
                authenticated = await self._authenticate(receive, sender, tables, pit, address)
                if authenticated is None:
                    return
                caller = authenticated
            sender.max_bytes *= _STAFF_BUFFER_FACTOR if isinstance(caller, StaffCaller) else 1
            connection = Connection(self._service, tables, pit, caller, sender, address)
            self._begin(connection, tables)
            if sender.open:
                scope[DIRECT_HANDLER] = connection.try_handle
            await self._read(receive, connection)
        except asyncio.CancelledError:
            # If the sender is still open, the server is shutting down. Otherwise the sender has ended this task.
            if sender.open:
                raise
            main.uncancel()
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            sender.close(CloseReason.OUR_OWN_BUG)
            await sender.closed()
        finally:
            scope.pop(DIRECT_HANDLER, None)
            sender.end()
            if connection is not None:
                self._end(connection, tables)

    def _begin(self, connection: Connection, tables: Mapping[TableId, TableAccess]) -> None:
        if (reason := connection.recheck_access()) is not None:
            connection.sender.close(reason)
            return
        self._close_oldest(connection.owner_id)
        self._connections.add(connection)
        self._by_owner.setdefault(connection.owner_id, []).append(connection)
        connection.begin()
        if connection.pit:
            self._send_desk([connection])
        if (notice := self._service.stop_notice) is not None:
            connection.sender.write(_encode(StoppingMessage(notice)).decode())
        for id in tables:
            self._service.metrics.connected.add(id, _kind(connection.caller))
        if connection.staff:
            self._service.metrics.staff.add(_desk(connection))

    def _close_oldest(self, owner: str | None) -> None:
        """Close the owner's oldest connections above the limit. After a reconnect, dead ones may still be open."""
        if owner is not None:
            connections = self._by_owner.get(owner, [])
            for connection in connections[: len(connections) + 1 - self._service.settings.sockets_per_caller]:
                connection.sender.close(CloseReason.TOO_MANY_CONNECTIONS)

    def _end(self, connection: Connection, tables: Mapping[TableId, TableAccess]) -> None:
        connection.end()
        if connection in self._connections:
            self._connections.discard(connection)
            connections = self._by_owner[connection.owner_id]
            connections.remove(connection)
            if not connections:
                del self._by_owner[connection.owner_id]
            for id in tables:
                self._service.metrics.connected.add(id, _kind(connection.caller), by=-1)
            if connection.staff:
                self._service.metrics.staff.add(_desk(connection), by=-1)
            if isinstance(connection.caller, TerminalCaller):
                for table in tables.values():
                    self._lost_terminals.disconnected(connection.caller, table)

    async def _authenticate(
        self, receive: Receive, sender: AsgiFrameSender, tables: Mapping[TableId, TableAccess], pit: bool, address: str
    ) -> Caller | None:
        """Read the first message and return the caller that it authenticates, or an anonymous observer.

        Closes the connection and returns None in all other cases.
        """
        try:
            async with asyncio.timeout(self._service.settings.silent_seconds):
                message = await receive()
        except TimeoutError:
            await _close(sender, CloseReason.SAYS_NOTHING)
            return None
        if message["type"] != "websocket.receive":
            return None
        try:
            request = _decode(_text(message))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            request = None
        caller: Caller = Anonymous()
        match request:
            case Authenticate(key=key) if not self._service.throttle(address, 1, counts_as_login=False):
                caller = self._service.caller({"authorization": f"Bearer {key}"})
        observes = isinstance(request, Observe) and not pit
        if observes and self._observers_are_full(address):
            await _close(sender, CloseReason.TOO_MANY_CONNECTIONS)
            return None
        if not observes and not await self._has_access(caller, tables, pit, address):
            await _close(
                sender, CloseReason.NOT_LOGGED_IN if isinstance(caller, Anonymous) else CloseReason.NOT_AUTHORISED
            )
            return None
        assert request is not None
        sender.write(_encode(DoneMessage(request.id, True, self._service.clock())).decode())
        return caller

    def _observers_are_full(self, address: str) -> bool:
        settings, network = self._service.settings, rate_limit_key(address)
        observers = self._by_owner.get(None, ())
        of_address = sum(rate_limit_key(one.address) == network for one in observers)
        return len(observers) >= settings.observers or of_address >= settings.observers_per_address

    async def _read(self, receive: Receive, connection: Connection) -> None:
        max_bytes = self._service.settings.message_bytes
        while connection.sender.open:
            message = await receive()
            if message["type"] != "websocket.receive":
                return
            text = _text(message)
            if len(text) > max_bytes or (
                isinstance(text, str) and not text.isascii() and len(text.encode()) > max_bytes
            ):
                connection.sender.close(CloseReason.TOO_LARGE)
                continue
            await connection.handle(text)
        # The sender is closing. Read and drop messages until the close frame is sent.
        while (await receive())["type"] == "websocket.receive":
            pass


class _Endpoint:
    def __init__(self, sockets: Sockets, pit: bool) -> None:
        self._sockets, self._pit = sockets, pit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sockets.serve(scope, receive, send, self._pit)


async def _refuse_full(scope: Scope, send: Send) -> None:
    """Refuse a connection with status 503, because the limit is reached. The client may retry."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close", "code": 1013})
        return
    await send({"type": "websocket.http.response.start", "status": 503, "headers": [(b"retry-after", b"1")]})
    await send({"type": "websocket.http.response.body", "body": b""})


def _stop(task: "asyncio.Task[Any]") -> None:
    task.cancel()


async def _close(sender: AsgiFrameSender, reason: CloseReason) -> None:
    sender.close(reason)
    await sender.closed()


def _text(message: Mapping[str, Any]) -> str | bytes:
    text: str | None = message.get("text")
    if text is not None:
        return text
    found: bytes = message.get("bytes") or b""
    return found


def _desk(connection: Connection) -> str:
    return "pit" if connection.pit else "console"


def _kind(caller: Caller) -> str:
    match caller:
        case TerminalCaller():
            return "terminal"
        case StaffCaller():
            return "staff"
        case Anonymous():
            return "watching"
