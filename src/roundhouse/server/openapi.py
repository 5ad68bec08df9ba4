"""Generates the OpenAPI document from the route declarations."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import FieldInfo, fields

from roundhouse import __version__
from roundhouse.server.auth import CSRF_HEADER, TokenKind, cookie_name
from roundhouse.server.routing import JSON, Returns, Route
from roundhouse.wire.problems import STATUS, ErrorBody, ErrorCode


def short_name(module: str, name: str) -> str:
    """Return the schema name of a type whose class name is not unique: package name and class name.

    >>> short_name("roundhouse.table.state", "Meters")
    'TableMeters'
    """
    return module.split(".")[-2].title() + name


_REF = "#/components/schemas/{name}"
_ABOUT = (
    "Server of a house of wheel games. Every amount is in cents. Staff log in; a terminal is enrolled once. Both "
    "authenticate with a cookie or with `Authorization: Bearer`. With a cookie, every request that changes data also "
    "needs the CSRF token of `GET /api/me`. "
    "Live tables are served over WebSocket at `/api/tables/{table}/socket` and `/api/pit/socket`."
)


def document(routes: Sequence[Route], tls: bool) -> dict[str, Any]:
    types = [kind for route in routes for kind in _types(route)]
    schemas, components = _renamed(*msgspec.json.schema_components([*types, ErrorBody], ref_template=_REF))
    by_type = dict(zip(map(id, [*types, ErrorBody]), schemas))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_type)
    components["ErrorBody"] = {**components["ErrorBody"], "additionalProperties": False}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Roundhouse",
            "version": __version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": _schemes(tls)},
    }


def _renamed(*parts: Any) -> Any:
    """Replace msgspec's dotted names, which it gives to types with equal class names, by short names."""
    text = msgspec.json.encode(parts).decode()
    for dotted in set(re.findall(r'"#/components/schemas/([\w.]+\.\w+)"', text)):
        module, _, name = dotted.rpartition(".")
        text = text.replace(f'{dotted}"', f'{short_name(module, name)}"')
    return msgspec.json.decode(text)


def _types(route: Route) -> Iterator[Any]:
    if route.body is not None:
        yield route.body
    for response in route.returns:
        yield from response.types
    for struct in (route.path_type, route.query):
        if struct is not None:
            yield from (field.type for field in fields(struct))


def _operation(route: Route, by_type: dict[int, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.about,
        "description": f"For {route.access.description}.",
        "tags": [route.tag],
        "parameters": list(_parameters(route, by_type)),
        "responses": _responses(route, by_type),
        "security": [{"bearer": []}, {"session": []}, {"terminal": []}],
    }
    if route.access.public:
        operation["security"].insert(0, {})
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": by_type[id(route.body)]}}}
    return operation


def _parameters(route: Route, by_type: dict[int, Any]) -> Iterator[dict[str, Any]]:
    for field in fields(route.path_type) if route.path_type is not None else ():
        # A segment of a path is never empty.
        schema = (
            {"minLength": 1, **by_type[id(field.type)]}
            if _is_text(by_type[id(field.type)])
            else by_type[id(field.type)]
        )
        yield {"name": field.encode_name, "in": "path", "required": True, "schema": schema}
    for field in fields(route.query) if route.query is not None else ():
        yield {
            "name": field.encode_name,
            "in": "query",
            "required": _required(field),
            "schema": by_type[id(field.type)],
        }
    if route.method.changes:
        about = "The `csrf` of `GET /api/me`. Required if a cookie identifies the caller."
        yield {
            "name": CSRF_HEADER,
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": about,
        }


def _is_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string"


def _required(field: FieldInfo) -> bool:
    return field.default is msgspec.NODEFAULT and field.default_factory is msgspec.NODEFAULT


def _responses(route: Route, by_type: dict[int, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for response in route.returns:
        described = found.setdefault(str(response.status), {"description": response.about, "content": {}})
        described["content"][response.media.partition(";")[0]] = {"schema": _schema(response, by_type)}
    if route.cacheable:
        found["304"] = {"description": "Not modified; the cached copy is valid."}
    problems: dict[int, list[ErrorCode]] = {}
    for problem in route.all_problems():
        problems.setdefault(STATUS[problem], []).append(problem)
    for status, codes in problems.items():
        about = "Refused: " + ", ".join(f"`{code}`" for code in codes)
        declared = found.get(str(status))
        if declared is None:
            schema: dict[str, Any] = {"$ref": _REF.format(name="ErrorBody")}
        else:
            # This status is used both by a table's answer and by an error before the table is reached.
            schema = {"anyOf": [declared["content"][JSON]["schema"], {"$ref": _REF.format(name="ErrorBody")}]}
            about = f"{declared['description']} {about}"
        found[str(status)] = {"description": about, "content": {JSON: {"schema": schema}}}
    return dict(sorted(found.items()))


def _schema(response: Returns, by_type: dict[int, Any]) -> dict[str, Any]:
    schemas = [by_type[id(kind)] for kind in response.types]
    if not schemas:
        return {} if response.media == JSON else {"type": "string"}
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _schemes(tls: bool) -> dict[str, Any]:
    return {
        "bearer": {"type": "http", "scheme": "bearer", "description": "The token of a log-in, or a terminal's key."},
        **{
            kind.value: {"type": "apiKey", "in": "cookie", "name": cookie_name(kind, tls)}
            for kind in (TokenKind.PERSON, TokenKind.TERMINAL)
        },
    }


def names_in(path: str) -> set[str]:
    """Return the names of a path's parameters.

    >>> sorted(names_in("/api/tables/{table}/rounds/{round}"))
    ['round', 'table']
    """
    return set(re.findall(r"{(\w+)}", path))
