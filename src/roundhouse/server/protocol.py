"""The transport: uvicorn's protocols with connection limits, and a sender of frames that never blocks.

This is the only module that uses private parts of uvicorn, which is pinned to one minor version. A test checks every
attribute used here, so that an incompatible upgrade fails in that test.
"""

import asyncio
import logging
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

import h11
import uvicorn
from msgspec import Struct
from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from roundhouse.logs import log
from roundhouse.server.limits import AddressBuckets, ConnectionCount, rate_limit_key
from roundhouse.server.metering import CONNECTION_COST, COST, REQUEST_COST, FrameCutter, Meter, MeteredReader, cut_http
from roundhouse.server.settings import Rates, Settings
from roundhouse.wire.messages import CODES, POLICY, CloseReason


class ConnectionLimits(Struct, frozen=True):
    """Limits on open connections."""

    total: int
    per_address: int
    silent_seconds: float
    """Timeout for the first request of a connection."""
    frames: Rates = Settings().frames
    frames_per_address: Rates = Settings().frames_per_address
    debt_seconds: float = Settings().debt_seconds
    addresses: int = Settings().addresses
    """Number of addresses whose rate is remembered."""


DIRECT_HANDLER: Final = "roundhouse.direct_handler"
"""Key of the ASGI scope under which a socket's endpoint stores a handler for whole messages.

The handler returns True if it handled the message. Otherwise the message is delivered by ``receive``.
"""

DIRECT_SENDER: Final = "roundhouse.direct_sender"
"""Key of the ASGI scope under which the protocol stores a ``SendNow`` of the connection."""

SendNow = Callable[[str], bool]
"""Sends a text message and returns True. Returns False if the client does not read or the connection is closing."""


