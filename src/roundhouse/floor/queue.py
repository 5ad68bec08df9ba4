"""The command queue of a table on the event loop, and the committer: the thread that writes the journal.

Players, staff and the automatic dealer send commands to the same queue. Commands that arrive while a batch is being
committed form the next batch. The committer's thread takes the waiting batches of all tables and of the house, decides
their commands and commits them in one transaction. The commands are decided in this thread because deciding reads the
store, and no SQL may run in the event loop's thread. Committed entries and answers are returned to the event loop in
order.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from operator import itemgetter
from queue import SimpleQueue
from typing import Final, Protocol

from roundhouse.floor.batch import Conditions, OnCommitted, Rounds, TableBatch
from roundhouse.floor.failures import unavailable
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.journal.store import Batch, BatchState, JournalUnavailable, Store
from roundhouse.table.commands import AnyCommand, Command
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord
from roundhouse.wire.requests import RESERVED_IDS, acts_as_program

DeliverAnswer = Callable[[Answer], None]
MAX_BATCH_SIZE: Final = 500
_FOLLOWS: Final = (Seq(-1), 0)
"""Marks every command of a conditional group except the first. The first has the condition of the whole group."""

_COMMAND: Final = itemgetter(0)
_CLOSING: Final = "the server is stopping"

_log = logging.getLogger(__name__)
_Queued = tuple[AnyCommand, DeliverAnswer, tuple[Seq, int] | None]


class Work(Protocol):
    """A unit of work for the committer. The committer calls both methods in its thread; they must not raise."""

    def prepare(self) -> Batch | None:
        """Return the batch to commit, or ``None`` to commit none."""

    def finish(self, error: BaseException | None) -> None:
        """Handle the result of the commit. ``error`` is its exception, or ``None`` if it succeeded."""


class _Submitted:
    """Work whose batch was decided before it was queued. ``done`` is the future of its commit."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self.done: Future[None] = Future()
        self.done.set_running_or_notify_cancel()  # so that callers cannot cancel the future

    def prepare(self) -> Batch | None:
        return self._batch

    def finish(self, error: BaseException | None) -> None:
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class _Stop:
    """Work that records an orderly stop of a table, in a separate transaction. ``done`` gets the events."""

    def __init__(self, record: Callable[[], list[AnyEvent]]) -> None:
        self._record = record
        self.done: Future[list[AnyEvent]] = Future()
        self.done.set_running_or_notify_cancel()

    def prepare(self) -> None:
        try:
            self.done.set_result(self._record())
        except BaseException as error:
            self.done.set_exception(error)

    def finish(self, error: BaseException | None) -> None:
        pass


class Committer:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> "Future[None]":
        """Queue a decided batch. The future completes when the batch is durable, or raises the store's exception."""
        work = _Submitted(batch)
        if not self.put(work):
            work.finish(JournalUnavailable(_CLOSING))
        return work.done

    def put(self, work: Work) -> bool:
        """Queue work and return ``True``, or return ``False`` if the committer is closed."""
        with self._closing:
            if not self._closed:
                self._queue.put(work)
            return not self._closed

    def close(self) -> None:
        """Finish all queued work and end the thread. Later work is refused."""
        with self._closing:
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            waiting = [first]
            while not self._queue.empty():
                more = self._queue.get()
                if more is None:
                    self._serve(waiting)
                    return
                waiting.append(more)
            self._serve(waiting)

    def _serve(self, waiting: list[Work]) -> None:
        """Prepare all waiting work and commit its batches in one transaction."""
        ready: list[Work] = []
        batches: list[Batch] = []
        for work in waiting:
            if (batch := work.prepare()) is not None:
                ready.append(work)
                batches.append(batch)
            else:
                work.finish(None)
        if not ready:
            return
        try:
            self._store.commit(*batches)
        except Exception as error:
            if len(ready) == 1:
                ready[0].finish(error)
                return
            # Commit each batch in its own transaction, so that one failing batch does not fail the others.
            for work, batch in zip(ready, batches):
                self._commit(work, batch)
        else:
            for work in ready:
                work.finish(None)

    def _commit(self, work: Work, batch: Batch) -> None:
        try:
            self._store.commit(batch)
        except Exception as error:
            work.finish(error)
        else:
            work.finish(None)


