"""The back office over HTTP: reports, meters, significant events, for the pit and the auditor."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.office.report import By, Question, Report
from roundhouse.rules.errors import Mistake
from roundhouse.server.auth import PIT_OR_AUDITOR
from roundhouse.server.jobs import (
    Meters,
    SignificantEvents,
    Unproven,
    Wanted,
    WantEvents,
    WantMeters,
    WantReport,
    aside,
)
from roundhouse.server.routing import Asking, Gives, Method, Reply, Route, Turned
from roundhouse.table.names import TableId
from roundhouse.wire.problems import Problem


class _Asked(Struct, frozen=True, forbid_unknown_fields=True):
    table: TableId | None = None


class WhichReport(_Asked, frozen=True):
    by: By = By.TABLE
    first: date | None = None
    """The first gaming day, and the last."""
    last: date | None = None


class WhichMeters(_Asked, frozen=True):
    pass


class WhichEvents(_Asked, frozen=True):
    since: Annotated[str, Meta(max_length=8000)] | None = None
    """The ``next`` of an answer before; without it, from the beginning."""


async def report(asking: Asking[None, WhichReport, None]) -> Reply:
    asked, plan = asking.query, asking.service.house.configuration.plan.house
    question = Question(asked.by, asked.table, asked.first, asked.last, plan.time_zone, ",".join(plan.shifts))
    return await from_journal(asking, WantReport(str(asking.service.floor.journal), question))


async def meters(asking: Asking[None, WhichMeters, None]) -> Reply:
    return await from_journal(asking, WantMeters(str(asking.service.floor.journal), asking.query.table))


async def significant_events(asking: Asking[None, WhichEvents, None]) -> Reply:
    asked = asking.query
    return await from_journal(asking, WantEvents(str(asking.service.floor.journal), asked.table, asked.since))


async def from_journal(asking: Asking[Any, Any, Any], wanted: Wanted, **more: Any) -> Reply:
    """What the journal says, found out beside the house, and not by many at a time."""
    try:
        async with asking.service.slot():
            return Reply(await aside(wanted), **more)
    except Unproven:
        raise Turned(Problem.DOES_NOT_VERIFY, "the journal does not hold; 'roundhouse verify' says where") from None
    except Mistake as mistake:
        raise Turned(Problem.NO_SUCH_THING, str(mistake)) from None


def _get(path: str, handler: Any, about: str, gives: Any, query: Any) -> Route:
    problems = (Problem.NO_SUCH_THING, Problem.DOES_NOT_VERIFY)
    return Route(
        Method.GET,
        path,
        handler,
        about,
        PIT_OR_AUDITOR,
        (Gives(gives),),
        query=query,
        problems=problems,
        cost=40,
        tag="office",
    )


ROUTES = (
    _get("/api/report", report, "Handle, win, hold, drop, voids, corrections.", Report, WhichReport),
    _get("/api/meters", meters, "The meters of every table and seat.", Meters, WhichMeters),
    _get("/api/significant-events", significant_events, "Significant events.", SignificantEvents, WhichEvents),
)