class Server(uvicorn.Server):
    """A uvicorn server without signal handlers. ``process`` handles signals, to finish rounds before shutdown."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def protocols(limits: ConnectionLimits) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """Create the protocol classes of one server. A connection starts as HTTP and may be upgraded to a socket."""
    count = ConnectionCount()
    addresses = AddressBuckets(limits.frames_per_address, limits.addresses)

    class Http(H11Protocol):
        _silence_timer: asyncio.TimerHandle | None = None
        _reader: MeteredReader | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            address = self._address()
            too_many = count.add(address) > limits.per_address or count.total > limits.total
            if too_many or addresses.take(address, self.loop.time(), CONNECTION_COST):
                transport.abort()
            else:
                self._start_timeout()

        def data_received(self, data: bytes) -> None:
            # Created here, because many connections are reset or never send anything.
            reader = self._reader = self._reader or MeteredReader(
                self.transport,
                Meter(limits.frames, addresses, self._address(), self.loop.time()),
                cut_http,
                self._parse,
                is_blocked=self._is_blocked,
                max_debt_seconds=limits.debt_seconds,
                on_debt=self._close_in_debt,
            )
            reader.receive(data)

        def _parse(self, data: bytes) -> bool:
            """Parse bytes, and return whether the head of a request is incomplete."""
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._cancel_timeout()
                return False
            if self._silence_timer is None:
                # The client has sent a part of the request's head. Limit the time for the rest.
                self._start_timeout()
            return True

        def on_response_complete(self) -> None:
            if self._reader is not None:
                self._reader.charge(self.scope.get(COST, REQUEST_COST))  # type: ignore[arg-type]
            super().on_response_complete()
            if self._reader is not None:
                self._reader.unblock()

        def _is_blocked(self) -> bool:
            """Return whether a request was received and not answered. Pipelined requests wait."""
            waits = self.cycle is not None and not self.cycle.response_complete
            return waits and self.conn.their_state is not h11.SEND_BODY

        def connection_lost(self, exc: Exception | None) -> None:
            if self._reader is not None:
                self._reader.end()
            self._cancel_timeout()
            count.remove(self._address())
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            # The connection still counts. ``Socket.connection_lost`` removes it from the count.
            if self._reader is not None:
                self._reader.end()
            self._cancel_timeout()
            super().handle_websocket_upgrade(event)

        def _close_in_debt(self) -> None:
            log("connection_too_fast", logging.WARNING, address=self._address())
            self.transport.abort()

        def _start_timeout(self) -> None:
            self._silence_timer = self.loop.call_later(limits.silent_seconds, self.transport.abort)

        def _cancel_timeout(self) -> None:
            if self._silence_timer is not None:
                self._silence_timer.cancel()
                self._silence_timer = None

        def _address(self) -> str:
            return rate_limit_key(self.client[0] if self.client else "")

    class Socket(WebSocketsSansIOProtocol):
        _reader: MeteredReader
        _cutter: FrameCutter

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self._cutter = FrameCutter()
            self._reader = MeteredReader(
                self.transport,
                Meter(limits.frames, addresses, self._address(), self.loop.time()),
                self._cutter,
                super().data_received,
                is_blocked=self._is_blocked,
                max_debt_seconds=limits.debt_seconds,
                on_debt=self._close_in_debt,
            )

        def data_received(self, data: bytes) -> None:
            reader, size = self._reader, len(data)
            # Most messages are one whole frame. It is charged here, because every bet runs through this method.
            if reader.spare > 0 and size > 5 and not reader.backlog and self._cutter.between_frames:
                length = data[1] & 0x7F
                if size == 6 + length if length < 126 else length == 126 and size == 8 + (data[2] << 8 | data[3]):
                    reader.spare -= 1 + (size >> 10)
                    super().data_received(data)
                    return
            if self.handshake_initiated:
                reader.receive(data)
            else:
                # The head of the HTTP request, which ``Http`` has metered.
                super().data_received(data)

        async def receive(self) -> ASGIReceiveEvent:
            message = await super().receive()
            self._reader.unblock()
            return message

        def _is_blocked(self) -> bool:
            return self.read_paused

        def _close_in_debt(self) -> None:
            log("socket_too_fast", logging.WARNING, address=self._address())
            if not self.close_sent:
                self.conn.fail(CODES[CloseReason.TOO_FAST], CloseReason.TOO_FAST.value)
                self.transport.write(b"".join(self.conn.data_to_send()))
                self.close_sent = True
            self.transport.close()

        def _address(self) -> str:
            return rate_limit_key(self.client[0] if self.client else "")

        def handle_connect(self, event: Request) -> None:
            super().handle_connect(event)
            if not self.close_sent and not self.conn.extensions:
                self.scope[DIRECT_SENDER] = self._send_now  # type: ignore[typeddict-unknown-key]

        def _send_now(self, text: str) -> bool:
            """Write an unmasked text frame (RFC 6455, section 5.2) to the transport. See ``SendNow``."""
            # A coroutine and an ASGI message for each frame would be several times slower.
            if self.disconnected or self.conn.state is not State.OPEN or not self.writable.is_set():
                return False
            payload = text.encode()
            size = len(payload)
            if size < 126:
                header = bytes((0x81, size))
            else:
                header = b"\x81\x7e" + size.to_bytes(2) if size < 1 << 16 else b"\x81\x7f" + size.to_bytes(8)
            self.transport.write(header + payload)
            return True

        def connection_lost(self, exc: Exception | None) -> None:
            self._reader.end()
            count.remove(self._address())
            super().connection_lost(exc)

        def send_receive_event_to_app(self) -> None:
            # Call the handler directly, because a queue and a task switch would double the cost of a message.
            handle: Callable[[bytes], bool] | None = self.scope.get(DIRECT_HANDLER)  # type: ignore[assignment]
            if handle is None or len(self.frames) != 1 or self.close_sent or not self.queue.empty():
                super().send_receive_event_to_app()
            elif handle(self.frames[0]):
                self.frames = []
            else:
                super().send_receive_event_to_app()

    return Http, Socket


def connection_limits(settings: Settings, behind_proxy: bool) -> ConnectionLimits:
    """Build the limits. Behind a proxy there is no limit per address, because all connections have the proxy's."""
    total = settings.connections
    return ConnectionLimits(
        total,
        total if behind_proxy else settings.connections_per_address,
        settings.silent_seconds,
        settings.frames,
        _UNLIMITED if behind_proxy else settings.frames_per_address,
        settings.debt_seconds,
        settings.addresses,
    )


