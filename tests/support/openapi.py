"""Checks every HTTP answer in the server tests against the OpenAPI document."""

from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from roundhouse.server.app import ROUTES
from roundhouse.server.openapi import document


@cache
def described() -> dict[str, Any]:
    """Return the OpenAPI document as a client receives it."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document(ROUTES, False)))
    return found


@cache
def _validator(path: str, method: str, status: str, media: str) -> Any:
    content = described()["paths"][path][method]["responses"][status]["content"]
    schema = content[media]["schema"]
    return jsonschema_rs.Draft202012Validator({**schema, "components": described()["components"]})


def check_described(route: str | None, method: str, status: int, media: str, body: bytes) -> None:
    """Check an answer. ``route`` is the declared path that served it, or ``None`` if there is none."""
    if route is None or method == "HEAD":
        return
    operation = described()["paths"][route][method.lower()]
    assert str(status) in operation["responses"], (
        f"{method} {route} answered {status}, which the document does not list"
    )
    if status == 304:
        assert not body
        return
    bare = media.partition(";")[0]
    content = operation["responses"][str(status)]["content"]
    assert bare in content, f"{method} {route} answered {bare}; the document lists {', '.join(content)}"
    if bare == "application/json":
        _validator(route, method.lower(), str(status), bare).validate(msgspec.json.decode(body))
