"""The pit's desk: proposals that wait for a second person, and alerts that wait to be seen."""

import asyncio
from typing import Any

from msgspec import Struct

from roundhouse.journal.entry import Answer
from roundhouse.people import events as e
from roundhouse.people.names import AlertId, ProposalId
from roundhouse.server.api.sessions import session_of
from roundhouse.server.auth import PIT_OR_AUDITOR, STAFF, Staff, who_may_cause
from roundhouse.server.requests import approve
from roundhouse.server.routing import Asking, Gives, Method, Reply, Route, problem_of_table, unless_refused
from roundhouse.wire import people as w
from roundhouse.wire.problems import STATUS, Problem


class OfProposal(Struct, frozen=True):
    proposal: ProposalId


class OfAlert(Struct, frozen=True):
    alert: AlertId


async def proposals(asking: Asking[None, None, None]) -> Reply:
    """All of them for the pit and the auditor; his own for whoever proposed one."""
    house, now, session = asking.service.house, asking.service.clock(), session_of(asking)
    sees_all = any(role in PIT_OR_AUDITOR.roles for role in session.roles)
    lines = (
        w.ProposalLine(
            one.id, one.person, one.at, one.table, one.command, one.position, one.seconds, one.expires, one.effect
        )
        for one in house.proposals(now)
        if sees_all or one.person == session.person
    )
    return Reply(w.Proposals(tuple(lines)))


async def approve_proposal(asking: Asking[OfProposal, None, None]) -> Reply:
    assert isinstance(asking.caller, Staff)
    answer = unless_refused(await approve(asking.service, asking.caller, asking.names.proposal))
    return Reply(answer, STATUS[problem_of_table(answer.refusal)] if answer.refusal is not None else 200)


async def reject_proposal(asking: Asking[OfProposal, None, w.Because]) -> Reply:
    service = asking.service
    unless_refused(
        await asyncio.to_thread(
            service.house.reject, session_of(asking), asking.names.proposal, asking.body.reason, service.clock()
        )
    )
    return Reply(w.Done())


async def alerts(asking: Asking[None, None, None]) -> Reply:
    lines = (
        w.AlertLine(id, one.at, one.about, one.text, one.table, one.person)
        for id, one in asking.service.house.alerts().items()
    )
    return Reply(w.Alerts(tuple(lines)))


async def acknowledge(asking: Asking[OfAlert, None, None]) -> Reply:
    service = asking.service
    unless_refused(
        await asyncio.to_thread(service.house.acknowledge, session_of(asking), asking.names.alert, service.clock())
    )
    return Reply(w.Done())


def _route(method: Method, path: str, handler: Any, about: str, who: Any, gives: Any, **more: Any) -> Route:
    return Route(method, path, handler, about, who, gives, tag="pit", **more)


_HOUSE_SAYS = (Problem.NO_SUCH_THING, Problem.REFUSED)

ROUTES = (
    _route(Method.GET, "/api/proposals", proposals, "What waits for a second person.", STAFF, (Gives(w.Proposals),)),
    _route(
        Method.POST,
        "/api/proposals/{proposal}/approve",
        approve_proposal,
        "Approve a proposal, as its second person; the table's answer.",
        who_may_cause(e.ProposalApproved),
        (Gives(Answer), Gives(Answer, 409, about="The table's answer: refused."), Gives(Answer, 503)),
        names=OfProposal,
        problems=_HOUSE_SAYS,
    ),
    _route(
        Method.POST,
        "/api/proposals/{proposal}/reject",
        reject_proposal,
        "Reject a proposal, or take one's own back.",
        who_may_cause(e.ProposalRejected),
        (Gives(w.Done),),
        names=OfProposal,
        takes=w.Because,
        problems=_HOUSE_SAYS,
    ),
    _route(Method.GET, "/api/alerts", alerts, "What the pit has to see.", PIT_OR_AUDITOR, (Gives(w.Alerts),)),
    _route(
        Method.POST,
        "/api/alerts/{alert}/acknowledge",
        acknowledge,
        "Somebody of the pit has seen it.",
        who_may_cause(e.AlertAcknowledged),
        (Gives(w.Done),),
        names=OfAlert,
        problems=_HOUSE_SAYS,
    ),
)
