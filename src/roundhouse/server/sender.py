"""Sends frames to one client in order without blocking; closes the connection when its send buffer is full."""

import asyncio
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Protocol

from roundhouse.wire.messages import CODES, POLICY, CloseReason

CLOSING_SECONDS = 5.0
"""Timeout for sending the close frame to a client that may not be reading."""


class FrameSender(Protocol):
    """The sending side of a connection, as subscriptions and connections use it."""

    def write(self, frame: str) -> None:
        """Send a frame, or buffer it until the client reads. Never blocks."""

    def close(self, reason: CloseReason) -> None:
        """Close the connection. Buffered frames are dropped."""

    @property
    def open(self) -> bool: ...


Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]
"""The ``send`` of an ASGI server. It must be a coroutine function, whose first step can run without a task."""


class AsgiFrameSender:
    """Sends frames with an ASGI server's ``send``. Calls ``on_closed`` once when the connection has ended."""

    def __init__(self, send: Send, max_bytes: int, on_closed: Callable[[], None]) -> None:
        self._send, self._on_closed = send, on_closed
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
        # Usually the server accepts the frame in the first step of the coroutine, and no task is needed.
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
    """Continue a coroutine in this task. It was started outside a task and waits for ``pending``."""
    yield pending
    yield from started
