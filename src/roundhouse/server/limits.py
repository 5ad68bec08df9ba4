"""Rate limits per address and per socket, limits on request bodies, and limits on recorded refusals.

All of them bound the memory and disk space that a client can use up.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.events import Actor, ActorKind, RequestRefused
from roundhouse.people.state import network_of
from roundhouse.server.auth import Anonymous, Caller, StaffCaller, TerminalCaller
from roundhouse.server.settings import Rates

rate_limit_key = network_of
"""The key under which an address is limited. IPv6 clients are limited per /64."""


class AddressBuckets:
    """A token bucket per address. Drops the least recently used address when there are more than ``addresses``."""

    def __init__(self, rates: Rates, addresses: int) -> None:
        self._rates = rates
        self._addresses = addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float, cost: float = 1) -> float:
        """Charge a request and return 0, or return the seconds to wait. ``now`` must not decrease.

        >>> buckets = AddressBuckets(Rates(per_second=2.0, at_once=1), 10)
        >>> buckets.take("a", 0.0), buckets.take("a", 0.0), buckets.take("b", 0.0), buckets.take("a", 0.5)
        (0.0, 0.5, 0.0, 0.0)
        """
        rates = self._rates
        left, since = self._buckets.pop(address, (float(rates.at_once), now))
        left = min(float(rates.at_once), left + max(0.0, now - since) * rates.per_second)
        # A request that costs more than a full bucket needs a full bucket.
        cost = min(cost, float(rates.at_once))
        wait = 0.0 if left >= cost else (cost - left) / rates.per_second
        self._buckets[address] = (left - cost if not wait else left, now)
        if len(self._buckets) > self._addresses:
            self._buckets.popitem(last=False)
        return wait


class TokenBucket:
    """The rate limit of one socket. A message that costs more than the tokens left must wait.

    >>> bucket = TokenBucket(Rates(per_second=2.0, at_once=1), now=0.0)
    >>> bucket.take(0.0), bucket.take(0.0), bucket.take(0.0), bucket.take(10.0)
    (0.0, 0.5, 1.0, 0.0)
    >>> bucket.try_take(10.0), bucket.try_take(10.25), bucket.try_take(10.5), bucket.take(10.5)
    (False, False, True, 0.5)
    """

    __slots__ = ("_left", "_max", "_per_second", "_since")

    def __init__(self, rates: Rates, now: float) -> None:
        self._per_second, self._max = rates.per_second, float(rates.at_once)
        self._left, self._since = self._max, now

    def try_take(self, now: float, cost: float = 1.0) -> bool:
        """Charge a message and return True if enough tokens are left. Otherwise return False."""
        left = self._left + (now - self._since) * self._per_second
        self._left = left = left if left < self._max else self._max
        self._since = now
        if left < cost:
            return False
        self._left = left - cost
        return True

    def take(self, now: float, cost: float = 1.0) -> float:
        """Charge a message and return the seconds that it must wait. The number of tokens may become negative."""
        if self.try_take(now, cost):
            return 0.0
        self._left -= cost
        return -self._left / self._per_second

    def has(self, tokens: float) -> bool:
        """Return whether at least this number of tokens was left at the last call of ``try_take``."""
        return self._left >= tokens

    def seconds_until(self, tokens: float) -> float:
        """Return the seconds from the last call of ``try_take`` until this number of tokens is left."""
        return (min(tokens, self._max) - self._left) / self._per_second

    def give_back(self, tokens: float) -> None:
        self._left += tokens


class EntryBudget:
    """The requests of one terminal that may be recorded, as a token bucket.

    Every request is charged by ``left -= 1``, because every bet is. ``is_spent`` refills the bucket when it is empty.

    >>> budget = EntryBudget(Rates(per_second=2.0, at_once=3), now=0.0)
    >>> budget.left -= 4
    >>> budget.is_spent(0.0), budget.is_spent(0.5), budget.is_spent(1.0), budget.left
    (True, True, False, 1.0)
    >>> budget.is_spent(100.0), budget.left
    (False, 3.0)
    """

    __slots__ = ("_rates", "_since", "left")

    def __init__(self, rates: Rates, now: float) -> None:
        self._rates, self._since = rates, now
        self.left = float(rates.at_once)

    def is_spent(self, now: float) -> bool:
        """Return whether no request is left. Call it only if ``left`` is below 1."""
        self.left = min(float(self._rates.at_once), self.left + (now - self._since) * self._rates.per_second)
        self._since = now
        return self.left < 1


class TooBusy(Exception):
    """Too many requests wait for the same resource."""


class TooLarge(Exception):
    """The body exceeds the maximum size."""


class TooSlow(Exception):
    """The body did not arrive within the timeout."""


async def read_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes], max_bytes: int, seconds: float) -> bytes:
    """Read a request body. Raises ``TooLarge``, before the body is read if possible, or ``TooSlow``."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise TooLarge
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                body += chunk
                if len(body) > max_bytes:
                    raise TooLarge
    except TimeoutError:
        raise TooSlow from None
    return bytes(body)


