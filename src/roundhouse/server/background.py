"""Work of one connection that waits for the house: proposals, approvals, recorded refusals.

The work runs to its end even if the connection closes: an approved command must still reach its table.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct

from roundhouse.journal.entry import Answer
from roundhouse.journal.store import JournalUnavailable
from roundhouse.logs import log_bug
from roundhouse.server.sender import FrameSender
from roundhouse.table.names import RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.messages import CloseReason


class BackgroundTasks:
    def __init__(self, say: Callable[[Struct], None], outlet: FrameSender, done: Callable[[], None]) -> None:
        self._say, self._outlet, self._done = say, outlet, done
        self.tasks: set[asyncio.Task[None]] = set()

    def do(self, work: Coroutine[Any, Any, None], id: RequestId | None) -> None:
        """``id`` is that of the request that is to be answered by it."""
        task = asyncio.create_task(self._guarded(work, id))
        self.tasks.add(task)
        task.add_done_callback(self._over)

    async def _guarded(self, work: Coroutine[Any, Any, None], id: RequestId | None) -> None:
        try:
            await work
        except JournalUnavailable as unavailable:
            if id is not None:
                self._say(Answer(id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=str(unavailable)))
        except Exception as bug:
            log_bug("bug", bug, route="socket")
            self._outlet.close(CloseReason.OUR_OWN_BUG)

    def _over(self, task: "asyncio.Task[None]") -> None:
        self.tasks.discard(task)
        self._done()
