"""The abuse of ``benchmarks.strangers``, in another process: floods one server from one address for some seconds.

Arguments: the kind, the port, the path of a socket, the seconds, and the token of a terminal.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter

import uvloop

CONNECTIONS = 4
_MASK = bytes(4)
_FRAMES = {
    "pong frames": b"\x8a\x80" + _MASK,
    "ping frames": b"\x89\x80" + _MASK,
    "empty continuation frames": b"\x00\x80" + _MASK,
}
_LOG_IN = b'{"name":"dee","password":"a wrong password"}'


class Target:
    """The server under attack."""

    def __init__(self, port: int, path: str, seconds: float, token: str) -> None:
        self.port, self.path, self.token = port, path, token
        self._until = perf_counter() + seconds

    @property
    def over(self) -> bool:
        return perf_counter() >= self._until

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def open_socket(self, token: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.connect()
        credentials = f"Authorization: Bearer {token}\r\n" if token else ""
        writer.write(
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{credentials}\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        return reader, writer


async def _drop(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        while await reader.read(65_536):
            pass


async def _flood(target: Target, first: bytes, data: bytes, token: str = "") -> None:
    """Send data as fast as the server reads it. Connect again when it closes the connection."""
    while not target.over:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await target.open_socket(token)
            reading = asyncio.create_task(_drop(reader))
            writer.write(first)
            while not target.over and not reading.done():
                writer.write(data)
                with suppress(TimeoutError):
                    await asyncio.wait_for(writer.drain(), 0.5)
            reading.cancel()
            writer.close()
        await asyncio.sleep(0.01)


def _text(message: bytes) -> bytes:
    return bytes((0x81, 0x80 | len(message))) + _MASK + message


async def frames(target: Target, kind: str) -> None:
    watch = _text(b'{"id":"w","do":"watch"}')
    opening = b"\x01\x80" + _MASK if kind == "empty continuation frames" else b""
    await _flood(target, watch + opening, _FRAMES[kind] * 1000)


async def refused_bets(target: Target, _: str) -> None:
    bets = [_text(b'{"id":"r%d","do":"place_bets","bets":[{"position":"x","cents":1}]}' % n) for n in range(200)]
    await _flood(target, b"", b"".join(bets), target.token)


async def connections(target: Target, _: str) -> None:
    while not target.over:
        with suppress(OSError):
            _, writer = await target.connect()
            writer.write(b"GET / HTTP/1.1\r\n")
            writer.close()


async def slow_heads(target: Target, _: str) -> None:
    while not target.over:
        with suppress(OSError):
            opened = [await target.connect() for _ in range(100)]
            while not target.over:
                for _, writer in opened:
                    writer.write(b"G")
                await asyncio.sleep(0.05)
            for _, writer in opened:
                writer.close()


async def _requests(target: Target, head: bytes, body: bytes) -> None:
    while not target.over:
        with suppress(OSError):
            reader, writer = await target.connect()
            reading = asyncio.create_task(_drop(reader))
            while not target.over and not reading.done():
                writer.write(head + body)
                with suppress(TimeoutError):
                    await asyncio.wait_for(writer.drain(), 0.5)
                await asyncio.sleep(0)
            reading.cancel()
            writer.close()


def _head(length: int) -> bytes:
    return (
        b"POST /api/log-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % length
    )


async def big_bodies(target: Target, _: str) -> None:
    await _requests(target, _head(65_000), b" " * 65_000)


async def tiny_chunks(target: Target, _: str) -> None:
    head = b"POST /api/log-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    await _requests(target, head + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 10_000 + b"0\r\n\r\n")


async def log_ins(target: Target, _: str) -> None:
    await _requests(target, _head(len(_LOG_IN)), _LOG_IN)


KINDS: dict[str, Callable[[Target, str], Awaitable[None]]] = {
    **dict.fromkeys(_FRAMES, frames),
    "new connections": connections,
    "slow heads": slow_heads,
    "big bodies": big_bodies,
    "tiny chunks": tiny_chunks,
    "log-ins": log_ins,
    "refused bets": refused_bets,
}


async def main() -> None:
    kind, port, path, seconds, token = sys.argv[1:]
    target = Target(int(port), path, float(seconds), token)
    await asyncio.gather(*(KINDS[kind](target, kind) for _ in range(CONNECTIONS)))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