class TableQueue:
    """The queue of one table's commands. Create it in the event loop that uses it."""

    def __init__(self, writer: TableWriter, committer: Committer) -> None:
        self.writer = writer
        self.version, self.moved_at = writer.version, writer.moved_at
        """``version`` is the number of the last committed entry. ``moved_at`` is the number of the last committed entry
        that affects more than one seat."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Called in the event loop with all committed entries, in order, before their answers are delivered."""
        self.on_moved: Callable[[Sequence[Entry]], None] = lambda _: None
        """Called after ``on_committed`` with the same entries, if one of them affects more than one seat."""
        self.adapters: dict[type[Command], Callable[[AnyCommand], AnyCommand | Answer]] = {}
        """Functions by type of command. ``put`` calls the function, which returns the command to queue or a refusal."""
        self._loop = asyncio.get_running_loop()
        self.failed: asyncio.Future[None] = self._loop.create_future()
        """Pending while the table runs. Gets the exception that stopped the table, such as ``JournalDamaged``."""
        self._committer = committer
        self._waiting: list[_Queued] = []
        self._batch: list[_Queued] = []
        """Commands that are being decided and committed; empty while the writer is idle."""
        self._conditional = False
        """Whether a waiting command has a condition."""
        self._conditions: Conditions | None = None
        self._pending: TableBatch | None = None
        self._entries: list[Entry] = []
        self._rounds: dict[RoundNumber, RoundRecord] = {}
        """Committed entries and changed rounds to publish in the event loop. The committer's thread adds them."""
        self._scheduled = False
        self._idle = asyncio.Event()
        self._idle.set()
        writer.on_committed = self._collect

    def put(self, command: AnyCommand, deliver: DeliverAnswer) -> None:
        """Queue a person's command. After its commit ``deliver`` gets the answer, in the order of the queue."""
        if command.id.startswith(RESERVED_IDS):
            # A client could otherwise use the id of the dealer's next command, which would then be refused.
            reason = acts_as_program(command.id, command.by)
            deliver(Answer(command.id, False, refusal=Refusal.NOT_AUTHORISED, reason=reason))
            return
        if self.failed.done():
            deliver(unavailable(command, f"the table has stopped: {self.failed.exception()}"))
            return
        if (adapt := self.adapters.get(type(command))) is not None:
            adapted = adapt(command)
            if isinstance(adapted, Answer):
                deliver(adapted)
                return
            command = adapted
        self._waiting.append((command, deliver, None))
        if not self._scheduled:
            self._scheduled = True  # a copy of ``_schedule``, because every bet runs through this method
            self._idle.clear()
            self._loop.call_soon(self._start)

    def send(self, command: AnyCommand) -> None:
        """Queue a command of the house and discard the answer."""
        self._queue(((command, _discard, None),))

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        """Queue commands as one group and return their answers.

        ``expects`` is the ``moved_at`` that the commands are based on. If the table's ``moved_at`` differs when the
        commands are decided, the whole group is refused with ``state_has_changed``.
        """
        if not commands:
            return []
        answers: list[Answer] = []
        answered: asyncio.Future[list[Answer]] = self._loop.create_future()
        deliver = partial(_collect, answers, len(commands), answered)
        conditions = [None if expects is None else _FOLLOWS] * len(commands)
        if expects is not None:
            conditions[0] = (expects, len(commands))
            self._conditional = True
        self._queue([(command, deliver, condition) for command, condition in zip(commands, conditions)])
        return await answered

    async def wait_until_idle(self) -> None:
        """Wait until no command is queued or being committed."""
        await self._idle.wait()

    async def stop_software(self) -> list[AnyEvent]:
        """Record an orderly stop of the software once no command waits, and return its events.

        Raises ``JournalUnavailable`` or ``JournalDamaged`` if the stop could not be recorded.
        """
        while not self._idle.is_set():
            await self._idle.wait()
        # No batch of this table is undecided or uncommitted here, and later ones are decided after this call.
        stop = _Stop(self._stop_software)
        if self.failed.done() or not self._committer.put(stop):
            return []
        return await asyncio.wrap_future(stop.done)

    def fail(self, fault: BaseException) -> None:
        """Stop the table because of ``fault``. All waiting and later commands are refused."""
        left = self._batch + self._waiting
        self._batch, self._waiting = [], []
        if not self.failed.done():
            self.failed.set_exception(fault)
        self._refuse(left, f"the table has stopped: {self.failed.exception()}")
        self._idle.set()

    def _queue(self, commands: Sequence[_Queued]) -> None:
        if self.failed.done():
            self._refuse(commands, f"the table has stopped: {self.failed.exception()}")
            return
        self._waiting += commands
        if not self._scheduled:
            self._schedule()

    def _schedule(self) -> None:
        """Call ``_start`` in the next iteration of the event loop, so that all commands of this one form one batch."""
        self._scheduled = True
        self._idle.clear()
        self._loop.call_soon(self._start)

    def _start(self) -> None:
        self._scheduled = False
        if self._batch or not self._waiting:
            return
        end = MAX_BATCH_SIZE
        while end < len(self._waiting) and self._waiting[end][2] is _FOLLOWS:
            end += 1
        self._batch, self._waiting = self._waiting[:end], self._waiting[end:]
        self._conditions = None
        if self._conditional:
            self._conditions = {n: given for n, (_, _, given) in enumerate(self._batch) if given and given[1]}
            self._conditional = any(condition for _, _, condition in self._waiting)
        if not self._committer.put(self):
            batch, self._batch = self._batch, []
            self._refuse(batch, _CLOSING)
            if self._waiting:
                self._schedule()
            else:
                self._idle.set()

    # Methods of ``Work``, which the committer calls in its thread

    def prepare(self) -> Batch | None:
        try:
            self._pending = self.writer.decide([*map(_COMMAND, self._batch)], self._conditions)
        except BaseException as fault:
            self._return_to_loop([], fault)
            return None
        if self._pending.batch is not None:
            self._pending.state = BatchState.SUBMITTED
        return self._pending.batch

    def finish(self, error: BaseException | None) -> None:
        if (pending := self._pending) is None:
            return
        self._pending = None
        fault: BaseException | None = None
        try:
            self.writer.conclude(pending, error)
        except BaseException as raised:
            fault = raised
        self._return_to_loop(pending.answers, fault)

    def _stop_software(self) -> list[AnyEvent]:
        """Record the stop in the committer's thread. Its entries are published before the caller gets the events."""
        try:
            return self.writer.stop_software()
        finally:
            self._return_to_loop(None, None)

    def _collect(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self._entries += entries
        self._rounds.update(rounds)

    def _return_to_loop(self, answers: Sequence[Answer] | None, fault: BaseException | None) -> None:
        """Publish the committed entries in the event loop. ``answers`` is ``None`` if they belong to no batch."""
        entries, rounds, moved_at = self._entries, self._rounds, self.writer.published_move
        self._entries, self._rounds = [], {}
        try:
            self._loop.call_soon_threadsafe(self._publish, entries, rounds, moved_at, answers, fault)
        except RuntimeError:
            _log.warning("event loop of table %s has ended; %d entries unpublished", self.writer.id, len(entries))

    def _publish(
        self,
        entries: list[Entry],
        rounds: Rounds,
        moved_at: Seq,
        answers: Sequence[Answer] | None,
        fault: BaseException | None,
    ) -> None:
        """Publish committed entries, then deliver the answers of the batch. After a ``fault`` also stop the table."""
        if entries:
            moved, self.moved_at, self.version = moved_at != self.moved_at, moved_at, entries[-1].seq
            # A bug in a callback must not stop the table, so exceptions are only logged.
            try:
                self.on_committed(entries, rounds)
            except Exception:
                _log.exception("on_committed of table %s failed", self.writer.id)
            try:
                if moved:
                    self.on_moved(entries)
            except Exception:
                _log.exception("on_moved of table %s failed", self.writer.id)
        if answers is None or self.failed.done():
            return
        batch: list[_Queued] = []
        if answers or fault is None:
            batch, self._batch = self._batch, []
        if fault is None:
            if self._waiting:
                self._schedule()
            else:
                self._idle.set()
        for (_, deliver, _), answer in zip(batch, answers, strict=True):
            try:
                deliver(answer)
            except Exception:
                _log.exception("could not deliver the answer to %s", answer.id)
        if fault is not None:
            self.fail(fault)

    def _refuse(self, commands: Sequence[_Queued], reason: str) -> None:
        for command, deliver, _ in commands:
            try:
                deliver(unavailable(command, reason))
            except Exception:
                _log.exception("could not deliver the answer to %s", command.id)


def _discard(_: Answer) -> None:
    pass


def _collect(answers: list[Answer], expected: int, answered: "asyncio.Future[list[Answer]]", answer: Answer) -> None:
    answers.append(answer)
    # If the caller was cancelled, the commands are executed all the same and the future is already done.
    if len(answers) == expected and not answered.done():
        answered.set_result(answers)
