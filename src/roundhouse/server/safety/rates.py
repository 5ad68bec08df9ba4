"""Rates: how often an address may ask. A bucket for each, filled by time and emptied by asking.

Memory is bounded: the addresses that asked longest ago are forgotten first.
"""

from collections import OrderedDict
from ipaddress import ip_network

from roundhouse.server.settings import Rates


def network_of(address: str) -> str:
    """What is counted together: whoever has an address of the new kind has a whole network of them.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("who: knows")
    ('192.0.2.7', '2001:db8:1:2::/64', 'who: knows')
    """
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address


class Buckets:
    """One for each address. The time is given by whoever asks; it never goes back."""

    def __init__(self, rates: Rates, addresses: int) -> None:
        self._rates = rates
        self._addresses = addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float, cost: float = 1) -> float:
        """Nothing when it may ask now; otherwise how many seconds it has to wait.

        >>> buckets = Buckets(Rates(per_second=2.0, at_once=1), 10)
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


class Bucket:
    """Of one socket. Whoever takes more than there is owes it, and is heard again when it has come in.

    >>> bucket = Bucket(Rates(per_second=2.0, at_once=1), now=0.0)
    >>> bucket.take(0.0), bucket.take(0.0), bucket.take(0.0), bucket.take(10.0)
    (0.0, 0.5, 1.0, 0.0)
    """

    __slots__ = ("_left", "_most", "_per_second", "_since")

    def __init__(self, rates: Rates, now: float) -> None:
        self._per_second, self._most = rates.per_second, float(rates.at_once)
        self._left, self._since = self._most, now

    def take(self, now: float, cost: float = 1.0) -> float:
        """How many seconds to wait before the next is taken."""
        left = self._left + (now - self._since) * self._per_second
        self._left = left = (left if left < self._most else self._most) - cost
        self._since = now
        return -left / self._per_second if left < 0 else 0.0
