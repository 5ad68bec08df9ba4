"""Serves one declared route: runs the checks and the handler, and returns a response or an error body."""

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
from roundhouse.server.limits import TooBusy, TooLarge, TooSlow, is_json, read_body
from roundhouse.server.routing import JSON, Request, Response, Route
from roundhouse.table.names import TableId
from roundhouse.wire.problems import ErrorBody, ErrorCode, HttpErrorCode, problem_of, status_of


class HttpRefusal(Exception):
    """Ends a request with an error body. The code determines the HTTP status."""

    def __init__(
        self, code: HttpErrorCode, reason: str | None = None, *, recorded: bool = False, wait: int = 1
    ) -> None:
        self.code = code
        self.status = status_of(code)
        self.reason = reason
        self.recorded = recorded
        """Whether the house has already recorded the refusal in its chain."""
        self.wait = wait
        """For ``too_many_requests`` and ``too_many_failures``: the value of ``Retry-After``, in seconds."""
        super().__init__(code.value)


ROUTE, CALLER = "roundhouse.route", "roundhouse.caller"
"""Keys of the ASGI scope under which the endpoint stores the route and the caller for the log."""

_encode = msgspec.json.Encoder().encode


class Endpoint:
    """Serves one route of one server."""

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
                raise HttpRefusal(
                    ErrorCode.FOREIGN_ORIGIN, "only this server's own pages and configured origins may do that"
                )
            caller = request.scope[CALLER] = self._service.caller(request.headers)
            self._check_caller(caller, request)
            checked = Request(
                self._service,
                caller,
                _decoded(dict(request.path_params), self._route.path_type, "the path"),
                _decoded(_query(request), self._route.query, "the query"),
                await self._body(request),
                address,
                is_local(address, request.headers),
                request.headers,
            )
            result = await self._route.handler(checked)
        except HttpRefusal as refusal:
            if refusal.status in (401, 403) and not refusal.recorded:
                await self._service.note_refusal(self._route.name, refusal.code.value, caller, address)
            return refusal_response(refusal)
        except TooBusy:
            return refusal_response(
                HttpRefusal(ErrorCode.TOO_MANY_REQUESTS, "too many log-ins at once; retry in 5 seconds", wait=5)
            )
        except JournalUnavailable:
            return refusal_response(
                HttpRefusal(ErrorCode.JOURNAL_UNAVAILABLE, "the journal cannot be written; the request had no effect")
            )
        return self._http_response(result if isinstance(result, Response) else Response(result), request.headers)

    def _http_response(self, result: Response[Any], headers: Mapping[str, str]) -> HttpResponse:
        declared = self._route.returns[0]
        if result.etag is not None and _has_version(headers, result.etag):
            return HttpResponse(None, 304, headers={"etag": result.etag, "cache-control": "no-cache"})
        body = result.body if isinstance(result.body, bytes) else _encode(result.body)
        response = HttpResponse(body, result.status or declared.status, media_type=None)
        response.headers["content-type"] = result.media or declared.media
        for name, value in result.headers:
            response.headers.append(name, value)
        if result.etag is not None:
            response.headers["etag"] = result.etag
            response.headers["cache-control"] = "no-cache"
        return response

    def _check_rate(self, address: str) -> None:
        wait_seconds = self._service.throttle(address, self._route.cost, self._route.counts_as_login)
        if wait_seconds:
            wait = int(wait_seconds) + 1
            raise HttpRefusal(ErrorCode.TOO_MANY_REQUESTS, f"too many requests; retry in {wait} seconds", wait=wait)

    def _check_caller(self, caller: Caller, request: HttpRequest) -> None:
        table = request.path_params.get("table")
        if problem := deny(self._route.access, caller, TableId(table) if table is not None else None):
            raise HttpRefusal(problem, f"this is only for {self._route.access.description}")
        # A log-in may still send the cookie of an earlier session, so public routes need no token.
        needs_token = self._route.method.changes and not self._route.access.public
        csrf = caller.csrf if not isinstance(caller, Anonymous) and caller.by_cookie else None
        if needs_token and csrf is not None and not csrf_matches(request.headers, csrf):
            raise HttpRefusal(ErrorCode.CSRF_TOKEN_MISSING, "send 'csrf' of GET /api/me in the header X-CSRF-Token")
        # An open page sends reads even if no person is there, so only a change counts as use of the console.
        if isinstance(caller, StaffCaller) and self._route.method.changes:
            self._service.touch(caller)

    async def _body(self, request: HttpRequest) -> Any:
        if self._route.body is None:
            return None
        if not is_json(request.headers):
            raise HttpRefusal(ErrorCode.WRONG_CONTENT_TYPE, "the body must be application/json in UTF-8")
        settings = self._service.settings
        try:
            body = await read_body(request.headers, request.stream(), settings.body_bytes, settings.body_seconds)
        except TooLarge:
            raise HttpRefusal(ErrorCode.TOO_LARGE, f"the body exceeds {settings.body_bytes} bytes") from None
        except TooSlow:
            raise HttpRefusal(
                ErrorCode.TOO_SLOW, f"the body did not arrive within {settings.body_seconds:g} seconds"
            ) from None
        except ClientDisconnect:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the body is incomplete") from None
        try:
            return msgspec.json.decode(body, type=self._route.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, decode_error_text(error)) from None


def decode_error_text(error: Exception) -> str:
    """Return the reason why a message could not be decoded. Never log it, because it may quote the message."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "not JSON in UTF-8"


def _decoded(raw: Mapping[str, str], kind: Any, where: str) -> Any:
    if kind is None:
        if where == "the query" and raw:
            raise HttpRefusal(
                ErrorCode.NOT_UNDERSTOOD, f"this route has no query parameters; remove '{next(iter(raw))}'"
            )
        return None
    try:
        return msgspec.convert(raw, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, f"{where}: {error}") from None


def _query(request: HttpRequest) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise HttpRefusal(ErrorCode.NOT_UNDERSTOOD, "the query has one parameter twice")
    return dict(pairs)


def _has_version(headers: Mapping[str, str], etag: str) -> bool:
    return etag in [one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")]


def refusal_response(refusal: HttpRefusal) -> HttpResponse:
    response = HttpResponse(_encode(ErrorBody(refusal.code.value, refusal.reason)), refusal.status)
    response.headers["content-type"] = JSON
    if problem_of(refusal.code) is ErrorCode.TOO_MANY_REQUESTS:
        response.headers["retry-after"] = str(refusal.wait)
    if problem_of(refusal.code) is ErrorCode.NOT_LOGGED_IN:
        response.headers["www-authenticate"] = 'Bearer realm="roundhouse"'
    return response


Found = TypeVar("Found")


def raise_refusal(found: Found | HouseRefused) -> Found:
    """Return a result of the house, or raise its refusal. The house has already recorded an unauthorised request."""
    if isinstance(found, HouseRefused):
        raise HttpRefusal(found.refusal, found.reason or None, recorded=True, wait=found.wait_seconds)
    return found
