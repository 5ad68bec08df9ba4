"""A minimal WebSocket client. A full client library would take more time than the server that is measured."""

import asyncio
import base64
import os
import struct
from collections.abc import Callable
from typing import cast

Receiver = Callable[["Socket", bytes], None]
_MASK = bytes(4)
"""A mask of zeros is allowed and does not change the payload, so masking costs no time."""


class Socket(asyncio.Protocol):
    """One WebSocket connection. Calls ``on_message`` for every message."""

    def __init__(self, name: str, path: str, headers: str, on_message: Receiver) -> None:
        self.name, self.on_message = name, on_message
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n"
            f"{headers}\r\n"
        ).encode()
        self._buffer = b""
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport | None = None
        self.sent_at = 0.0
        self.closed = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data if self._buffer else data
        if not self.open.done():
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = head
                return
            if b" 101 " not in head[:16]:
                self.open.set_exception(ConnectionError(head[:200].decode(errors="replace")))
                return
            self.open.set_result(None)
        at, end = 0, len(data)
        while end - at >= 2:
            size, begin = data[at + 1] & 0x7F, at + 2
            if size == 126:
                if end - at < 4:
                    break
                (size,), begin = struct.unpack_from("!H", data, at + 2), at + 4
            elif size == 127:
                if end - at < 10:
                    break
                (size,), begin = struct.unpack_from("!Q", data, at + 2), at + 10
            if end < begin + size:
                break
            opcode = data[at] & 0x0F
            if opcode == 1:
                self.on_message(self, data[begin : begin + size])
            elif opcode == 9:
                self._frame(0x8A, data[begin : begin + size])
            elif opcode == 8:
                self.closed = data[begin + 2 : begin + size].decode(errors="replace") or "closed"
            at = begin + size
        self._buffer = data[at:]

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = self.closed or "lost"

    def send(self, message: bytes) -> None:
        self._frame(0x81, message)

    def _frame(self, first: int, payload: bytes) -> None:
        assert self.transport is not None
        size = len(payload)
        head = bytes([first, 0x80 | size]) if size < 126 else struct.pack("!BBH", first, 0xFE, size)
        self.transport.write(head + _MASK + payload)


async def connect(port: int, name: str, path: str, headers: str, on_message: Receiver) -> Socket:
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(lambda: Socket(name, path, headers, on_message), "127.0.0.1", port)
    await socket.open
    return socket
