"""Submits a request to a table on behalf of a caller. Used by HTTP and WebSocket.

Position, person and seat come from the caller's identity. If the request also names them, they are checked.
"""

import time
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.entry import CageAnswer
from roundhouse.cage.names import CAGE_CHAIN
from roundhouse.floor import audience
from roundhouse.floor.access import TableAccess
from roundhouse.floor.permissions import refuse_terminal
from roundhouse.floor.refusals import UnrecordedAnswer
from roundhouse.floor.tickets import without_numbers
from roundhouse.house.approvals import ApprovalNeeded
from roundhouse.house.session import Session
from roundhouse.journal.entry import Answer, Seq
from roundhouse.people.names import HouseRefusal, HouseRefused, ProposalId
from roundhouse.rules.names import StaffPosition
from roundhouse.server.auth import Authenticated, StaffCaller, TerminalCaller
from roundhouse.server.cage import approve as approve_at_cage
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import decode_error_text
from roundhouse.table.commands import AnyCommand, BetCommand, CashOut, Double, PlaceBets, PlacePackage, Repeat
from roundhouse.table.decide import MAY_NEED_APPROVAL
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.names import MAX_REQUEST_ID, PersonName, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import Approve, DoneMessage, FromClient, HouseDesk, Reject
from roundhouse.wire.people import AlertRow, ProposalRow
from roundhouse.wire.requests import COMMANDS, RESERVED_IDS, TableRequest, acts_as_program, needs_seat
from roundhouse.wire.tables import HouseAnswer

_decode = msgspec.json.Decoder(FromClient).decode
SEAT_REQUESTS, UNRECORDED = "seat_requests", "refused"
"""Names in the house's chain for refused requests of a seat that are only counted. See ``floor/refusals.py``."""


@dataclass(frozen=True)
class NeedsApproval:
    """A command that needs a second person's approval."""

    session: Session
    command: AnyCommand
    needs: ApprovalNeeded


Prepared = AnyCommand | NeedsApproval | Answer | HouseAnswer
"""A command for the table, a command that needs an approval first, or a refusal."""


async def submit(
    service: ServerContext, table: TableAccess, caller: Authenticated, request: TableRequest
) -> Answer | HouseAnswer:
    """Submit a request and return its answer after the commit. A terminal gets only the events of its seat."""
    if reads_past_rounds(request):
        await table.projection.load_rounds_for(request)
    match prepare(service, table, caller, request):
        case Answer() | HouseAnswer() as refused:
            return refused
        case NeedsApproval() as needed:
            return await propose(service, table, needed)
        case command:
            answer = await ask(service, table, command)
            if type(answer) is UnrecordedAnswer:
                await service.note_refusal(SEAT_REQUESTS, UNRECORDED, caller, "")
            if isinstance(caller, TerminalCaller):
                return audience.answer_for_seat(answer, caller.terminal.seat)
            return for_staff(service, table, command, answer)


def reads_past_rounds(request: TableRequest) -> bool:
    """Return whether ``prepare`` needs past rounds for a dry run. Load them before, because the store may block."""
    kind = COMMANDS[type(request)]
    return kind in MAY_NEED_APPROVAL and not _ROUND_FIELDS.isdisjoint(kind.__struct_fields__)


