"""The pit's desk: proposals that wait for a second person, and alerts that wait to be seen."""

from typing import Any

from msgspec import Struct

from roundhouse.journal.entry import Answer
from roundhouse.people import events as e
from roundhouse.people.names import AlertId, ProposalId
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, STAFF, StaffCaller, access_for
from roundhouse.server.requests import approve
from roundhouse.server.routing import Method, Request, Response, Returns, Route, problem_of_table, raise_refusal
from roundhouse.wire import people as w
from roundhouse.wire.problems import STATUS, ErrorCode


class OfProposal(Struct, frozen=True):
    proposal: ProposalId


class OfAlert(Struct, frozen=True):
    alert: AlertId


async def proposals(asking: Request[None, None, None]) -> Response:
    """All of them for the pit and the auditor; his own for whoever proposed one."""
    house, now, session = asking.service.house, asking.service.clock(), session_of(asking)
    sees_all = any(role in PIT_OR_AUDITOR.roles for role in session.roles)
    lines = (
        w.ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.seconds, one.expires, one.effect
        )
        for one in house.approvals.waiting(now)
        if sees_all or one.person == session.person
    )
    return Response(w.Proposals(tuple(lines)))


async def approve_proposal(asking: Request[OfProposal, None, None]) -> Response:
    assert isinstance(asking.caller, StaffCaller)
    answer = raise_refusal(await approve(asking.service, asking.caller, asking.path.proposal))
    return Response(answer, STATUS[problem_of_table(answer.refusal)] if answer.refusal is not None else 200)


async def reject_proposal(asking: Request[OfProposal, None, w.Reason]) -> Response:
    service = asking.service
    raise_refusal(
        await service.house.approvals.reject(
            session_of(asking), asking.path.proposal, asking.body.reason, service.clock()
        )
    )
    return Response(w.Ok())


async def alerts(asking: Request[None, None, None]) -> Response:
    lines = (
        w.AlertRow(id, one.at, one.about, one.text, one.table, one.person)
        for id, one in asking.service.house.alerts().items()
    )
    return Response(w.Alerts(tuple(lines)))


async def acknowledge(asking: Request[OfAlert, None, None]) -> Response:
    service = asking.service
    raise_refusal(await service.house.acknowledge(session_of(asking), asking.path.alert, service.clock()))
    return Response(w.Ok())


def _route(method: Method, path: str, handler: Any, about: str, who: Any, gives: Any, **more: Any) -> Route:
    return Route(method, path, handler, about, who, gives, tag="pit", **more)


_HOUSE_SAYS = (ErrorCode.NO_SUCH_THING, ErrorCode.REFUSED)

ROUTES = (
    _route(Method.GET, "/api/proposals", proposals, "What waits for a second person.", STAFF, (Returns(w.Proposals),)),
    _route(
        Method.POST,
        "/api/proposals/{proposal}/approve",
        approve_proposal,
        "Approve a proposal, as its second person; the table's answer.",
        access_for(e.ProposalApproved),
        (Returns(Answer), Returns(Answer, 409, about="The table's answer: refused."), Returns(Answer, 503)),
        path_type=OfProposal,
        problems=_HOUSE_SAYS,
    ),
    _route(
        Method.POST,
        "/api/proposals/{proposal}/reject",
        reject_proposal,
        "Reject a proposal, or take one's own back.",
        access_for(e.ProposalRejected),
        (Returns(w.Ok),),
        path_type=OfProposal,
        body=w.Reason,
        problems=_HOUSE_SAYS,
    ),
    _route(Method.GET, "/api/alerts", alerts, "What the pit has to see.", PIT_OR_AUDITOR, (Returns(w.Alerts),)),
    _route(
        Method.POST,
        "/api/alerts/{alert}/acknowledge",
        acknowledge,
        "Somebody of the pit has seen it.",
        access_for(e.AlertAcknowledged),
        (Returns(w.Ok),),
        path_type=OfAlert,
        problems=_HOUSE_SAYS,
    ),
)
