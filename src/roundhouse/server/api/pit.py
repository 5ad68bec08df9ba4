"""Routes of the pit: proposals that need a second person's approval, and alerts."""

from msgspec import Struct

from roundhouse.cage.entry import CageAnswer
from roundhouse.journal.entry import Answer
from roundhouse.people import events as e
from roundhouse.people.names import AlertId, HouseRefused, ProposalId
from roundhouse.people.state import PastAlert
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, STAFF, StaffCaller, access_for
from roundhouse.server.endpoint import HttpRefusal, raise_refusal
from roundhouse.server.requests import approve
from roundhouse.server.routing import Request, Response, Returns, Routes
from roundhouse.wire import people as w
from roundhouse.wire.problems import ErrorCode, status_of

routes = Routes(tag="pit")
_HOUSE_PROBLEMS = (ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED)


class ProposalPath(Struct, frozen=True):
    proposal: ProposalId


class AlertPath(Struct, frozen=True):
    alert: AlertId


@routes.get("/api/proposals", access=STAFF)
async def proposals(request: Request) -> w.Proposals:
    """List proposals that wait for a second person's approval.

    The pit and the auditor get all proposals; other staff get their own.
    """
    house, now, session = request.service.house, request.service.clock(), session_of(request)
    sees_all = any(role in PIT_OR_AUDITOR.roles for role in session.roles)
    rows = (
        w.ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.approvers, one.expires, one.effect
        )
        for one in house.approvals.waiting(now)
        if sees_all or one.person == session.person
    )
    return w.Proposals(tuple(rows))


@routes.post(
    "/api/proposals/{proposal}/approve",
    access=access_for(e.ProposalApproved),
    returns=(
        Returns((Answer, CageAnswer)),
        Returns((Answer, CageAnswer), 409, about="Refused by the table or the cage."),
        Returns((Answer, CageAnswer), 503),
    ),
    problems=_HOUSE_PROBLEMS,
)
async def approve_proposal(request: Request[ProposalPath]) -> Response[Answer | CageAnswer]:
    """Approve a proposal as its second person, and return the table's or the cage's answer to the command."""
    assert isinstance(request.caller, StaffCaller)
    answer = await approve(request.service, request.caller, request.path.proposal)
    if isinstance(answer, HouseRefused):
        raise HttpRefusal(answer.refusal, answer.reason or None, recorded=True, wait=answer.wait_seconds)
    return Response(answer, status_of(answer.refusal) if answer.refusal is not None else 200)


@routes.post("/api/proposals/{proposal}/reject", access=access_for(e.ProposalRejected), problems=_HOUSE_PROBLEMS)
async def reject_proposal(request: Request[ProposalPath, None, w.Reason]) -> w.Ok:
    """Reject a proposal of another person, or withdraw the caller's own."""
    service = request.service
    raise_refusal(
        await service.house.approvals.reject(
            session_of(request), request.path.proposal, request.body.reason, service.clock()
        )
    )
    return w.Ok()


@routes.get("/api/alerts", access=PIT_OR_AUDITOR)
async def alerts(request: Request) -> w.Alerts:
    """List the alerts that are not yet acknowledged."""
    rows = (
        w.AlertRow(id, one.at, one.about, one.text, one.table, one.person, one.severity)
        for id, one in request.service.house.alerts().items()
    )
    return w.Alerts(tuple(rows))


@routes.get("/api/alerts/history", access=PIT_OR_AUDITOR)
async def alert_history(request: Request) -> w.PastAlerts:
    """List the last alerts that were acknowledged or cleared."""
    past = request.service.house.past_alerts()
    return w.PastAlerts(tuple(_past_row(id, one) for id, one in reversed(past.items())))


def _past_row(id: AlertId, past: PastAlert) -> w.PastAlertRow:
    one = past.alert
    cleared_at = past.ended if past.by is None else None
    acknowledged_at = past.ended if past.by is not None else None
    return w.PastAlertRow(
        id, one.at, one.about, one.text, one.table, one.person, one.severity, cleared_at, acknowledged_at, past.by
    )


@routes.post("/api/alerts/{alert}/acknowledge", access=access_for(e.AlertAcknowledged), problems=_HOUSE_PROBLEMS)
async def acknowledge(request: Request[AlertPath]) -> w.Ok:
    """Acknowledge an alert."""
    service = request.service
    raise_refusal(await service.house.acknowledge(session_of(request), request.path.alert, service.clock()))
    return w.Ok()
