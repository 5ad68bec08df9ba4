"""Meters the bytes of a connection before they are parsed, so that no client can keep the parsers busy.

A WebSocket frame costs one unit, a line of HTTP a quarter, and each KiB one more. Control frames and empty frames count
like all others. A connection and its address have a token bucket each. A connection that is in debt is not read; one
that stays in debt is closed.
"""

import asyncio
import re
from collections.abc import Callable
from random import uniform
from typing import Final, Protocol

from roundhouse.server.limits import AddressBuckets, TokenBucket
from roundhouse.server.settings import Rates

SLICE: Final = 8
"""Units that are parsed before other connections get their turn."""
REQUEST_COST: Final = 5
"""Units of an answered HTTP request, because an answer costs more than the parsing."""
REFUSED_COST: Final = 50
"""Units of an HTTP request that was refused with status 429. A client that retries at once is then read slowly."""
COST: Final = "roundhouse.cost"
"""Key of the ASGI scope under which the endpoint stores the units of a request, if they are not ``REQUEST_COST``."""
CONNECTION_COST: Final = 20
"""Units of a new connection, charged to its address."""
_KIB: Final = 1024
_LINES_PER_UNIT: Final = 4
_HTTP_PIECE: Final = 2 * _KIB
_BLANK_LINE: Final = re.compile(rb"\n\r?\n")
_MIN_WAIT: Final = 0.001
_FREE_PIECES: Final = 8
"""Deliveries in which the head of a request may arrive without delay. It usually arrives in one."""
_REST_SECONDS: Final = (0.5, 1.0)
"""Pause after each further delivery. It varies, so that many such connections are not read at the same moment."""
_MAX_BACKLOG: Final = 1024 * _KIB
"""Reading is paused while bytes wait. The transport may deliver some all the same; a connection with more is closed."""


class Cut(Protocol):
    """Finds the first part of the received bytes that costs at most ``units``. Returns its length and its cost."""

    def __call__(self, data: bytearray, units: float, /) -> tuple[int, float]: ...


class FrameCutter:
    """Finds the frames in the bytes of a client by their heads (RFC 6455, section 5.2), without parsing them."""

    __slots__ = ("_head", "_payload", "between_frames")

    def __init__(self) -> None:
        self._head = bytearray()
        self._payload = 0
        """Bytes of the present frame that are still to come."""
        self.between_frames = True

    def __call__(self, data: bytearray, units: float) -> tuple[int, float]:
        position, frames, size, head = 0, 0, len(data), self._head
        while position < size and frames + position / _KIB < units:
            if self._payload:
                step = min(self._payload, size - position, _KIB)
                self._payload -= step
                position += step
                continue
            if not head:
                frames += 1
            step = min(_head_size(head) - len(head), size - position)
            head += data[position : position + step]
            position += step
            if len(head) >= 2 and len(head) == _head_size(head):
                self._payload = _payload_size(head)
                head.clear()
        self.between_frames = not self._payload and not head
        # Each delivery of the transport costs at least a unit, so that a flood of single bytes is metered too.
        return position, max(1, frames) + position / _KIB


def _head_size(head: bytearray) -> int:
    """Return the size of a frame's head, with the mask, as far as its first two bytes are known."""
    if len(head) < 2:
        return 2
    length = head[1] & 0x7F
    return 2 + (2 if length == 126 else 8 if length == 127 else 0) + (4 if head[1] & 0x80 else 0)


def _payload_size(head: bytearray) -> int:
    length = head[1] & 0x7F
    return length if length < 126 else int.from_bytes(head[2:4] if length == 126 else head[2:10])


def cut_http(data: bytearray, _: float) -> tuple[int, float]:
    """Return the first bytes of HTTP and their cost. Headers and chunks of a body are lines, and cost by their number.

    The bytes end with the head of a request, so that a request is paid for before the next one is parsed.

    >>> cut_http(bytearray(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nGET / HTTP/1.1\\r\\n"), 1.0)[0]
    27
    """
    blank = _BLANK_LINE.search(data, 0, _HTTP_PIECE)
    size = blank.end() if blank else min(len(data), _HTTP_PIECE)
    return size, 1 + data.count(b"\n", 0, size) / _LINES_PER_UNIT + size / _KIB


