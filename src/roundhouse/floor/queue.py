"""The command queue of a table on the event loop, used by Players, staff and the automatic dealer.

Commands that arrive while a batch is being committed form the next batch. The committer's thread decides and commits;
committed entries and answers return to the event loop in order.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from roundhouse.floor.batch import OnCommitted, PendingBatch, Rounds, last_move, unavailable
from roundhouse.floor.committer import CLOSING, Committer
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.journal.store import Batch
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import RoundNumber
from roundhouse.table.state import RoundRecord

DeliverAnswer = Callable[[Answer], None]
MAX_BATCH_SIZE: Final = 500
_FOLLOWS: Final = (Seq(-1), 0)
"""Condition of every command in a group except the first, whose condition applies to the whole group."""

_log = logging.getLogger(__name__)
_Queued = tuple[AnyCommand, DeliverAnswer, tuple[Seq, int] | None]


class TableQueue:
    """Passes commands to one ``TableWriter``. It must be created in the event loop that uses it."""

    def __init__(self, writer: TableWriter, committer: Committer) -> None:
        self.writer = writer
        self.version, self.moved_at = writer.version, writer.moved_at
        """Numbers of the last committed entry, and of the last that changed more than a single seat."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Receives all committed entries in the event loop, in order, before their answers are delivered."""
        self.failed: asyncio.Future[None]
        """Gets an exception when the table must stop, e.g. because its journal is damaged. Never gets a result."""
        self._committer = committer
        self._loop = asyncio.get_running_loop()
        self.failed = self._loop.create_future()
        self._waiting: list[_Queued] = []
        self._batch: list[_Queued] = []
        """Commands being decided and committed; empty while the writer is idle."""
        self._pending: PendingBatch | None = None
        self._entries: list[Entry] = []
        self._rounds: dict[RoundNumber, RoundRecord] = {}
        """Committed entries and changed rounds to publish in the loop; filled in the committer's thread."""
        self._scheduled = False
        self._idle = asyncio.Event()
        self._idle.set()
        writer.on_committed = self._collect

    def put(self, command: AnyCommand, deliver: DeliverAnswer) -> None:
        """Queue a command. ``deliver`` receives its answer once it is committed, in the order of the queue."""
        self._queue(((command, deliver, None),))

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        """Queue commands as one group and return their answers.

        With ``expects`` (a ``moved_at``), the whole group is refused with ``state_has_changed`` if a later entry
        changed more than a single seat.
        """
        answers: list[Answer] = []
        answered: asyncio.Future[list[Answer]] = self._loop.create_future()
        deliver = partial(_collect, answers, len(commands), answered)
        conditions = [None if expects is None else _FOLLOWS] * len(commands)
        if expects is not None:
            conditions[0] = (expects, len(commands))
        self._queue([(command, deliver, condition) for command, condition in zip(commands, conditions)])
        return await answered

    async def wait_until_idle(self) -> None:
        """Wait until no command is queued or being committed."""
        await self._idle.wait()

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
        self._idle.clear()
        if not self._scheduled:
            # Start in the next iteration of the loop, so that all commands of this iteration form one batch.
            self._scheduled = True
            self._loop.call_soon(self._start)

    def _start(self) -> None:
        self._scheduled = False
        if self._batch or not self._waiting:
            return
        end = MAX_BATCH_SIZE
        while end < len(self._waiting) and self._waiting[end][2] is _FOLLOWS:
            end += 1
        self._batch, self._waiting = self._waiting[:end], self._waiting[end:]
        if not self._committer.put(self):
            batch, self._batch = self._batch, []
            self._refuse(batch, CLOSING)
            self._next()

    # ``Work`` of the committer, called in its thread

    def prepare(self) -> Batch | None:
        conditions = {n: given for n, (_, _, given) in enumerate(self._batch) if given and given is not _FOLLOWS}
        try:
            self._pending = self.writer.decide([command for command, _, _ in self._batch], conditions)
        except BaseException as fault:
            self._call_in_loop(self.fail, fault)
            return None
        return self._pending.batch

    def finish(self, error: BaseException | None) -> None:
        if (pending := self._pending) is None:
            return
        self._pending = None
        try:
            self.writer.conclude(pending, error)
        except BaseException as fault:
            self._call_in_loop(self.fail, fault)
        else:
            self._call_in_loop(self._answer, pending.answers)

    def _collect(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self._entries += entries
        self._rounds.update(rounds)

    def _call_in_loop(self, function: Callable[..., None], argument: object) -> None:
        entries, rounds = self._entries, self._rounds
        self._entries, self._rounds = [], {}
        try:
            self._loop.call_soon_threadsafe(self._publish, entries, rounds, function, argument)
        except RuntimeError:
            _log.warning("event loop of table %s has ended; %d entries unpublished", self.writer.id, len(entries))

    # In the event loop again

    def _publish(self, entries: list[Entry], rounds: Rounds, function: Callable[..., None], argument: object) -> None:
        """Publish committed entries, then call ``function``."""
        if entries:
            self.version = entries[-1].seq
            self.moved_at = last_move(entries, self.moved_at)
            try:
                self.on_committed(entries, rounds)
            except Exception:
                # The table continues and answers its commands.
                _log.exception("on_committed of table %s failed", self.writer.id)
        function(argument)

    def _answer(self, answers: Sequence[Answer]) -> None:
        batch, self._batch = self._batch, []
        for (_, deliver, _), answer in zip(batch, answers, strict=True):
            _deliver(deliver, answer)
        self._next()

    def _next(self) -> None:
        if self._waiting:
            self._queue(())
        elif not self._batch:
            self._idle.set()

    def _refuse(self, commands: Sequence[_Queued], reason: str) -> None:
        for command, deliver, _ in commands:
            _deliver(deliver, unavailable(command, reason))


def _deliver(deliver: DeliverAnswer, answer: Answer) -> None:
    """Deliver one answer. An exception of the receiver is logged, so that the others get theirs."""
    try:
        deliver(answer)
    except Exception:
        _log.exception("could not deliver the answer to %s", answer.id)


def _collect(answers: list[Answer], expected: int, answered: "asyncio.Future[list[Answer]]", answer: Answer) -> None:
    answers.append(answer)
    # The caller may have been cancelled. Its commands are executed in any case.
    if len(answers) == expected and not answered.done():
        answered.set_result(answers)
