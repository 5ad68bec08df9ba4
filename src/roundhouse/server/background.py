"""Background tasks of one connection, which await the house: proposals, approvals and recorded refusals.

A task runs to its end even if the connection closes, because an approved command must still reach its table.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct

from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalUnavailable
from roundhouse.logs import log_bug
from roundhouse.server.protocol import FrameSender
from roundhouse.table.names import RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import CloseReason


class BackgroundTasks:
    """Runs the background tasks. ``send`` sends a message to the client; ``on_done`` is called after each task."""

    def __init__(self, send: Callable[[Struct], None], sender: FrameSender, on_done: Callable[[], None]) -> None:
        self._send, self._sender, self._on_done = send, sender, on_done
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], id: RequestId | None) -> None:
        """Start a task. ``id`` is the request that it answers, or None."""
        task = asyncio.create_task(self._run(work, id))
        self.tasks.add(task)
        task.add_done_callback(self._finish)

    async def _run(self, work: Coroutine[Any, Any, None], id: RequestId | None) -> None:
        try:
            await work
        except JournalUnavailable as unavailable:
            if id is not None:
                self._send(Answer(id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=str(unavailable)))
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self._sender.close(CloseReason.OUR_OWN_BUG)

    def _finish(self, task: "asyncio.Task[None]") -> None:
        self.tasks.discard(task)
        self._on_done()
