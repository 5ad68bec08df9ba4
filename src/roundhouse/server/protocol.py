"""The only module that uses parts of uvicorn which are not its public interface.

It limits connections, in all and per address, and closes those that send no request in time. It hands a whole message
of a socket to its handler without a queue. uvicorn is pinned to one minor version; a test checks every attribute that
is used here, so that an upgrade fails there and not at a table.
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
    """The most connections, in all and of one address, and the longest time before the first request."""

    in_all: int
    of_one: int
    silent_seconds: float


DIRECT_HANDLER: Final = "roundhouse.takes"
"""The key of the ASGI scope under which a socket's endpoint leaves a handler for whole messages.

The handler returns whether it took the message. A message that it did not take comes by ``receive``.
"""


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals alone: a house has rounds to finish before it stops answering."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _ConnectionCount:
    """Counts open connections, in all and of each address."""

    def __init__(self) -> None:
        self.in_all = 0
        self.of: dict[str, int] = {}

    def come(self, address: str) -> int:
        self.in_all += 1
        self.of[address] = self.of.get(address, 0) + 1
        return self.of[address]

    def leave(self, address: str) -> None:
        self.in_all -= 1
        self.of[address] -= 1
        if not self.of[address]:
            del self.of[address]


def protocols(crowd: ConnectionLimits) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """The protocol classes of one server. A connection starts as HTTP and may be upgraded to a socket."""
    present = _ConnectionCount()

    class Http(H11Protocol):
        _silence: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if present.come(self._address()) > crowd.of_one or present.in_all > crowd.in_all:
                transport.abort()
            else:
                self._expect()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._relax()
            elif self._silence is None:
                # The head of a request has started and is incomplete.
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._relax()
            present.leave(self._address())
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            # The socket's protocol takes over the connection and its count.
            self._relax()
            super().handle_websocket_upgrade(event)

        def _expect(self) -> None:
            self._silence = self.loop.call_later(crowd.silent_seconds, self.transport.abort)

        def _relax(self) -> None:
            if self._silence is not None:
                self._silence.cancel()
                self._silence = None

        def _address(self) -> str:
            return rate_limit_key(self.client[0] if self.client else "")

    class Socket(WebSocketsSansIOProtocol):
        def connection_lost(self, exc: Exception | None) -> None:
            present.leave(rate_limit_key(self.client[0] if self.client else ""))
            super().connection_lost(exc)

        def send_receive_event_to_app(self) -> None:
            # A direct call: a queue and a task per message would double its cost.
            take: Callable[[bytes], bool] | None = self.scope.get(DIRECT_HANDLER)  # type: ignore[assignment]
            if take is None or len(self.frames) != 1 or self.close_sent or not self.queue.empty():
                super().send_receive_event_to_app()
            elif take(self.frames[0]):
                self.frames = []
            else:
                super().send_receive_event_to_app()

    return Http, Socket


def connection_limits(connections: int, of_one: int, silent_seconds: float, behind_proxy: bool) -> ConnectionLimits:
    """Behind a proxy all connections have the proxy's address, so only the total is limited."""
    return ConnectionLimits(connections, connections if behind_proxy else of_one, silent_seconds)
