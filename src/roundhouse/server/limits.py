"""Rates: how often an address may ask. A bucket for each, filled by time and emptied by asking.

Memory is bounded: the addresses that asked longest ago are forgotten first.

Bodies: read up to a size and within a time, and no further. What is too large is never held.

Refusals for the house's chain: each kind at once, and then as one entry for all that came in a while.

Anybody can knock a thousand times a second; the record of it must not be how he fills the disk.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network

from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.people.events import Actor, ActorKind, RequestRefused
from roundhouse.server.auth import Anonymous, Caller, StaffCaller, TerminalCaller
from roundhouse.server.settings import Rates


def rate_limit_key(address: str) -> str:
    """What is counted together: whoever has an address of the new kind has a whole network of them.

    >>> rate_limit_key("192.0.2.7"), rate_limit_key("2001:db8:1:2:3:4:5:6"), rate_limit_key("who: knows")
    ('192.0.2.7', '2001:db8:1:2::/64', 'who: knows')
    """
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address


class AddressBuckets:
    """One for each address. The time is given by whoever asks; it never goes back."""

    def __init__(self, rates: Rates, addresses: int) -> None:
        self._rates = rates
        self._addresses = addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float, cost: float = 1) -> float:
        """Nothing when it may ask now; otherwise how many seconds it has to wait.

        >>> buckets = AddressBuckets(Rates(per_second=2.0, at_once=1), 10)
        >>> buckets.take("a", 0.0), buckets.take("a", 0.0), buckets.take("b", 0.0), buckets.take("a", 0.5)
        (0.0, 0.5, 0.0, 0.0)
        """
        rates = self._rates
        left, since = self._buckets.pop(address, (float(rates.at_once), now))
        left = min(float(rates.at_once), left + max(0.0, now - since) * rates.per_second)
        # What costs more than can ever be there costs all of it.
        cost = min(cost, float(rates.at_once))
        waits = 0.0 if left >= cost else (cost - left) / rates.per_second
        self._buckets[address] = (left - cost if not waits else left, now)
        if len(self._buckets) > self._addresses:
            self._buckets.popitem(last=False)
        return waits


class TokenBucket:
    """The rate limit of one socket. A message that costs more than is left waits until the rest has come in.

    >>> bucket = TokenBucket(Rates(per_second=2.0, at_once=1), now=0.0)
    >>> bucket.take(0.0), bucket.take(0.0), bucket.take(0.0), bucket.take(10.0)
    (0.0, 0.5, 1.0, 0.0)
    >>> bucket.try_take(10.0), bucket.try_take(10.25), bucket.try_take(10.5), bucket.take(10.5)
    (False, False, True, 0.5)
    """

    __slots__ = ("_left", "_most", "_per_second", "_since")

    def __init__(self, rates: Rates, now: float) -> None:
        self._per_second, self._most = rates.per_second, float(rates.at_once)
        self._left, self._since = self._most, now

    def try_take(self, now: float, cost: float = 1.0) -> bool:
        """Charge a message if enough is left for it. Otherwise charge nothing and return False."""
        left = self._left + (now - self._since) * self._per_second
        self._left = left = left if left < self._most else self._most
        self._since = now
        if left < cost:
            return False
        self._left = left - cost
        return True

    def take(self, now: float, cost: float = 1.0) -> float:
        """Charge a message, on credit if need be, and return how many seconds it has to wait."""
        if self.try_take(now, cost):
            return 0.0
        self._left -= cost
        return -self._left / self._per_second


class TooLarge(Exception):
    pass


class TooSlow(Exception):
    pass


async def read_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes], most: int, seconds: float) -> bytes:
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise TooLarge
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                body += chunk
                if len(body) > most:
                    raise TooLarge
    except TimeoutError:
        raise TooSlow from None
    return bytes(body)


def is_json(headers: Mapping[str, str]) -> bool:
    """``application/json``, in UTF-8. A page of another origin cannot send that without asking first."""
    kind, _, parameters = headers.get("content-type", "").partition(";")
    if kind.strip().lower() != "application/json":
        return False
    charset = parameters.strip().lower()
    return charset in ("", "charset=utf-8", 'charset="utf-8"')


DEDUP_SECONDS = 60.0
_MAX_KINDS = 500


Who = Session | EnrolledTerminal | Actor
Due = tuple[RequestRefused, Who]


@dataclass
class _Noted:
    who: Who
    at: float
    since: int = 0


class RefusalRecorder:
    """What is to be recorded. Asked in one thread; recording is for whoever asks."""

    def __init__(self) -> None:
        self._noted: OrderedDict[tuple[str, str, str], _Noted] = OrderedDict()

    def due(
        self, what: str, word: str, caller: Caller, address: str, ticks: float
    ) -> tuple[RequestRefused, Who] | None:
        """What to record of one more refusal, if it is time for that."""
        key = (what, word, _key(caller))
        noted = self._noted.pop(key, None)
        if noted is not None and ticks - noted.at < DEDUP_SECONDS:
            noted.since += 1
            self._noted[key] = noted
            return None
        who = _who(caller, address)
        self._noted[key] = _Noted(who, ticks)
        if len(self._noted) > _MAX_KINDS:
            self._noted.popitem(last=False)
        return RequestRefused(what, word, times=1 + (noted.since if noted else 0)), who

    def rest(self) -> list[Due]:
        """What was counted and not recorded yet, for a house that stops."""
        left = [(what, word, one) for (what, word, _), one in self._noted.items() if one.since]
        self._noted.clear()
        return [(RequestRefused(what, word, times=one.since), one.who) for what, word, one in left]


def _who(caller: Caller, address: str) -> Who:
    match caller:
        case Anonymous():
            return Actor(ActorKind.NOBODY, address=address)
        case TerminalCaller(terminal=terminal):
            return terminal
        case StaffCaller(session=session):
            return session


def _key(caller: Caller) -> str:
    """Strangers are one: by their addresses they could be as many as they like."""
    match caller:
        case Anonymous():
            return ""
        case TerminalCaller(terminal=terminal):
            return terminal.number
        case StaffCaller(session=session):
            return session.person
