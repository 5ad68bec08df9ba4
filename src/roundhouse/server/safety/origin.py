"""Where a request comes from: the host it names, the page that sent it, the address it came by.

A browser tells the truth about the page it shows, whatever that page wants; a program may say anything, and
gets nothing by it.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def known_host(headers: Mapping[str, str], hosts: tuple[str, ...]) -> bool:
    """Does the request name this house? An empty list of names takes any."""
    return not hosts or _name(headers.get("host", "")) in hosts


def same_origin(headers: Mapping[str, str], origins: tuple[str, ...] = ()) -> bool:
    """Was it sent by one of our own pages, by one that we were told of, or by no page at all?"""
    origin = headers.get("origin")
    if origin is not None and origin.lower() in origins:
        return True
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    if origin is None:
        return True
    # The scheme is not compared: behind a proxy only the browser knows it.
    return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""


def through_a_proxy(headers: Mapping[str, str]) -> bool:
    return any(name in headers for name in _FORWARDED)


def is_local(address: str, headers: Mapping[str, str]) -> bool:
    """From this very machine, and not through a proxy on it."""
    if through_a_proxy(headers):
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """A host's name without its port.

    >>> _name("Localhost:8000"), _name("[::1]:8000"), _name("house.example")
    ('localhost', '[::1]', 'house.example')
    """
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()
