"""A typed client of the cage, for scripts that work as a Cashier or as the pit."""

import asyncio
from typing import TypeVar
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import msgspec

from roundhouse.cage.entry import CageAnswer
from roundhouse.client.login import refusal_in
from roundhouse.wire.cage import BarredList, CageRequest, CageView
from roundhouse.wire.tables import HouseAnswer

_TIMEOUT_SECONDS = 30.0
_ANSWERS = (200, 202, 400, 403, 409, 503)
T = TypeVar("T")


class CageClient:
    """The cage at a server. ``token`` is the secret of a log-in with the console ``@cage``, or of the pit.

    me = await log_in(url, "cas", password, console="@cage")
    cage = CageClient(url, me.token)
    answer = await cage.ask(CagePayTicket(id="1", drawer="cage-1", ticket=number))
    """

    def __init__(self, url: str, token: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"the address must begin with http:// or https://, not '{url}'")
        self._url, self._token = url.rstrip("/"), token

    async def view(self) -> CageView:
        """Return the drawers, the transactions of the day and the commands that wait for a second person."""
        return await asyncio.to_thread(self._get, "/api/cage", CageView)

    async def barred(self) -> BarredList:
        return await asyncio.to_thread(self._get, "/api/cage/barred", BarredList)

    async def ask(self, request: CageRequest) -> CageAnswer | HouseAnswer:
        """Send a request. A ``HouseAnswer`` with a ``proposal`` waits for a second person; resend the request then."""
        return await asyncio.to_thread(self._ask, msgspec.json.encode(request))

    async def approve(self, proposal: str) -> CageAnswer:
        """Approve a proposal as its second person."""
        path = f"/api/proposals/{quote(proposal, safe='')}/approve"
        return await asyncio.to_thread(self._send, Request(self._url + path, b"", self._headers()), CageAnswer)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}", "content-type": "application/json"}

    def _get(self, path: str, kind: type[T]) -> T:
        return self._send(Request(self._url + path, headers=self._headers()), kind)

    def _send(self, request: Request, kind: type[T]) -> T:
        try:
            with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
                return msgspec.json.decode(answer.read(), type=kind)
        except HTTPError as error:
            with error:
                raise refusal_in(error.read(), error.code) from None

    def _ask(self, body: bytes) -> CageAnswer | HouseAnswer:
        request = Request(f"{self._url}/api/cage/requests", body, self._headers())
        try:
            with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
                return _answer(answer.read())
        except HTTPError as error:
            with error:
                found = error.read()
            if error.code not in _ANSWERS or b'"id"' not in found:
                raise refusal_in(found, error.code) from None
            return _answer(found)


def _answer(body: bytes) -> CageAnswer | HouseAnswer:
    try:
        return msgspec.json.decode(body, type=CageAnswer)
    except msgspec.ValidationError:
        return msgspec.json.decode(body, type=HouseAnswer)
