"""Group commit: one thread makes durable whatever waits, of all tables of a store, in one transaction.

A table is decided while its batch before is still being written. Nothing is decided here, and nothing answered.
"""

import threading
from concurrent.futures import Future
from queue import SimpleQueue

from roundhouse.journal.store import Batch, JournalUnavailable, Store

_Waiting = tuple[Batch, "Future[None]"]


class Committer:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> "Future[None]":
        """Done when the batch is durable, or failed with what the store said."""
        done: Future[None] = Future()
        # Nobody can take it back from here on.
        done.set_running_or_notify_cancel()
        with self._closing:
            if not self._closed:
                self._queue.put((batch, done))
                return done
        done.set_exception(JournalUnavailable("the house is closing"))
        return done

    def close(self) -> None:
        """Ends when all that was submitted is done. What comes later fails, and nobody waits for it."""
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
                    self._commit(waiting)
                    return
                waiting.append(more)
            self._commit(waiting)

    def _commit(self, waiting: list[_Waiting]) -> None:
        try:
            self._store.commit(*(batch for batch, _ in waiting))
        except Exception as error:
            if len(waiting) > 1:
                # What hinders one table's batch is no matter of the others'.
                for one in waiting:
                    self._commit([one])
            else:
                waiting[0][1].set_exception(error)
        else:
            for _, done in waiting:
                done.set_result(None)