_UNLIMITED: Final = Rates(per_second=1e12, at_once=1_000_000_000_000)


CLOSING_SECONDS = 5.0
"""Timeout for sending the close frame to a client that may not be reading."""


class FrameSender(Protocol):
    """Sends frames to one client. ``AsgiFrameSender`` implements this protocol."""

    def write(self, frame: str) -> None:
        """Send a frame, or buffer it until the client reads. Never blocks."""

    def close(self, reason: CloseReason) -> None:
        """Close the connection. Buffered frames are dropped."""

    @property
    def open(self) -> bool: ...


Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]
"""The ``send`` function of an ASGI server. It must be a coroutine function, so that ``write`` can start it."""


class AsgiFrameSender:
    """Sends frames with an ASGI server's ``send``. Calls ``on_closed`` once when the connection has ended.

    If the server has a ``send_now``, most frames are sent with it.
    """

    def __init__(
        self, send: Send, max_bytes: int, on_closed: Callable[[], None], send_now: SendNow = lambda _: False
    ) -> None:
        self._send, self._send_now, self._on_closed = send, send_now, on_closed
        self.max_bytes = max_bytes
        self._buffer: deque[str] = deque()
        self._buffered_bytes = 0
        self._draining: asyncio.Task[None] | None = None
        """The task that sends the buffer. None while the buffer is empty."""
        self._closing: asyncio.Task[None] | None = None
        self.open = True

    def write(self, frame: str) -> None:
        if not self.open:
            return
        if self._draining is not None:
            self._append(frame)
            return
        if self._send_now(frame):
            return
        # If the server accepts the frame in the first step of the coroutine, no task is needed.
        sending = self._send({"type": "websocket.send", "text": frame})
        try:
            pending = sending.send(None)
        except StopIteration:
            return
        except Exception:
            self._stop()
            return
        self._draining = asyncio.get_running_loop().create_task(self._drain(sending, pending))

    def _append(self, frame: str) -> None:
        self._buffer.append(frame)
        self._buffered_bytes += len(frame)
        if self._buffered_bytes > self.max_bytes:
            self.close(CloseReason.TOO_SLOW)

    async def _drain(self, started: Coroutine[Any, Any, None], pending: object) -> None:
        try:
            await _continue(started, pending)
            while self._buffer:
                frame = self._buffer.popleft()
                self._buffered_bytes -= len(frame)
                await self._send({"type": "websocket.send", "text": frame})
        except Exception:
            self._stop()
        finally:
            self._draining = None

    def close(self, reason: CloseReason) -> None:
        if self.open:
            self._stop(notify=False)
            self._closing = asyncio.get_running_loop().create_task(self._send_close(reason))

    async def _send_close(self, reason: CloseReason) -> None:
        if self._draining is not None:
            # A frame may be partly sent. Wait for the rest of it before the close frame.
            await asyncio.wait([self._draining], timeout=CLOSING_SECONDS)
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._send({"type": "websocket.close", "code": CODES.get(reason, POLICY), "reason": reason.value})
        except Exception:
            # The client is gone or does not read, so the close frame is dropped.
            pass
        finally:
            self._notify()

    async def closed(self) -> None:
        """Wait until the close frame is sent, after ``close``."""
        if self._closing is not None:
            await asyncio.wait([self._closing])

    def end(self) -> None:
        """Stop sending because the connection has ended. Does not call ``on_closed``."""
        self._on_closed = _do_nothing
        self._stop(notify=False)
        if self._draining is not None:
            self._draining.cancel()

    def _stop(self, notify: bool = True) -> None:
        self.open = False
        self._buffer.clear()
        self._buffered_bytes = 0
        if notify:
            self._notify()

    def _notify(self) -> None:
        on_closed, self._on_closed = self._on_closed, _do_nothing
        if self._draining is not None:
            self._draining.cancel()
        on_closed()


def _do_nothing() -> None:
    pass


@types.coroutine
def _continue(started: Coroutine[Any, Any, None], pending: object) -> Generator[Any, Any, None]:
    """Continue in this task a coroutine that was started outside a task and waits for ``pending``."""
    yield pending
    yield from started
