"""Sockets: ``/api/tables/{table}/socket`` and ``/api/pit/socket``. Who is let in, who stays, who has to go.

Who somebody is comes from a cookie or a key, and never from what he asks. Whoever has not said who he is by a
certain time is closed; whoever may not stay any more is closed when that is known, and not when he next asks.
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

from roundhouse.floor.table import TableAccess
from roundhouse.logs import log_bug
from roundhouse.people import events as e
from roundhouse.people.events import HouseEntry
from roundhouse.server.auth import Anonymous, Caller, StaffCaller, TerminalCaller, deny_socket
from roundhouse.server.connection import Connection
from roundhouse.server.context import ServerContext
from roundhouse.server.limits import rate_limit_key
from roundhouse.server.protocol import DIRECT_HANDLER
from roundhouse.server.requests import pit_desk
from roundhouse.server.sender import AsgiFrameSender
from roundhouse.server.sender import Send as OutletSend
from roundhouse.table.names import TableId
from roundhouse.wire.messages import Authenticate, CloseReason, DoneMessage, FromClient, HouseMessage, Observe
from roundhouse.wire.problems import ErrorCode

POLL_SECONDS = 1.0
"""How often it is looked whether everybody may still be there: terms end and consoles lock by the clock alone."""
_STAFF_BYTES = 16
_DESK = (e.AlertRaised, e.AlertAcknowledged, e.Proposed, e.ProposalApproved, e.ProposalRejected)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(FromClient).decode


class Sockets:
    """All sockets of one house. ``recorded`` is for the house's chain; ``look`` runs beside the server."""

    def __init__(self, service: ServerContext) -> None:
        self._service = service
        self._connections: set[Connection] = set()
        self._of: dict[str | None, list[Connection]] = {}
        """Those of one terminal or session, the oldest first; of nobody, who only watch."""
        self._of_address: Counter[str] = Counter()

    def routes(self) -> list[BaseRoute]:
        return [
            WebSocketRoute("/api/tables/{table}/socket", _Endpoint(self, pit=False)),
            WebSocketRoute("/api/pit/socket", _Endpoint(self, pit=True)),
        ]

    async def look(self) -> None:
        """For as long as the house is open."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self._look()

    def recorded(self, entries: Sequence[HouseEntry]) -> None:
        """Called by the house's writer, in the loop that serves the sockets."""
        self._look()
        if any(isinstance(entry.event, _DESK) for entry in entries):
            self._tell_desk([connection for connection in self._connections if connection.pit])

    def _look(self) -> None:
        for connection in tuple(self._connections):
            if (why := connection.recheck_access()) is not None:
                connection.sender.close(why)

    def _tell_desk(self, connections: Sequence[Connection]) -> None:
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
        full = self._of_address[network] >= settings.connections_per_address
        caller = self._service.caller(headers)
        if not tables:
            await send({"type": "websocket.close", "code": 1008})
            return
        if full or self._of_address.total() >= settings.connections:
            await _busy(scope, send)
            return
        # Who shows nothing may say who he is; who shows a key that nobody has is not let in.
        shows = not isinstance(caller, Anonymous) or "authorization" in headers
        if shows and not await self._let_in(caller, tables, pit, address):
            await send({"type": "websocket.close", "code": 1008})
            return
        await send({"type": "websocket.accept"})
        self._of_address[network] += 1
        try:
            await self._hold(scope, receive, send, tables, pit, caller, address)
        finally:
            self._of_address[network] -= 1
            if not self._of_address[network]:
                del self._of_address[network]

    def _tables(self, scope: Scope, pit: bool) -> Mapping[TableId, TableAccess]:
        found = {id: table for id, table in self._service.floor.tables.items() if not table.feed.failed}
        if pit:
            return found
        id = TableId(scope["path_params"]["table"])
        return {id: found[id]} if id in found else {}

    async def _let_in(self, caller: Caller, tables: Mapping[TableId, TableAccess], pit: bool, address: str) -> bool:
        """Whether somebody who has shown who he is may be here; if not, that is on record."""
        stranger = ErrorCode.NOT_LOGGED_IN if isinstance(caller, Anonymous) else None
        problem = stranger or next((found for id in tables if (found := deny_socket(caller, id, pit))), None)
        if problem is None:
            return True
        await self._service.note_refusal("pit_socket" if pit else "socket", problem.value, caller, address)
        return False

    async def _hold(
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
        outlet = AsgiFrameSender(cast(OutletSend, send), self._service.settings.unread_bytes, partial(_stop, main))
        connection: Connection | None = None
        try:
            if isinstance(caller, Anonymous):
                said = await self._first(receive, outlet, tables, pit, address)
                if said is None:
                    return
                caller = said
            outlet.max_bytes *= _STAFF_BYTES if isinstance(caller, StaffCaller) else 1
            connection = Connection(self._service, tables, pit, caller, outlet, address)
            self._begin(connection, tables)
            if outlet.open:
                scope[DIRECT_HANDLER] = connection.try_handle
            await self._read(receive, connection)
        except asyncio.CancelledError:
            # Either the server ends, or the outlet has: then everything was said.
            if outlet.open:
                raise
            main.uncancel()
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            outlet.close(CloseReason.OUR_OWN_BUG)
            await outlet.closed()
        finally:
            scope.pop(DIRECT_HANDLER, None)
            outlet.end()
            if connection is not None:
                self._end(connection, tables)

    def _begin(self, connection: Connection, tables: Mapping[TableId, TableAccess]) -> None:
        if (why := connection.recheck_access()) is not None:
            connection.sender.close(why)
            return
        self._make_room(connection.owner_id)
        self._connections.add(connection)
        self._of.setdefault(connection.owner_id, []).append(connection)
        connection.begin()
        if connection.pit:
            self._tell_desk([connection])
        for id in tables:
            self._service.metrics.connected.add(id, _kind(connection.caller))

    def _make_room(self, of: str | None) -> None:
        """A client that comes back may have left a line that nobody has found dead yet: the oldest goes."""
        if of is not None:
            same = self._of.get(of, [])
            for one in same[: len(same) + 1 - self._service.settings.of_one]:
                one.sender.close(CloseReason.TOO_MANY_CONNECTIONS)

    def _end(self, connection: Connection, tables: Mapping[TableId, TableAccess]) -> None:
        connection.end()
        if connection in self._connections:
            self._connections.discard(connection)
            same = self._of[connection.owner_id]
            same.remove(connection)
            if not same:
                del self._of[connection.owner_id]
            for id in tables:
                self._service.metrics.connected.add(id, _kind(connection.caller), by=-1)

    async def _first(
        self, receive: Receive, outlet: AsgiFrameSender, tables: Mapping[TableId, TableAccess], pit: bool, address: str
    ) -> Caller | None:
        """Who shows his key now, or says that he only watches; nothing of anybody else."""
        try:
            async with asyncio.timeout(self._service.settings.silent_seconds):
                message = await receive()
        except TimeoutError:
            await _turn_away(outlet, CloseReason.SAYS_NOTHING)
            return None
        if message["type"] != "websocket.receive":
            return None
        try:
            said = _decode(_text(message))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            said = None
        caller: Caller = Anonymous()
        match said:
            case Authenticate(key=key) if not self._service.throttle(address, 1, knocks=False):
                caller = self._service.caller({"authorization": f"Bearer {key}"})
        watches = isinstance(said, Observe) and not pit
        if watches and len(self._of.get(None, ())) >= self._service.settings.watching:
            await _turn_away(outlet, CloseReason.TOO_MANY_CONNECTIONS)
            return None
        if not watches and not await self._let_in(caller, tables, pit, address):
            await _turn_away(
                outlet, CloseReason.NOT_LOGGED_IN if isinstance(caller, Anonymous) else CloseReason.NOT_AUTHORISED
            )
            return None
        assert said is not None
        outlet.write(_encode(DoneMessage(said.id, True, self._service.clock())).decode())
        return caller

    async def _read(self, receive: Receive, connection: Connection) -> None:
        most = self._service.settings.message_bytes
        while connection.sender.open:
            message = await receive()
            if message["type"] != "websocket.receive":
                return
            text = _text(message)
            if len(text) > most or (isinstance(text, str) and not text.isascii() and len(text.encode()) > most):
                connection.sender.close(CloseReason.TOO_LARGE)
                continue
            await connection.handle(text)
        # Closed: what is still being said is said before the server hangs up.
        while (await receive())["type"] == "websocket.receive":
            pass


class _Endpoint:
    def __init__(self, sockets: Sockets, pit: bool) -> None:
        self._sockets, self._pit = sockets, pit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sockets.serve(scope, receive, send, self._pit)


async def _busy(scope: Scope, send: Send) -> None:
    """No room now: that is not a refusal of whoever asks, and he may come back."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close", "code": 1013})
        return
    await send({"type": "websocket.http.response.start", "status": 503, "headers": [(b"retry-after", b"1")]})
    await send({"type": "websocket.http.response.body", "body": b""})


def _stop(task: "asyncio.Task[Any]") -> None:
    task.cancel()


async def _turn_away(outlet: AsgiFrameSender, why: CloseReason) -> None:
    outlet.close(why)
    await outlet.closed()


def _text(message: Mapping[str, Any]) -> str | bytes:
    text: str | None = message.get("text")
    if text is not None:
        return text
    found: bytes = message.get("bytes") or b""
    return found


def _kind(caller: Caller) -> str:
    match caller:
        case TerminalCaller():
            return "terminal"
        case StaffCaller():
            return "staff"
        case Anonymous():
            return "watching"
