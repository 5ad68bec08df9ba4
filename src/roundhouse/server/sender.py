"""The way out to one client: frames in their order, never waited for, and only so many that are not taken.

This is all that a hub and a socket know of a connection; whatever writes the frames can be put in its place. A
client that does not read is closed with a reason, and nobody else has noticed.
"""

import asyncio
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Protocol

from roundhouse.wire.messages import CODES, POLICY, CloseReason

CLOSING_SECONDS = 5.0
"""How long a client that is being closed may take to read why."""


class FrameSender(Protocol):
    def write(self, frame: str) -> None:
        """Sent as soon as it can be, and never waited for."""

    def close(self, why: CloseReason) -> None:
        """What waits is dropped, and nothing more is taken."""

    @property
    def open(self) -> bool: ...


Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]
"""As ASGI servers have it: a coroutine, which can be taken one step without a task."""


class AsgiFrameSender:
    """Frames by an ASGI server's ``send``. ``gone`` is called once when it is over, whoever ended it."""

    def __init__(self, send: Send, most_bytes: int, gone: Callable[[], None]) -> None:
        self._send, self._gone = send, gone
        self.max_bytes = most_bytes
        self._waiting: deque[str] = deque()
        self._bytes = 0
        self._draining: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self.open = True

    def write(self, frame: str) -> None:
        if not self.open:
            return
        if self._draining is not None:
            self._wait(frame)
            return
        # Mostly the server takes it at once, and then no task is made for it.
        sending = self._send({"type": "websocket.send", "text": frame})
        try:
            pending = sending.send(None)
        except StopIteration:
            return
        except Exception:
            self._over()
            return
        self._draining = asyncio.get_running_loop().create_task(self._drain(sending, pending))

    def _wait(self, frame: str) -> None:
        self._waiting.append(frame)
        self._bytes += len(frame)
        if self._bytes > self.max_bytes:
            self.close(CloseReason.TOO_SLOW)

    async def _drain(self, begun: Coroutine[Any, Any, None], pending: object) -> None:
        try:
            await _rest(begun, pending)
            while self._waiting:
                frame = self._waiting.popleft()
                self._bytes -= len(frame)
                await self._send({"type": "websocket.send", "text": frame})
        except Exception:
            self._over()
        finally:
            self._draining = None

    def close(self, why: CloseReason) -> None:
        if self.open:
            self._over(tell=False)
            self._closing = asyncio.get_running_loop().create_task(self._say(why))

    async def _say(self, why: CloseReason) -> None:
        if self._draining is not None:
            # What has begun to be sent may be half of a frame: it goes first, if it ever goes.
            await asyncio.wait([self._draining], timeout=CLOSING_SECONDS)
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._send({"type": "websocket.close", "code": CODES.get(why, POLICY), "reason": why.value})
        except Exception:
            # It is not there any more, or it does not read: then it is not told.
            pass
        finally:
            self._end()

    async def closed(self) -> None:
        """Until what is being closed is."""
        if self._closing is not None:
            await asyncio.wait([self._closing])

    def end(self) -> None:
        """The connection is over: nobody has to be told any more."""
        self._gone = _nothing
        self._over(tell=False)
        if self._draining is not None:
            self._draining.cancel()

    def _over(self, tell: bool = True) -> None:
        self.open = False
        self._waiting.clear()
        self._bytes = 0
        if tell:
            self._end()

    def _end(self) -> None:
        gone, self._gone = self._gone, _nothing
        if self._draining is not None:
            self._draining.cancel()
        gone()


def _nothing() -> None:
    pass


@types.coroutine
def _rest(begun: Coroutine[Any, Any, None], pending: object) -> Generator[Any, Any, None]:
    """The rest of a coroutine that has begun outside of any task, and waits for this."""
    yield pending
    yield from begun
