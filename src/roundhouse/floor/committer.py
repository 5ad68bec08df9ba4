"""The thread that writes the journal. It commits the waiting batches of all tables and the house in one transaction.

Commands of the tables are decided in this thread too, because deciding reads the store. So no SQL runs on the event
loop's thread.
"""

import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from roundhouse.journal.store import Batch, JournalUnavailable, Store

CLOSING = "the server is stopping"


class Work(Protocol):
    """A unit of work. Both methods are called in the committer's thread and must not raise."""

    def prepare(self) -> Batch | None:
        """Return the batch to commit, or ``None`` if there is none."""

    def finish(self, error: BaseException | None) -> None:
        """Handle the result of the commit: ``None`` for success, or the exception."""


class _Submitted:
    """A batch that is decided already, and the future of its commit."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self.done: Future[None] = Future()
        self.done.set_running_or_notify_cancel()  # so that it cannot be cancelled

    def prepare(self) -> Batch | None:
        return self._batch

    def finish(self, error: BaseException | None) -> None:
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class Committer:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> "Future[None]":
        """Queue a decided batch. The future completes when the batch is durable, or has the store's exception."""
        work = _Submitted(batch)
        if not self.put(work):
            work.finish(JournalUnavailable(CLOSING))
        return work.done

    def put(self, work: Work) -> bool:
        """Queue work. Return ``False`` if the committer is closed."""
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
        ready: list[tuple[Batch, Work]] = []
        for work in waiting:
            if (batch := work.prepare()) is not None:
                ready.append((batch, work))
            else:
                work.finish(None)
        if ready:
            self._commit(ready)

    def _commit(self, ready: list[tuple[Batch, Work]]) -> None:
        try:
            self._store.commit(*(batch for batch, _ in ready))
        except Exception as error:
            if len(ready) > 1:
                # One failing batch must not fail the others: commit each in its own transaction.
                for one in ready:
                    self._commit([one])
            else:
                ready[0][1].finish(error)
        else:
            for _, work in ready:
                work.finish(None)
