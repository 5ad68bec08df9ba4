"""Back-office routes for the pit and the auditor: reports, meters and significant events."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from roundhouse.office.movements import MovementList, MovementsQuery
from roundhouse.office.report import GroupBy, Report, ReportQuery
from roundhouse.office.round_rows import RoundList, RoundsQuery
from roundhouse.rules.errors import UserError
from roundhouse.server.auth import PIT_OR_AUDITOR
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.jobs import (
    EventsJob,
    Job,
    JournalNotVerified,
    Meters,
    MetersJob,
    MovementsJob,
    ReportJob,
    RoundsJob,
    SignificantEvents,
    TicketFound,
    TicketJob,
    run_job,
)
from roundhouse.server.routing import Request, Response, Routes
from roundhouse.table.names import TableId, TicketNumber
from roundhouse.wire.problems import ErrorCode

routes = Routes(tag="office")
JOURNAL_COST = 40
"""Cost of a job over the journal in the rate limit. A plain request costs 1."""
JOURNAL_PROBLEMS = (ErrorCode.NO_SUCH_THING, ErrorCode.DOES_NOT_VERIFY)


class _TableFilter(Struct, frozen=True, forbid_unknown_fields=True):
    table: TableId | None = None


class ReportFilter(_TableFilter, frozen=True):
    by: GroupBy = GroupBy.TABLE
    first: date | None = None
    """First gaming day of the report."""
    last: date | None = None
    """Last gaming day of the report."""


class MetersFilter(_TableFilter, frozen=True):
    pass


class TicketSearch(Struct, frozen=True, forbid_unknown_fields=True):
    ticket: Annotated[TicketNumber, Meta(min_length=20, max_length=20)]
    """The number on the ticket, as its holder has it."""


class EventsFilter(_TableFilter, frozen=True):
    since: Annotated[str, Meta(max_length=8000)] | None = None
    """Value of ``next`` from an earlier answer. Default: from the first event."""


@routes.get("/api/report", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def report(request: Request[None, ReportFilter]) -> Response[Report]:
    """Report handle, win, hold, drop, voids, corrections and theoretical win."""
    query, plan = request.query, request.service.house.config.plan.house
    question = ReportQuery(query.by, query.table, query.first, query.last, plan.time_zone, ",".join(plan.shifts))
    return Response(await from_journal(request, ReportJob(str(request.service.floor.journal), question)))


@routes.get("/api/rounds", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def list_rounds(request: Request[None, RoundsQuery]) -> Response[RoundList]:
    """List rounds by time, table, seat, person, ticket and status, or those of a figure of a report."""
    plan = request.service.house.config.plan.house
    job = RoundsJob(str(request.service.floor.journal), request.query, plan.time_zone, ",".join(plan.shifts))
    return Response(await from_journal(request, job))


@routes.get("/api/movements", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def movements(request: Request[None, MovementsQuery]) -> Response[MovementList]:
    """List credits bought, and tickets issued and redeemed at tables."""
    plan = request.service.house.config.plan.house
    job = MovementsJob(str(request.service.floor.journal), request.query, plan.time_zone, ",".join(plan.shifts))
    return Response(await from_journal(request, job))


@routes.post(
    "/api/ticket-search",
    access=PIT_OR_AUDITOR,
    problems=JOURNAL_PROBLEMS,
    cost=JOURNAL_COST,
    counts_as_login=True,
)
async def ticket_search(request: Request[None, None, TicketSearch]) -> Response[TicketFound]:
    """Find the place of a ticket by its full number, which is never part of an address."""
    return Response(await from_journal(request, TicketJob(str(request.service.floor.journal), request.body.ticket)))


@routes.get("/api/meters", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def meters(request: Request[None, MetersFilter]) -> Response[Meters]:
    """List the meters of every table and seat."""
    return Response(await from_journal(request, MetersJob(str(request.service.floor.journal), request.query.table)))


@routes.get("/api/significant-events", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def significant_events(request: Request[None, EventsFilter]) -> Response[SignificantEvents]:
    """List significant events."""
    query = request.query
    return Response(
        await from_journal(request, EventsJob(str(request.service.floor.journal), query.table, query.since))
    )


async def from_journal(request: Request[Any, Any, Any], job: Job) -> bytes:
    """Run a job over the journal and return its result as JSON. Waits while the maximum number of jobs runs."""
    try:
        async with request.service.job_slot():
            return await run_job(job)
    except JournalNotVerified:
        raise HttpRefusal(
            ErrorCode.DOES_NOT_VERIFY,
            "the journal does not verify; run 'roundhouse audit verify' to find the discrepancy",
        ) from None
    except UserError as error:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, str(error)) from None
