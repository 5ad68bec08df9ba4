"""Declaration of routes from the handler's annotations and docstring. The example routes manage doors."""

import pytest
from msgspec import Struct

from roundhouse.server.auth import PUBLIC, STAFF
from roundhouse.server.routing import JSON, SVG, Method, Request, Response, Returns, Route, Routes
from roundhouse.wire.people import Ok, Reason
from roundhouse.wire.problems import ErrorCode


class DoorPath(Struct, frozen=True):
    door: str


class DoorQuery(Struct, frozen=True):
    since: int = 0


def only(routes: Routes) -> Route:
    (route,) = routes
    return route


def test_types_and_summary_come_from_the_handler_function() -> None:
    routes = Routes(tag="doors")

    @routes.put("/doors/{door}", access=STAFF, status=201, cost=3, problems=(ErrorCode.REFUSED,))
    async def close_door(request: Request[DoorPath, DoorQuery, Reason]) -> Ok:
        """Close a
        door.

        The rest is for readers of the code.
        """
        return Ok()

    route = only(routes)
    assert (route.method, route.path, route.name, route.tag) == (Method.PUT, "/doors/{door}", "close_door", "doors")
    assert (route.path_type, route.query, route.body) == (DoorPath, DoorQuery, Reason)
    assert route.about == "Close a door."
    assert (route.access, route.cost, route.problems) == (STAFF, 3, (ErrorCode.REFUSED,))
    assert route.returns == (Returns((Ok,), 201),)


def test_a_request_without_type_arguments_has_no_path_query_or_body() -> None:
    routes = Routes(tag="doors")

    @routes.get("/doors", access=PUBLIC)
    async def doors(request: Request) -> Response[Ok]:
        """List all doors."""
        return Response(Ok(), etag='"1"')

    route = only(routes)
    assert (route.path_type, route.query, route.body) == (None, None, None)
    assert route.returns == (Returns((Ok,), 200, JSON),)
    assert not route.cacheable
    assert not route.counts_as_login


def test_bytes_have_a_media_type_and_no_schema() -> None:
    routes = Routes(tag="doors")

    @routes.get("/doors.svg", access=PUBLIC, media=SVG)
    async def picture(request: Request) -> Response[bytes]:
        """Draw all doors."""
        return Response(b"<svg/>")

    (given,) = only(routes).returns
    assert (given.types, given.media) == ((), SVG)


def test_the_listed_answers_must_match_the_annotation() -> None:
    routes = Routes(tag="doors")
    listed = (Returns(Ok), Returns(Reason, 409, about="Refused."))

    @routes.post("/doors", access=STAFF, returns=listed)
    async def open_door(request: Request) -> Response[Ok | Reason]:
        """Open a door."""
        return Response(Ok())

    assert only(routes).returns == listed

    async def returns_less(request: Request) -> Response[Ok]:
        """Open a door."""
        return Response(Ok())

    with pytest.raises(AssertionError, match="same types"):
        routes.post("/doors", access=STAFF, returns=listed)(returns_less)


def test_a_route_without_a_docstring_cannot_be_declared() -> None:
    async def silent(request: Request) -> Ok:
        return Ok()

    with pytest.raises(AssertionError, match="silent needs a docstring"):
        Routes(tag="doors").get("/silent", access=PUBLIC)(silent)


def test_each_routes_object_has_its_own_routes() -> None:
    one, other = Routes(tag="one"), Routes(tag="other")

    @one.delete("/doors/{door}", access=STAFF)
    async def remove(request: Request[DoorPath]) -> Ok:
        """Remove a door."""
        return Ok()

    assert [route.name for route in one] == ["remove"]
    assert list(other) == []
