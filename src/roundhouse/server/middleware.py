"""Middleware for every request: checks host and origin, adds security headers, logs, and answers unexpected errors.

The answer to an unexpected error contains a random number. The log has the details under the same number.
"""

import secrets
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roundhouse.logs import POLL, log, log_bug
from roundhouse.server.auth import known_host, log_name, same_origin
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
    """Add the security headers to a response. Headers that the route has set are kept.

    ``page`` is None for status 304, whose headers replace those of the cached response. Such a response gets no content
    security policy, because the policy for data would disable a cached page.
    """
    names = {name.lower() for name, _ in present}
    # A response with an ETag may be cached and revalidated.
    cache_control = b"no-cache" if b"etag" in names else b"no-store"
    added = [*_ALWAYS, (b"cache-control", cache_control)]
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
        """Check host and origin of a WebSocket, because browsers do not apply the same-origin policy to it."""
        headers, settings = Headers(scope=scope), self._service.settings
        if not known_host(headers, settings.hosts) or not same_origin(headers, settings.origins):
            await receive()
            # Closing before the accept makes the server respond with 403.
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
                reason = "the Host header is not a name of this server; add it to the origins of the configuration"
                await refusal_response(HttpRefusal(ErrorCode.FOREIGN_HOST, reason))(scope, receive, sending)
        except Exception as bug:
            await self._bug(bug, scope, receive, sending, status)
        finally:
            self._log(scope, status, time.perf_counter() - began)

    async def _bug(self, bug: Exception, scope: Scope, receive: Receive, send: Send, status: int) -> None:
        number = secrets.token_hex(4)
        log_bug("bug", bug, number=number, route=_route(scope))
        if not status:
            await refusal_response(
                HttpRefusal(ErrorCode.OUR_OWN_BUG, f"internal error {number} (see the server's log)")
            )(scope, receive, send)

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        route, caller = _route(scope), scope.get(CALLER)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._service.metrics.http.add(route, method, str(status))
        self._service.metrics.http_seconds.observe(seconds)
        log(
            "http",
            method=method,
            route=route,
            status=status,
            millis=round(seconds * 1000, 3),
            address=(scope.get("client") or ("",))[0],
            by=log_name(caller) if caller is not None else "nobody",
            **({POLL: True} if route in _POLLED and method == "GET" and status in (200, 304) else {}),
        )


_POLLED = frozenset({"/api/tables", "/healthz", "/livez", "/readyz", "/metrics"})
"""Routes that the lobby and monitors request every few seconds."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Scope) -> str:
    """Return the declared path for logs and metrics. The requested path is client input and must not become a label."""
    return str(scope.get(ROUTE, "none"))


def _is_page(headers: Any) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
