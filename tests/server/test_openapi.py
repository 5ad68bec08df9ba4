"""The OpenAPI document lists exactly the routes, statuses and parameters of the server.

``HttpHouse.send`` checks every answer in the server tests against the document.
"""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import fields

from roundhouse.server.app import ROUTES
from roundhouse.server.metrics import Metrics
from roundhouse.server.openapi import names_in
from roundhouse.server.routing import Route
from roundhouse.wire.problems import STATUS, ErrorCode
from tests.support.http_house import HttpHouse
from tests.support.openapi import described

each_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")


def operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = described()["paths"][route.path][route.method.lower()]
    return found


def test_the_document_is_served(ready_house: HttpHouse) -> None:
    assert ready_house.call(None, "GET", "/api/openapi.json").json() == described()


def test_the_document_lists_exactly_the_routes_of_the_server() -> None:
    listed = {(method.upper(), path) for path, methods in described()["paths"].items() for method in methods}
    assert listed == {(route.method.value, route.path) for route in ROUTES}
    served = {route.handler.__name__ for route in ROUTES}
    assert {one["operationId"] for path in described()["paths"].values() for one in path.values()} == served


@each_route
def test_the_parameters_of_a_path_are_declared(route: Route) -> None:
    declared = {field.name for field in fields(route.path_type)} if route.path_type is not None else set()
    assert names_in(route.path) == declared
    in_path = [one["name"] for one in operation(route)["parameters"] if one["in"] == "path"]
    assert set(in_path) == declared


@each_route
def test_every_problem_of_a_route_has_its_status_in_the_document(route: Route) -> None:
    statuses = set(operation(route)["responses"])
    assert {str(STATUS[problem]) for problem in route.all_problems()} <= statuses
    assert {str(answer.status) for answer in route.returns} <= statuses
    assert "500" not in statuses, "an internal error is not part of the interface"
    assert ("401" in statuses) or route.access.public


@each_route
def test_the_description_of_a_route_says_who_may_call_it(route: Route) -> None:
    assert route.access.description in operation(route)["description"]
    assert ({} in operation(route)["security"]) == route.access.public


def test_every_error_code_has_an_error_status() -> None:
    assert set(STATUS) == set(ErrorCode)
    assert set(STATUS.values()) <= {400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503}


def test_every_schema_is_valid_and_every_reference_resolves() -> None:
    schemas = described()["components"]["schemas"]
    for name, schema in schemas.items():
        assert "." not in name
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert {ref.rpartition("/")[2] for ref in _references(described())} <= set(schemas)


def _references(part: Any) -> set[str]:
    match part:
        case dict():
            found = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return found.union(*(_references(value) for value in part.values())) if part else found
        case list():
            return set[str]().union(*map(_references, part))
        case _:
            return set()


def test_a_route_that_changes_something_is_never_a_get() -> None:
    """A browser sends a GET for every link, so a GET that changes data could be caused by a link."""
    reading = {"wheel_health", "plot_of_wheel", "recall", "capsule", "report", "meters", "significant_events"}
    reading |= {"list_rounds", "movements", "cage_report"}
    whole = {"tables", "table", "state", "seat", "rounds"}
    for route in ROUTES:
        assert route.method.changes or (route.body is None and not route.counts_as_login)
        assert route.method.changes or route.cost == 1 or route.name in reading | whole


def test_the_reference_docs_list_every_route_error_code_and_metric() -> None:
    reference = Path(__file__).parents[2] / "docs" / "reference"
    http, metrics = ((reference / name).read_text(encoding="utf-8") for name in ("http.md", "metrics.md"))
    assert [route.path for route in ROUTES if f"`{route.method} {route.path}`" not in http] == []
    assert [problem for problem in ErrorCode if f"`{problem}`" not in http] == []
    assert [family.name for family in Metrics().families() if f"`{family.name}`" not in metrics] == []
