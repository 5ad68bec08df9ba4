"""A table of a running house: its queue, projection, feed, wheel and dealer.

After a fault a table refuses every command. The other tables are not affected.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from roundhouse.config.schema import TableConfig, WheelKind, WheelSpec
from roundhouse.dealer.attended import NOT_LAUNCHED
from roundhouse.dealer.loop import DealerLoop, DealerWaiting, Notice, WheelReliability
from roundhouse.floor.alerts import AlertQueue, disputes_of
from roundhouse.floor.audience import SINGLE_SEAT_EVENTS
from roundhouse.floor.clock import Clock
from roundhouse.floor.desk_alerts import clear_old_disputes, report_desk_event
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.money_alerts import MONEY_EVENTS, money_alert
from roundhouse.floor.queue import Committer, DeliverAnswer, TableQueue
from roundhouse.floor.wheels import ConnectedWheel, DealersTable, WheelMonitor, connect_wheel, pace_of
from roundhouse.floor.writer import TableWriter
from roundhouse.journal.entry import Answer, Entry, Seq
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.logs import log, log_bug
from roundhouse.rules.game import Game
from roundhouse.rules.names import MAX_STAKE_CENTS, StaffPosition
from roundhouse.table.commands import AnyCommand, Declare, HandBack, OpenBets, OpenTable, PlacePackage, TakeOver
from roundhouse.table.decision import IN_ROUND
from roundhouse.table.events import AnyEvent, AutomaticModeEntered, SoftwareStopped, TableResumed
from roundhouse.table.irregularities import TERMINALS, interrupted_terminals
from roundhouse.table.names import HOUSE_ID_PREFIX, Phase, RequestId, RoundNumber, SeatId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Table, TableState
from roundhouse.wire.operations import WheelLineInfo


def _set_answer(answered: "asyncio.Future[Answer]", answer: Answer) -> None:
    # If the caller was cancelled, the command is executed all the same and the future is already done.
    if not answered.done():
        answered.set_result(answer)


_RETRY_SECONDS: Final = (1.0, 5.0, 30.0)
"""Pauses before a failed dealer is restarted. The last one is repeated."""
_MANUAL_BY_CONFIGURATION: Final = "the configuration sets manual mode"
_NO_WHEEL: Final = WheelReliability(False, False, "")


class RunningTable:
    """A table of a running house. Commands go through its queue; readers use its projection."""

    def __init__(
        self,
        writer: TableWriter,
        committer: Committer,
        plan: TableConfig,
        wheel: WheelSpec,
        feed: TableFeed,
        alerts: AlertQueue,
        clock: Clock,
    ) -> None:
        self.writer, self.feed, self.projection = writer, feed, feed.projection
        self.id: TableId = writer.id
        writer.refusals.enabled = True
        self.queue = TableQueue(writer, committer)
        self.queue.on_committed, self.queue.on_moved = feed.committed, self._moved
        self.queue.adapters = {OpenBets: self._adapt_open_bets, PlacePackage: self._adapt_package}
        self.put: Callable[[AnyCommand, DeliverAnswer], None] = self.queue.put
        self.queue.failed.add_done_callback(self._failed)
        self.fault = ""
        """Why the table refuses all commands; empty while it runs."""
        self.stopping = False
        self.is_recorded: Callable[[RequestId], bool] = lambda _: False
        """Tells whether the journal contains a request with this id. It reads the store."""
        self.report_from: int = MAX_STAKE_CENTS
        """Amount from which a purchase, a cash-out or a ticket is reported to the pit."""
        self.plan, self._wheel, self._alerts, self._clock = plan, wheel, alerts, clock
        self._wheel_lost = False
        """Whether the last notice of the wheel's reliability had a fault. One loss raises one alert."""
        self._new_pace = False
        """Whether the dealer must learn a new pace when the round in progress has ended."""
        self._dealer: DealerLoop | None = None
        self._monitor: WheelMonitor | None = None
        self._dealer_rulebook = self.game.hash
        """Hash of the rulebook that the automatic dealer uses."""
        self._changed = asyncio.Event()
        self.table.set_house(writer.facts.terms, writer.facts.money)
        self._disputes = disputes_of(self.state)
        self._reports = itertools.count()
        """Numbers reports of lost terminals, because several may be queued before the table's version changes."""
        self.variance_from = 1
        """Least variance of a float that raises an alert, in cents. The house sets it."""
        alerts.report_recovery(self.id, writer.recovered)
        clear_old_disputes(alerts, self.id, self.state)

    @property
    def recovered(self) -> list[AnyEvent]:
        """Events of the recovery, if the table was opened in the middle of a round."""
        return self.writer.recovered

    @property
    def table(self) -> Table:
        """The committed table. Callers must not change it."""
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

    @property
    def is_unattended(self) -> bool:
        """Whether an automatic dealer with a simulated wheel deals, so that no person is needed."""
        return self.state.automatic and self._wheel.kind is WheelKind.SIMULATED

    @property
    def moved_at(self) -> Seq:
        return self.queue.moved_at

    async def ask(self, command: AnyCommand, expects: Seq | None = None) -> Answer:
        """Send a person's command and wait for its answer. With ``expects`` it is refused if the table has moved."""
        if expects is not None:
            (answer,) = await self.queue.ask(command, expects=expects)
            return answer
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.put(command, partial(_set_answer, answered))
        return await answered

    async def has_recorded(self, id: RequestId) -> bool:
        return await asyncio.to_thread(self.is_recorded, id)

    @property
    def wheel_ready(self) -> bool | None:
        """Whether the wheel can be relied on now; ``None`` if the table has no wheel."""
        if self._wheel.kind is WheelKind.NONE:
            return None
        reliability = self.projection.reliability
        return self._dealer is not None and reliability is not None and reliability.ready

    def line(self) -> WheelLineInfo | None:
        return self._monitor.report(self.projection.reliability or _NO_WHEEL) if self._monitor is not None else None

    def _adapt_open_bets(self, command: AnyCommand) -> AnyCommand | Answer:
        if self.stopping:
            return Answer(command.id, False, refusal=Refusal.TABLE_IS_CLOSED, reason="the house is stopping")
        return command

    def _adapt_package(self, command: AnyCommand) -> AnyCommand | Answer:
        """Refuse a package that the house does not offer at this terminal, also if the seat was taken before."""
        assert isinstance(command, PlacePackage)
        offered = self.writer.facts.offers.get(command.seat)
        if offered is None or command.package in offered:
            return command
        reason = "the house does not offer this package at this terminal"
        return Answer(command.id, False, refusal=Refusal.NO_SUCH_PACKAGE, reason=reason)

    # Start, dealing and stop

    async def begin(self, unstaffed: bool = False) -> None:
        """Open a new table with the configured limits, and enter manual mode if it is configured.

        In an ``unstaffed`` house a table in manual mode returns to automatic mode, as no person can hand it back.
        """
        state = self.state
        if self.version == 0:
            opening = OpenTable(id=self._request_id("open"), by=StaffPosition.SYSTEM)
            (answer,) = await self.queue.ask(opening)
            if not answer.ok:
                self._alerts.raise_alert(
                    "table", f"the table could not be opened: {answer.reason or answer.refusal}", self.id
                )
        elif state.phase is not Phase.CLOSED and state.limits != self.plan.limits:
            self._alerts.raise_alert(
                "limits", "the configured limits have changed; they apply from the next opening", self.id
            )
        if state.automatic and not self.plan.automatic:
            self._enter_manual_mode(_MANUAL_BY_CONFIGURATION)
        elif unstaffed and self.plan.automatic and state.mode_reason:
            self.queue.send(HandBack(id=self._request_id("hand-back"), by=StaffPosition.AUTOMATIC_DEALER))

    async def run(self) -> None:
        """Run the automatic dealer until cancelled, or after ``stop`` until the round in progress has ended."""
        if self._wheel.kind is WheelKind.NONE:
            return
        pauses = itertools.chain(_RETRY_SECONDS, itertools.repeat(_RETRY_SECONDS[-1]))
        while not self.fault and not self.stopping:
            try:
                await self._deal(
                    connect_wheel(
                        DealersTable(self.projection, self.queue),
                        self.game,
                        self.plan,
                        self._wheel,
                        self._publish,
                        self.plan.automatic,
                        self._clock,
                    )
                )
            except JournalDamaged as damaged:
                self.queue.fail(damaged)
            except Exception as bug:
                log_bug("the automatic dealer failed", bug, table=self.id)
                self._alerts.raise_alert(
                    "dealer", f"the automatic dealer failed: {type(bug).__name__}; manual mode", self.id
                )
                await asyncio.sleep(next(pauses))

    async def _deal(self, connected: ConnectedWheel) -> None:
        self._dealer, self._dealer_rulebook = connected.dealer, self.game.hash
        self._monitor = connected.monitor
        try:
            await connected.dealer.run()
        finally:
            self._dealer = None
            if connected.simulation is not None:
                connected.simulation.cancel()
                await asyncio.wait([connected.simulation])

    def set_pace(self, betting_seconds: int, look_seconds: int, pause_seconds: int) -> None:
        """Set the pace of the automatic dealer, from the next round on."""
        self.plan = replace(
            self.plan, betting_seconds=betting_seconds, look_seconds=look_seconds, pause_seconds=pause_seconds
        )
        self._new_pace = True
        self._apply_pace()

    def _apply_pace(self) -> None:
        if self._new_pace and self.state.phase not in IN_ROUND:
            self._new_pace = False
            if self._dealer is not None:
                self._dealer.set_pace(pace_of(self.plan, self._wheel.speed))
            facts = self.projection.facts
            if facts.betting_seconds is not None:
                self.projection.facts = replace(facts, betting_seconds=self.plan.betting_seconds)

    def stop(self) -> None:
        """Stop opening rounds. The round in progress continues."""
        self.stopping = True
        if self._dealer is not None:
            self._dealer.stop()

    async def round_over(self) -> None:
        """Wait until no round is in progress, in automatic or manual mode."""
        while not self.fault and self.state.phase in IN_ROUND:
            self._changed.clear()
            await self._changed.wait()

    async def refer_unfinished(self) -> RoundNumber | None:
        """Record the planned stop of the house, if a round has not ended. Return that round.

        A planned stop is no interruption: the round is referred, if it was not before, and waits for its decision.
        """
        try:
            events = await self.queue.stop_software()
        except (JournalUnavailable, JournalDamaged) as error:
            log("could not refer the unfinished round", logging.ERROR, table=self.id, error=str(error))
            return None
        except Exception as bug:
            log_bug("could not refer the unfinished round", bug, table=self.id)
            return None
        return next((event.round for event in events if isinstance(event, SoftwareStopped)), None)

    def report_lost_terminals(self, seats: Sequence[SeatId]) -> None:
        """Declare the terminals of these seats interrupted, if the seats have bets in the round in progress.

        If the rulebook does not mention such terminals, only the pit is told. A planned stop is no interruption.
        """
        state = self.state
        if self.stopping or self.fault or state.phase not in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED):
            return
        known = state.evidence.dark_seats if state.evidence else ()
        dark = tuple(id for id in seats if id not in known and id in state.seats and state.seats[id].bets)
        if not dark:
            return
        if TERMINALS in self.game.rulebook.irregularities:
            id = self._request_id(f"terminals:{next(self._reports)}")
            declared = Declare(id=id, by=StaffPosition.SYSTEM, irregularity=TERMINALS, seats=dark)
            self.queue.send(declared)
        else:
            text = f"the {interrupted_terminals(dark)} in round {state.round}; the round goes on"
            self._alerts.raise_alert("terminals", text, self.id)

    # Callbacks

    def _moved(self, entries: Sequence[Entry]) -> None:
        state = self.state
        self._changed.set()
        self._apply_pace()
        before, self._disputes = self._disputes, disputes_of(state)
        self._alerts.report_disputes(self.id, before, self._disputes)
        if not state.referrals:
            self._alerts.clear("referred", self.id)
        if self._dealer is not None:
            self._dealer.table_changed()
            if self.game.hash != self._dealer_rulebook:
                # The table was opened with a new rulebook: ``run`` replaces this dealer.
                self._dealer.stop()
        for entry in entries:
            for event in entry.events:
                if (
                    type(event) in MONEY_EVENTS
                    and (alert := money_alert(event, self.report_from, state.terms.currency)) is not None
                ):
                    self._alerts.raise_alert(*alert, self.id)
                if type(event) in SINGLE_SEAT_EVENTS:
                    # Skip bets and other events of one seat, which are most events. They cause no alert.
                    continue
                self._alerts.report_event(self.id, entry, event)
                report_desk_event(self._alerts, self.id, event, self.variance_from)
                if isinstance(event, AutomaticModeEntered) and self._wheel.kind is WheelKind.NONE:
                    self._enter_manual_mode("the table has no wheel that the automatic dealer can read")
                elif isinstance(event, TableResumed) and state.automatic and not self.plan.automatic:
                    # ``begin`` could not set manual mode, because the table was stopped then.
                    self._enter_manual_mode(_MANUAL_BY_CONFIGURATION)

    def _publish(self, notice: Notice) -> None:
        if isinstance(notice, WheelReliability):
            if notice.alert and not self._wheel_lost:
                self._alerts.replace_alert("wheel", notice.alert, self.id)
            elif notice.connected and not notice.alert:
                self._alerts.clear("wheel", self.id)
            self._wheel_lost = bool(notice.alert)
        if isinstance(notice, DealerWaiting) and notice.why == NOT_LAUNCHED:
            self._alerts.raise_alert("wheel", f"round {self.state.round}: {NOT_LAUNCHED}", self.id)
        self.feed.apply_notice(notice)

    def _enter_manual_mode(self, reason: str) -> None:
        command = TakeOver(id=self._request_id("people"), by=StaffPosition.SYSTEM, reason=reason)
        self.queue.send(command)

    def _request_id(self, name: str) -> RequestId:
        """Create a unique request id. The version increases with every entry and survives restarts."""
        return RequestId(f"{HOUSE_ID_PREFIX}{self.version}:{name}")

    def _failed(self, failed: "asyncio.Future[None]") -> None:
        if failed.cancelled():
            return
        fault = failed.exception()
        self.fault = str(fault)
        self.feed.stop(self.fault)
        self._changed.set()
        self._alerts.raise_alert("journal", f"the table has stopped: {self.fault}", self.id)
        if fault is not None and not isinstance(fault, JournalDamaged):
            log_bug("a table failed", fault, table=self.id)
