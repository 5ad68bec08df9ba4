"""Every route of the house, declared: what is not here is not served."""

from typing import Any

import msgspec

from roundhouse.server.http import entering, games, office, operations, people, pit, tables, tickets, wheels
from roundhouse.server.http.asking import Asking
from roundhouse.server.http.declaring import Gives, Method, Reply, Route
from roundhouse.server.http.tables import WHOLE, shown_to_all
from roundhouse.server.http.who import ANYBODY
from roundhouse.server.openapi import document
from roundhouse.server.page import plain_page

_HTML = "text/html"
_DOCUMENT = ("", "openapi")


async def plain(asking: Asking[None, None, None]) -> Reply:
    """For browsers without scripts, and for houses without screens."""
    found = [await shown_to_all(table) for table in asking.service.floor.tables.values()]
    service = asking.service
    titles = {id: table.game.rulebook.title for id, table in service.floor.tables.items()}
    page = plain_page(service.house.configuration.plan.house.name, found, titles, service.clock())
    return Reply(page.encode(), media=f"{_HTML}; charset=utf-8")


async def openapi(asking: Asking[None, None, None]) -> Reply:
    service = asking.service
    if (body := service.made.get(_DOCUMENT)) is None:
        body = service.made[_DOCUMENT] = msgspec.json.encode(document(ROUTES, service.settings.tls))
    return Reply(body)


PAGE = Route(
    Method.GET,
    "/plain",
    plain,
    "The tables as they stand, for people, without a script. The first page where the screens are not built.",
    ANYBODY,
    (Gives(None, media=_HTML),),
    cost=WHOLE,
    tag="operations",
)

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
    PAGE,
)
