"""From a declaration to an answer: the checks in their order, then the handler, then its reply as it was declared."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from roundhouse.journal.store import JournalUnavailable
from roundhouse.server.callers import Caller, Nobody, Staff
from roundhouse.server.http.asking import Asking, Turned
from roundhouse.server.http.declaring import JSON, Reply, Route
from roundhouse.server.http.who import turned_away
from roundhouse.server.safety.bodies import TooLarge, TooSlow, is_json, read_body
from roundhouse.server.safety.cookies import means_it
from roundhouse.server.safety.origin import is_local, same_origin
from roundhouse.server.service import Service
from roundhouse.server.wire.problems import Problem, Refusing
from roundhouse.table.names import TableId

ROUTE, CALLER = "roundhouse.route", "roundhouse.caller"
"""Where the gate finds, for its log, what was asked and by whom."""

_encode = msgspec.json.Encoder().encode


class Endpoint:
    """One route of one house."""

    def __init__(self, route: Route, service: Service) -> None:
        self._route = route
        self._service = service

    async def serve(self, request: Request) -> Response:
        request.scope[ROUTE] = self._route.path
        address = request.client.host if request.client else ""
        caller: Caller = Nobody()
        try:
            self._check_rate(address)
            if self._route.method.changes and not same_origin(request.headers, self._service.settings.origins):
                raise Turned(Problem.FOREIGN_ORIGIN, "only this house's own pages may ask for that")
            caller = request.scope[CALLER] = self._service.caller(request.headers)
            self._check_caller(caller, request)
            asking = Asking(
                self._service,
                caller,
                _understood(dict(request.path_params), self._route.names, "the path"),
                _understood(_once(request), self._route.query, "the query"),
                await self._body(request),
                address,
                is_local(address, request.headers),
                request.headers,
            )
            reply = await self._route.handler(asking)
        except Turned as turned:
            if turned.status in (401, 403) and not turned.recorded:
                await self._service.note_refusal(self._route.name, turned.word, caller, address)
            return refusing(turned)
        except JournalUnavailable:
            return refusing(Turned(Problem.JOURNAL_UNAVAILABLE, "the journal cannot be written; nothing has happened"))
        return answer(reply, request.headers)

    def _check_rate(self, address: str) -> None:
        waits = self._service.wait(address, self._route.cost, self._route.knocks)
        if waits:
            wait = int(waits) + 1
            raise Turned(Problem.TOO_MANY_REQUESTS, f"ask again in {wait} seconds", wait=wait)

    def _check_caller(self, caller: Caller, request: Request) -> None:
        table = request.path_params.get("table")
        if problem := turned_away(self._route.who, caller, TableId(table) if table is not None else None):
            raise Turned(problem, f"this is for {self._route.who.words}")
        # Whoever logs in or sits down may still have the cookie of somebody before him.
        needs_token = self._route.method.changes and not self._route.who.anybody
        csrf = caller.csrf if not isinstance(caller, Nobody) and caller.by_cookie else None
        if needs_token and csrf is not None and not means_it(request.headers, csrf):
            raise Turned(Problem.CSRF_TOKEN_MISSING, "send the token of 'me' as X-CSRF-Token")
        # A page looks by itself, as long as it is open; only people change something.
        if isinstance(caller, Staff) and self._route.method.changes:
            self._service.touch(caller)

    async def _body(self, request: Request) -> Any:
        if self._route.takes is None:
            return None
        if not is_json(request.headers):
            raise Turned(Problem.WRONG_CONTENT_TYPE, "send application/json in UTF-8")
        settings = self._service.settings
        try:
            body = await read_body(request.headers, request.stream(), settings.body_bytes, settings.body_seconds)
        except TooLarge:
            raise Turned(Problem.TOO_LARGE, f"a body is at most {settings.body_bytes} bytes") from None
        except TooSlow:
            raise Turned(Problem.TOO_SLOW, f"a body arrives within {settings.body_seconds:g} seconds") from None
        except ClientDisconnect:
            raise Turned(Problem.NOT_UNDERSTOOD, "the body ended before it was whole") from None
        try:
            return msgspec.json.decode(body, type=self._route.takes)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Turned(Problem.NOT_UNDERSTOOD, words_of(error)) from None


def words_of(error: Exception) -> str:
    """What is wrong with a message, in words for whoever sent it. They may quote it, so they go nowhere else."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "not JSON in UTF-8"


def _understood(raw: Mapping[str, str], kind: Any, where: str) -> Any:
    if kind is None:
        if where == "the query" and raw:
            raise Turned(Problem.NOT_UNDERSTOOD, "nothing can be asked in the query here")
        return None
    try:
        return msgspec.convert(raw, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Turned(Problem.NOT_UNDERSTOOD, f"{where}: {error}") from None


def _once(request: Request) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise Turned(Problem.NOT_UNDERSTOOD, "the query names one thing twice")
    return dict(pairs)


def answer(reply: Reply, headers: Mapping[str, str]) -> Response:
    body = reply.body if isinstance(reply.body, bytes) else _encode(reply.body)
    response = Response(body, reply.status, media_type=None)
    response.headers["content-type"] = reply.media
    for name, value in reply.headers:
        response.headers.append(name, value)
    if reply.etag is not None:
        response.headers["etag"] = reply.etag
        response.headers["cache-control"] = "no-cache"
        if reply.etag in [one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")]:
            return Response(None, 304, headers={"etag": reply.etag, "cache-control": "no-cache"})
    return response


def refusing(turned: Turned) -> Response:
    response = Response(_encode(Refusing(turned.word, turned.reason)), turned.status)
    response.headers["content-type"] = JSON
    if turned.problem is Problem.TOO_MANY_REQUESTS:
        response.headers["retry-after"] = str(turned.wait)
    if turned.problem is Problem.NOT_LOGGED_IN:
        response.headers["www-authenticate"] = 'Bearer realm="roundhouse"'
    return response
