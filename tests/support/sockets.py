"""Serves the test house on loopback, and connects WebSocket clients to it."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from roundhouse.floor.feed import TableFeed
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.server.app import build_on
from roundhouse.server.protocol import ConnectionLimits, protocols
from roundhouse.server.settings import Settings
from roundhouse.server.sockets import Sockets
from roundhouse.table.names import TableId
from roundhouse.wire.messages import SnapshotMessage
from tests.support.houses import ROULETTE
from tests.support.http_house import FREE, HttpHouse, http_house, play_rounds, staff_house

Found = TypeVar("Found")
TIMEOUT_SECONDS = 20.0
"""Timeout of a single receive."""

_CLIENT_NUMBERS = itertools.count()
"""Makes request ids unique among all clients."""


@dataclass
class SocketClient:
    """A WebSocket client that returns raw messages in order."""

    connection: ClientConnection
    _number: int = field(default_factory=_CLIENT_NUMBERS.__next__)
    _ids: Iterator[int] = field(default_factory=itertools.count)

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            text = await self.connection.recv()
        found: dict[str, Any] = msgspec.json.decode(text)
        return found

    async def send(self, do: str, **fields: object) -> str:
        id = f"s{self._number}-{next(self._ids)}"
        await self.connection.send(msgspec.json.encode({"id": id, "do": do, **fields}).decode())
        return id

    async def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """Send a request and return its answer. Other messages before it are dropped."""
        return (await self.ask_all(do, **fields))[-1]

    async def ask_all(self, do: str, **fields: object) -> list[dict[str, Any]]:
        """Send a request and return all messages up to and including its answer."""
        id = await self.send(do, **fields)
        received = [await self.receive()]
        while received[-1].get("id") != id:
            received.append(await self.receive())
        return received

    async def closed(self) -> tuple[int, str]:
        """Wait until the server closes the connection, and return the code and reason."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while True:
                    await self.connection.recv()
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd is not None else (0, "")


@dataclass
class SocketHouse:
    house: HttpHouse
    sockets: Sockets
    feeds: dict[TableId, TableFeed]
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, script: Coroutine[Any, Any, Found]) -> Found:
        async def limited() -> Found:
            async with asyncio.timeout(6 * TIMEOUT_SECONDS):
                return await script

        return self.house.runner.run(limited())

    @asynccontextmanager
    async def opened(
        self, caller: str | None, path: str = f"/api/tables/{ROULETTE}/socket", **headers: str
    ) -> AsyncIterator[SocketClient]:
        """Connect with the token of a caller, or anonymously. ``caller`` may also be a token."""
        if caller is not None:
            headers["authorization"] = f"Bearer {self.house.tokens.get(caller, caller)}"
        address = f"ws://127.0.0.1:{self.port}{path}"
        async with connect(
            address, additional_headers=headers, compression=None, max_size=None, close_timeout=2
        ) as connection:
            yield SocketClient(connection)

    @asynccontextmanager
    async def at(self, caller: str, **more: str) -> AsyncIterator[tuple[SocketClient, SnapshotMessage]]:
        """Connect to a table, and yield the client with its first snapshot."""
        async with self.opened(caller, **more) as client:
            snapshot = msgspec.convert(await client.receive(), SnapshotMessage)
            yield client, snapshot


@contextmanager
def socket_house(
    folder: Path,
    settings: Settings = FREE,
    limits: ConnectionLimits | None = None,
    open_store: Callable[[Path], SqliteStore] = SqliteStore,
) -> Iterator[SocketHouse]:
    with http_house(folder, settings, open_store=open_store) as house:
        staff_house(house)
        play_rounds(house)
        sockets = Sockets(house.service)
        house.house.writer.on_recorded = sockets.on_recorded
        http, ws = protocols(limits or ConnectionLimits(10_000, 10_000, 10.0))
        app = build_on(house.service, sockets.routes())
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                port=0,
                http=http,
                ws=ws,
                ws_max_size=settings.message_bytes,
                ws_per_message_deflate=False,
                log_config=None,
                lifespan="off",
            )
        )
        feeds = {id: table.feed for id, table in house.service.floor.tables.items()}
        found = SocketHouse(house, sockets, feeds)

        async def begin() -> "asyncio.Task[None]":
            serving = asyncio.create_task(server.serve())
            while not server.started:
                assert not serving.done()
                await asyncio.sleep(0.005)
            found.port = server.servers[0].sockets[0].getsockname()[1]
            return serving

        async def end(serving: "asyncio.Task[None]") -> None:
            server.should_exit = True
            await serving

        serving = house.runner.run(begin())
        try:
            yield found
        finally:
            house.runner.run(end(serving))
