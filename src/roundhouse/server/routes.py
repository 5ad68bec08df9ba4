"""Every route of the house, declared: what is not here is not served."""

from typing import Any

import msgspec

from roundhouse.server.http import entering, games, office, operations, people, pit, tables, tickets, wheels
from roundhouse.server.http.asking import Asking
from roundhouse.server.http.declaring import Gives, Method, Reply, Route
from roundhouse.server.http.who import ANYBODY
from roundhouse.server.openapi import document

_DOCUMENT = ("", "openapi")


async def openapi(asking: Asking[None, None, None]) -> Reply:
    service = asking.service
    if (body := service.made.get(_DOCUMENT)) is None:
        body = service.made[_DOCUMENT] = msgspec.json.encode(document(ROUTES, service.settings.tls))
    return Reply(body)


ROUTES: tuple[Route, ...] = (
    *games.ROUTES,
    *tables.ROUTES,
    *tickets.ROUTES,
    *wheels.ROUTES,
    *entering.ROUTES,
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
