"""Headers that every answer carries: what a browser must not do with it.

The gate before every route: does it name this house, how does it end, what is logged of it.

Whatever goes wrong behind it is answered with one word and a number to look it up by; nothing of it is shown.

What keeps strangers harmless: names of the host, origins, cookies, rates, sizes. It decides no authority.
"""

import secrets
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roundhouse.logs import log, log_bug
from roundhouse.server.auth import known_host, named, same_origin
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import CALLER, ROUTE, HttpRefusal, refusal_response
from roundhouse.wire.problems import ErrorCode

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_DATA = b"default-src 'none'; frame-ancestors 'none'"
_PAGES = (
    b"default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none';"
    b" form-action 'self'; frame-ancestors 'none'"
)


def safe_headers(present: list[tuple[bytes, bytes]], tls: bool, page: bool | None) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, with those that keep it safe. What a route said itself stays.

    ``page`` is nothing for an answer that only says that the one before still holds: whatever stands in it replaces
    what that one said, and a page that is shown by the policy of data shows nothing.
    """
    names = {name.lower() for name, _ in present}
    # What has a name for its content may be kept, and is asked for again by that name.
    keeps = b"no-cache" if b"etag" in names else b"no-store"
    added = [*_ALWAYS, (b"cache-control", keeps)]
    if page is not None:
        added.append((b"content-security-policy", _PAGES if page else _DATA))
    if tls:
        added.append((b"strict-transport-security", b"max-age=31536000"))
    return [*present, *((name, value) for name, value in added if name not in names)]


class SafetyMiddleware:
    def __init__(self, app: ASGIApp, service: ServerContext) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "websocket":
                await self._socket(scope, receive, send)
            case _:
                await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A browser does not bind a socket to the origin of its page; so it is bound here."""
        headers, settings = Headers(scope=scope), self._service.settings
        if not known_host(headers, settings.hosts) or not same_origin(headers, settings.origins):
            await receive()
            # Closed before it is accepted: the browser is told 403.
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        status = 0
        tls = self._service.settings.tls

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                page = _is_page(message["headers"]) if status != 304 else None
                message = {**message, "headers": safe_headers(list(message["headers"]), tls, page)}
            await send(message)

        try:
            if known_host(Headers(scope=scope), self._service.settings.hosts):
                await self._app(scope, receive, sending)
            else:
                await refusal_response(HttpRefusal(ErrorCode.FOREIGN_HOST, "this house has another name"))(
                    scope, receive, sending
                )
        except Exception as bug:
            await self._bug(bug, scope, receive, sending, status)
        finally:
            self._log(scope, status, time.perf_counter() - began)

    async def _bug(self, bug: Exception, scope: Scope, receive: Receive, send: Send, status: int) -> None:
        number = secrets.token_hex(4)
        log_bug("bug", bug, number=number, route=_route(scope))
        if not status:
            await refusal_response(HttpRefusal(ErrorCode.OUR_OWN_BUG, f"look for {number} in the log"))(
                scope, receive, send
            )

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        route, caller = _route(scope), scope.get(CALLER)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._service.metrics.http.add(route, method, str(status))
        self._service.metrics.http_seconds.took(seconds)
        log(
            "http",
            method=method,
            route=route,
            status=status,
            millis=round(seconds * 1000, 3),
            address=(scope.get("client") or ("",))[0],
            by=named(caller) if caller is not None else "nobody",
        )


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Scope) -> str:
    """The declared path and never the one that was asked for: a stranger's words are not a label."""
    return str(scope.get(ROUTE, "none"))


def _is_page(headers: Any) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
