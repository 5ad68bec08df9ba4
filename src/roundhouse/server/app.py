"""The list of all routes, and the ASGI application that serves them."""

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Served
from starlette.types import ASGIApp

from roundhouse.server.api import cage, games, leaving, office, operations, people, pit, sessions, tables, wheels
from roundhouse.server.auth import PUBLIC
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import Endpoint, HttpRefusal, refusal_response
from roundhouse.server.middleware import SafetyMiddleware
from roundhouse.server.openapi import document
from roundhouse.server.routing import Request, Response, Route, Routes
from roundhouse.server.static import StaticScreens
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="operations")
_DOCUMENT = ("", "openapi")


@routes.get("/api/openapi.json", access=PUBLIC)
async def openapi(request: Request) -> Response[dict[str, Any]]:
    """Return this OpenAPI document."""
    service = request.service
    if (body := service.response_cache.get(_DOCUMENT)) is None:
        body = service.response_cache[_DOCUMENT] = msgspec.json.encode(document(ROUTES, service.settings.tls))
    return Response(body)


ROUTES: tuple[Route, ...] = (
    *games.routes,
    *tables.routes,
    *wheels.routes,
    *sessions.routes,
    *leaving.routes,
    *people.routes,
    *pit.routes,
    *cage.routes,
    *office.routes,
    *operations.routes,
    *routes,
)


def build_on(service: ServerContext, sockets: Sequence[BaseRoute] = ()) -> Starlette:
    """Build the application. ``sockets`` are routed before the static screens, which match any path."""
    pages = service.settings.pages
    served: list[BaseRoute] = [
        Served(route.path, Endpoint(route, service).serve, methods=[route.method.value]) for route in ROUTES
    ]
    served += sockets
    if pages is not None:
        served.append(Mount("/", StaticScreens(pages)))
    app = Starlette(routes=served, exception_handlers={HTTPException: _no_such})
    app.router.redirect_slashes = False
    app.state.service = service
    return _with_safety(app, service)


def _with_safety(app: Starlette, service: ServerContext) -> Starlette:
    def middleware(inner: ASGIApp) -> ASGIApp:
        return SafetyMiddleware(inner, service)

    app.add_middleware(middleware)
    return app


async def _no_such(request: HttpRequest, error: Exception) -> HttpResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "GET")
        response = refusal_response(
            HttpRefusal(ErrorCode.METHOD_NOT_ALLOWED, f"{request.method} is not allowed here; use {allowed}")
        )
        response.headers["allow"] = allowed
        return response
    if request.url.path == "/":
        return refusal_response(
            HttpRefusal(ErrorCode.NO_SUCH_PAGE, "the screens are not built: run 'make web' and restart")
        )
    return refusal_response(HttpRefusal(ErrorCode.NO_SUCH_PAGE, "there is no page at this path"))
