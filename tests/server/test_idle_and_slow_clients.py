"""Many who say nothing, and some who do not listen: nobody else notices. Everything is counted, nothing is timed."""

import asyncio
import resource
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from websockets.exceptions import InvalidStatus

from roundhouse.floor.batch import Rounds
from roundhouse.journal.entry import Entry, Seq
from roundhouse.server.protocol import ConnectionLimits
from roundhouse.table.decision import Facts
from roundhouse.table.events import ManualModeEntered
from roundhouse.table.names import SeatId
from tests.support.clocks import START
from tests.support.houses import ROULETTE
from tests.support.http_house import FREE
from tests.support.sockets import SECONDS, SocketHouse, socket_house

BET = [{"position": "red", "cents": 100}]
SILENT = 2000
_HANDSHAKE = (
    f"GET /api/tables/{ROULETTE}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n{}\r\n"
)


def handshake(header: str = "") -> bytes:
    return _HANDSHAKE.format(header).encode()


def tell(house: SocketHouse, times: int) -> None:
    """So many public changes, of some kilobytes each."""
    feed = house.feeds[ROULETTE]
    for n in range(times):
        event = ManualModeEntered(f"{n:04d}" * 500)
        feed.committed([Entry(Seq(feed.projection.version + 1), Facts(START), None, [event])], {})


def test_who_does_not_read_is_closed_and_delays_nobody(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, unread_bytes=64 * 1024)
    with socket_house(tmp_path, settings) as house, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.setblocking(False)
        house.run(_read_slowly(house, slow))


async def _read_slowly(house: SocketHouse, slow: socket.socket) -> None:
    loop, feed = asyncio.get_running_loop(), house.feeds[ROULETTE]
    await loop.sock_connect(slow, ("127.0.0.1", house.port))
    await loop.sock_sendall(slow, handshake(f"Authorization: Bearer {house.house.tokens['terminal']}\r\n"))
    async with house.at("terminal-2") as (good, shown):
        while SeatId("1") not in feed.subscribers.seats:
            await asyncio.sleep(0.01)
        (ear,) = feed.subscribers.seats[SeatId("1")]
        outlet = ear._connection.sender  # type: ignore[attr-defined]
        heard = 0
        while outlet.open:
            tell(house, 10)
            # Whoever reads has every change before the next ones are made: nothing waits for the slow one.
            for _ in range(10):
                assert (await good.hear())["public"]["n"] == shown.public + heard + 1
                heard += 1
            assert heard < 100_000, "it is never closed"
        assert (await good.ask("place_bets", bets=BET))["ok"]
        # When it reads at last, it finds out why.
        rest = b""
        async with asyncio.timeout(SECONDS):
            while not rest.endswith(b"\x88\x0a\x03\xf5too_slow"):
                chunk = await loop.sock_recv(slow, 1 << 20)
                assert chunk, "it was not told why"
                rest = rest[-100:] + chunk


def test_thousands_who_say_nothing(tmp_path: Path) -> None:
    """Connections that never ask, and sockets that never say who they are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * SILENT)), hard))
    many = min(SILENT, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 300) // 2)
    settings = msgspec.structs.replace(FREE, silent_seconds=1.0, connections=100_000, connections_per_address=100_000)
    with socket_house(tmp_path, settings, ConnectionLimits(100_000, 100_000, 1.0)) as house:

        async def silent(n: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            if n % 4 == 0:
                writer.write(handshake())
            return reader, writer

        async def ended(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
            found = b""
            try:
                while not found.endswith(b"says_nothing") and (more := await reader.read(4096)):
                    found += more
                return found
            except ConnectionError:
                return found
            finally:
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()

        async def script() -> None:
            async with house.at("terminal") as (terminal, _), asyncio.timeout(4 * SECONDS):
                crowd = []
                for n in range(many):
                    crowd.append(await silent(n))
                    if n % 100 == 0:
                        assert (await terminal.ask("place_bets", bets=BET))["ok"]
                said = await asyncio.gather(*(ended(*one) for one in crowd))
                assert (await terminal.ask("place_bets", bets=BET))["ok"]
                told = [one for one in said if b" 101 " in one[:20]]
                assert len(told) == len(range(0, many, 4))
                assert all(one.endswith(b"says_nothing") for one in told)
                assert all(not one for n, one in enumerate(said) if n % 4), "who has not asked is told nothing"
                assert sum(len(room) for room in house.feeds[ROULETTE].subscribers.seats.values()) == 1

        house.run(script())


def test_sockets_of_one_address_are_counted(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, connections_per_address=3)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal"), house.at("terminal-2"), house.at("dealer"):
                with pytest.raises(InvalidStatus) as full:
                    async with house.at("cashier"):
                        pass
                assert full.value.response.status_code == 503, "a client comes back by itself; after 403 it does not"
            async with house.at("cashier") as (back, _):
                assert (await back.ask("ping"))["ok"]

        house.run(script())


def test_a_terminals_oldest_socket_makes_room_and_watchers_are_bounded(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, sockets_per_caller=2, observers=2)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal") as (oldest, _), house.at("terminal") as (older, _), house.at("terminal-2"):
                async with house.at("terminal") as (newest, _):
                    assert await oldest.closed() == (1013, "too_many_connections")
                    assert (await older.ask("ping"))["ok"]
                    assert (await newest.ask("ping"))["ok"]
                async with house.opened(None) as one, house.opened(None) as two, house.opened(None) as three:
                    assert (await one.ask("watch"))["ok"]
                    assert (await two.ask("watch"))["ok"]
                    await three.say("watch")
                    assert await three.closed() == (1013, "too_many_connections")

        house.run(script())


def test_requests_that_wait_for_their_answers_are_bounded(tmp_path: Path) -> None:
    """Nobody can make the house hold more than so many of his requests: the rest waits with him."""
    settings = msgspec.structs.replace(FREE, unanswered=5)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                most = 0
                feed = house.feeds[ROULETTE]
                landed = feed.committed

                def counted(entries: Sequence[Entry], rounds: Rounds) -> None:
                    nonlocal most
                    (ear,) = feed.subscribers.seats[next(iter(feed.subscribers.seats))]
                    most = max(most, len(ear._connection.waiting))  # type: ignore[attr-defined]
                    landed(entries, rounds)

                house.house.service.floor.tables[ROULETTE].queue.on_committed = counted  # type: ignore[attr-defined]
                for n in range(60):
                    bets = [{"position": "red", "cents": 100}]
                    await terminal.line.send(
                        msgspec.json.encode({"id": f"w{n}", "do": "place_bets", "bets": bets}).decode()
                    )
                ids: list[str] = []
                while len(ids) < 60:
                    if "id" in (heard := await terminal.hear()):
                        ids.append(heard["id"])
                assert ids == [f"w{n}" for n in range(60)]
                assert 0 < most <= 5

        house.run(script())
