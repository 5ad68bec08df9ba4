"""A table's queue without a thread: commands are committed at once, as virtual time requires."""

import asyncio
from collections.abc import Callable, Sequence

from roundhouse.floor.batch import OnCommitted, Rounds, last_move
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.table.commands import AnyCommand


class InlineQueue:
    """The queue of one table. ``delay`` returns how many seconds ``ask`` waits before it decides its commands."""

    def __init__(self, writer: TableWriter, delay: Callable[[], float] = lambda: 0.0) -> None:
        self.writer = writer
        self.version, self.moved_at = writer.version, writer.moved_at
        self.on_committed: OnCommitted = lambda _, __: None
        self._delay = delay
        self._killed = False
        writer.on_committed = self._committed

    def handle(self, commands: Sequence[AnyCommand], expects: Seq | None = None) -> list[Answer]:
        return self.writer.handle(commands, {0: (expects, len(commands))} if expects is not None else None)

    def kill(self) -> None:
        """Commit no further command of the dealer, as if the process had ended."""
        self._killed = True

    async def ask(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        if delay := self._delay():
            await asyncio.sleep(delay)
        if self._killed:
            await asyncio.Event().wait()
        return self.handle(commands, expects)

    def _committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self.version, self.moved_at = entries[-1].seq, last_move(entries, self.moved_at)
        self.on_committed(entries, rounds)
