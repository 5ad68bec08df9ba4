"""A table of a running house: its queue, projection, feed, wheel and dealer.

A table that cannot go on refuses every command; the other tables are not affected.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec
from roundhouse.dealer.loop import DealerLoop, Notice, WheelReliability
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.floor.batch import Rounds
from roundhouse.floor.clock import Clock
from roundhouse.floor.committed import DealersTable
from roundhouse.floor.committer import Committer
from roundhouse.floor.damaged import refuse_damaged
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.projection import TableProjection
from roundhouse.floor.queue import DeliverAnswer, TableQueue
from roundhouse.floor.wheels import ConnectedWheel, WheelMonitor, connect_wheel
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.journal.store import JournalDamaged
from roundhouse.logs import log_bug
from roundhouse.rules.game import Game
from roundhouse.rules.names import Clause, StaffPosition
from roundhouse.table.commands import AnyCommand, HandBack, OpenBets, OpenTable, TakeOver
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.events import AnyEvent, AutomaticModeEntered, InterruptionRecovered, TableResumed
from roundhouse.table.lifecycle import recover
from roundhouse.table.names import DEALER_ID_PREFIX, HOUSE_ID_PREFIX, Phase, RequestId, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table, TableState
from roundhouse.wire.operations import WheelLineInfo


def _set_answer(answered: "asyncio.Future[Answer]", answer: Answer) -> None:
    # The caller may be cancelled: its command stands all the same.
    if not answered.done():
        answered.set_result(answer)


_RETRY_SECONDS: Final = (1.0, 5.0, 30.0)
"""How long a dealer that failed rests before the wheel is looked at again."""
_OWN_IDS: Final = (DEALER_ID_PREFIX, HOUSE_ID_PREFIX)
"""How the ids begin under which the dealer and the house itself ask."""
_PEOPLE: Final = "the configuration lets people deal"
_NO_WHEEL: Final = WheelReliability(False, False, "")


class RunningTable:
    """A table of a running house. Commands go through its queue; everything that is read comes from its projection."""

    def __init__(
        self,
        writer: TableWriter,
        committer: Committer,
        plan: TableConfig,
        wheel: WheelSpec,
        feed: TableFeed,
        watch: AlertQueue,
        clock: Clock,
    ) -> None:
        self.writer, self.feed, self.projection = writer, feed, feed.projection
        self.queue = TableQueue(writer, committer)
        self.queue.on_committed = self._committed
        self.queue.failed.add_done_callback(self._failed)
        self.fault = ""
        """Why the table cannot go on; empty while it can."""
        self.stopping = False
        self._plan, self._wheel, self._watch, self._clock = plan, wheel, watch, clock
        self._dealing: DealerLoop | None = None
        self._hearing: WheelMonitor | None = None
        self._by = self.game.hash
        """The rulebook by which the automatic dealer deals."""
        self._moved = asyncio.Event()
        watch.recovered(self.id, writer.recovered)

    @property
    def id(self) -> TableId:
        return self.writer.id

    @property
    def recovered(self) -> list[AnyEvent]:
        """Events of the recovery, if the table was opened in the middle of a round."""
        return self.writer.recovered

    @property
    def table(self) -> Table:
        """The committed table, to be read only."""
        return self.projection.table

    @property
    def state(self) -> TableState:
        return self.projection.state

    @property
    def game(self) -> Game:
        return self.projection.game

    @property
    def version(self) -> Seq:
        return self.queue.version

    @property
    def running(self) -> bool:
        """Whether the table accepts commands and its last commit succeeded."""
        return not self.queue.failed.done() and not self.writer.needs_reload

    async def ask(self, command: AnyCommand) -> Answer:
        """Send a person's command and wait for its answer."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.put(command, partial(_set_answer, answered))
        return await answered

    def line(self) -> WheelLineInfo | None:
        return self._hearing.report(self.projection.reliability or _NO_WHEEL) if self._hearing is not None else None

    def put(self, command: AnyCommand, deliver: DeliverAnswer) -> None:
        if self.fault:
            deliver(refuse_damaged(command, self.fault))
        elif command.id.startswith(_OWN_IDS):
            # Else anybody could use up the name of what the dealer asks next, and so stop the dealing.
            words = f"ids that begin with {' or '.join(_OWN_IDS)} are the house's own"
            deliver(Answer(command.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=words))
        elif self.stopping and isinstance(command, OpenBets):
            deliver(Answer(command.id, False, refusal=Refusal.TABLE_IS_CLOSED, reason="the house is stopping"))
        elif isinstance(command, OpenTable) and command.limits is None:
            self.queue.put(replace(command, limits=self._plan.limits), deliver)
        else:
            self.queue.put(command, deliver)

    # its life

    async def begin(self, unstaffed: bool = False) -> None:
        """Opened the first time with the limits of the configuration; people deal where the configuration says so.

        Where there is nobody to hand it back, a table that was left to people is dealt again.
        """
        state = self.state
        if self.version == 0:
            opening = OpenTable(id=self._request("open"), by=StaffPosition.DEALER, limits=self._plan.limits)
            (answer,) = await self.queue.ask(opening)
            if not answer.ok:
                self._watch.raise_alert(
                    "table", f"the table could not be opened: {answer.reason or answer.refusal}", self.id
                )
        elif state.phase is not Phase.CLOSED and state.limits != self._plan.limits:
            self._watch.raise_alert(
                "limits", "the configuration has other limits; they count from the next opening", self.id
            )
        if state.automatic and not self._plan.automatic:
            self._people_deal(_PEOPLE)
        elif unstaffed and self._plan.automatic and state.mode_reason:
            self.queue.put(HandBack(id=self._request("hand-back"), by=StaffPosition.DEALER), lambda _: None)

    async def run(self) -> None:
        """Until it is cancelled, or after ``stop`` until the dealer has dealt the round in progress to its end."""
        if self._wheel.kind is WheelKind.NONE:
            return
        rests = itertools.chain(_RETRY_SECONDS, itertools.repeat(_RETRY_SECONDS[-1]))
        while not self.fault and not self.stopping:
            try:
                await self._deal(
                    connect_wheel(
                        DealersTable(self.projection, self.queue),
                        self.game,
                        self._plan,
                        self._wheel,
                        self._publish,
                        self._plan.automatic,
                        self._clock,
                    )
                )
            except JournalDamaged as damaged:
                self.queue.fail(damaged)
            except Exception as bug:
                log_bug("the automatic dealer failed", bug, table=self.id)
                self._watch.raise_alert(
                    "dealer", f"the automatic dealer failed: {type(bug).__name__}; people deal", self.id
                )
                await asyncio.sleep(next(rests))

    async def _deal(self, mounted: ConnectedWheel) -> None:
        self._dealing, self._by = mounted.dealing, self.game.hash
        self._hearing = mounted.hearing
        try:
            await mounted.dealing.run()
        finally:
            self._dealing = None
            if mounted.turning is not None:
                mounted.turning.cancel()
                await asyncio.wait([mounted.turning])

    def stop(self) -> None:
        """No more rounds."""
        self.stopping = True
        if self._dealing is not None:
            self._dealing.stop()

    async def round_over(self) -> None:
        """Until no round is in progress, whoever deals it."""
        while not self.fault and self.state.phase in IN_ROUND:
            self._moved.clear()
            await self._moved.wait()

    def left_open(self) -> tuple[RoundNumber, Clause] | None:
        """The round in progress, and the clause by which it ends when the table is opened again."""
        events = recover(self.table) if not self.fault else []
        found = (event for event in events if isinstance(event, InterruptionRecovered))
        return next(((event.round, event.clause) for event in found if not event.waits), None)

    # what it hears

    def _committed(self, entries: Sequence[Entry], rounds: Rounds) -> None:
        self.feed.committed(entries, rounds)
        self._notice(entries)

    def _notice(self, entries: Sequence[Entry]) -> None:
        state = self.state
        self._moved.set()
        if self._dealing is not None:
            self._dealing.look()
            if self.game.hash != self._by:
                # Opened under a new rulebook: this dealer rests, and ``run`` seats one who deals by it.
                self._dealing.stop()
        for entry in entries:
            for event in entry.events:
                if type(event) in SINGLE_SEAT_EVENTS:
                    # A seat's own affairs; and nearly every event of a busy table.
                    continue
                self._watch.happened(self.id, entry, event)
                if isinstance(event, AutomaticModeEntered) and self._wheel.kind is WheelKind.NONE:
                    self._people_deal("this table has no wheel that the automatic dealer could read")
                elif isinstance(event, TableResumed) and state.automatic and not self._plan.automatic:
                    # While it had stopped it could not be told so.
                    self._people_deal(_PEOPLE)

    def _publish(self, notice: Notice) -> None:
        if isinstance(notice, WheelReliability) and notice.alert:
            self._watch.raise_alert("wheel", notice.alert, self.id)
        self.feed.heard(notice)

    def _people_deal(self, reason: str) -> None:
        command = TakeOver(id=self._request("people"), by=StaffPosition.DEALER, reason=reason)
        self.queue.put(command, lambda _: None)

    def _request(self, word: str) -> RequestId:
        """Unique for ever: the version counts every entry, also over restarts."""
        return RequestId(f"{HOUSE_ID_PREFIX}{self.version}:{word}")

    def _failed(self, failed: "asyncio.Future[None]") -> None:
        if failed.cancelled():
            return
        fault = failed.exception()
        self.fault = str(fault)
        self.feed.stop(self.fault)
        self._moved.set()
        self._watch.raise_alert("journal", f"the table stands still: {self.fault}", self.id)
        if fault is not None and not isinstance(fault, JournalDamaged):
            log_bug("a table failed", fault, table=self.id)


class TableAccess(Protocol):
    """One table that runs."""

    @property
    def id(self) -> TableId: ...

    @property
    def game(self) -> Game:
        """The rulebook in play."""

    @property
    def table(self) -> Table:
        """The committed table, to be read only."""

    @property
    def projection(self) -> TableProjection:
        """The table as it is shown."""

    @property
    def feed(self) -> TableFeed:
        """The changes of the projection, for sockets."""

    @property
    def running(self) -> bool:
        """Whether its writer is alive and the journal took what it last wrote."""

    def line(self) -> WheelLineInfo | None:
        """What was heard on the wheel's line, where there is one."""

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        """``deliver`` is called with the answer once it is durable, in the order of the requests."""

    async def ask(self, command: AnyCommand) -> Answer:
        """The answer, when what it caused is durable."""


class Floor(Protocol):
    @property
    def tables(self) -> Mapping[TableId, TableAccess]: ...

    @property
    def journal(self) -> Path:
        """The journal's file, for those who only read it."""
