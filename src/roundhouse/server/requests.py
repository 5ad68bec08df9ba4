"""Putting a request to a table in somebody's name. HTTP and sockets do it in this one way.

The position, the person and the seat come from who is logged in. What the message says of them is only checked.
"""

import time
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from roundhouse.floor import audience
from roundhouse.floor.table import TableAccess
from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.session import Session
from roundhouse.house.terminals import EnrolledTerminal
from roundhouse.journal.entry import Answer
from roundhouse.people.names import HouseRefusal, HouseRefused, ProposalId
from roundhouse.rules.names import StaffPosition
from roundhouse.server.auth import Authenticated, StaffCaller, TerminalCaller
from roundhouse.server.context import ServerContext
from roundhouse.table.commands import AnyCommand, BetCommand
from roundhouse.table.names import MAX_REQUEST_ID, PersonName, is_request_id
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import HouseDesk
from roundhouse.wire.people import AlertRow, ProposalRow
from roundhouse.wire.requests import SeatMissing, TableRequest, seat_of, to_command
from roundhouse.wire.tables import HouseAnswer


@dataclass(frozen=True)
class NeedsApproval:
    """A request that waits for a second person."""

    who: Session
    command: AnyCommand
    needs: ApprovalNeeded


Prepared = AnyCommand | NeedsApproval | Answer | HouseAnswer


async def submit(
    service: ServerContext, table: TableAccess, caller: Authenticated, asked: TableRequest
) -> Answer | HouseAnswer:
    """The answer, when it is durable, cut to what the caller may see."""
    match prepare(service, table, caller, asked):
        case Answer() | HouseAnswer() as answered:
            return answered
        case NeedsApproval() as proposing:
            return await propose(service, table, proposing)
        case command:
            answer = await ask(service, table, command)
            return (
                audience.answer_for_seat(answer, caller.terminal.seat) if isinstance(caller, TerminalCaller) else answer
            )


def prepare(service: ServerContext, table: TableAccess, caller: Authenticated, asked: TableRequest) -> Prepared:
    """What the table is to be asked in the caller's name; or what he is answered without it."""
    if not is_request_id(asked.id):
        return _not_understood(asked, f"a request's id has 1 to {MAX_REQUEST_ID} characters that can be seen")
    if asked.table is not UNSET and asked.table != table.id:
        return HouseAnswer(asked.id, False, HouseRefusal.OTHER_TABLE, f"this is table {table.id}")
    match caller:
        case TerminalCaller(terminal=terminal):
            return _by_terminal(service, table, terminal, asked)
        case StaffCaller(session=session):
            return _by_staff(service, table, session, asked)


def _by_terminal(
    service: ServerContext, table: TableAccess, terminal: EnrolledTerminal, asked: TableRequest
) -> Prepared:
    seat = seat_of(asked)
    command = to_command(asked, StaffPosition.PLAYER, terminal.seat if seat is UNSET else seat)
    may = service.house.permissions.position_for(
        terminal, table.id, table.table, command, service.clock(), _said(asked)
    )
    if isinstance(may, HouseRefused):
        return HouseAnswer(asked.id, False, may.refusal, may.reason)
    assert may is StaffPosition.PLAYER, "at a terminal everybody is a player, and nothing needs a second person"
    return command


def _by_staff(service: ServerContext, table: TableAccess, session: Session, asked: TableRequest) -> Prepared:
    try:
        command = to_command(asked, StaffPosition.PLAYER, seat_of(asked), PersonName(session.person))
    except SeatMissing:
        return _not_understood(asked, "Object missing required field `seat`")
    permissions = service.house.permissions
    may = permissions.position_for(session, table.id, table.table, command, service.clock(), _said(asked))
    match may:
        case StaffPosition():
            return replace(command, by=may)
        case HouseRefused():
            return HouseAnswer(asked.id, False, may.refusal, may.reason)
        case ApprovalNeeded():
            return NeedsApproval(session, command, may)


def _said(asked: TableRequest) -> StaffPosition | None:
    """In which position somebody says that he acts."""
    return asked.by if asked.by is not UNSET else None


async def approve(service: ServerContext, caller: StaffCaller, proposal: ProposalId) -> Answer | HouseRefused:
    """The second person's word. The table is then asked, with both names."""
    house, now = service.house, service.clock()
    found = next((one for one in house.approvals.waiting(now) if one.id == proposal), None)
    table = service.floor.tables.get(found.table) if found is not None else None
    if table is None:
        return HouseRefused(HouseRefusal.NO_SUCH_PROPOSAL)
    effect = house.approvals.effect_of(proposal, table.table, now)
    approved = await house.approvals.approve(caller.session, proposal, effect, now)
    if isinstance(approved, HouseRefused):
        return approved
    return await ask(service, table, approved.command)


async def ask(service: ServerContext, table: TableAccess, command: AnyCommand) -> Answer:
    began = time.perf_counter()
    answer = await table.ask(command)
    service.metrics.answered(table.id, isinstance(command, BetCommand), answer.refusal, time.perf_counter() - began)
    return answer


async def propose(service: ServerContext, table: TableAccess, asked: NeedsApproval) -> HouseAnswer:
    who, command, needs = asked.who, asked.command, asked.needs
    made = await service.house.approvals.propose(who, table.id, command, needs, service.clock())
    if isinstance(made, HouseRefused):
        return HouseAnswer(command.id, False, made.refusal, made.reason)
    lowest = made.approvers[0] if made.approvers else UNSET
    words = "a second person must approve it"
    return HouseAnswer(command.id, False, HouseRefusal.NEEDS_SECOND_PERSON, words, made.id, lowest)


def _not_understood(asked: TableRequest, reason: str) -> Answer:
    return Answer(asked.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason)


def pit_desk(service: ServerContext) -> HouseDesk:
    house = service.house
    alerts = tuple(
        AlertRow(id, one.at, one.about, one.text, one.table, one.person) for id, one in house.alerts().items()
    )
    proposals = tuple(
        ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.approvers, one.expires, one.effect
        )
        for one in house.approvals.waiting(service.clock())
    )
    return HouseDesk(alerts, proposals)
