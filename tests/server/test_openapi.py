"""The OpenAPI document is complete and true: every route, every status, every parameter, and nothing else.

That every answer is what it says is checked of all answers that any test here sees: ``running.send``.
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


def test_the_served_document_is_this_one(shown_house: HttpHouse) -> None:
    assert shown_house.call(None, "GET", "/api/openapi.json").json() == described()


def test_every_route_is_in_it_and_nothing_else() -> None:
    listed = {(method.upper(), path) for path, methods in described()["paths"].items() for method in methods}
    assert listed == {(route.method.value, route.path) for route in ROUTES}
    served = {route.handler.__name__ for route in ROUTES}
    assert {one["operationId"] for path in described()["paths"].values() for one in path.values()} == served


@each_route
def test_what_a_path_names_is_declared(route: Route) -> None:
    declared = {field.name for field in fields(route.path_type)} if route.path_type is not None else set()
    assert names_in(route.path) == declared
    in_path = [one["name"] for one in operation(route)["parameters"] if one["in"] == "path"]
    assert set(in_path) == declared


@each_route
def test_every_problem_has_its_status(route: Route) -> None:
    statuses = set(operation(route)["responses"])
    assert {str(STATUS[problem]) for problem in route.all_problems()} <= statuses
    assert {str(gives.status) for gives in route.returns} <= statuses
    assert "500" not in statuses, "a bug of ours is no part of the interface"
    assert ("401" in statuses) or route.access.public


@each_route
def test_who_may_ask_is_told(route: Route) -> None:
    assert route.access.description in operation(route)["description"]
    assert ({} in operation(route)["security"]) == route.access.public


def test_every_problem_has_a_status_that_is_an_error() -> None:
    assert set(STATUS) == set(ErrorCode)
    assert set(STATUS.values()) <= {400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503}


def test_every_schema_is_a_schema_and_every_reference_leads_somewhere() -> None:
    schemas = described()["components"]["schemas"]
    for name, schema in schemas.items():
        assert "." not in name
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert {ref.rpartition("/")[2] for ref in _references(described())} <= set(schemas)


def _references(part: Any) -> set[str]:
    match part:
        case dict():
            own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return own.union(*(_references(value) for value in part.values())) if part else own
        case list():
            return set[str]().union(*map(_references, part))
        case _:
            return set()


def test_a_route_that_changes_something_is_never_a_get() -> None:
    """Otherwise a link could change it."""
    reading = {"wheel_health", "plot_of_wheel", "recall", "capsule", "report", "meters", "significant_events"}
    whole = {"tables", "table", "state", "seat", "rounds"}
    for route in ROUTES:
        assert route.method.changes or (route.body is None and not route.counts_as_login)
        assert route.method.changes or route.cost == 1 or route.name in reading | whole


def test_the_docs_name_every_route_every_problem_and_every_metric() -> None:
    reference = Path(__file__).parents[2] / "docs" / "reference"
    http, metrics = ((reference / name).read_text(encoding="utf-8") for name in ("http.md", "metrics.md"))
    assert [route.path for route in ROUTES if f"`{route.method} {route.path}`" not in http] == []
    assert [problem for problem in ErrorCode if f"`{problem}`" not in http] == []
    assert [family.name for family in Metrics().families() if f"`{family.name}`" not in metrics] == []
