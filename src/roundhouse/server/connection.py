"""One WebSocket connection. Re-checks the caller's access on every message.

A command goes to its table without a task per message. Requests that await the house (proposals, approvals, recorded
refusals) run in background tasks, so that reading continues.
"""

import asyncio
import time
from collections.abc import Mapping
from functools import partial

import msgspec

from roundhouse.floor import audience
from roundhouse.floor.table import TableAccess
from roundhouse.journal.entry import Answer
from roundhouse.logs import log_bug
from roundhouse.people.events import ProposalApproved, ProposalRejected
from roundhouse.people.names import HouseRefusal, HouseRefused, ProposalId
from roundhouse.server import requests
from roundhouse.server.auth import (
    ASKS_TABLE,
    Access,
    Anonymous,
    Caller,
    StaffCaller,
    TerminalCaller,
    access_for,
    deny,
    deny_socket,
)
from roundhouse.server.background import BackgroundTasks
from roundhouse.server.context import ServerContext
from roundhouse.server.endpoint import decode_error_text
from roundhouse.server.limits import TokenBucket
from roundhouse.server.sender import FrameSender
from roundhouse.server.subscription import Subscription
from roundhouse.table.commands import AnyCommand, BetCommand
from roundhouse.table.names import RequestId, SeatId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import (
    Approve,
    Authenticate,
    CloseReason,
    DoneMessage,
    FromClient,
    HouseMessage,
    Observe,
    Ping,
    Reject,
    Resume,
)
from roundhouse.wire.requests import TableRequest
from roundhouse.wire.tables import HouseAnswer, NumberedAnswer

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(FromClient).decode
_RESUME_COST = 20.0
"""Cost of a resume in the rate limit, because it may send a whole snapshot. Other messages cost 1."""
_CONNECTION_REQUESTS = frozenset({Authenticate, Observe, Resume, Ping, Approve, Reject})
"""Requests that the connection handles itself. All others are commands for a table."""
_APPROVES, _REJECTS = access_for(ProposalApproved), access_for(ProposalRejected)


class _OnlyId(msgspec.Struct):
    id: str | None = None


