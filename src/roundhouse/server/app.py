"""The application of one running house: its routes behind its gate. Sockets are added by whoever runs it."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Served
from starlette.types import ASGIApp

from roundhouse.house.house import House
from roundhouse.server.floor import Floor
from roundhouse.server.gate import Gate
from roundhouse.server.http.asking import Turned
from roundhouse.server.http.serving import Endpoint, refusing
from roundhouse.server.pages import Pages
from roundhouse.server.routes import ROUTES
from roundhouse.server.service import Service
from roundhouse.server.settings import Settings
from roundhouse.server.wire.problems import Problem


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
