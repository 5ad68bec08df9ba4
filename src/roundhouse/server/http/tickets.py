"""Tickets on a screen: a number drawn as a code. Any number of the right form is drawn, and none is looked up.

So that whoever tries numbers here learns nothing; whether a ticket is worth something is asked of a table.
"""

from typing import Annotated

from msgspec import Meta, Struct

from roundhouse.drawing.ticket import draw_ticket
from roundhouse.server.http.asking import Asking
from roundhouse.server.http.declaring import Gives, Method, Reply, Route
from roundhouse.server.http.who import TERMINAL_OR_STAFF
from roundhouse.table.names import TicketNumber

_SVG = "image/svg+xml"


class OfTicket(Struct, frozen=True):
    ticket: Annotated[TicketNumber, Meta(pattern="^[0-9]{20}$")]


async def code_of_ticket(asking: Asking[OfTicket, None, None]) -> Reply:
    return Reply(draw_ticket(asking.names.ticket).encode(), media=_SVG)


ROUTES = (
    Route(
        Method.GET,
        "/api/tickets/{ticket}/qr.svg",
        code_of_ticket,
        "A ticket's number as a QR code; whether there is such a ticket is not looked up.",
        TERMINAL_OR_STAFF,
        (Gives(None, media=_SVG),),
        names=OfTicket,
        tag="tables",
    ),
)
