"""Stores with faults on demand: commits that hang, fail before or after writing, or kill the process."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import apsw

from roundhouse.floor.queue import Committer
from roundhouse.house.house import House
from roundhouse.journal.entry import BEGINNING, Seq
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import Batch, JournalUnavailable, Row
from roundhouse.table.names import TableId
from tests.support.houses import KEY, SETTINGS, quick
from tests.support.memory_store import MemoryStore

T = TypeVar("T")
HANG_TIMEOUT_SECONDS = 60


class Fault(StrEnum):
    NONE = "none"
    NOT_WRITTEN = "not_written"
    WRITTEN = "written"
    """The batch is durable, but the commit raises an error."""
    KILLED = "killed"
    """The batch is durable, but the process dies before the commit returns."""


class FaultInjection:
    """The faults of a store. ``FaultyStore`` and ``FaultySqliteStore`` inherit from it."""

    def __init__(self) -> None:
        self.fault = Fault.NONE
        """Fault of every commit from now on."""
        self.failures = 0
        """Number of coming commits that fail with ``failure``."""
        self.failure = Fault.NOT_WRITTEN
        self.error: Exception | None = None
        """Exception raised instead of ``JournalUnavailable``, if set."""
        self.affects: Callable[[Batch], bool] = lambda _: True
        """Selects the batches that can hang or fail. Other batches are committed at once."""
        self.readable = True
        """Whether reads succeed. Otherwise they raise ``error``."""
        self.readable_rows: int | None = None
        """Number of calls of ``rows`` that succeed before one fails; ``None`` for no failure."""
        self.gate = threading.Event()
        """Commits wait until it is set."""
        self.gate.set()
        self.entered = threading.Event()
        """Set when a commit begins."""
        self.commits = 0
        self.failed = 0
        """Number of commits that failed without writing."""
        self.threads: set[int] = set()
        """Ids of the threads that committed or read."""
        self.committing_threads: set[int] = set()

    def next_fault(self) -> Fault:
        """Return the fault of the next commit."""
        if not self.failures:
            return self.fault
        self.failures -= 1
        return self.failure

    def inject(self, commit: Callable[..., None], batches: Sequence[Batch]) -> None:
        """Commit the batches with the faults that the test asked for."""
        if not any(self.affects(batch) for batch in batches):
            commit(*batches)
            return
        self.threads.add(threading.get_ident())
        self.committing_threads.add(threading.get_ident())
        self.entered.set()
        assert self.gate.wait(HANG_TIMEOUT_SECONDS)
        fault = self.next_fault()
        if fault is Fault.NOT_WRITTEN:
            self.failed += 1
            raise self.error or JournalUnavailable("the disk is full")
        commit(*batches)
        self.commits += 1
        if fault is Fault.WRITTEN:
            raise self.error or JournalUnavailable("the disk answered with an error")
        if fault is Fault.KILLED:
            raise KeyboardInterrupt("the process is killed")

    def check_readable(self) -> None:
        self.threads.add(threading.get_ident())
        if not self.readable:
            raise self.error or JournalUnavailable("the disk cannot be read")

    def check_rows(self) -> None:
        if self.readable_rows == 0:
            self.readable_rows = None
            raise JournalUnavailable("the rows cannot be read")
        if self.readable_rows is not None:
            self.readable_rows -= 1


class FaultyStore(FaultInjection, MemoryStore):
    def __init__(self) -> None:
        MemoryStore.__init__(self)
        FaultInjection.__init__(self)

    def commit(self, *batches: Batch) -> None:
        self.inject(super().commit, batches)

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        self.check_readable()
        self.check_rows()
        return super().rows(table, after)

    def row(self, table: TableId, seq: Seq) -> Row | None:
        self.check_readable()
        return super().row(table, seq)


class FaultySqliteStore(FaultInjection, SqliteStore):
    def __init__(self, path: Path) -> None:
        FaultInjection.__init__(self)
        SqliteStore.__init__(self, path)

    def commit(self, *batches: Batch) -> None:
        self.inject(super().commit, batches)

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        self.check_rows()
        return super().rows(table, after)

    def _reader(self) -> apsw.Connection:
        self.check_readable()
        return super()._reader()


@contextmanager
def committing(store: FaultyStore) -> Iterator[House]:
    """Open a house on this store; a committer's thread commits its batches. Use it inside an event loop."""
    committer = Committer(store)
    try:
        yield House(store, KEY, SETTINGS, committer.submit, quick())
    finally:
        store.gate.set()
        committer.close()


@asynccontextmanager
async def hanging(store: FaultyStore, change: Coroutine[object, object, T]) -> "AsyncIterator[asyncio.Task[T]]":
    """Start a change of the house whose commit hangs until the block ends."""
    store.entered.clear()
    store.gate.clear()
    task = asyncio.ensure_future(change)
    try:
        while not store.entered.is_set():
            await asyncio.sleep(0.001)
        yield task
    finally:
        store.gate.set()
        await asyncio.wait([task])