class Connection:
    """A connection to one table, or to all ``tables`` if ``pit`` is set. In that case requests must name a table."""

    def __init__(
        self,
        service: ServerContext,
        tables: Mapping[TableId, TableAccess],
        pit: bool,
        caller: Caller,
        sender: FrameSender,
        address: str,
    ) -> None:
        self.service, self.caller, self.sender, self.address = service, caller, sender, address
        self.waiting: dict[RequestId, int] = {}
        """Unanswered requests: how many there are with each id."""
        self.muted = False
        """True while the console is locked. The connection then sends no changes."""
        self.pit = pit
        self._tables = tables
        self._subscriptions = {id: Subscription(self, table.feed, pit) for id, table in tables.items()}
        self._bucket = TokenBucket(service.settings.messages, service.ticks())
        self._capacity = asyncio.Event()
        """Set when a request was answered, so that the next message can be handled."""
        self._background = BackgroundTasks(self._send, sender, self._capacity.set)
        self._joined = False
        self._reading = False
        """Whether ``handle`` is at work on a message, which later messages must not overtake."""

    @property
    def seat(self) -> SeatId | None:
        return self.caller.terminal.seat if isinstance(self.caller, TerminalCaller) else None

    @property
    def owner_id(self) -> str | None:
        """Number of the terminal or id of the session. None for an anonymous observer."""
        match self.caller:
            case TerminalCaller(terminal=terminal):
                return terminal.number
            case StaffCaller(session=session):
                return session.id
            case Anonymous():
                return None

    @property
    def staff(self) -> bool:
        return isinstance(self.caller, StaffCaller)

    def begin(self) -> None:
        """Send a snapshot of every table and subscribe to its feed."""
        for subscription in self._subscriptions.values():
            self._send_snapshot(subscription)
            subscription.feed.subscribers.join(subscription, self.seat, self.staff)
        self._joined = True

    def end(self) -> None:
        if self._joined:
            for subscription in self._subscriptions.values():
                subscription.feed.subscribers.leave(subscription, self.seat, self.staff)

    def _send_snapshot(self, subscription: Subscription) -> None:
        subscription.hear(subscription.feed.snapshot(self.seat, self.staff))

    def recheck_access(self) -> CloseReason | None:
        """Recheck the caller's access. Return the reason to close the connection, or None.

        If the console was unlocked since the last check, sends new snapshots.
        """
        match self.caller:
            case Anonymous():
                return None
            case TerminalCaller(terminal=terminal):
                known = self.service.house.terminals.is_enrolled(terminal.number)
                return None if known else CloseReason.TERMINAL_IS_REVOKED
            case StaffCaller(session=session, by_cookie=by_cookie):
                now = self.service.house.sessions.refreshed(session, self.service.clock())
                if now is None:
                    return CloseReason.NOT_LOGGED_IN
                self.caller = StaffCaller(now, by_cookie)
                if any(deny_socket(self.caller, id, self.pit) for id in self._tables):
                    return CloseReason.NOT_AUTHORISED
                if self.muted and not now.locked:
                    self.muted = False
                    for subscription in self._subscriptions.values():
                        self._send_snapshot(subscription)
                    if self.pit:
                        # Alerts and proposals of the locked period were not sent either.
                        self._send(HouseMessage(requests.pit_desk(self.service)))
                self.muted = now.locked
                return None

    def try_handle(self, message: bytes) -> bool:
        """Handle a message now and return True, or return False if it must wait. Then call ``handle`` with it."""
        if self._reading or len(message) > self.service.settings.message_bytes or self._full:
            return False
        request = _read(message)
        if not self._bucket.try_take(self.service.ticks(), _cost(request)):
            return False
        self._handle_now(request)
        return True

    async def handle(self, message: str | bytes) -> None:
        """Handle a message as soon as the rate limit and the queue allow it. The message is charged before it waits."""
        self._reading = True
        try:
            request = _read(message)
            if (seconds := self._bucket.take(self.service.ticks(), _cost(request))) > 0:
                await asyncio.sleep(seconds)
            while self._full and self.sender.open:
                self._capacity.clear()
                await self._capacity.wait()
            self._handle_now(request)
        finally:
            self._reading = False

    @property
    def _full(self) -> bool:
        return len(self.waiting) + len(self._background.tasks) >= self.service.settings.unanswered

    def _handle_now(self, request: TableRequest | Answer) -> None:
        if isinstance(request, Answer):
            self._send(request)
            return
        try:
            self._dispatch(request)
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self.sender.close(CloseReason.OUR_OWN_BUG)

    def _dispatch(self, request: TableRequest) -> None:
        if type(request) not in _CONNECTION_REQUESTS:
            self._submit(request)
            return
        match request:
            case Ping():
                if self._still_allowed():
                    self._send(DoneMessage(request.id, True, self.service.clock()))
            case Resume():
                if self._still_allowed():
                    self._resume(request)
            case Authenticate() | Observe():
                reason = "the connection is already authenticated; reconnect to change that"
                self._send(Answer(request.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason))
            case Approve() | Reject():
                self._handle_approval(request)

    def _still_allowed(self) -> bool:
        """Recheck the caller's access, and close the connection if it was lost."""
        reason = self.recheck_access()
        if reason is not None:
            self.sender.close(reason)
        return reason is None

    def _resume(self, request: Resume) -> None:
        subscriptions = [found for id, found in self._subscriptions.items() if not self.pit or id == request.table]
        if not subscriptions:
            self._send(_no_table(request))
            return
        for subscription in subscriptions:
            missed = subscription.feed.missed(self.seat, self.staff, request.epoch, request.public, request.own)
            if missed is None:
                self._send_snapshot(subscription)
            for frame in missed or ():
                subscription.hear(frame)
        self._send(DoneMessage(request.id, True, self.service.clock()))

    def _submit(self, request: TableRequest) -> None:
        caller = self.caller
        table = self._table(request)
        if table is None:
            self._send(_no_table(request))
            return
        if isinstance(caller, Anonymous):
            self._refused(request, HouseAnswer(request.id, False, HouseRefusal.NOT_LOGGED_IN, "log in first"))
            return
        if isinstance(caller, StaffCaller) and not self._check_staff(request, ASKS_TABLE, table.id):
            return
        match requests.prepare(self.service, table, self.caller, request):  # type: ignore[arg-type]
            case HouseAnswer() as found:
                self._refused(request, found)
                self._still_allowed()
            case Answer() as found:
                self._send(found)
            case requests.NeedsApproval() as found:
                self._background.start(self._propose(table, found), request.id)
            case command:
                self.waiting[request.id] = self.waiting.get(request.id, 0) + 1
                table.put(command, partial(self._on_answer, table, command, time.perf_counter()))

    def _table(self, request: TableRequest) -> TableAccess | None:
        if self.pit:
            return self._tables.get(request.table) if isinstance(request.table, str) else None
        return next(iter(self._tables.values()))

    def _on_answer(self, table: TableAccess, command: AnyCommand, began: float, answer: Answer) -> None:
        """Send an answer. Called by the table's writer, so no exception may escape."""
        try:
            self._send_answer(table, command, began, answer)
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self.sender.close(CloseReason.OUR_OWN_BUG)

    def _send_answer(self, table: TableAccess, command: AnyCommand, began: float, answer: Answer) -> None:
        id = command.id
        count = self.waiting.pop(id, 1)
        if count > 1:
            self.waiting[id] = count - 1
        if self._reading:
            self._capacity.set()
        refusal, subscription, seat = answer.refusal, self._subscriptions[table.id], self.seat
        self.service.metrics.record_answer(
            table.id, isinstance(command, BetCommand), refusal, time.perf_counter() - began
        )
        if refusal is Refusal.NOT_AUTHORISED:
            self._record_refusal(type(command).__struct_config__.tag, refusal)
        if seat is None:
            self._send(answer, subscription.tag)
            return
        change, answer = subscription.change_for(answer), audience.answer_for_seat(answer, seat)
        if change is not None:
            version, events, clause, reason = answer.version, answer.events, answer.clause, answer.reason
            numbered = (change.n, change.credits, change.bets, change.undoable, change.repeatable)
            answer = NumberedAnswer(answer.id, answer.ok, version, events, refusal, clause, reason, None, *numbered)
        self._send(answer)

    def _refused(self, request: TableRequest, answer: HouseAnswer) -> None:
        self._send(answer, self._tag(request))
        self._record_refusal(request.__struct_config__.tag, answer.refusal)

    def _record_refusal(self, operation: object, code: str) -> None:
        self._background.start(self.service.note_refusal(str(operation), code, self.caller, self.address), None)

    async def _propose(self, table: TableAccess, needed: requests.NeedsApproval) -> None:
        self._send(await requests.propose(self.service, table, needed), self._subscriptions[table.id].tag)

    def _check_staff(self, request: TableRequest, access: Access, table: TableId | None) -> bool:
        """Check a staff caller as HTTP does for the same request. Refuses the request if access is denied."""
        close_reason = self.recheck_access()
        problem = deny(access, self.caller, table) if close_reason is None else None
        if close_reason is None and problem is None:
            assert isinstance(self.caller, StaffCaller)
            self.service.touch(self.caller)
            return True
        code = HouseRefusal((close_reason or problem).value)  # type: ignore[union-attr]
        self._refused(request, HouseAnswer(request.id, False, code, f"this is only for {access.description}"))
        if close_reason is not None:
            self.sender.close(close_reason)
        return False

    def _handle_approval(self, request: Approve | Reject) -> None:
        if not isinstance(self.caller, StaffCaller):
            code = HouseRefusal.NOT_LOGGED_IN if isinstance(self.caller, Anonymous) else HouseRefusal.NOT_AUTHORISED
            self._refused(request, HouseAnswer(request.id, False, code, "this is only for staff"))
        elif self._check_staff(request, _APPROVES if isinstance(request, Approve) else _REJECTS, None):
            if isinstance(request, Approve):
                self._background.start(self._approve(self.caller, request), request.id)
            else:
                self._background.start(self._reject(self.caller, request), request.id)

    async def _approve(self, caller: StaffCaller, request: Approve) -> None:
        answer = await requests.approve(self.service, caller, ProposalId(request.proposal))
        if isinstance(answer, HouseRefused):
            self._send(HouseAnswer(request.id, False, answer.refusal, answer.reason), self._tag(request))
        else:
            self._send(msgspec.structs.replace(answer, id=request.id), self._tag(request))

    async def _reject(self, caller: StaffCaller, request: Reject) -> None:
        approvals, now = self.service.house.approvals, self.service.clock()
        refused = await approvals.reject(caller.session, ProposalId(request.proposal), request.reason, now)
        if refused is not None:
            self._send(HouseAnswer(request.id, False, refused.refusal, refused.reason), self._tag(request))
        else:
            self._send(DoneMessage(request.id, True, now), self._tag(request))

    def _tag(self, request: TableRequest) -> str:
        subscription = self._subscriptions.get(request.table) if self.pit and isinstance(request.table, str) else None
        return subscription.tag if subscription is not None else ""

    def _send(self, message: msgspec.Struct, tag: str = "") -> None:
        frame = _encode(message).decode()
        self.sender.write(frame[:-1] + tag if tag else frame)


def _read(message: str | bytes) -> TableRequest | Answer:
    """Decode a message to a request, or return the ``not_understood`` answer to it."""
    try:
        request: TableRequest = _decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _not_understood(message, error)
    return request


def _cost(request: TableRequest | Answer) -> float:
    """Return the cost of a message in the rate limit."""
    return _RESUME_COST if type(request) is Resume else 1.0


def _no_table(request: TableRequest) -> Answer:
    return Answer(
        request.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason="give the id of an existing table in `table`"
    )


def _not_understood(message: str | bytes, error: Exception) -> Answer:
    try:
        id = msgspec.json.decode(message, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        id = None
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=decode_error_text(error))
