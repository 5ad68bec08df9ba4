"""The pit's desk: proposals that wait for a second person, and alerts that wait to be seen."""

from msgspec import Struct

from roundhouse.journal.entry import Answer
from roundhouse.people import events as e
from roundhouse.people.names import AlertId, ProposalId
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, STAFF, StaffCaller, access_for
from roundhouse.server.endpoint import raise_refusal
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
async def proposals(asking: Request) -> w.Proposals:
    """What waits for a second person.

    All of them for the pit and the auditor; his own for whoever proposed one.
    """
    house, now, session = asking.service.house, asking.service.clock(), session_of(asking)
    sees_all = any(role in PIT_OR_AUDITOR.roles for role in session.roles)
    lines = (
        w.ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.approvers, one.expires, one.effect
        )
        for one in house.approvals.waiting(now)
        if sees_all or one.person == session.person
    )
    return w.Proposals(tuple(lines))


@routes.post(
    "/api/proposals/{proposal}/approve",
    access=access_for(e.ProposalApproved),
    returns=(Returns(Answer), Returns(Answer, 409, about="The table's answer: refused."), Returns(Answer, 503)),
    problems=_HOUSE_PROBLEMS,
)
async def approve_proposal(asking: Request[ProposalPath]) -> Response[Answer]:
    """Approve a proposal, as its second person; the table's answer."""
    assert isinstance(asking.caller, StaffCaller)
    answer = raise_refusal(await approve(asking.service, asking.caller, asking.path.proposal))
    return Response(answer, status_of(answer.refusal) if answer.refusal is not None else 200)


@routes.post("/api/proposals/{proposal}/reject", access=access_for(e.ProposalRejected), problems=_HOUSE_PROBLEMS)
async def reject_proposal(asking: Request[ProposalPath, None, w.Reason]) -> w.Ok:
    """Reject a proposal, or take one's own back."""
    service = asking.service
    raise_refusal(
        await service.house.approvals.reject(
            session_of(asking), asking.path.proposal, asking.body.reason, service.clock()
        )
    )
    return w.Ok()


@routes.get("/api/alerts", access=PIT_OR_AUDITOR)
async def alerts(asking: Request) -> w.Alerts:
    """What the pit has to see."""
    lines = (
        w.AlertRow(id, one.at, one.about, one.text, one.table, one.person)
        for id, one in asking.service.house.alerts().items()
    )
    return w.Alerts(tuple(lines))


@routes.post("/api/alerts/{alert}/acknowledge", access=access_for(e.AlertAcknowledged), problems=_HOUSE_PROBLEMS)
async def acknowledge(asking: Request[AlertPath]) -> w.Ok:
    """Somebody of the pit has seen it."""
    service = asking.service
    raise_refusal(await service.house.acknowledge(session_of(asking), asking.path.alert, service.clock()))
    return w.Ok()
