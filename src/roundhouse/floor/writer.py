"""The writer of a table in a loop that serves many people: what waits is one batch, and one batch is in flight.

While a batch is being made durable the next gathers, so that a busy table commits often enough and no more; people's
requests never make the loop wait for the disk. Nothing is decided here.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial

from roundhouse.floor.batch import Flight
from roundhouse.floor.keeper import Keeper
from roundhouse.journal.entry import Answer
from roundhouse.table.commands import AnyCommand
from roundhouse.table.refusals import Refusal

DeliverOne = Callable[[Answer], None]
MAX_BATCH_SIZE = 500

_log = logging.getLogger(__name__)
_Asked = tuple[AnyCommand, DeliverOne]


class TableWriter:
    """Serves one keeper, in the loop that it was made in."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Asked] = []
        self._flying: list[_Asked] = []
        self._scheduled = False
        self._flight: Flight | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self.failed: asyncio.Future[None] = self._loop.create_future()
        """Fails when the table cannot go on: its journal is damaged. From then on every request is told so."""

    def put(self, command: AnyCommand, deliver: DeliverOne) -> None:
        """``deliver`` is called with the answer once it is durable, in the order of the requests."""
        if self.failed.done():
            self._refuse([(command, deliver)])
            return
        self._waiting.append((command, deliver))
        self._idle.clear()
        self._schedule()

    async def ask(self, command: AnyCommand) -> Answer:
        answered: asyncio.Future[Answer] = self._loop.create_future()
        self.put(command, partial(_answer, answered))
        return await answered

    async def finished(self) -> None:
        """Until nothing waits and nothing flies."""
        await self._idle.wait()

    def _schedule(self) -> None:
        """With the next turn of the loop, so that all that has arrived by then comes along."""
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._go)

    def _go(self) -> None:
        self._scheduled = False
        if self._flight is not None or not self._waiting:
            return
        batch, self._waiting = self._waiting[:MAX_BATCH_SIZE], self._waiting[MAX_BATCH_SIZE:]
        self._flying = batch
        try:
            flight = self.keeper.launch([command for command, _ in batch], self._deliver)
            if flight.sent is None:
                flight.land()
        except Exception as fault:
            self.fail(fault)
            return
        if flight.sent is None:
            self._next()
            return
        self._flight = flight
        flight.sent.add_done_callback(self._arrived)

    def _arrived(self, _: object) -> None:
        """In the committer's thread: only the loop may touch the keeper."""
        self._loop.call_soon_threadsafe(self._land)

    def _land(self) -> None:
        flight, self._flight = self._flight, None
        if flight is not None:
            try:
                flight.land()
            except Exception as fault:
                self.fail(fault)
                return
        self._next()

    def _next(self) -> None:
        if self._waiting:
            self._schedule()
        elif self._flight is None:
            self._idle.set()

    def _deliver(self, answers: Sequence[Answer]) -> None:
        flying, self._flying = self._flying, []
        for (_, deliver), answer in zip(flying, answers, strict=True):
            _give(deliver, answer)

    def fail(self, fault: Exception) -> None:
        """The table cannot go on. Whoever waits is told that nothing has happened."""
        left = self._flying + self._waiting
        self._flying, self._waiting = [], []
        if not self.failed.done():
            self.failed.set_exception(fault)
        self._refuse(left)
        self._idle.set()

    def _refuse(self, asked: Sequence[_Asked]) -> None:
        reason = f"the table cannot go on: {self.failed.exception()}"
        for command, deliver in asked:
            _give(deliver, Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason))


def _give(deliver: DeliverOne, answer: Answer) -> None:
    """One who cannot take his answer does not keep the others from theirs."""
    try:
        deliver(answer)
    except Exception:
        _log.exception("the answer to %s could not be delivered", answer.id)


def _answer(answered: "asyncio.Future[Answer]", answer: Answer) -> None:
    # Who asked may be gone: the request stands all the same.
    if not answered.done():
        answered.set_result(answer)