def prepare(service: ServerContext, table: TableAccess, caller: Authenticated, request: TableRequest) -> Prepared:
    """Check a request and convert it to a command of the caller, or return the refusal.

    Every bet runs through this function, so it calls few others. The first check is a copy of ``is_request_id``.
    """
    id = request.id
    if not 0 < len(id) <= MAX_REQUEST_ID or not id.isprintable():
        return _not_understood(request, f"a request's id must have 1 to {MAX_REQUEST_ID} visible characters")
    if request.table is not UNSET and request.table != table.id:
        reason = f"this connection is for table '{table.id}', not '{request.table}'"
        return HouseAnswer(id, False, HouseRefusal.OTHER_TABLE, reason)
    if request.by in PROGRAMS or id.startswith(RESERVED_IDS):
        return Answer(id, False, refusal=Refusal.NOT_AUTHORISED, reason=acts_as_program(id, request.by))
    position = request.by if request.by is not UNSET else None
    if isinstance(caller, StaffCaller):
        return _prepare_for_staff(service, table, caller.session, request, position)
    terminal = caller.terminal
    command = _to_command(request, terminal.seat)
    budget = service.entry_budgets.get(terminal.number) or service.entry_budget(terminal.number)
    if budget.left < 1 and type(command) in PLACES_BETS and budget.is_spent(service.ticks()):
        reason = "this terminal has sent too many requests; wait, or take bets back"
        return HouseAnswer(id, False, HouseRefusal.TOO_MANY_REQUESTS, reason)
    budget.left -= 1
    enrolled = terminal.number in service.house.writer.version.state.terminals
    refused = refuse_terminal(terminal, enrolled, table.id, command, position)
    return command if refused is None else HouseAnswer(id, False, refused.refusal, refused.reason)


def _prepare_for_staff(
    service: ServerContext,
    table: TableAccess,
    session: Session,
    request: TableRequest,
    requested: StaffPosition | None,
) -> Prepared:
    try:
        command = _to_command(request, UNSET, PersonName(session.person))
    except SeatMissing:
        return _not_understood(request, "Object missing required field `seat`")
    permissions, now = service.house.permissions, service.clock()
    match permissions.position_for(session, table.id, table.table, command, now, requested):
        case StaffPosition() as position:
            return replace(command, by=position)
        case HouseRefused() as refused:
            return HouseAnswer(request.id, False, refused.refusal, refused.reason)
        case ApprovalNeeded() as needed:
            return NeedsApproval(session, command, needed)


PLACES_BETS: Final = frozenset({PlaceBets, PlacePackage, Repeat, Double})
"""Commands that a spent budget refuses. Taking bets back and cashing out are never refused for it."""
_ROUND_FIELDS: Final = frozenset({"round", "rounds"})
_SEAT_OPTIONAL: Final = frozenset(
    kind for kind in COMMANDS.values() if "seat" in kind.__struct_fields__ and not needs_seat(kind)
)
"""Commands that may concern one seat or a whole round."""


class SeatMissing(Exception):
    """The request needs a ``seat`` and has none."""


def _to_command(request: TableRequest, seat: SeatId | UnsetType, person: PersonName | UnsetType = UNSET) -> AnyCommand:
    """Convert a request to a command. ``seat`` is used if the request names no seat.

    Raises ``SeatMissing`` if the command needs a seat and has none.
    """
    fields = asdict(request)
    del fields["table"]
    fields["by"], fields["who"] = StaffPosition.PLAYER, person
    kind = COMMANDS[type(request)]
    if fields.get("seat") is UNSET and kind not in _SEAT_OPTIONAL:
        if seat is UNSET:
            raise SeatMissing
        fields["seat"] = seat
    command: AnyCommand = kind(**fields)  # type: ignore[assignment]
    return command


async def approve(
    service: ServerContext, caller: StaffCaller, proposal: ProposalId
) -> Answer | CageAnswer | HouseRefused:
    """Approve a proposal as its second person, then submit its command to the table with both names."""
    house, now = service.house, service.clock()
    found = next((one for one in house.approvals.waiting(now) if one.id == proposal), None)
    if found is not None and found.table == CAGE_CHAIN:
        return await approve_at_cage(service, caller.session, found)
    table = service.floor.tables.get(found.table) if found is not None else None
    if found is None or table is None:
        return HouseRefused(HouseRefusal.NO_SUCH_PROPOSAL)
    assert not isinstance(found.command, AnyCageCommand), "a table's proposal has a table's command"
    await table.projection.load_rounds_for(found.command)
    effect, moved_at = house.approvals.effect_of(proposal, table.table, now), table.moved_at
    approved = await house.approvals.approve(caller.session, proposal, effect, now)
    if isinstance(approved, HouseRefused):
        return approved
    # While this approval is recorded, another one may change the table, so that the command has another effect.
    assert not isinstance(approved.command, AnyCageCommand), "a table's proposal has a table's command"
    answer = await ask(service, table, approved.command, expects=moved_at)
    # The ticket of a cash-out is for the person who asked for it, who gets its number by resending the request.
    return without_numbers(answer)