def is_json(headers: Mapping[str, str]) -> bool:
    """Return whether the content type is ``application/json`` in UTF-8.

    A page of another origin cannot send this type without a CORS preflight request.
    """
    kind, _, parameters = headers.get("content-type", "").partition(";")
    if kind.strip().lower() != "application/json":
        return False
    charset = parameters.strip().lower()
    return charset in ("", "charset=utf-8", 'charset="utf-8"')


DEDUP_SECONDS = 60.0
"""For this time after a refusal was recorded, equal refusals are only counted."""
_MAX_COUNTERS = 500


Requester = Session | EnrolledTerminal | Actor
"""The caller to whom the house's chain attributes a refusal."""
Due = tuple[RequestRefused, Requester]


@dataclass
class _Counter:
    requester: Requester
    recorded_at: float
    unrecorded: int = 0


class RefusalRecorder:
    """Decides which refusals to record, so that a flood of refused requests cannot fill the disk.

    Records the first refusal of a kind at once. Repetitions are counted and recorded as one entry. Not thread-safe.
    """

    def __init__(self) -> None:
        self._counters: OrderedDict[tuple[str, str, str], _Counter] = OrderedDict()

    def count(self, operation: str, code: str, caller: Caller, address: str, ticks: float) -> Due | None:
        """Count a refusal. Return the event to record now, or None."""
        key = (operation, code, _key(caller))
        counter = self._counters.pop(key, None)
        if counter is not None and ticks - counter.recorded_at < DEDUP_SECONDS:
            counter.unrecorded += 1
            self._counters[key] = counter
            return None
        requester = _requester(caller, address)
        self._counters[key] = _Counter(requester, ticks)
        unrecorded = counter.unrecorded if counter else 0
        seconds = _span(ticks, counter) if counter and unrecorded else 0
        if len(self._counters) > _MAX_COUNTERS:
            self._counters.popitem(last=False)
        return RequestRefused(operation, code, times=1 + unrecorded, seconds=seconds), requester

    def drain(self, ticks: float) -> list[Due]:
        """Return events for all refusals that are counted but not recorded, and reset the counters."""
        left = [(operation, code, one) for (operation, code, _), one in self._counters.items() if one.unrecorded]
        self._counters.clear()
        return [
            (RequestRefused(operation, code, times=one.unrecorded, seconds=_span(ticks, one)), one.requester)
            for operation, code, one in left
        ]


def _span(ticks: float, counter: _Counter) -> int:
    return math.ceil(ticks - counter.recorded_at)


def _requester(caller: Caller, address: str) -> Requester:
    match caller:
        case Anonymous():
            return Actor(ActorKind.NOBODY, address=address)
        case TerminalCaller(terminal=terminal):
            return terminal
        case StaffCaller(session=session):
            return session


def _key(caller: Caller) -> str:
    """Return the id under which refusals are counted. All anonymous callers share one, to bound the number of ids."""
    match caller:
        case Anonymous():
            return ""
        case TerminalCaller(terminal=terminal):
            return terminal.number
        case StaffCaller(session=session):
            return session.person


class ConnectionCount:
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
