"""Connections: how many there may be, in all and of one address, and how long one may say nothing.

A connection costs whoever opens it nothing. So it is counted when it is made, and ended when no request has come of
it in time; what it says meanwhile is read up to a size and no further.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import h11
from msgspec import Struct
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from roundhouse.server.limits import rate_limit_key


class ConnectionLimits(Struct, frozen=True):
    """The most connections, of one address and in all, and the longest silence before a request."""

    in_all: int
    of_one: int
    silent_seconds: float


DIRECT_HANDLER: Final = "roundhouse.takes"
"""Where a socket's endpoint says, in its scope, who takes whole messages; what is not taken comes by ``receive``."""


class _ConnectionCount:
    """Who is connected: how many of each address."""

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
    """The two protocols of one server: a connection begins as the first, and may become the second."""
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
                # The head of a request has begun and is not whole.
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._relax()
            present.leave(self._address())
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            # From here on it is a socket's, which leaves in its own name.
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
            # Whoever can take a message at once is handed it: a queue and a task for each would cost as much again.
            take: Callable[[bytes], bool] | None = self.scope.get(DIRECT_HANDLER)  # type: ignore[assignment]
            if take is None or len(self.frames) != 1 or self.close_sent or not self.queue.empty():
                super().send_receive_event_to_app()
            elif take(self.frames[0]):
                self.frames = []
            else:
                super().send_receive_event_to_app()

    return Http, Socket


def connection_limits(connections: int, of_one: int, silent_seconds: float, behind_proxy: bool) -> ConnectionLimits:
    """Behind a proxy every connection is the proxy's; who is behind it is known by its requests alone."""
    return ConnectionLimits(connections, connections if behind_proxy else of_one, silent_seconds)