async def answer_second_person(
    service: ServerContext, caller: StaffCaller, request: Approve | Reject
) -> Answer | CageAnswer | DoneMessage | HouseAnswer:
    """Approve or reject a proposal, and return the answer to the request."""
    proposal = ProposalId(request.proposal)
    if isinstance(request, Approve):
        answer = await approve(service, caller, proposal)
        if isinstance(answer, HouseRefused):
            return HouseAnswer(request.id, False, answer.refusal, answer.reason)
        return replace(answer, id=request.id)
    now = service.clock()
    refused = await service.house.approvals.reject(caller.session, proposal, request.reason, now)
    if refused is not None:
        return HouseAnswer(request.id, False, refused.refusal, refused.reason)
    return DoneMessage(request.id, True, now)


async def ask(service: ServerContext, table: TableAccess, command: AnyCommand, expects: Seq | None = None) -> Answer:
    """Send a command to a table, wait for its answer and count it in the metrics."""
    began = time.perf_counter()
    answer = await table.ask(command, expects)
    service.metrics.record_answer(
        table.id, isinstance(command, BetCommand), answer.refusal, time.perf_counter() - began
    )
    return answer


async def propose(service: ServerContext, table: TableAccess, needed: NeedsApproval) -> HouseAnswer | Answer:
    """Record a command as a proposal and return the answer that a second person must approve it."""
    command = replace(needed.command, by=needed.needs.position)
    if await table.has_recorded(command.id):
        # A second person approved it before, and the answer was lost.
        return for_staff(service, table, command, await ask(service, table, command))
    proposal = await service.house.approvals.propose(needed.session, table.id, command, needed.needs, service.clock())
    if isinstance(proposal, HouseRefused):
        return HouseAnswer(command.id, False, proposal.refusal, proposal.reason)
    lowest = proposal.approvers[0] if proposal.approvers else UNSET
    reason = "a second person must approve it"
    return HouseAnswer(command.id, False, HouseRefusal.NEEDS_SECOND_PERSON, reason, proposal.id, lowest)


def for_staff(service: ServerContext, table: TableAccess, command: AnyCommand, answer: Answer) -> Answer:
    """Return an answer for staff: the number of a seat's ticket goes to the terminal of that seat, if it has one."""
    if not isinstance(command, CashOut) or command.by is StaffPosition.PLAYER:
        return answer
    has_terminal = service.house.writer.state.enrolled_at(table.id, command.seat) is not None
    return without_numbers(answer) if has_terminal else answer


def _not_understood(request: TableRequest, reason: str) -> Answer:
    return Answer(request.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason)


def pit_desk(service: ServerContext) -> HouseDesk:
    """Return the alerts and proposals that wait for the pit."""
    house = service.house
    alerts = tuple(
        AlertRow(id, one.at, one.about, one.text, one.table, one.person, one.severity)
        for id, one in house.alerts().items()
    )
    proposals = tuple(
        ProposalRow(
            one.id, one.person, one.at, one.table, one.command, one.position, one.approvers, one.expires, one.effect
        )
        for one in house.approvals.waiting(service.clock())
    )
    return HouseDesk(alerts, proposals)


class _OnlyId(msgspec.Struct):
    id: str | None = None


def not_understood(message: str | bytes, error: Exception) -> Answer:
    """Answer a message that could not be decoded, with its id if it has one."""
    try:
        id = msgspec.json.decode(message, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        id = None
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=decode_error_text(error))


def read(message: str | bytes) -> TableRequest | Answer:
    """Decode a message of a socket to a request, or return the ``not_understood`` answer to it."""
    try:
        request: TableRequest = _decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return not_understood(message, error)
    return request
