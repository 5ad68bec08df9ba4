"""Extends uvicorn's protocols: connection limits, a timeout for the first request, direct delivery of messages.

This is the only module that uses private parts of uvicorn, which is pinned to one minor version. A test checks every
attribute used here, so that an incompatible upgrade fails in that test.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import h11
import uvicorn
from msgspec import Struct
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from roundhouse.server.limits import rate_limit_key


class ConnectionLimits(Struct, frozen=True):
    """Limits on open connections."""

    total: int
    per_address: int
    silent_seconds: float
    """Timeout for the first request of a connection."""


DIRECT_HANDLER: Final = "roundhouse.direct_handler"
"""Key of the ASGI scope under which a socket's endpoint stores a handler for whole messages.

The handler returns True if it handled the message. Otherwise the message is delivered by ``receive``.
"""


class Server(uvicorn.Server):
    """A uvicorn server without signal handlers. ``process`` handles signals, to finish rounds before shutdown."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _ConnectionCount:
    """Counts open connections, in total and per address."""

    def __init__(self) -> None:
        self.total = 0
        self.per_address: dict[str, int] = {}

    def add(self, address: str) -> int:
        """Count a new connection. Return how many connections its address has now."""
        self.total += 1
        self.per_address[address] = self.per_address.get(address, 0) + 1
        return self.per_address[address]

    def remove(self, address: str) -> None:
        self.total -= 1
        self.per_address[address] -= 1
        if not self.per_address[address]:
            del self.per_address[address]


def protocols(limits: ConnectionLimits) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """Create the protocol classes of one server. A connection starts as HTTP and may be upgraded to a socket."""
    count = _ConnectionCount()

    class Http(H11Protocol):
        _silence_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if count.add(self._address()) > limits.per_address or count.total > limits.total:
                transport.abort()
            else:
                self._start_timeout()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._cancel_timeout()
            elif self._silence_timer is None:
                # The head of a request has started and is incomplete.
                self._start_timeout()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel_timeout()
            count.remove(self._address())
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            # The connection stays counted; the Socket protocol removes it when it is lost.
            self._cancel_timeout()
            super().handle_websocket_upgrade(event)

        def _start_timeout(self) -> None:
            self._silence_timer = self.loop.call_later(limits.silent_seconds, self.transport.abort)

        def _cancel_timeout(self) -> None:
            if self._silence_timer is not None:
                self._silence_timer.cancel()
                self._silence_timer = None

        def _address(self) -> str:
            return rate_limit_key(self.client[0] if self.client else "")

    class Socket(WebSocketsSansIOProtocol):
        def connection_lost(self, exc: Exception | None) -> None:
            count.remove(rate_limit_key(self.client[0] if self.client else ""))
            super().connection_lost(exc)

        def send_receive_event_to_app(self) -> None:
            # Call the handler directly. A queue and a task switch per message would double its cost.
            handle: Callable[[bytes], bool] | None = self.scope.get(DIRECT_HANDLER)  # type: ignore[assignment]
            if handle is None or len(self.frames) != 1 or self.close_sent or not self.queue.empty():
                super().send_receive_event_to_app()
            elif handle(self.frames[0]):
                self.frames = []
            else:
                super().send_receive_event_to_app()

    return Http, Socket


def connection_limits(
    connections: int, per_address: int, silent_seconds: float, behind_proxy: bool
) -> ConnectionLimits:
    """Build the limits. Behind a proxy only the total is limited, because all connections have the proxy's address."""
    return ConnectionLimits(connections, connections if behind_proxy else per_address, silent_seconds)
