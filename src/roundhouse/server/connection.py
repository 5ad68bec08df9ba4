"""One WebSocket connection. Re-checks the caller's access on every message.

A command goes to its table without a task per message. Requests that await the house (proposals, approvals, recorded
refusals) run in background tasks, so that reading continues. Later messages can overtake them.
"""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from functools import partial

import msgspec

from roundhouse.floor import audience
from roundhouse.floor.access import TableAccess
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.permissions import PermissionUpdates
from roundhouse.floor.refusals import UnrecordedAnswer
from roundhouse.floor.subscribers import SeatChange
from roundhouse.journal.entry import Answer
from roundhouse.logs import log_bug
from roundhouse.people.events import ProposalApproved, ProposalRejected
from roundhouse.people.names import HouseRefusal
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
    rights_at,
)
from roundhouse.server.background import BackgroundTasks
from roundhouse.server.context import ServerContext
from roundhouse.server.limits import TokenBucket
from roundhouse.server.protocol import FrameSender
from roundhouse.table.commands import AnyCommand, BetCommand
from roundhouse.table.names import RequestId, SeatId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import (
    Approve,
    Authenticate,
    CloseReason,
    DoneMessage,
    HouseMessage,
    Observe,
    OwnChange,
    Ping,
    Reject,
    Resume,
)
from roundhouse.wire.requests import TableRequest
from roundhouse.wire.tables import HouseAnswer, NumberedAnswer

_encode = msgspec.json.Encoder().encode
_RESUME_COST = 20.0
"""Cost of a resume in the rate limit, because it may send a whole snapshot. Other messages cost 1."""
_APPROVES, _REJECTS = access_for(ProposalApproved), access_for(ProposalRejected)


