"""Idle and slow clients do not disturb others. The tests count messages and do not measure time."""

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
from roundhouse.server.settings import Rates
from roundhouse.table.decision import Facts
from roundhouse.table.events import ManualModeEntered
from roundhouse.table.names import SeatId
from tests.support.clocks import START
from tests.support.faulty_store import FaultySqliteStore
from tests.support.houses import ROULETTE
from tests.support.http_house import FREE
from tests.support.sockets import TIMEOUT_SECONDS, SocketHouse, socket_house

BET = [{"position": "red", "cents": 100}]
IDLE_CONNECTIONS = 2000
_HANDSHAKE = (
    f"GET /api/tables/{ROULETTE}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n{}\r\n"
)


def handshake(header: str = "") -> bytes:
    return _HANDSHAKE.format(header).encode()


def publish(house: SocketHouse, times: int) -> None:
    """Publish public changes of about two kilobytes each."""
    feed = house.feeds[ROULETTE]
    for n in range(times):
        event = ManualModeEntered(f"{n:04d}" * 500)
        feed.committed([Entry(Seq(feed.projection.version + 1), Facts(START), None, [event])], {})


def test_a_client_that_does_not_read_is_closed_and_does_not_delay_others(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, unread_bytes=64 * 1024)
    with socket_house(tmp_path, settings) as house, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.setblocking(False)
        house.run(_read_slowly(house, slow))


async def _read_slowly(house: SocketHouse, slow: socket.socket) -> None:
    loop, feed = asyncio.get_running_loop(), house.feeds[ROULETTE]
    await loop.sock_connect(slow, ("127.0.0.1", house.port))
    await loop.sock_sendall(slow, handshake(f"Authorization: Bearer {house.house.tokens['terminal']}\r\n"))
    async with house.at("terminal-2") as (good, snapshot):
        while SeatId("1") not in feed.subscribers.seats:
            await asyncio.sleep(0.01)
        (subscription,) = feed.subscribers.seats[SeatId("1")]
        sender = subscription._connection.sender  # type: ignore[attr-defined]
        received = 0
        while sender.open:
            publish(house, 10)
            # The good client has every change before the next ones are published, so it never waits for the slow one.
            for _ in range(10):
                assert (await good.receive())["public"]["n"] == snapshot.public + received + 1
                received += 1
            assert received < 100_000, "the slow connection is never closed"
        assert (await good.ask("place_bets", bets=BET))["ok"]
        # When the slow client reads again, it finds the reason in the close frame.
        rest = b""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not rest.endswith(b"\x88\x0a\x03\xf5too_slow"):
                chunk = await loop.sock_recv(slow, 1 << 20)
                assert chunk, "closed without the reason"
                rest = rest[-100:] + chunk


def test_thousands_of_idle_connections_are_closed_and_do_not_delay_others(tmp_path: Path) -> None:
    """Connections that send no request, and sockets that do not authenticate."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * IDLE_CONNECTIONS)), hard))
    many = min(IDLE_CONNECTIONS, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 300) // 2)
    settings = msgspec.structs.replace(FREE, silent_seconds=1.0, connections=100_000, connections_per_address=100_000)
    limits = ConnectionLimits(100_000, 100_000, 1.0, frames_per_address=Rates(1e6, 1_000_000))
    with socket_house(tmp_path, settings, limits) as house:

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
            async with house.at("terminal") as (terminal, _), asyncio.timeout(4 * TIMEOUT_SECONDS):
                connections = []
                for n in range(many):
                    connections.append(await silent(n))
                    if n % 100 == 0:
                        assert (await terminal.ask("place_bets", bets=BET))["ok"]
                received = await asyncio.gather(*(ended(*one) for one in connections))
                assert (await terminal.ask("place_bets", bets=BET))["ok"]
                sockets = [one for one in received if b" 101 " in one[:20]]
                assert len(sockets) == len(range(0, many, 4))
                assert all(one.endswith(b"says_nothing") for one in sockets)
                assert all(not one for n, one in enumerate(received) if n % 4), "data without a request"
                assert sum(len(seat) for seat in house.feeds[ROULETTE].subscribers.seats.values()) == 1

        house.run(script())


def test_the_number_of_sockets_per_address_is_limited(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, connections_per_address=3)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal"), house.at("terminal-2"), house.at("dealer"):
                with pytest.raises(InvalidStatus) as full:
                    async with house.at("cashier"):
                        pass
                assert full.value.response.status_code == 503, "clients retry after 503, but not after 403"
            async with house.at("cashier") as (back, _):
                assert (await back.ask("ping"))["ok"]

        house.run(script())


def test_the_oldest_socket_of_a_terminal_is_replaced_and_observers_are_limited(tmp_path: Path) -> None:
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
                    await three.send("watch")
                    assert await three.closed() == (1013, "too_many_connections")

        house.run(script())


def test_requests_with_one_id_count_as_several_unanswered_requests(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(FREE, unanswered=5)
    with socket_house(tmp_path, settings, open_store=FaultySqliteStore) as house:
        store = house.house.store
        assert isinstance(store, FaultySqliteStore)

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                store.gate.clear()
                bets = [{"position": "red", "cents": 100}]
                message = msgspec.json.encode({"id": "same", "do": "place_bets", "bets": bets}).decode()
                for _ in range(40):
                    await terminal.connection.send(message)
                await asyncio.sleep(0.2)
                ((subscription,),) = house.feeds[ROULETTE].subscribers.seats.values()
                connection = subscription._connection  # type: ignore[attr-defined]
                assert sum(connection.waiting.values()) == 5
                store.gate.set()
                for _ in range(40):
                    while (await terminal.receive()).get("id") != "same":
                        pass
                assert (await terminal.ask("ping"))["ok"]
                assert connection.waiting == {}

        house.run(script())


def test_the_number_of_unanswered_requests_of_a_client_is_limited(tmp_path: Path) -> None:
    """The server holds a limited number of requests of a client; it does not read more until they are answered."""
    settings = msgspec.structs.replace(FREE, unanswered=5)
    with socket_house(tmp_path, settings) as house:

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                most_waiting = 0
                feed = house.feeds[ROULETTE]
                committed = feed.committed

                def counted(entries: Sequence[Entry], rounds: Rounds) -> None:
                    nonlocal most_waiting
                    (subscription,) = feed.subscribers.seats[next(iter(feed.subscribers.seats))]
                    most_waiting = max(most_waiting, len(subscription._connection.waiting))  # type: ignore[attr-defined]
                    committed(entries, rounds)

                house.house.service.floor.tables[ROULETTE].queue.on_committed = counted  # type: ignore[attr-defined]
                for n in range(60):
                    bets = [{"position": "red", "cents": 100}]
                    await terminal.connection.send(
                        msgspec.json.encode({"id": f"w{n}", "do": "place_bets", "bets": bets}).decode()
                    )
                ids: list[str] = []
                while len(ids) < 60:
                    if "id" in (message := await terminal.receive()):
                        ids.append(message["id"])
                assert ids == [f"w{n}" for n in range(60)]
                assert 0 < most_waiting <= 5

        house.run(script())
