"""Logging in as a guest, a terminal or a person. Each function returns a key, which is a secret."""

import asyncio
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import msgspec

from roundhouse.rules.names import TerminalId
from roundhouse.table.names import TableId
from roundhouse.wire.people import Enrol, GuestLogin, LoggedIn, LogIn
from roundhouse.wire.problems import ErrorBody

_TIMEOUT_SECONDS = 30.0


class NotLetIn(Exception):
    """The server refuses the log-in or the connection. ``refusal`` is its error code."""

    def __init__(self, refusal: str, reason: str = "") -> None:
        self.refusal, self.reason = refusal, reason
        super().__init__(f"{refusal}: {reason}" if reason else refusal)


async def guest(url: str, table: str, terminal: str | None = None) -> LoggedIn:
    """Take a seat as a guest, if the server admits guests. ``token`` is the key, ``me.terminal`` the seat."""
    kind = TerminalId(terminal) if terminal is not None else None
    return await _post(url, "/api/guest", GuestLogin(TableId(table), kind, program=True))


async def enrol(url: str, code: str) -> LoggedIn:
    """Enrol a terminal with a code from the pit. The code is valid once. ``token`` is the terminal's key."""
    return await _post(url, "/api/enrol", Enrol(code, program=True))


async def log_in(url: str, name: str, password: str, console: str | None = None) -> LoggedIn:
    """Log in as staff. A Dealer or Cashier gives the table of the console."""
    where = TableId(console) if console is not None else None
    return await _post(url, "/api/log-in", LogIn(name, password, where, program=True))


async def _post(url: str, path: str, body: msgspec.Struct) -> LoggedIn:
    return await asyncio.to_thread(_send, url.rstrip("/") + path, msgspec.json.encode(body))


def _send(address: str, body: bytes) -> LoggedIn:
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"the address must begin with http:// or https://, not '{address}'")
    request = Request(address, body, {"content-type": "application/json"})
    try:
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
            return msgspec.json.decode(answer.read(), type=LoggedIn)
    except HTTPError as error:
        with error:
            raise refusal_in(error.read(), error.code) from None


def refusal_in(body: bytes, status: int) -> NotLetIn:
    """Return the exception for an error body of the server."""
    try:
        error: Any = msgspec.json.decode(body, type=ErrorBody)
    except msgspec.DecodeError:
        return NotLetIn(f"status {status}")
    return NotLetIn(error.refusal, error.reason or "")
