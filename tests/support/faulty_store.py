"""A store with faults on demand: commits that hang, fail, are written and fail, or die with the process."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from enum import StrEnum
from typing import TypeVar

from roundhouse.floor.committer import Committer
from roundhouse.house.house import House
from roundhouse.journal.entry import BEGINNING, Seq
from roundhouse.journal.store import Batch, JournalUnavailable, Row
from roundhouse.table.names import TableId
from tests.support.houses import KEY, SETTINGS, quick
from tests.support.memory_store import MemoryStore

T = TypeVar("T")


class Fault(StrEnum):
    NONE = "none"
    NOT_WRITTEN = "not_written"
    WRITTEN = "written"
    """The batch is durable, and the commit raises an error."""
    KILLED = "killed"
    """The batch is durable, and the process dies before it knows."""


class FaultyStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.fault = Fault.NONE
        self.readable = True
        self.gate = threading.Event()
        """Commits wait for it."""
        self.gate.set()
        self.entered = threading.Event()
        self.commits = 0
        self.threads: set[int] = set()
        """The threads that committed or read."""

    def commit(self, *batches: Batch) -> None:
        self.threads.add(threading.get_ident())
        self.entered.set()
        assert self.gate.wait(30)
        if self.fault is Fault.NOT_WRITTEN:
            raise JournalUnavailable("the disk is full")
        super().commit(*batches)
        self.commits += 1
        if self.fault is Fault.WRITTEN:
            raise JournalUnavailable("the disk answered with an error")
        if self.fault is Fault.KILLED:
            raise KeyboardInterrupt("the process is killed")

    def rows(self, table: TableId, after: Seq = BEGINNING) -> Iterator[Row]:
        self._read()
        return super().rows(table, after)

    def row(self, table: TableId, seq: Seq) -> Row | None:
        self._read()
        return super().row(table, seq)

    def _read(self) -> None:
        self.threads.add(threading.get_ident())
        if not self.readable:
            raise JournalUnavailable("the disk cannot be read")


@contextmanager
def committing(store: FaultyStore) -> Iterator[House]:
    """A house on this store, whose batches a committer's thread commits. Use it inside an event loop."""
    committer = Committer(store)
    try:
        yield House(store, KEY, SETTINGS, committer.submit, quick())
    finally:
        store.gate.set()
        committer.close()


@asynccontextmanager
async def hanging(store: FaultyStore, change: Coroutine[object, object, T]) -> "AsyncIterator[asyncio.Task[T]]":
    """A change of the house while its commit hangs; afterwards the commit goes on."""
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
