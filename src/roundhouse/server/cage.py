"""Submits a request to the cage on behalf of a person, and shows the cage. The position follows from the session."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from roundhouse.cage import events as e
from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.entry import CageAnswer, CageEntry
from roundhouse.cage.names import CAGE_CHAIN, CageRefusal
from roundhouse.floor.cage import RunningCage
from roundhouse.house.approvals import ApprovalNeeded, Proposal
from roundhouse.house.cage_permissions import cage_effect, position_at_cage
from roundhouse.house.session import Session
from roundhouse.people.names import HouseRefusal, HouseRefused
from roundhouse.rules.names import StaffPosition
from roundhouse.server.context import ServerContext
from roundhouse.table.names import PersonName, is_request_id, masked
from roundhouse.wire import cage as w
from roundhouse.wire.people import ProposalRow
from roundhouse.wire.requests import acts_as_program
from roundhouse.wire.tables import HouseAnswer


async def submit(
    service: ServerContext, cage: RunningCage, session: Session, request: w.CageRequest
) -> CageAnswer | HouseAnswer:
    """Submit a request and return its answer after the commit, or the proposal that a second person must approve."""
    if not is_request_id(request.id):
        return _refusal(request, CageRefusal.NOT_UNDERSTOOD, "a request's id must have visible characters")
    if wrong := acts_as_program(request.id, request.by):
        return _refusal(request, CageRefusal.NOT_AUTHORISED, wrong)
    command = await service.run_in_thread(to_command, cage, request, session)
    now = service.clock()
    # A resent request gets the recorded answer, also if it would need another approval now.
    if not await service.run_in_thread(cage.recorded, command.id):
        facts = await service.run_in_thread(cage.dry_run_facts, command, now)
        requested = request.by if request.by is not UNSET else None
        match position_at_cage(service.house.sessions, session, cage.state, command, facts, now, requested):
            case HouseRefused() as refused:
                return HouseAnswer(request.id, False, refused.refusal, refused.reason)
            case ApprovalNeeded() as needed:
                return await _propose(service, cage, session, command, needed)
            case StaffPosition() as position:
                command = replace(command, by=position)
    elif isinstance(ended := service.house.sessions.may_act(session, now), HouseRefused):
        return HouseAnswer(request.id, False, ended.refusal, ended.reason)
    return await cage.ask(command)


def to_command(cage: RunningCage, request: w.CageRequest, session: Session) -> AnyCageCommand:
    """Convert a request to a command that names no number of a ticket and no customer. Reads the store."""
    given: dict[str, Any] = asdict(request)
    if "ticket" in given:
        given["ticket"] = cage.conceal(given["ticket"])
    if isinstance(person := given.get("person"), w.NamedCustomer):
        given["person"] = cage.customers.customer(person.name, person.document)
    given |= {"by": StaffPosition.CASHIER, "who": PersonName(session.person), "second": UNSET}
    command: AnyCageCommand = w.CAGE_COMMANDS[type(request)](**given)  # type: ignore[assignment]
    return command


async def _propose(
    service: ServerContext, cage: RunningCage, session: Session, command: AnyCageCommand, needs: ApprovalNeeded
) -> HouseAnswer:
    proposal = await service.house.approvals.propose(session, CAGE_CHAIN, command, needs, service.clock())
    if isinstance(proposal, HouseRefused):
        return HouseAnswer(command.id, False, proposal.refusal, proposal.reason)
    effect = [event for event in needs.effect if isinstance(event, e.AnyCageEvent)]
    cage.report_variances(effect, session.person)
    lowest = proposal.approvers[0] if proposal.approvers else UNSET
    reason = "a second person must approve it"
    return HouseAnswer(command.id, False, HouseRefusal.NEEDS_SECOND_PERSON, reason, proposal.id, lowest)


async def approve(service: ServerContext, session: Session, found: Proposal) -> CageAnswer | HouseRefused:
    """Approve a proposal at the cage as its second person, then submit its command with both names.

    The answer has no number of a ticket. The person who asked gets it by resending the request.
    """
    cage, command, now = service.floor.cage, found.command, service.clock()
    if cage is None or not isinstance(command, AnyCageCommand):
        return HouseRefused(HouseRefusal.NO_SUCH_PROPOSAL)
    facts = await service.run_in_thread(cage.dry_run_facts, command, now)
    effect = cage_effect(cage.state, command, facts, found.position, PersonName(found.person))
    approved = await service.house.approvals.approve(session, found.id, effect, now)
    if isinstance(approved, HouseRefused):
        return approved
    assert isinstance(approved.command, AnyCageCommand), "the proposal is of the cage"
    answer = await cage.ask(approved.command, tuple(one for one in effect if isinstance(one, e.AnyCageEvent)))
    return replace(answer, ticket=None)


def _refusal(request: w.CageRequest, refusal: CageRefusal, reason: str) -> CageAnswer:
    return CageAnswer(request.id, False, None, None, refusal, reason)


# The view


def view_of(service: ServerContext, cage: RunningCage, session: Session, sees_all: bool) -> w.CageView:
    state, now = cage.state, service.clock()
    drawers = tuple(
        w.DrawerRow(
            id,
            one.cashier,
            one.opened if one.is_open else None,
            one.cash,
            one.float,
            one.filled,
            one.dropped,
            one.sold,
            one.paid,
            one.counted,
            one.variance,
            id in state.terms.drawers,
        )
        for id, one in state.drawers.items()
    )
    proposals = tuple(
        ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.approvers, one.expires, one.effect
        )
        for one in service.house.approvals.waiting(now)
        if one.table == CAGE_CHAIN and (sees_all or one.person == session.person)
    )
    rows = (_row(entry) for entry in reversed(cage.recent) if entry.request is not None)
    of_today = tuple(
        row
        for row, entry in zip(rows, (one for one in reversed(cage.recent) if one.request is not None))
        if entry.facts.day == state.day
    )
    version = cage.recent[-1].seq if cage.recent else 0
    return w.CageView(
        version,
        state.day,
        now,
        state.terms,
        drawers,
        state.vault,
        state.tickets,
        state.voided,
        state.variance,
        of_today,
        proposals,
    )


def _row(entry: CageEntry) -> w.CageTransaction:
    request = entry.request
    assert request is not None, "only requests are listed"
    found: dict[str, Any] = {}
    for event in entry.events:
        match event:
            case e.DrawerCounted():
                found |= {"cents": event.cents, "variance": event.variance}
            case e.CashReported():
                found["reported"] = True
            case e.TicketLookedUp() | e.TicketVoided():
                found |= {
                    "cents": event.cents or None,
                    "status": getattr(event, "status", None) or getattr(event, "was", None),
                }
            case e.CreditsSold() | e.TicketPaid() | e.DrawerOpened() | e.DrawerFilled() | e.DrawerDropped():
                found["cents"] = event.cents
            case _:
                pass
        if isinstance(ticket := getattr(event, "ticket", None), str):
            found["ticket"] = masked(ticket)  # type: ignore[arg-type]  # an id of a ticket
    if not found and isinstance(cents := getattr(request, "cents", None), int):
        found["cents"] = cents
    if "ticket" not in found and isinstance(number := getattr(request, "ticket", None), str):
        found["ticket"] = masked(number)  # type: ignore[arg-type]  # an id of a ticket
    return w.CageTransaction(
        seq=entry.seq,
        id=request.id,
        at=entry.facts.at,
        do=str(request.__struct_config__.tag),
        who=PersonName(str(request.who)),
        second=request.second if request.second is not UNSET else None,
        drawer=getattr(request, "drawer", None),
        refusal=entry.refusal,
        **found,
    )
