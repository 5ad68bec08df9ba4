"""What a socket does beside reading, because it takes a thread: proposals, approvals, refusals for the record.

It is done to its end, also where the socket is not: what was approved is yet to be put to the table.

The pit's desk: the alerts and proposals that wait. Whoever sees it may act on none of it by seeing it.

One socket, from who is at the other end to what he is answered. Who he is is looked at again at every message.

Requests are put to the table without a task of their own; what takes a thread (a proposal, an approval, a refusal
for the record) is done beside it, and the reading goes on.
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
from roundhouse.server.endpoint import words_of
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
"""A resume costs as much as so many other requests: it may send a whole snapshot."""
_OURS = frozenset({Authenticate, Observe, Resume, Ping, Approve, Reject})
"""What is not put to a table."""
_APPROVES, _REJECTS = access_for(ProposalApproved), access_for(ProposalRejected)


class _OnlyId(msgspec.Struct):
    id: str | None = None


class Connection:
    """``tables`` are those it may speak of; where there is but one, requests need not name it."""

    def __init__(
        self,
        service: ServerContext,
        tables: Mapping[TableId, TableAccess],
        pit: bool,
        caller: Caller,
        outlet: FrameSender,
        address: str,
    ) -> None:
        self.service, self.caller, self.sender, self.address = service, caller, outlet, address
        self.waiting: dict[RequestId, int] = {}
        """What was asked and is not answered yet."""
        self.muted = False
        """A console that is locked is told nothing until it is unlocked."""
        self.pit = pit
        self._tables = tables
        self._ears = {id: Subscription(self, table.feed, pit) for id, table in tables.items()}
        self._bucket = TokenBucket(service.settings.messages, service.ticks())
        self._room = asyncio.Event()
        self._beside = BackgroundTasks(self._say, outlet, self._room.set)
        self._joined = False
        self._reading = False
        """Whether a message waits for its turn, or is being read."""

    @property
    def seat(self) -> SeatId | None:
        return self.caller.terminal.seat if isinstance(self.caller, TerminalCaller) else None

    @property
    def owner_id(self) -> str | None:
        """Whose it is: a terminal's or a session's. Nobody's where somebody only watches."""
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
        """Subscribes to the feed of every table, each of which sends a snapshot first."""
        for ear in self._ears.values():
            self._show(ear)
            ear.feed.subscribers.join(ear, self.seat, self.staff)
        self._joined = True

    def end(self) -> None:
        if self._joined:
            for ear in self._ears.values():
                ear.feed.subscribers.leave(ear, self.seat, self.staff)

    def _show(self, ear: Subscription) -> None:
        ear.send(ear.feed.snapshot(self.seat, self.staff))

    def recheck_access(self) -> CloseReason | None:
        """Who it is by now; or why he may not stay. A console that was locked and is not any more is shown all anew."""
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
                    for ear in self._ears.values():
                        self._show(ear)
                    if self.pit:
                        # What was raised or proposed meanwhile was not told either.
                        self._say(HouseMessage(requests.pit_desk(self.service)))
                self.muted = now.locked
                return None

    def try_handle(self, message: bytes) -> bool:
        """Handle a message at once and return True, or False if it has to wait; then ``handle`` takes it in order."""
        if self._reading or len(message) > self.service.settings.message_bytes or self._full:
            return False
        asked = _read(message)
        if not self._bucket.try_take(self.service.ticks(), _cost(asked)):
            return False
        self._hear(asked)
        return True

    async def handle(self, message: str | bytes) -> None:
        """Handle a message when the rate limit and the queue allow it. It is charged before a table is asked."""
        self._reading = True
        try:
            asked = _read(message)
            if (seconds := self._bucket.take(self.service.ticks(), _cost(asked))) > 0:
                await asyncio.sleep(seconds)
            while self._full and self.sender.open:
                self._room.clear()
                await self._room.wait()
            self._hear(asked)
        finally:
            self._reading = False

    @property
    def _full(self) -> bool:
        return len(self.waiting) + len(self._beside.tasks) >= self.service.settings.unanswered

    def _hear(self, asked: TableRequest | Answer) -> None:
        if isinstance(asked, Answer):
            self._say(asked)
            return
        try:
            self._asked(asked)
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self.sender.close(CloseReason.OUR_OWN_BUG)

    def _asked(self, asked: TableRequest) -> None:
        if type(asked) not in _OURS:
            self._put(asked)
            return
        match asked:
            case Ping():
                if self._still():
                    self._say(DoneMessage(asked.id, True, self.service.clock()))
            case Resume():
                if self._still():
                    self._resume(asked)
            case Authenticate() | Observe():
                self._say(Answer(asked.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason="it is known who you are"))
            case Approve() | Reject():
                self._second(asked)

    def _still(self) -> bool:
        """Whether whoever it was is still let in; if not, the socket is closed."""
        why = self.recheck_access()
        if why is not None:
            self.sender.close(why)
        return why is None

    def _resume(self, asked: Resume) -> None:
        ears = [ear for id, ear in self._ears.items() if not self.pit or id == asked.table]
        if not ears:
            self._say(_no_table(asked))
            return
        for ear in ears:
            missed = ear.feed.missed(self.seat, self.staff, asked.epoch, asked.public, asked.own)
            if missed is None:
                self._show(ear)
            for frame in missed or ():
                ear.send(frame)
        self._say(DoneMessage(asked.id, True, self.service.clock()))

    def _put(self, asked: TableRequest) -> None:
        caller = self.caller
        table = self._table(asked)
        if table is None:
            self._say(_no_table(asked))
            return
        if isinstance(caller, Anonymous):
            self._refused(asked, HouseAnswer(asked.id, False, HouseRefusal.NOT_LOGGED_IN, "you only watch"))
            return
        if isinstance(caller, StaffCaller) and not self._staff_may(asked, ASKS_TABLE, table.id):
            return
        match requests.prepare(self.service, table, self.caller, asked):  # type: ignore[arg-type]
            case HouseAnswer() as found:
                self._refused(asked, found)
                self._still()
            case Answer() as found:
                self._say(found)
            case requests.NeedsApproval() as found:
                self._beside.do(self._propose(table, found), asked.id)
            case command:
                self.waiting[asked.id] = self.waiting.get(asked.id, 0) + 1
                table.put(command, partial(self._answered, table, command, time.perf_counter()))

    def _table(self, asked: TableRequest) -> TableAccess | None:
        if self.pit:
            return self._tables.get(asked.table) if isinstance(asked.table, str) else None
        return next(iter(self._tables.values()))

    def _answered(self, table: TableAccess, command: AnyCommand, began: float, answer: Answer) -> None:
        """Called by the table's writer, which nothing of ours may hinder."""
        try:
            self._tell(table, command, began, answer)
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self.sender.close(CloseReason.OUR_OWN_BUG)

    def _tell(self, table: TableAccess, command: AnyCommand, began: float, answer: Answer) -> None:
        id = command.id
        count = self.waiting.pop(id, 1)
        if count > 1:
            self.waiting[id] = count - 1
        if self._reading:
            self._room.set()
        refusal, ear, seat = answer.refusal, self._ears[table.id], self.seat
        self.service.metrics.answered(table.id, isinstance(command, BetCommand), refusal, time.perf_counter() - began)
        if refusal is Refusal.NOT_AUTHORISED:
            self._note(type(command).__struct_config__.tag, refusal)
        if seat is None:
            self._say(answer, ear.tag)
            return
        change, answer = ear.change_for(answer), audience.answer_for_seat(answer, seat)
        if change is not None:
            version, events, clause, reason = answer.version, answer.events, answer.clause, answer.reason
            numbered = (change.n, change.credits, change.bets, change.undoable, change.repeatable)
            answer = NumberedAnswer(answer.id, answer.ok, version, events, refusal, clause, reason, None, *numbered)
        self._say(answer)

    def _refused(self, asked: TableRequest, answer: HouseAnswer) -> None:
        self._say(answer, self._tag(asked))
        self._note(asked.__struct_config__.tag, answer.refusal)

    def _note(self, what: object, word: str) -> None:
        self._beside.do(self.service.note_refusal(str(what), word, self.caller, self.address), None)

    async def _propose(self, table: TableAccess, proposing: requests.NeedsApproval) -> None:
        self._say(await requests.propose(self.service, table, proposing), self._ears[table.id].tag)

    def _staff_may(self, asked: TableRequest, who: Access, table: TableId | None) -> bool:
        """The lock that HTTP has before the same request; looked at with who he is now."""
        why = self.recheck_access()
        problem = deny(who, self.caller, table) if why is None else None
        if why is None and problem is None:
            assert isinstance(self.caller, StaffCaller)
            self.service.touch(self.caller)
            return True
        word = HouseRefusal((why or problem).value)  # type: ignore[union-attr]
        self._refused(asked, HouseAnswer(asked.id, False, word, f"this is for {who.description}"))
        if why is not None:
            self.sender.close(why)
        return False

    def _second(self, asked: Approve | Reject) -> None:
        if not isinstance(self.caller, StaffCaller):
            word = HouseRefusal.NOT_LOGGED_IN if isinstance(self.caller, Anonymous) else HouseRefusal.NOT_AUTHORISED
            self._refused(asked, HouseAnswer(asked.id, False, word, "this is for staff"))
        elif self._staff_may(asked, _APPROVES if isinstance(asked, Approve) else _REJECTS, None):
            said = self._approve(self.caller, asked) if isinstance(asked, Approve) else self._reject(self.caller, asked)
            self._beside.do(said, asked.id)

    async def _approve(self, caller: StaffCaller, asked: Approve) -> None:
        answer = await requests.approve(self.service, caller, ProposalId(asked.proposal))
        if isinstance(answer, HouseRefused):
            self._say(HouseAnswer(asked.id, False, answer.refusal, answer.reason), self._tag(asked))
        else:
            self._say(msgspec.structs.replace(answer, id=asked.id), self._tag(asked))

    async def _reject(self, caller: StaffCaller, asked: Reject) -> None:
        approvals, now = self.service.house.approvals, self.service.clock()
        refused = await approvals.reject(caller.session, ProposalId(asked.proposal), asked.reason, now)
        if refused is not None:
            self._say(HouseAnswer(asked.id, False, refused.refusal, refused.reason), self._tag(asked))
        else:
            self._say(DoneMessage(asked.id, True, now), self._tag(asked))

    def _tag(self, asked: TableRequest) -> str:
        ear = self._ears.get(asked.table) if self.pit and isinstance(asked.table, str) else None
        return ear.tag if ear is not None else ""

    def _say(self, message: msgspec.Struct, tag: str = "") -> None:
        frame = _encode(message).decode()
        self.sender.write(frame[:-1] + tag if tag else frame)


def _read(message: str | bytes) -> TableRequest | Answer:
    """The request of a message, or the answer that it is none."""
    try:
        asked: TableRequest = _decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _not_understood(message, error)
    return asked


def _cost(asked: TableRequest | Answer) -> float:
    """How many plain messages it counts as."""
    return _RESUME_COST if type(asked) is Resume else 1.0


def _no_table(asked: TableRequest) -> Answer:
    return Answer(asked.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason="say which `table`, of those there are")


def _not_understood(message: str | bytes, error: Exception) -> Answer:
    try:
        id = msgspec.json.decode(message, type=_OnlyId).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        id = None
    return Answer(id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=words_of(error))