class Subscription:
    """Sends the changes of one feed to a connection. ``tagged`` adds the table to each frame, for the pit's socket."""

    __slots__ = ("_connection", "_held", "_permissions", "feed", "tag")

    def __init__(self, connection: "Connection", feed: TableFeed, tagged: bool) -> None:
        self._connection = connection
        self.feed = feed
        self.tag = f',"table":{_encode(feed.id).decode()}}}' if tagged else ""
        self._permissions = PermissionUpdates(feed.permissions, rights_at(feed.id, connection.caller))
        self._held: SeatChange | None = None
        """A change caused by a request of this connection. It is held back because the answer will include it."""

    def set_caller(self, caller: Caller) -> None:
        """Set the caller whose permissions the frames contain."""
        self._permissions.set_rights(rights_at(self.feed.id, caller))

    def send(self, frame: str) -> None:
        connection = self._connection
        if not connection.muted:
            news = self._permissions.members()
            connection.sender.write(frame[:-1] + news + (self.tag or "}") if news or self.tag else frame)

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        if self._held is not None:
            self._release()
        connection = self._connection
        if change.request not in connection.waiting:
            # Only a terminal has a seat. Its connection has no tag and is never muted.
            connection.sender.write(change.frame(public, self._permissions.members()))
            return
        self._held = change
        if public is not None:
            self.send(f'{{"public":{public}}}')

    def change_for(self, answer: Answer) -> OwnChange | None:
        """Return the change that this answer must include, or None."""
        held = self._held
        if held is None or held.request != answer.id:
            return None
        if held.version != answer.version:
            # Two requests have this id; the change was caused by the other one.
            self._release()
            return None
        self._held = None
        return held.own

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self.send(held.frame())

    def feed_failed(self) -> None:
        self._connection.sender.close(CloseReason.OUR_OWN_BUG)


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
        self._unanswered = 0
        """Sum of ``waiting``."""
        self.muted = False
        """True while the console is locked. The connection then sends no changes."""
        self.pit = pit
        self.seat: SeatId | None = caller.terminal.seat if isinstance(caller, TerminalCaller) else None
        self._tables = tables
        self._table = next(iter(tables.values()))
        self._subscriptions = {id: Subscription(self, table.feed, pit) for id, table in tables.items()}
        self._bucket = TokenBucket(service.settings.messages, service.ticks())
        self._capacity = asyncio.Event()
        """Set when a request was answered, so that the next message can be handled."""
        self._background = BackgroundTasks(self._send, sender, self._capacity.set)
        self.pinged_at: float | None = None
        """When the client last sent a ping, in ``ticks`` of the server; ``None`` if it sends none."""
        self._joined = False
        self._reading = False
        """Whether ``handle`` is at work on a message, which later messages must not overtake."""

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
        subscription.send(subscription.feed.snapshot(self.seat, self.staff))

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
                for subscription in self._subscriptions.values():
                    subscription.set_caller(self.caller)
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
        settings, unanswered = self.service.settings, self._unanswered + len(self._background.tasks)
        if self._reading or len(message) > settings.message_bytes or unanswered >= settings.unanswered:
            return False
        request = requests.read(message)
        cost = _RESUME_COST if type(request) is Resume else 1.0
        if not self._bucket.try_take(self.service.ticks(), cost):
            return False
        self._handle_now(request)
        return True

    async def handle(self, message: str | bytes) -> None:
        """Handle a message as soon as the rate limit and the queue allow it. The message is charged before it waits."""
        self._reading = True
        try:
            request = requests.read(message)
            cost = _RESUME_COST if type(request) is Resume else 1.0
            if (seconds := self._bucket.take(self.service.ticks(), cost)) > 0:
                await asyncio.sleep(seconds)
            most = self.service.settings.unanswered
            while self._unanswered + len(self._background.tasks) >= most and self.sender.open:
                self._capacity.clear()
                await self._capacity.wait()
            self._handle_now(request)
        finally:
            self._reading = False

    def _handle_now(self, request: TableRequest | Answer) -> None:
        try:
            match request:
                case Ping():
                    self.pinged_at = self.service.ticks()
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
                case Answer():
                    self._send(request)
                case _:
                    self._submit(request)
        except Exception as bug:
            self._close_after(bug)

    def _close_after(self, bug: Exception) -> None:
        log_bug("bug", bug, route="socket")
        self.sender.close(CloseReason.OUR_OWN_BUG)

    def _still_allowed(self) -> bool:
        """Recheck the caller's access, and close the connection if it was lost."""
        reason = self.recheck_access()
        if reason is not None:
            self.sender.close(reason)
        return reason is None

    def _resume(self, request: Resume) -> None:
        subscriptions = [found for id, found in self._subscriptions.items() if not self.pit or id == request.table]
        if not subscriptions:
            reason = "give the id of an existing table in `table`"
            self._send(Answer(request.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason))
            return
        for subscription in subscriptions:
            missed = subscription.feed.missed(self.seat, self.staff, request.epoch, request.public, request.own)
            if missed is None:
                self._send_snapshot(subscription)
            for frame in missed or ():
                subscription.send(frame)
        self._send(DoneMessage(request.id, True, self.service.clock()))

    def _submit(self, request: TableRequest, loaded: bool = False) -> None:
        caller = self.caller
        table = self._tables.get(request.table) if self.pit else self._table  # type: ignore[arg-type]  # may be UNSET
        if table is None:
            reason = "give the id of an existing table in `table`"
            self._send(Answer(request.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=reason))
            return
        if isinstance(caller, Anonymous):
            self._refused(request, HouseAnswer(request.id, False, HouseRefusal.NOT_LOGGED_IN, "log in first"))
            return
        if isinstance(caller, StaffCaller):
            if not self._check_staff(request, ASKS_TABLE, table.id):
                return
            if not loaded and requests.reads_past_rounds(request):
                self._background.start(self._submit_loaded(table, request), request.id)
                return
        match requests.prepare(self.service, table, self.caller, request):  # type: ignore[arg-type]
            case HouseAnswer() as found:
                self._refused(request, found)
                self._still_allowed()
            case Answer() as found:
                self._send(found)
            case requests.NeedsApproval() as found:
                self._send_later(requests.propose(self.service, table, found), request)
            case command:
                self.waiting[request.id] = self.waiting.get(request.id, 0) + 1
                self._unanswered += 1
                table.put(command, partial(self._on_answer, table, command, time.perf_counter()))

    async def _submit_loaded(self, table: TableAccess, request: TableRequest) -> None:
        await table.projection.load_rounds_for(request)
        self._submit(request, loaded=True)

    def _on_answer(self, table: TableAccess, command: AnyCommand, began: float, answer: Answer) -> None:
        """Send an answer. Called by the table's queue, so no exception may escape."""
        try:
            self._unanswered -= 1
            count = self.waiting.pop(command.id, 1)
            if count > 1:
                self.waiting[command.id] = count - 1
            if self._reading:
                self._capacity.set()
            refusal, subscription, seat = answer.refusal, self._subscriptions[table.id], self.seat
            seconds = time.perf_counter() - began
            self.service.metrics.record_answer(table.id, isinstance(command, BetCommand), refusal, seconds)
            if refusal is Refusal.NOT_AUTHORISED:
                self._record_refusal(type(command).__struct_config__.tag, refusal)
            elif type(answer) is UnrecordedAnswer:
                self._record_refusal(requests.SEAT_REQUESTS, requests.UNRECORDED)
            if seat is None:
                self._send(requests.for_staff(self.service, table, command, answer), subscription.tag)
                return
            change, events = subscription.change_for(answer), answer.events
            if change is None or events is None or len(events) > 1:
                answer = audience.answer_for_seat(answer, seat)
            if change is not None:
                version, events, clause, reason = answer.version, answer.events, answer.clause, answer.reason
                own = (
                    *(change.n, change.credits, change.bets, change.undoable, change.repeatable, change.interrupted),
                    *(change.paused, change.disputes, change.session, change.called_at),
                )
                answer = NumberedAnswer(answer.id, answer.ok, version, events, refusal, clause, reason, None, *own)
            self._send(answer)
        except Exception as bug:
            self._close_after(bug)

    def _refused(self, request: TableRequest, answer: HouseAnswer) -> None:
        self._send(answer, self._tag(request))
        self._record_refusal(request.__struct_config__.tag, answer.refusal)

    def _record_refusal(self, operation: object, code: str) -> None:
        self._background.start(self.service.note_refusal(str(operation), code, self.caller, self.address), None)

    def _send_later(self, answer: Awaitable[msgspec.Struct], request: TableRequest) -> None:
        """Await an answer in the background and send it."""

        async def send() -> None:
            self._send(await answer, self._tag(request))

        self._background.start(send(), request.id)

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
            self._send_later(requests.answer_second_person(self.service, self.caller, request), request)

    def _tag(self, request: TableRequest) -> str:
        subscription = self._subscriptions.get(request.table) if self.pit and isinstance(request.table, str) else None
        return subscription.tag if subscription is not None else ""

    def _send(self, message: msgspec.Struct, tag: str = "") -> None:
        frame = _encode(message).decode()
        self.sender.write(frame[:-1] + tag if tag else frame)
