"""A flood of frames, chunks, requests or connections is closed at a running house, and others are served."""

import asyncio
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from roundhouse.server.limits import AddressBuckets
from roundhouse.server.protocol import ConnectionLimits
from roundhouse.server.settings import Rates
from tests.server.test_metering import FRAMES, MASK, frame
from tests.support.sockets import TIMEOUT_SECONDS, SocketHouse, socket_house

BET = [{"position": "red", "cents": 100}]
LIMITS = ConnectionLimits(1000, 1000, 10.0, frames=Rates(100.0, 200), debt_seconds=0.5)
OPENING = {"empty continuation": b"\x01\x80" + MASK}


async def flood(house: SocketHouse, kind: str) -> None:
    """Send frames of one kind as a spectator, until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    writer.write(
        b"GET /api/tables/roulette-1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    writer.write(frame(b'{"do":"watch","id":"o"}'))
    assert b'"ok":true' in await reader.read(65_536), "the spectator is accepted"
    writer.write(OPENING.get(kind, b""))
    reading = asyncio.create_task(_until_closed(reader))
    while not reading.done():
        writer.write(FRAMES[kind] * 500)
        with suppress(ConnectionError):
            await writer.drain()
        await asyncio.sleep(0)
    writer.close()


async def _until_closed(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        while await reader.read(65_536):
            pass


@pytest.mark.parametrize("kind", FRAMES)
def test_a_flood_of_frames_is_closed_while_others_are_served(tmp_path: Path, kind: str) -> None:
    with socket_house(tmp_path, limits=LIMITS) as house:

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                flooding = asyncio.create_task(flood(house, kind))
                while not flooding.done():
                    assert (await terminal.ask("place_bets", bets=BET))["ok"]
                    await asyncio.sleep(0.02)
                await flooding
                assert (await terminal.ask("place_bets", bets=BET))["ok"]

        house.run(script())


def test_a_player_may_send_four_hundred_messages_at_once(tmp_path: Path) -> None:
    """The house's own limit on messages delays the rest. The meter does not close the connection."""
    with socket_house(tmp_path) as house:

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                ids = [await terminal.send("place_bets", bets=BET) for _ in range(420)]
                answered: list[str] = []
                while len(answered) < len(ids):
                    message = await terminal.receive()
                    if message.get("id") is not None:
                        answered.append(message["id"])
                assert answered == ids

        house.run(script())


def test_a_body_in_tiny_chunks_is_read_slowly_and_closed(tmp_path: Path) -> None:
    with socket_house(tmp_path, limits=LIMITS) as house:

        async def script() -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            writer.write(
                b"POST /api/log-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 60_000
            )
            async with house.at("terminal") as (terminal, _):
                ended = asyncio.create_task(reader.read())
                while not ended.done():
                    assert (await terminal.ask("place_bets", bets=BET))["ok"]
                    await asyncio.sleep(0.02)
                with pytest.raises(ConnectionError):
                    await ended
            writer.close()

        house.run(script())


def test_a_client_that_ignores_429_is_read_slowly_and_closed(tmp_path: Path) -> None:
    with socket_house(tmp_path, limits=LIMITS) as house:
        house.house.service._request_buckets = AddressBuckets(Rates(0.001, 2), 10)

        async def script() -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            writer.write(b"GET /api/house HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 500)
            received = bytearray()
            with suppress(ConnectionError):
                while more := await reader.read(65_536):
                    received += more
            writer.close()
            assert received.count(b"HTTP/1.1 200") <= 2
            assert 1 <= received.count(b"HTTP/1.1 429") < 40

        house.run(script())


def test_connections_beyond_the_rate_of_an_address_are_reset(tmp_path: Path) -> None:
    limits = ConnectionLimits(1000, 1000, 10.0, frames_per_address=Rates(20.0, 200))
    with socket_house(tmp_path, limits=limits) as house:

        async def attempt() -> bool:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            try:
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                return (await reader.read()).startswith(b"HTTP/1.1")
            except ConnectionError:
                return False
            finally:
                writer.close()

        async def script() -> None:
            async with house.at("terminal") as (terminal, _):
                served = [await attempt() for _ in range(40)]
                assert served[0], "an address may open some connections"
                assert not all(served), "and not any number of them"
                assert (await terminal.ask("place_bets", bets=BET))["ok"]

        house.run(script())


def test_a_connection_is_read_on_after_a_request_with_a_body(tmp_path: Path) -> None:
    """Head and body arrive together and are parsed in two slices. Reading pauses in between, and must go on."""
    with socket_house(tmp_path) as house:

        async def script() -> list[int]:
            async with httpx.AsyncClient(base_url=house.url, timeout=TIMEOUT_SECONDS) as client:
                body = {"name": "nobody", "password": "wrong", "program": True}
                return [(await client.post("/api/log-in", json=body)).status_code for _ in range(3)]

        assert house.run(script()) == [401] * 3
