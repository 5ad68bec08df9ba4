"""Routes of the cage: its state, requests of its staff, and the list of barred Players."""

from datetime import date

from msgspec import Struct

from roundhouse.cage.entry import CageAnswer
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.floor.cage import RunningCage
from roundhouse.house.session import Session
from roundhouse.office.cage_records import CageReport
from roundhouse.people.names import AT_A_CONSOLE
from roundhouse.people.rights import ASK_CAGE, CAGE_RIGHTS, READ_CAGE
from roundhouse.server.api.office import JOURNAL_COST, JOURNAL_PROBLEMS, from_journal
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, Access
from roundhouse.server.cage import submit, view_of
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import HttpRefusal
from roundhouse.server.jobs import CageJob
from roundhouse.server.routing import Request, Response, Returns, Routes
from roundhouse.wire import cage as w
from roundhouse.wire.problems import STATUS, ErrorCode, status_of
from roundhouse.wire.tables import HouseAnswer

routes = Routes(tag="cage")
_NO_CAGE = (ErrorCode.NO_SUCH_THING,)
SEES_CAGE = Access("the cashier at the console of the cage, the pit, or the auditor", roles=CAGE_RIGHTS[READ_CAGE])
ASKS_CAGE = Access("the cashier at the console of the cage, or the pit", roles=CAGE_RIGHTS[ASK_CAGE])


@routes.get("/api/cage", access=SEES_CAGE, problems=_NO_CAGE)
async def cage(request: Request) -> w.CageView:
    """Return the drawers, the transactions of this gaming day, and the commands that wait for a second person."""
    session = _at_the_cage(session_of(request), request.service)
    return view_of(request.service, find_cage(request.service), session, _sees_all(session))


@routes.post(
    "/api/cage/requests",
    access=ASKS_CAGE,
    returns=(
        Returns(CageAnswer, about="Accepted and committed."),
        Returns(HouseAnswer, 202, about="Proposed; a second person must approve it."),
        Returns((CageAnswer, HouseAnswer), 409, about="Refused by the cage or the house."),
        Returns((CageAnswer, HouseAnswer), 403, about="Not allowed in this position."),
        Returns(HouseAnswer, 401, about="The session has ended."),
        Returns(CageAnswer, 400, about="The request is malformed."),
        Returns(CageAnswer, 503, about="The journal is unavailable; the request had no effect."),
    ),
    problems=_NO_CAGE,
)
async def ask_cage(request: Request[None, None, w.AnyCageRequest]) -> Response[CageAnswer | HouseAnswer]:
    """Send a request to the cage. The person follows from the session."""
    service = request.service
    session = _at_the_cage(session_of(request), service)
    answer = await submit(service, find_cage(service), session, request.body)
    if answer.refusal is None:
        return Response(answer)
    proposed = isinstance(answer, HouseAnswer) and answer.proposal
    status = 202 if proposed else status_of(answer.refusal)
    if status == STATUS[ErrorCode.NOT_AUTHORISED]:
        operation = str(request.body.__struct_config__.tag)
        await service.note_refusal(operation, answer.refusal.value, request.caller, request.address)
    return Response(answer, status)


@routes.get("/api/cage/barred", access=PIT_OR_AUDITOR, problems=_NO_CAGE)
async def barred_players(request: Request) -> w.BarredList:
    """List the barred Players by their initials. The list has no names."""
    state = find_cage(request.service).state
    rows = (w.BarredRow(id, one.initials, one.reason, one.since, one.by) for id, one in state.barred.items())
    return w.BarredList(tuple(rows))


class ReportSpan(Struct, frozen=True, forbid_unknown_fields=True):
    first: date | None = None
    """First gaming day of the report."""
    last: date | None = None
    """Last gaming day of the report."""


@routes.get("/api/cage/report", access=PIT_OR_AUDITOR, problems=JOURNAL_PROBLEMS, cost=JOURNAL_COST)
async def cage_report(request: Request[None, ReportSpan]) -> Response[CageReport]:
    """Report every drawer from its opening to its closing, and the cash transactions that the house reports."""
    service, span = request.service, request.query
    plan = service.house.config.plan.house
    job = CageJob(str(service.floor.journal), plan.time_zone, ",".join(plan.shifts), span.first, span.last)
    return Response(await from_journal(request, job))


def find_cage(service: ServerContext) -> RunningCage:
    if (found := service.floor.cage) is None:
        raise HttpRefusal(ErrorCode.NO_SUCH_THING, "this house has no cage; add [cage] to house.toml")
    return found


def _at_the_cage(session: Session, service: ServerContext) -> Session:
    """Refuse a Cashier whose console belongs to a table."""
    find_cage(service)
    if all(role in AT_A_CONSOLE for role in session.roles) and session.console != CAGE_CHAIN:
        reason = "your console belongs to a table; log in at the cage with the console @cage"
        raise HttpRefusal(ErrorCode.NOT_AUTHORISED, reason)
    return session


def _sees_all(session: Session) -> bool:
    return any(role in PIT_OR_AUDITOR.roles for role in session.roles)
