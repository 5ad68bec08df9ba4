"""Serves one declared route: the checks in their order, the handler, then its answer or an error body."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse

from roundhouse.journal.store import JournalUnavailable
from roundhouse.people.names import HouseRefused
from roundhouse.server.auth import Anonymous, Caller, StaffCaller, csrf_matches, deny, is_local, same_origin
from roundhouse.server.context import ServerContext
from roundhouse.server.limits import TooLarge, TooSlow, is_json, read_body
from roundhouse.server.routing import JSON, Request, Response, Route
from roundhouse.table.names import TableId
from roundhouse.wire.problems import ErrorBody, ErrorCode, HttpErrorCode, problem_of, status_of


class HttpRefusal(Exception):
    """Ends a request with an error body: its code, and the status that belongs to the code."""

    def __init__(
        self, code: HttpErrorCode, reason: str | None = None, *, recorded: bool = False, wait: int = 1
    ) -> None:
        self.code = code
        self.status = status_of(code)
        self.reason = reason
        self.recorded = recorded
        """Whether the house has recorded the refusal already."""
        self.wait = wait
        """For ``too_many_requests``: the seconds until the client may ask again."""
        super().__init__(code.value)


ROUTE, CALLER = "roundhouse.route", "roundhouse.caller"
"""The keys of the ASGI scope that tell the log which route was asked and by which caller."""

_encode = msgspec.json.Encoder().encode


class Endpoint:
    """Serves one route of one house."""

    def __init__(self, route: Route, service: ServerContext) -> None:
        self._route = route
        self._service = service

    async def serve(self, request: HttpRequest) -> HttpResponse:
        request.scope[ROUTE] = self._route.path
        address = request.client.host if request.client else ""
        caller: Caller = Anonymous()
        try:
            self._check_rate(address)
            if self._route.method.changes and not same_origin(request.headers, self._service.settings.origins):
                raise HttpRefusal(ErrorCode.FOREIGN_ORIGIN, "only this house's own pages may ask for that")
            caller = request.scope[CALLER] = self._service.caller(request.headers)
            self._check_caller(caller, request)
            asking = Request(
                self._service,
                caller,
                _understood(dict(request.path_params), self._route.path_type, "the path"),
                _understood(_once(request), self._route.query, "the query"),
                await self._body(request),
                address,
                is_local(address, request.headers),
                request.headers,
            )
            reply = await self._route.handler(asking)
        except HttpRefusal as turned:
            if turned.status in (401, 403) and not turned.recorded:
                await self._service.note_refusal(self._route.name, turned.code.value, caller, address)
            return refusal_response(turned)
        except JournalUnavailable:
            return refusal_response(
                HttpRefusal(ErrorCode.JOURNAL_UNAVAILABLE, "the journal cannot be written; nothing has happened")
            )
        return self._answer(reply if isinstance(reply, Response) else Response(reply), request.headers)

    def _answer(self, reply: Response[Any], headers: Mapping[str, str]) -> HttpResponse:
        declared = self._route.returns[0]
        if reply.etag is not None and _has_version(headers, reply.etag):
            return HttpResponse(None, 304, headers={"etag": reply.etag, "cache-control": "no-cache"})
        body = reply.body if isinstance(reply.body, bytes) else _encode(reply.body)
        response = HttpResponse(body, reply.status or declared.status, media_type=None)
        response.headers["content-type"] = declared.media
        for name, value in reply.headers:
            response.headers.append(name, value)
        if reply.etag is not None:
            response.headers["etag"] = reply.etag
            response.headers["cache-control"] = "no-cache"
        return response

    def _check_rate(self, address: str) -> None:
        waits = self._service.throttle(address, self._route.cost, self._route.counts_as_login)
        if waits:
            wait = int(waits) + 1
            raise HttpRefusal(ErrorCode.TOO_MANY_REQUESTS, f"ask again in {wait} seconds", wait=wait)

    def _check_caller(self, caller: Caller, request: HttpRequest) -> None:
        table = request.path_params.get("table")
        if problem := deny(self._route.access, caller, TableId(table) if table is not None else None):
            raise HttpRefusal(problem, f"this is for {self._route.access.description}")
        # A log-in may still send the cookie of an earlier caller, so routes for anybody need no token.
        needs_token = self._route.method.changes and not self._route.access.anybody
        csrf = caller.csrf if not isinstance(caller, Anonymous) and caller.by_cookie else None
        if needs_token and csrf is not None and not csrf_matches(request.headers, csrf):
            raise HttpRefusal(ErrorCode.CSRF_TOKEN_MISSING, "send the token of 'me' as X-CSRF-Token")
        # An open page polls on its own; only a change shows that a person is there.
        if isinstance(caller, StaffCaller) and self._route.method.changes:
            self._service.touch(caller)

    async def _body(self, request: HttpRequest) -> Any:
        if self._route.body is None:
            return None
        if not is_json(request.headers):
            raise HttpRefusal(ErrorCode.WRONG_CONTENT_TYPE, "send application/json in UTF-8")
        settings = self._service.settings
        try:
            body = await read_body(request.headers, request.stream(), settings.body_bytes, settings.body_seconds)
        except TooLarge:
            raise HttpRefusal(ErrorCode.TOO_LARGE, f"a body is at most {settings.body_bytes} bytes") from None
        except TooSlow:
            raise HttpRefusal(ErrorCode.TOO_SLOW, f"a body arrives within {settings.body_seconds:g} seconds") from None
        except ClientDisconnect:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the body ended before it was whole") from None
        try:
            return msgspec.json.decode(body, type=self._route.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, words_of(error)) from None


def words_of(error: Exception) -> str:
    """The reason that the sender of a message is told. It may quote the message, so it is never logged."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "not JSON in UTF-8"


def _understood(raw: Mapping[str, str], kind: Any, where: str) -> Any:
    if kind is None:
        if where == "the query" and raw:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "nothing can be asked in the query here")
        return None
    try:
        return msgspec.convert(raw, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, f"{where}: {error}") from None


def _once(request: HttpRequest) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the query names one thing twice")
    return dict(pairs)


def _has_version(headers: Mapping[str, str], etag: str) -> bool:
    return etag in [one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")]


def refusal_response(turned: HttpRefusal) -> HttpResponse:
    response = HttpResponse(_encode(ErrorBody(turned.code.value, turned.reason)), turned.status)
    response.headers["content-type"] = JSON
    if turned.code is ErrorCode.TOO_MANY_REQUESTS:
        response.headers["retry-after"] = str(turned.wait)
    if problem_of(turned.code) is ErrorCode.NOT_LOGGED_IN:
        response.headers["www-authenticate"] = 'Bearer realm="roundhouse"'
    return response


Found = TypeVar("Found")


def raise_refusal(found: Found | HouseRefused) -> Found:
    """Return a result of the house, or raise its refusal. The house itself records what was not authorised."""
    if isinstance(found, HouseRefused):
        raise HttpRefusal(found.refusal, found.reason or None, recorded=True)
    return found
