"""Every route of the house, declared: what is not here is not served.

The application of one running house: its routes behind its gate. Sockets are added by whoever runs it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Served
from starlette.types import ASGIApp

from roundhouse.floor.table import Floor
from roundhouse.house.house import House
from roundhouse.server.api import games, office, operations, people, pit, sessions, tables, wheels
from roundhouse.server.auth import ANYBODY
from roundhouse.server.context import Service
from roundhouse.server.middleware import Gate
from roundhouse.server.openapi import document
from roundhouse.server.routing import Asking, Endpoint, Gives, Method, Reply, Route, Turned, refusing
from roundhouse.server.settings import Settings
from roundhouse.server.static import Pages
from roundhouse.wire.problems import Problem

_DOCUMENT = ("", "openapi")


async def openapi(asking: Asking[None, None, None]) -> Reply:
    service = asking.service
    if (body := service.made.get(_DOCUMENT)) is None:
        body = service.made[_DOCUMENT] = msgspec.json.encode(document(ROUTES, service.settings.tls))
    return Reply(body)


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
        (Gives(dict[str, Any]),),
        tag="operations",
    ),
)


def build(floor: Floor, house: House, settings: Settings, sockets: Sequence[BaseRoute] = ()) -> Starlette:
    return build_on(Service(floor, house, settings), sockets)


def build_on(service: Service, sockets: Sequence[BaseRoute] = ()) -> Starlette:
    """``sockets`` are looked at before the pages of the web application, which may be of any name."""
    pages = service.settings.pages
    served: list[BaseRoute] = [
        Served(route.path, Endpoint(route, service).serve, methods=[route.method.value]) for route in ROUTES
    ]
    served += sockets
    if pages is not None:
        served.append(Mount("/", Pages(pages)))
    app = Starlette(routes=served, exception_handlers={HTTPException: _no_such})
    app.router.redirect_slashes = False
    app.state.service = service
    return _behind_the_gate(app, service)


def _behind_the_gate(app: Starlette, service: Service) -> Starlette:
    def gate(inner: ASGIApp) -> ASGIApp:
        return Gate(inner, service)

    app.add_middleware(gate)
    return app


async def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = refusing(Turned(Problem.METHOD_NOT_ALLOWED, "this page takes another method"))
        response.headers["allow"] = (error.headers or {}).get("Allow", "GET")
        return response
    if request.url.path == "/":
        return refusing(Turned(Problem.NO_SUCH_PAGE, "the screens are not built: run 'make web' and restart"))
    return refusing(Turned(Problem.NO_SUCH_PAGE, "there is no such page"))
