"""A slow disk delays only the callers whose data it writes.

Every sync of the journal waits until a ping that was sent during it has been answered. A sync on the event loop's
thread, or a lock held during one, would block the server forever. The test does not measure time.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from socket import socket as new_socket
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from roundhouse.config.loading import parse
from roundhouse.config.schema import Guests
from roundhouse.house.terminals import TerminalKey
from roundhouse.people.names import PersonId, Role
from roundhouse.server.process import Assembly, _config
from roundhouse.server.protocol import Server
from roundhouse.table.names import TableId
from tests.support.faulty_disk import faulty_disk

TIMEOUT_SECONDS = 60.0
SYNCS = 25
T = TableId("t")
PASSWORD = "correct horse battery"
TOML = """
[house]
name = "House"
currency = "XXX"
play_money = true
data = "."

[requests]
log_ins_per_minute = 1000

[[tables]]
id = "t"
game = "rws-double-zero"
wheel = "simulated:60"
automatic = true
betting_seconds = 20

[tables.limits]
seat = { min = 1, max = 100000000 }
"""


class Pings:
    """Sends a ping from the event loop for every sync. The sync continues when the ping is answered."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.answered = 0
        self.faults: list[str] = []
        self._loop_thread = threading.get_ident()
        self._wanted: asyncio.Queue[threading.Event] = asyncio.Queue()
        self._waiting: set[threading.Event] = set()

    def wait_for_one(self) -> None:
        """Wait for the answer to a ping. Called in the thread that syncs."""
        if threading.get_ident() == self._loop_thread:
            self.faults.append("the journal was synced in the event loop's thread")
            return
        pong = threading.Event()
        self._waiting.add(pong)
        self.loop.call_soon_threadsafe(self._wanted.put_nowait, pong)
        if not pong.wait(TIMEOUT_SECONDS):
            self.faults.append("no answer while the journal was being synced")

    async def run(self, ask: Callable[[], Awaitable[object]]) -> None:
        while True:
            pong = await self._wanted.get()
            await ask()
            self.answered += 1
            pong.set()

    def stop(self) -> None:
        """Release all syncs that still wait."""
        for pong in self._waiting:
            pong.set()


async def ask(socket: ClientConnection, id: str, do: str, **fields: object) -> dict[str, Any]:
    await socket.send(msgspec.json.encode({"id": id, "do": do, **fields}).decode())
    while True:
        message: dict[str, Any] = msgspec.json.decode(await socket.recv())
        if message.get("id") == id:
            return message


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Assembly, str]]:
    configuration = replace(parse(TOML.encode(), folder / "house.toml"), guests=Guests.LOOPBACK)
    assembly = Assembly(configuration)
    await assembly.start()
    server, bound = Server(_config(configuration, assembly.app)), new_socket()
    bound.bind(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started:
        await asyncio.sleep(0.005)
    try:
        yield assembly, f"ws://127.0.0.1:{bound.getsockname()[1]}/api/tables/{T}/socket"
    finally:
        server.should_exit = True
        await task
        await assembly.running.close("the test has ended")


def test_an_observer_is_answered_during_every_sync_of_the_journal(tmp_path: Path) -> None:
    """An automatic table deals, a Player bets and a Dealer logs in at the same time."""

    async def script() -> None:
        async with serving(tmp_path) as (assembly, url):
            house, clock = assembly.running.house, assembly.running.clock
            found = await house.terminals.guest(T, None, "127.0.0.1", clock.now())
            assert isinstance(found, TerminalKey)
            assert await house.staff.add(None, PersonId("dee"), "Dee", (Role.DEALER,), PASSWORD, clock.now()) is None
            key = {"authorization": f"Bearer {found.key}"}
            async with connect(url) as observer, connect(url, additional_headers=key) as terminal:
                assert (await ask(observer, "w", "watch"))["ok"]
                assert (await ask(terminal, "t", "take_seat", terminal=found.terminal.terminal))["ok"]
                assert (await ask(terminal, "b", "buy_credits", cents=1_000_000))["ok"]
                pings = Pings()

                async def ping() -> None:
                    assert (await ask(observer, f"p{pings.answered}", "ping"))["ok"]

                async def bet() -> None:
                    for number in range(10_000):
                        await ask(terminal, f"bet{number}", "place_bets", bets=[{"position": "red", "cents": 500}])

                async def log_in() -> None:
                    while True:
                        await house.sessions.log_in("dee", PASSWORD, None, clock.now())

                tasks = [asyncio.create_task(work) for work in (pings.run(ping), bet(), log_in())]
                disk.before_sync = pings.wait_for_one
                try:
                    async with asyncio.timeout(TIMEOUT_SECONDS):
                        while pings.answered < SYNCS and not pings.faults:
                            await asyncio.sleep(0.01)
                            for task in tasks:
                                if task.done():
                                    task.result()
                finally:
                    disk.before_sync = lambda: None
                    pings.stop()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                assert pings.faults == []
                assert pings.answered >= SYNCS

    with faulty_disk() as disk:
        asyncio.run(script())
