"""The back office over HTTP: reports, meters, significant events, for the pit and the auditor."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.office.report import GroupBy, Report, ReportQuery
from roundhouse.rules.errors import UserError
from roundhouse.server.auth import PIT_OR_AUDITOR
from roundhouse.server.jobs import (
    EventsJob,
    Job,
    JournalNotVerified,
    Meters,
    MetersJob,
    ReportJob,
    SignificantEvents,
    run_job,
)
from roundhouse.server.routing import HttpRefusal, Method, Request, Response, Returns, Route
from roundhouse.table.names import TableId
from roundhouse.wire.problems import ErrorCode


class _Asked(Struct, frozen=True, forbid_unknown_fields=True):
    table: TableId | None = None


class WhichReport(_Asked, frozen=True):
    by: GroupBy = GroupBy.TABLE
    first: date | None = None
    """The first gaming day, and the last."""
    last: date | None = None


class WhichMeters(_Asked, frozen=True):
    pass


class WhichEvents(_Asked, frozen=True):
    since: Annotated[str, Meta(max_length=8000)] | None = None
    """The ``next`` of an answer before; without it, from the beginning."""


async def report(asking: Request[None, WhichReport, None]) -> Response:
    asked, plan = asking.query, asking.service.house.config.plan.house
    question = ReportQuery(asked.by, asked.table, asked.first, asked.last, plan.time_zone, ",".join(plan.shifts))
    return await from_journal(asking, ReportJob(str(asking.service.floor.journal), question))


async def meters(asking: Request[None, WhichMeters, None]) -> Response:
    return await from_journal(asking, MetersJob(str(asking.service.floor.journal), asking.query.table))


async def significant_events(asking: Request[None, WhichEvents, None]) -> Response:
    asked = asking.query
    return await from_journal(asking, EventsJob(str(asking.service.floor.journal), asked.table, asked.since))


async def from_journal(asking: Request[Any, Any, Any], wanted: Job, **more: Any) -> Response:
    """What the journal says, found out beside the house, and not by many at a time."""
    try:
        async with asking.service.job_slot():
            return Response(await run_job(wanted), **more)
    except JournalNotVerified:
        raise HttpRefusal(
            ErrorCode.DOES_NOT_VERIFY, "the journal does not hold; 'roundhouse verify' says where"
        ) from None
    except UserError as mistake:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, str(mistake)) from None


def _get(path: str, handler: Any, about: str, gives: Any, query: Any) -> Route:
    problems = (ErrorCode.NO_SUCH_THING, ErrorCode.DOES_NOT_VERIFY)
    return Route(
        Method.GET,
        path,
        handler,
        about,
        PIT_OR_AUDITOR,
        (Returns(gives),),
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
