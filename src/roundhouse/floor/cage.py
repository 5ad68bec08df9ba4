"""The running cage: its queue, its committed state, the transactions of the day, and its alerts.

The queue and the committed state belong to the event loop. The writer belongs to the committer's thread, which commits
the cage's batches together with those of the tables.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from roundhouse.cage.apply import apply_entry
from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.drawers import is_large_variance
from roundhouse.cage.entry import CageAnswer, CageEntry, CageFacts, encode
from roundhouse.cage.events import AnyCageEvent, DrawerCounted
from roundhouse.cage.names import CageTerms
from roundhouse.cage.state import CageState
from roundhouse.floor.cage_writer import CageBatch, CageWriter, Sent, unavailable
from roundhouse.floor.queue import Committer
from roundhouse.journal.store import Batch, JournalUnavailable
from roundhouse.logs import log
from roundhouse.rules.currency import format_amount
from roundhouse.table.names import Millis, RequestId, TicketId, TicketNumber

RECENT: Final = 2_000
"""How many entries the cage keeps for the list of the day's transactions."""
ALERT: Final = "cage"
_CLOSING: Final = "the server is stopping"
_Waiting = tuple[Sent, "asyncio.Future[CageAnswer]"]


class RunningCage:
    """The cage of a running house. Create it in the event loop that uses it."""

    def __init__(self, writer: CageWriter, committer: Committer, raise_alert: Callable[[str, str], None]) -> None:
        self._writer, self._committer, self._raise_alert = writer, committer, raise_alert
        self.customers = writer.customers
        self._loop = asyncio.get_running_loop()
        self.recent: deque[CageEntry] = deque(writer.recent(RECENT), RECENT)
        self.state = _copy(writer.state)
        """The committed state. Callers must not change it."""
        self.failed = ""
        """Why the cage has stopped; empty while it runs."""
        self._waiting: list[_Waiting] = []
        self._batch: list[_Waiting] = []
        self._pending: CageBatch | None = None
        self._entries: list[CageEntry] = []
        self._idle = asyncio.Event()
        self._idle.set()
        writer.on_committed = self._collect

    async def set_terms(self, terms: CageTerms) -> None:
        """Record the terms of the house if they have changed. Raises ``JournalUnavailable`` if that fails."""
        if (pending := self._writer.set_terms(terms)) is not None and pending.batch is not None:
            error: BaseException | None = None
            try:
                await asyncio.wrap_future(self._committer.submit(pending.batch))
            except Exception as raised:
                error = raised
            self._writer.conclude(pending, error)
            if error is not None:
                raise JournalUnavailable(str(error)) from error
            self._take_published()

    async def ask(self, command: AnyCageCommand, approved: tuple[AnyCageEvent, ...] | None = None) -> CageAnswer:
        """Queue a command and return its answer once it is durable.

        ``approved`` is the effect that a second person approved. If the command has another effect when it is decided,
        it is refused with ``state_has_changed``.
        """
        sent: Sent = (command, approved)
        if self.failed:
            return unavailable([sent], self.failed)[0]
        answered: asyncio.Future[CageAnswer] = self._loop.create_future()
        self._waiting.append((sent, answered))
        self._idle.clear()
        self._start()
        return await asyncio.shield(answered)

    async def wait_until_idle(self) -> None:
        await self._idle.wait()

    # Reads of the store, for a thread

    def recorded(self, id: RequestId) -> bool:
        return self._writer.recorded(id)

    def dry_run_facts(self, command: AnyCageCommand, at: Millis) -> CageFacts:
        return self._writer.facts_for(command, at)

    def conceal(self, number: TicketNumber) -> TicketId:
        return self._writer.conceal(number)

    # The queue

    def _start(self) -> None:
        if self._batch or not self._waiting:
            return
        self._batch, self._waiting = self._waiting, []
        if not self._committer.put(self):
            batch, self._batch = self._batch, []
            self._answer(batch, unavailable([sent for sent, _ in batch], _CLOSING))

    # Methods of ``Work``, which the committer calls in its thread

    def prepare(self) -> Batch | None:
        sent = [sent for sent, _ in self._batch]
        try:
            self._pending = self._writer.decide(sent)
        except JournalUnavailable as error:
            self._writer.discard()
            self._return(unavailable(sent, str(error)))
            return None
        except Exception as fault:
            self._writer.discard()
            self._return(unavailable(sent, str(fault)), fault)
            return None
        return self._pending.batch

    def finish(self, error: BaseException | None) -> None:
        if (pending := self._pending) is None:
            return
        self._pending = None
        fault: Exception | None = None
        try:
            self._writer.conclude(pending, error)
        except Exception as raised:
            fault = raised
        self._return(pending.answers, fault)

    def _collect(self, entries: Sequence[CageEntry]) -> None:
        self._entries += entries

    def _return(self, answers: Sequence[CageAnswer], fault: Exception | None = None) -> None:
        """Publish and answer in the event loop."""
        entries, self._entries = self._entries, []
        try:
            self._loop.call_soon_threadsafe(self._publish, entries, answers, fault)
        except RuntimeError:
            log("the event loop has ended; answers of the cage are lost", logging.WARNING)

    def _take_published(self) -> None:
        entries, self._entries = self._entries, []
        self._apply(entries)

    def _publish(self, entries: Sequence[CageEntry], answers: Sequence[CageAnswer], fault: Exception | None) -> None:
        self._apply(entries)
        batch, self._batch = self._batch, []
        self._answer(batch, answers)
        if fault is not None:
            self.failed = f"the cage has stopped: {type(fault).__name__}: {fault}; restart the house"
            self._raise_alert("journal", self.failed)
            waiting, self._waiting = self._waiting, []
            self._answer(waiting, unavailable([sent for sent, _ in waiting], self.failed))
        self._start()

    def _apply(self, entries: Sequence[CageEntry]) -> None:
        for entry in entries:
            apply_entry(self.state, entry)
            self.recent.append(entry)
            who = entry.request.who if entry.request is not None else None
            for text in variances(self.state, entry.events, str(who)):
                self._raise_alert(ALERT, text)

    def _answer(self, batch: Sequence[_Waiting], answers: Sequence[CageAnswer]) -> None:
        for (_, answered), answer in zip(batch, answers, strict=True):
            if not answered.done():
                answered.set_result(answer)
        if not self._batch and not self._waiting:
            self._idle.set()

    def report_variances(self, effect: Sequence[AnyCageEvent], who: str) -> None:
        """Alert the Shift Manager about a large variance of a drawer that waits to be closed."""
        for text in variances(self.state, effect, who):
            self._raise_alert(ALERT, text)


def variances(state: CageState, events: Sequence[AnyCageEvent], who: str) -> list[str]:
    """Describe the large variances among events."""
    amount = partial(format_amount, currency=state.terms.currency)
    return [
        f"shift_manager: drawer {event.drawer} of {who} was counted with {amount(event.cents)} where"
        f" {amount(event.expected)} were expected; variance {amount(event.variance)}"
        for event in events
        if isinstance(event, DrawerCounted) and is_large_variance(state, event.variance)
    ]


def _copy(state: CageState) -> CageState:
    return msgspec.json.decode(encode(state), type=CageState)