class Meter:
    """The buckets of one connection: its own, and that of its address."""

    def __init__(self, rates: Rates, addresses: AddressBuckets, address: str, now: float) -> None:
        self._own = TokenBucket(rates, now)
        self._solvent = rates.at_once / 10
        self._addresses, self._address = addresses, address
        self.in_debt_since: float | None = None
        """When the connection's own bucket was last empty without having recovered since; None if it is solvent."""

    def take(self, now: float, units: float) -> float:
        """Take units and return 0, or return the seconds to wait."""
        own = self._own
        if not own.try_take(now, units):
            if self.in_debt_since is None:
                self.in_debt_since = now
            return own.seconds_until(units)
        if wait := self._addresses.take(self._address, now, units):
            own.give_back(units)
            return wait
        if self.in_debt_since is not None and own.has(self._solvent):
            self.in_debt_since = None
        return 0.0


class MeteredReader:
    """Passes the bytes of one connection to its parser, a slice at a time and as fast as its meter allows."""

    def __init__(
        self,
        transport: asyncio.Transport,
        meter: Meter,
        cut: Cut,
        parse: Callable[[bytes], bool | None],
        *,
        is_blocked: Callable[[], bool],
        max_debt_seconds: float,
        on_debt: Callable[[], None],
    ) -> None:
        self._transport, self._meter, self._cut, self._parse = transport, meter, cut, parse
        """Parses bytes, and returns whether the head of a request is incomplete."""
        self._is_blocked = is_blocked
        """Whether the application must first handle the messages that it has."""
        self._max_debt_seconds, self._on_debt = max_debt_seconds, on_debt
        self._loop = asyncio.get_running_loop()
        self.spare: float = 0
        """Units that are paid for and not used."""
        self.backlog = bytearray()
        self._next: asyncio.Handle | None = None
        self._pieces = 0
        """Deliveries of the incomplete head of a request."""
        self._paused = False
        self._ended = False

    def receive(self, data: bytes) -> None:
        """Take bytes of the transport. They are parsed now if nothing waits and the meter allows it."""
        if self._ended:
            return
        waiting = self._next is not None or bool(self.backlog)
        self.backlog += data
        if not waiting:
            self._advance()
            return
        self._pause()
        if len(self.backlog) > _MAX_BACKLOG:
            self._close()

    def charge(self, units: float) -> None:
        """Charge work that the bytes have caused. It is paid for before the next bytes are parsed."""
        self.spare -= units

    def unblock(self) -> None:
        """Continue after the application has handled its messages."""
        if self._ended:
            return
        if not self.backlog:
            if self._paused:
                self._resume()
            return
        self._pause()
        if self._next is None:
            self._next = self._loop.call_soon(self._advance)

    def end(self) -> None:
        """Drop the waiting bytes. Called when the connection has ended or has another protocol."""
        self._ended = True
        self.backlog.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._paused:
            self._resume()

    def _advance(self) -> None:
        self._next = None
        if self._transport.is_closing():
            self.backlog.clear()
            return
        if not self.backlog:
            if self._paused:
                self._resume()
            return
        if self._is_blocked():
            self._pause()
            return
        now = self._loop.time()
        while self.spare <= 0:
            if wait := self._meter.take(now, SLICE):
                self._wait(now, wait)
                return
            self.spare += SLICE
        size, cost = self._cut(self.backlog, self.spare)
        piece = bytes(self.backlog[:size])
        del self.backlog[:size]
        self.spare -= cost
        incomplete = self._parse(piece)
        self._pieces = self._pieces + (not self.backlog) if incomplete else 0
        if self._ended:
            return
        if self.backlog:
            self._pause()
            self._next = self._loop.call_soon(self._advance)
        elif self._pieces > _FREE_PIECES:
            self._pause()
            self._next = self._loop.call_later(uniform(*_REST_SECONDS), self._advance)
        elif self._paused and not self._is_blocked():
            self._resume()

    def _wait(self, now: float, seconds: float) -> None:
        self._pause()
        since = self._meter.in_debt_since
        if since is not None and now - since >= self._max_debt_seconds:
            self._close()
        else:
            self._next = self._loop.call_later(max(seconds, _MIN_WAIT), self._advance)

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        self._paused = False
        self._transport.resume_reading()

    def _close(self) -> None:
        self._paused = False
        self.end()
        self._on_debt()
