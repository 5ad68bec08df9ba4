"""A table that cannot be opened, because its journal is damaged. It says so to everybody and does nothing else.

A table of the floor as the server sees it: its writer, and what the house has set for it.

Who listens to the tables of a running house: sockets, mostly. What is told here is durable, or only for showing.

A table of a running house: its one writer, its wheel and dealer, and what everybody is shown of its clock.

People's requests and the automatic dealer's meet in the keeper, which alone decides. A table that cannot go on
stands still by itself; no other table notices.

What the server needs of a running floor: its tables, to read and to ask. Who runs them is not its business.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec
from roundhouse.dealer.loop import BetsCloseAt, DealerLoop, Happened, Notice, WheelReliability, WheelStatus
from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.floor.clock import Clock
from roundhouse.floor.damaged import refuse_damaged
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.wheels import ConnectedWheel, WheelMonitor, connect_wheel
from roundhouse.floor.writer import DeliverOne, TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.journal.store import JournalDamaged
from roundhouse.logs import log_bug
from roundhouse.rules.game import Game
from roundhouse.rules.names import Clause, StaffPosition
from roundhouse.table.commands import AnyCommand, HandBack, OpenBets, OpenTable, TakeOver
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.events import AnyEvent, AutomaticModeEntered, InterruptionRecovered, TableResumed
from roundhouse.table.lifecycle import recover
from roundhouse.table.names import DEALERS_IDS, HOUSES_IDS, Millis, Phase, RequestId, RoundNumber, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table
from roundhouse.wire.operations import WheelLineInfo
from roundhouse.wire.tables import TableFacts, WheelInfoNow


class WrittenTable:
    """Whoever deals sets ``deadline`` and ``wheel``; nobody else may."""

    def __init__(self, writer: TableWriter, facts: TableFacts) -> None:
        self.writer = writer
        self.facts = facts
        self.deadline: Millis | None = None
        self.wheel: WheelInfoNow | None = None

    @property
    def id(self) -> TableId:
        return self.writer.keeper.id

    @property
    def table(self) -> Table:
        return self.writer.keeper.table

    @property
    def game(self) -> Game:
        return self.table.game

    @property
    def version(self) -> Seq:
        return self.writer.keeper.version

    @property
    def running(self) -> bool:
        return not self.writer.failed.done() and not self.writer.keeper.adrift

    def line(self) -> WheelLineInfo | None:
        return None

    def put(self, command: AnyCommand, deliver: DeliverOne) -> None:
        """``deliver`` is called with the answer once it is durable. The one door for whatever people ask."""
        self.writer.put(command, deliver)

    async def ask(self, command: AnyCommand) -> Answer:
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.put(command, partial(_answer, answered))
        return await answered


def _answer(answered: "asyncio.Future[Answer]", answer: Answer) -> None:
    # Who asked may be gone: the request stands all the same.
    if not answered.done():
        answered.set_result(answer)


class Listener(Protocol):
    """Called in the loop of the house. Neither may wait, and neither may raise."""

    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        """Entries that are durable, in their order, whoever asked for them."""

    def news(self, table: TableId, news: Notice) -> None:
        """What the clock says and how the wheel stands. What happened is told by ``landed`` alone."""


class NobodyListens:
    def landed(self, table: TableId, entries: Sequence[Entry]) -> None:
        pass

    def news(self, table: TableId, news: Notice) -> None:
        pass


_RETRY_SECONDS: Final = (1.0, 5.0, 30.0)
"""How long a dealer that failed rests before the wheel is looked at again."""
_OWN_IDS: Final = (DEALERS_IDS, HOUSES_IDS)
"""How the ids begin under which the dealer and the house itself ask."""
_PEOPLE: Final = "the configuration lets people deal"
_NOT_CONNECTED: Final = "not_connected"


class RunningTable(WrittenTable):
    def __init__(
        self,
        keeper: Keeper,
        plan: TableConfig,
        wheel: WheelSpec,
        facts: TableFacts,
        listener: Listener,
        watch: AlertQueue,
        clock: Clock,
    ) -> None:
        super().__init__(TableWriter(keeper), facts)
        self.writer.failed.add_done_callback(self._failed)
        self.keeper, self.listener = keeper, listener
        self.fault = ""
        """Why the table cannot go on; empty while it can."""
        self.stopping = False
        self._plan, self._wheel, self._watch, self._clock = plan, wheel, watch, clock
        self._dealing: DealerLoop | None = None
        self._hearing: WheelMonitor | None = None
        self._by = keeper.table.game.hash
        """The rulebook by which the automatic dealer deals."""
        self._closes: RoundNumber | None = None
        """The round that ``deadline`` is about."""
        self._reliable = WheelReliability(False, False, "")
        self._moved = asyncio.Event()
        keeper.on_landed = self._landed
        watch.recovered(self.id, keeper.recovered)

    @property
    def recovered(self) -> list[AnyEvent]:
        """What the table did by itself when it was opened again in the middle of a round."""
        return self.keeper.recovered

    def line(self) -> WheelLineInfo | None:
        return self._hearing.report(self._reliable) if self._hearing is not None else None

    def put(self, command: AnyCommand, deliver: DeliverOne) -> None:
        if self.fault:
            deliver(refuse_damaged(command, self.game, self.fault))
        elif command.id.startswith(_OWN_IDS):
            # Else anybody could use up the name of what the dealer asks next, and so stop the dealing.
            words = f"ids that begin with {' or '.join(_OWN_IDS)} are the house's own"
            deliver(Answer(command.id, False, refusal=Refusal.NOT_UNDERSTOOD, reason=words))
        elif self.stopping and isinstance(command, OpenBets):
            deliver(Answer(command.id, False, refusal=Refusal.TABLE_IS_CLOSED, reason="the house is stopping"))
        elif isinstance(command, OpenTable) and command.limits is None:
            self.writer.put(replace(command, limits=self._plan.limits), deliver)
        else:
            self.writer.put(command, deliver)

    # its life

    def begin(self, unstaffed: bool = False) -> None:
        """Opened the first time with the limits of the configuration; people deal where the configuration says so.

        Where there is nobody to hand it back, a table that was left to people is dealt again.
        """
        state = self.keeper.table.state
        if self.version == 0:
            opening = OpenTable(id=self._request("open"), by=StaffPosition.DEALER, limits=self._plan.limits)
            answer = self.keeper.handle([opening])[0]
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
            self.writer.put(HandBack(id=self._request("hand-back"), by=StaffPosition.DEALER), lambda _: None)

    async def run(self) -> None:
        """Until it is cancelled, or after ``stop`` until the dealer has dealt the round in progress to its end."""
        if self._wheel.kind is WheelKind.NONE:
            return
        rests = itertools.chain(_RETRY_SECONDS, itertools.repeat(_RETRY_SECONDS[-1]))
        while not self.fault and not self.stopping:
            try:
                await self._deal(
                    connect_wheel(
                        self.keeper, self._plan, self._wheel, self._publish, self._plan.automatic, self._clock
                    )
                )
            except JournalDamaged as damaged:
                self.writer.fail(damaged)
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
        while not self.fault and self.keeper.table.state.phase in IN_ROUND:
            self._moved.clear()
            await self._moved.wait()

    def left_open(self) -> tuple[RoundNumber, Clause] | None:
        """The round in progress, and the clause by which it ends when the table is opened again."""
        events = recover(self.keeper.table) if not self.fault else []
        found = (event for event in events if isinstance(event, InterruptionRecovered))
        return next(((event.round, event.clause) for event in found if not event.waits), None)

    # what it hears

    def _landed(self, entries: Sequence[Entry]) -> None:
        # Nothing is asked of the keeper in here: what was sent meanwhile would be answered before what has landed.
        try:
            self._notice(entries)
        finally:
            self.listener.landed(self.id, entries)

    def _notice(self, entries: Sequence[Entry]) -> None:
        state = self.keeper.table.state
        if state.phase is not Phase.BETS_OPEN or state.round != self._closes:
            self.deadline = None
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

    def _publish(self, news: Notice) -> None:
        now = self._clock.now()
        match news:
            case Happened():
                return
            case BetsCloseAt(round, seconds):
                self._closes, self.deadline = round, Millis(now + int(seconds * 1000))
            case WheelStatus(state):
                self.wheel = WheelInfoNow(state.name.lower(), now)
            case WheelReliability(connected, _, alert):
                self._reliable = news
                if not connected:
                    self.wheel = WheelInfoNow(_NOT_CONNECTED, now)
                if alert:
                    self._watch.raise_alert("wheel", alert, self.id)
        try:
            self.listener.news(self.id, news)
        except Exception as bug:
            # Whoever listens must not stop the dealer.
            log_bug("a listener failed", bug, table=self.id)

    def _people_deal(self, reason: str) -> None:
        command = TakeOver(id=self._request("people"), by=StaffPosition.DEALER, reason=reason)
        self.writer.put(command, lambda _: None)

    def _request(self, word: str) -> RequestId:
        """Unique for ever: the version counts every entry, also over restarts."""
        return RequestId(f"{HOUSES_IDS}{self.version}:{word}")

    def _failed(self, failed: "asyncio.Future[None]") -> None:
        fault = failed.exception()
        self.fault = str(fault)
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
        """Its state, to decide on. It may be ahead of the journal by what is being written: never show it."""

    @property
    def facts(self) -> TableFacts: ...

    @property
    def version(self) -> Seq:
        """How many entries its chain has."""

    @property
    def running(self) -> bool:
        """Whether its writer is alive and the journal took what it last wrote."""

    @property
    def deadline(self) -> Millis | None:
        """When bets are going to be closed, where that is known."""

    @property
    def wheel(self) -> WheelInfoNow | None: ...

    def line(self) -> WheelLineInfo | None:
        """What was heard on the wheel's line, where there is one."""

    def put(self, command: AnyCommand, deliver: Callable[[Answer], None]) -> None:
        """``deliver`` is called with the answer once it is durable, in the order of the requests."""

    async def ask(self, command: AnyCommand) -> Answer:
        """The answer, when what it caused is durable. What it shows of the state is durable too."""


class Floor(Protocol):
    @property
    def tables(self) -> Mapping[TableId, TableAccess]: ...

    @property
    def journal(self) -> Path:
        """The journal's file, for those who only read it."""
