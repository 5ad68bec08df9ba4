"""The http_house house of the tests behind a real server on loopback, and people who speak to it over sockets."""

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
SECONDS = 20.0
"""Nothing in these tests takes so long; whoever waits longer waits for nothing."""

_LINES = itertools.count()
"""Counted, so that no two lines use the same request's id: an object's address is used again when it is gone."""


@dataclass
class SocketClient:
    """One end of a socket: messages as they are, in their order."""

    line: ClientConnection
    _number: int = field(default_factory=_LINES.__next__)
    _ids: Iterator[int] = field(default_factory=itertools.count)

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(SECONDS):
            text = await self.line.recv()
        found: dict[str, Any] = msgspec.json.decode(text)
        return found

    async def say(self, do: str, **fields: object) -> str:
        id = f"s{self._number}-{next(self._ids)}"
        await self.line.send(msgspec.json.encode({"id": id, "do": do, **fields}).decode())
        return id

    async def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """The answer; what else comes before it is passed over."""
        return (await self.asked(do, **fields))[-1]

    async def asked(self, do: str, **fields: object) -> list[dict[str, Any]]:
        """Everything that is heard until the answer, which is the last of it."""
        id = await self.say(do, **fields)
        heard = [await self.hear()]
        while heard[-1].get("id") != id:
            heard.append(await self.hear())
        return heard

    async def closed(self) -> tuple[int, str]:
        """How the house closed it; what comes before that is passed over."""
        try:
            async with asyncio.timeout(SECONDS):
                while True:
                    await self.line.recv()
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
        async def patiently() -> Found:
            async with asyncio.timeout(6 * SECONDS):
                return await script

        return self.house.runner.run(patiently())

    @asynccontextmanager
    async def opened(
        self, who: str | None, path: str = f"/api/tables/{ROULETTE}/socket", **headers: str
    ) -> AsyncIterator[SocketClient]:
        """A socket as somebody, before anything was heard on it."""
        if who is not None:
            headers["authorization"] = f"Bearer {self.house.tokens.get(who, who)}"
        address = f"ws://127.0.0.1:{self.port}{path}"
        async with connect(
            address, additional_headers=headers, compression=None, max_size=None, close_timeout=2
        ) as line:
            yield SocketClient(line)

    @asynccontextmanager
    async def at(self, who: str, **more: str) -> AsyncIterator[tuple[SocketClient, SnapshotMessage]]:
        """A socket of a table, and what it was shown first."""
        async with self.opened(who, **more) as spoken:
            shown = msgspec.convert(await spoken.hear(), SnapshotMessage)
            yield spoken, shown


@contextmanager
def socket_house(
    folder: Path,
    settings: Settings = FREE,
    crowd: ConnectionLimits | None = None,
    open_store: Callable[[Path], SqliteStore] = SqliteStore,
) -> Iterator[SocketHouse]:
    with http_house(folder, settings, open_store=open_store) as house:
        staff_house(house)
        play_rounds(house)
        sockets = Sockets(house.service)
        house.house.writer.on_recorded = sockets.on_recorded
        http, ws = protocols(crowd or ConnectionLimits(10_000, 10_000, 10.0))
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
