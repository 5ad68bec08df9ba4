"""The queue of a table's commands, on the event loop: Players, staff and the automatic dealer all use it.

Commands that arrive while a batch is being written form the next batch. Deciding and committing run in the
committer's thread; committed entries and answers come back to the loop in order.
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
"""Marks a command that belongs to the conditional commands before it."""

_log = logging.getLogger(__name__)
_Queued = tuple[AnyCommand, DeliverAnswer, tuple[Seq, int] | None]


class TableQueue:
    """Serves one ``TableWriter`` from the loop that it was made in."""

    def __init__(self, writer: TableWriter, committer: Committer) -> None:
        self.writer = writer
        self.version, self.moved_at = writer.version, writer.moved_at
        """The last committed entry, and the last that changed more than one seat's own affairs."""
        self.on_committed: OnCommitted = lambda _, __: None
        """Called in the loop with all committed entries, in order, before their answers are given."""
        self.failed: asyncio.Future[None]
        """Fails when the table cannot go on, e.g. because its journal is damaged. Every command is refused then."""
        self._committer = committer
        self._loop = asyncio.get_running_loop()
        self.failed = self._loop.create_future()
        self._waiting: list[_Queued] = []
        self._batch: list[_Queued] = []
        """The commands being decided and committed; empty while the writer is idle."""
        self._pending: PendingBatch | None = None
        self._entries: list[Entry] = []
        self._rounds: dict[RoundNumber, RoundRecord] = {}
        """Committed entries and rounds that the loop has not published yet; filled in the committer's thread."""
        self._scheduled = False
        self._idle = asyncio.Event()
        self._idle.set()
        writer.on_committed = self._collect

    def put(self, command: AnyCommand, deliver: DeliverAnswer) -> None:
        """Queue a command. ``deliver`` is called with its answer once it is committed, in the order of the queue."""
        self._queue(((command, deliver, None),))

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        """Queue commands as one group and return their answers.

        With ``expects`` (a ``moved_at``) the whole group is refused with ``state_has_changed`` if anything but a
        seat's own affairs changed after that version.
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
        """Wait until nothing is queued and nothing is being written."""
        await self._idle.wait()

    def fail(self, fault: BaseException) -> None:
        """Give the table up. Everything that waits is refused."""
        left = self._batch + self._waiting
        self._batch, self._waiting = [], []
        if not self.failed.done():
            self.failed.set_exception(fault)
        self._refuse(left, f"the table cannot go on: {self.failed.exception()}")
        self._idle.set()

    def _queue(self, commands: Sequence[_Queued]) -> None:
        if self.failed.done():
            self._refuse(commands, f"the table cannot go on: {self.failed.exception()}")
            return
        self._waiting += commands
        self._idle.clear()
        if not self._scheduled:
            # On the next turn of the loop, so that everything that has arrived by then is one batch.
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

    # In the committer's thread

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
            self._loop.call_soon_threadsafe(self._run_in_loop, entries, rounds, function, argument)
        except RuntimeError:
            _log.warning("the event loop of table %s has ended; %d entries unpublished", self.writer.id, len(entries))

    # In the loop again

    def _run_in_loop(self, entries: list[Entry], rounds: Rounds, function: Callable[..., None], argument: object) -> None:
        if entries:
            self.version = entries[-1].seq
            self.moved_at = last_move(entries, self.moved_at)
            try:
                self.on_committed(entries, rounds)
            except Exception:
                # A listener must not hold up the table or its answers.
                _log.exception("a listener of table %s failed", self.writer.id)
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
    """Give one answer. A failing receiver does not keep the others from theirs."""
    try:
        deliver(answer)
    except Exception:
        _log.exception("the answer to %s could not be delivered", answer.id)


def _collect(answers: list[Answer], expected: int, answered: "asyncio.Future[list[Answer]]", answer: Answer) -> None:
    answers.append(answer)
    # The caller may be cancelled: its commands stand all the same.
    if len(answers) == expected and not answered.done():
        answered.set_result(answers)
