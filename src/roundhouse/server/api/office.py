"""The back office over HTTP: reports, meters, significant events, for the pit and the auditor."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.office.report import GroupBy, Report, ReportQuery
from roundhouse.rules.errors import UserError
from roundhouse.server.auth import PIT_OR_AUDITOR
from roundhouse.server.endpoint import HttpRefusal
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
from roundhouse.server.routing import Request, Response, Routes
from roundhouse.table.names import TableId
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="office")
JOURNAL_COST = 40
"""How many plain requests a job over the journal counts as."""
_JOURNAL_PROBLEMS = (ErrorCode.NO_SUCH_THING, ErrorCode.DOES_NOT_VERIFY)


class _TableFilter(Struct, frozen=True, forbid_unknown_fields=True):
    table: TableId | None = None


class ReportFilter(_TableFilter, frozen=True):
    by: GroupBy = GroupBy.TABLE
    first: date | None = None
    """The first gaming day, and the last."""
    last: date | None = None


class MetersFilter(_TableFilter, frozen=True):
    pass


class EventsFilter(_TableFilter, frozen=True):
    since: Annotated[str, Meta(max_length=8000)] | None = None
    """The ``next`` of an answer before; without it, from the beginning."""


@routes.get("/api/report", access=PIT_OR_AUDITOR, problems=_JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def report(asking: Request[None, ReportFilter]) -> Response[Report]:
    """Handle, win, hold, drop, voids, corrections."""
    asked, plan = asking.query, asking.service.house.config.plan.house
    question = ReportQuery(asked.by, asked.table, asked.first, asked.last, plan.time_zone, ",".join(plan.shifts))
    return Response(await from_journal(asking, ReportJob(str(asking.service.floor.journal), question)))


@routes.get("/api/meters", access=PIT_OR_AUDITOR, problems=_JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def meters(asking: Request[None, MetersFilter]) -> Response[Meters]:
    """The meters of every table and seat."""
    return Response(await from_journal(asking, MetersJob(str(asking.service.floor.journal), asking.query.table)))


@routes.get("/api/significant-events", access=PIT_OR_AUDITOR, problems=_JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def significant_events(asking: Request[None, EventsFilter]) -> Response[SignificantEvents]:
    """Significant events."""
    asked = asking.query
    return Response(await from_journal(asking, EventsJob(str(asking.service.floor.journal), asked.table, asked.since)))


async def from_journal(asking: Request[Any, Any, Any], wanted: Job) -> bytes:
    """The result of a job, as JSON. Only a few jobs run at one time."""
    try:
        async with asking.service.job_slot():
            return await run_job(wanted)
    except JournalNotVerified:
        raise HttpRefusal(
            ErrorCode.DOES_NOT_VERIFY, "the journal does not hold; 'roundhouse verify' says where"
        ) from None
    except UserError as mistake:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, str(mistake)) from None
