"""Every route of the house, declared: what is not here is not served.

The application of one running house: its routes behind its gate. Sockets are added by whoever runs it.
"""

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

from roundhouse.server.api import games, office, operations, people, pit, sessions, tables, wheels
from roundhouse.server.auth import ANYBODY
from roundhouse.server.context import ServerContext
from roundhouse.server.middleware import SafetyMiddleware
from roundhouse.server.openapi import document
from roundhouse.server.routing import Endpoint, HttpRefusal, Method, Request, Response, Returns, Route, refusal_response
from roundhouse.server.static import StaticScreens
from roundhouse.wire.problems import ErrorCode

_DOCUMENT = ("", "openapi")


async def openapi(asking: Request[None, None, None]) -> Response:
    service = asking.service
    if (body := service.response_cache.get(_DOCUMENT)) is None:
        body = service.response_cache[_DOCUMENT] = msgspec.json.encode(document(ROUTES, service.settings.tls))
    return Response(body)


ROUTES: tuple[Route, ...] = (
    *games.ROUTES,
    *tables.ROUTES,
    *tables.TICKET_ROUTES,
    *wheels.ROUTES,
    *sessions.ROUTES,
    *people.ROUTES,
    *pit.ROUTES,
    *office.ROUTES,
    *operations.ROUTES,
    Route(
        Method.GET,
        "/api/openapi.json",
        openapi,
        "This document.",
        ANYBODY,
        (Returns(dict[str, Any]),),
        tag="operations",
    ),
)


def build_on(service: ServerContext, sockets: Sequence[BaseRoute] = ()) -> Starlette:
    """``sockets`` are looked at before the pages of the web application, which may be of any name."""
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
    return _behind_the_gate(app, service)


def _behind_the_gate(app: Starlette, service: ServerContext) -> Starlette:
    def gate(inner: ASGIApp) -> ASGIApp:
        return SafetyMiddleware(inner, service)

    app.add_middleware(gate)
    return app


async def _no_such(request: HttpRequest, error: Exception) -> HttpResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = refusal_response(HttpRefusal(ErrorCode.METHOD_NOT_ALLOWED, "this page takes another method"))
        response.headers["allow"] = (error.headers or {}).get("Allow", "GET")
        return response
    if request.url.path == "/":
        return refusal_response(
            HttpRefusal(ErrorCode.NO_SUCH_PAGE, "the screens are not built: run 'make web' and restart")
        )
    return refusal_response(HttpRefusal(ErrorCode.NO_SUCH_PAGE, "there is no such page"))
