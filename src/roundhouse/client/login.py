"""Coming in: a guest's seat, a terminal's code, a person's password. Each gives a key, which is a secret."""

import asyncio
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import msgspec

from roundhouse.rules.names import TerminalId
from roundhouse.table.names import TableId
from roundhouse.wire.people import Enrol, GuestLogin, LoggedIn, LogIn
from roundhouse.wire.problems import ErrorBody

_SECONDS = 30.0


class NotLetIn(Exception):
    """The house refuses; ``refusal`` is its word for why."""

    def __init__(self, refusal: str, reason: str = "") -> None:
        self.refusal, self.reason = refusal, reason
        super().__init__(f"{refusal}: {reason}" if reason else refusal)


async def guest(url: str, table: str, terminal: str | None = None) -> LoggedIn:
    """A seat in a house that was opened to be tried. ``token`` is its key, ``me.terminal`` its seat."""
    kind = TerminalId(terminal) if terminal is not None else None
    return await _post(url, "/api/guest", GuestLogin(TableId(table), kind, program=True))


async def enrol(url: str, code: str) -> LoggedIn:
    """A terminal takes up the code that the pit has given out, once; from then on it has the key that comes back."""
    return await _post(url, "/api/enrol", Enrol(code, program=True))


async def log_in(url: str, name: str, password: str, console: str | None = None) -> LoggedIn:
    """Staff. A Dealer or Cashier names the table at whose console he works."""
    where = TableId(console) if console is not None else None
    return await _post(url, "/api/log-in", LogIn(name, password, where, program=True))


async def _post(url: str, path: str, body: msgspec.Struct) -> LoggedIn:
    return await asyncio.to_thread(_send, url.rstrip("/") + path, msgspec.json.encode(body))


def _send(address: str, body: bytes) -> LoggedIn:
    if not address.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    request = Request(address, body, {"content-type": "application/json"})
    try:
        with urlopen(request, timeout=_SECONDS) as answer:
            return msgspec.json.decode(answer.read(), type=LoggedIn)
    except HTTPError as error:
        with error:
            raise _refused(error.read(), error.code) from None


def _refused(body: bytes, status: int) -> NotLetIn:
    try:
        refusing: Any = msgspec.json.decode(body, type=ErrorBody)
    except msgspec.DecodeError:
        return NotLetIn(f"status {status}")
    return NotLetIn(refusing.refusal, refusing.reason or "")
