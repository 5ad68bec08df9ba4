"""Cookies and tokens: how a browser or a program shows who it is, and that it means what it sends.

A cookie is sent by the browser whether its user means it or not; so whatever changes something must also bring
a token that only our own page can know. A program sends its key itself and needs none.
"""

import hashlib
import hmac
from collections.abc import Mapping
from enum import StrEnum
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

CSRF_HEADER = "x-csrf-token"
LONGEST = 512
"""No token of ours is longer; what is longer is not looked up."""


class Kind(StrEnum):
    """Whose token it is."""

    PERSON = "session"
    TERMINAL = "terminal"


class Shown(NamedTuple):
    """What a request shows of who sent it."""

    token: str
    by_cookie: bool
    kind: Kind | None
    """Nothing for a program's key, which may be of either kind."""


def cookie_name(kind: Kind, tls: bool) -> str:
    """With the prefix browsers keep such a cookie from being set by another host or over plain http."""
    return f"__Host-roundhouse-{kind}" if tls else f"roundhouse-{kind}"


def shown(headers: Mapping[str, str], tls: bool) -> list[Shown]:
    """Every token of a request, in the order in which they count. A key in a header goes before any cookie."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme:
        return [Shown(token.strip(), False, None)] if scheme.lower() == "bearer" and _fits(token.strip()) else []
    try:
        cookies = SimpleCookie(headers.get("cookie", "")[: 16 * LONGEST])
    except CookieError:
        return []
    found = [(kind, cookies.get(cookie_name(kind, tls))) for kind in (Kind.PERSON, Kind.TERMINAL)]
    return [Shown(one.value, True, kind) for kind, one in found if one is not None and _fits(one.value)]


def set_cookie(kind: Kind, token: str, tls: bool) -> str:
    """For the session of the browser, out of reach of scripts, sent to this house's own pages only."""
    age = "; Max-Age=31536000" if kind is Kind.TERMINAL else ""
    return f"{cookie_name(kind, tls)}={token}; Path=/; HttpOnly; SameSite=Strict{age}{'; Secure' if tls else ''}"


def clear_cookie(kind: Kind, tls: bool) -> str:
    return f"{cookie_name(kind, tls)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{'; Secure' if tls else ''}"


def csrf_of_key(key: str) -> str:
    """The token that goes with a terminal's key: whoever lacks the key cannot make it."""
    return hashlib.sha256(b"csrf\0" + key.encode()).hexdigest()


def means_it(headers: Mapping[str, str], csrf: str) -> bool:
    return hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), csrf.encode())


def _fits(token: str) -> bool:
    return 0 < len(token) <= LONGEST and token.isascii()
