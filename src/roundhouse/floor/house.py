"""The composition root of a running house: builds its journal writer, tables, wheels, dealers and alerts.

``RunningHouse`` must be created in the event loop that it runs in. It is the only writer of its journal. It contains
no rules and no network code; the server calls it.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.json import encode

from roundhouse import __version__
from roundhouse.audit.software import self_check
from roundhouse.config.loading import Configuration
from roundhouse.config.schema import Guests, TableConfig
from roundhouse.floor.alerts import AlertQueue, log_failure
from roundhouse.floor.cage import RunningCage
from roundhouse.floor.cage_opening import begin_cage, cage_of
from roundhouse.floor.clock import Clock, HouseClock
from roundhouse.floor.clock_watch import ClockWatch
from roundhouse.floor.damaged import DamagedTable
from roundhouse.floor.disputes import disputes_in
from roundhouse.floor.house_notary import HouseNotary
from roundhouse.floor.journal_check import JournalCheck
from roundhouse.floor.notary import Notary
from roundhouse.floor.opening import (
    MAX_AHEAD_MILLIS,
    CannotOpen,
    check_currency,
    check_time,
    facts_of,
    feed_of,
    last_entry_at,
    money_of,
    open_house,
    protection_of,
    terms_of,
    ticket_life_of,
    writer_of,
)
from roundhouse.floor.queue import Committer
from roundhouse.floor.self_check import SoftwareCheck, last_start
from roundhouse.floor.table import RunningTable
from roundhouse.floor.tickets import tickets_by_staff
from roundhouse.floor.witnessing import Findings
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalDamaged, JournalUnavailable
from roundhouse.logs import log
from roundhouse.people.events import HouseStopped, SettingChanged
from roundhouse.rules.names import Clause
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId
from roundhouse.table.purchases import needs_allowance
from roundhouse.wire.operations import SelfCheck

_WRITE_TIMEOUT_SECONDS: Final = 5.0
"""Timeout for pending writes when the house stops."""

SWEEP_SECONDS: Final = 1.0
"""How often idle consoles are locked and expired sessions are ended."""


class UnfinishedRound(Struct, frozen=True):
    """A round that had not ended when the house stopped. It is referred to the person who decides under ``clause``."""

    table: TableId
    round: RoundNumber
    clause: Clause
    unattended: bool
    """Whether the automatic dealer decides it at the next start, because the wheel is simulated."""


class RunningHouse:
    """All running parts of one house. The server reads tables from it and sends commands to them."""

    def __init__(
        self,
        configuration: Configuration,
        store: SqliteStore,
        key: Key,
        clock: Clock | None = None,
        accept_time: bool = False,
        notary: Notary | None = None,
        findings: Findings | None = None,
    ) -> None:
        """Open the house. ``accept_time`` also opens a journal whose last entry is in the future.

        ``notary`` is not started yet; ``findings`` are what it found when it was opened.
        """
        self.configuration = configuration
        self.clock: Clock = clock or HouseClock()
        """The clock of the house. All parts and the server use it."""
        last = last_entry_at(store)
        from_future = last - self.clock.now() > MAX_AHEAD_MILLIS
        if not accept_time:
            check_time(configuration.journal, last, self.clock.now())
        self.journal: Path = configuration.journal
        self._store, self._key = store, key
        self._committer = Committer(store)
        self.house = open_house(configuration, store, key, self._committer.submit)
        check_currency(self.house)
        self.alerts = AlertQueue(self.house, self.clock)
        self._notary = HouseNotary(notary, findings, self.house, self.alerts, key, store)
        try:
            self._notary.check_key()
        except JournalUnavailable as wrong:
            raise CannotOpen(str(wrong)) from wrong
        self.clock_watch: ClockWatch | None = None
        if isinstance(self.clock, HouseClock):
            self.clock.continue_after(last)
            self.clock_watch = ClockWatch(self.clock, self.alerts)
            self.clock_watch.check(accepted=from_future)
        self.on_self_check: Callable[[SelfCheck], None] = lambda _: None
        """Receives the result of each check of the installed software."""
        # Every start of the server numbers the changes from 1 again. The new epoch makes old numbers invalid.
        epoch = secrets.token_urlsafe(9)
        self.tables = {plan.id: self._open(plan, epoch) for plan in configuration.plan.tables}
        self.cage = self._open_cage()
        """The cage, if the house has one."""
        self.house.terminals.needs_allowance = self._needs_allowance
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def running(self) -> list[RunningTable]:
        return [table for table in self.tables.values() if isinstance(table, RunningTable)]

    def _open(self, plan: TableConfig, epoch: str) -> RunningTable | DamagedTable:
        found, facts = self.configuration.games[plan.id], facts_of(self.configuration, plan.id)
        terms = terms_of(self.configuration, plan.id)
        try:
            writer = writer_of(self._store, self._key, plan.id, found.game, found.content, self.clock, terms)
        except JournalUnavailable as unavailable:
            raise CannotOpen(str(unavailable)) from unavailable
        except JournalDamaged as damaged:
            self.alerts.raise_alert("journal", f"the table cannot be opened: {damaged}", plan.id)
            return DamagedTable(plan.id, found.game, facts, str(damaged), epoch)
        writer.facts.money = money_of(self.configuration, plan.id)
        writer.facts.offers = self.configuration.offers_at(plan.id)
        writer.facts.is_disputed = disputes_in(lambda: self.house.writer.state, self._key)
        writer.facts.ticket_life = ticket_life_of(self.configuration)
        writer.facts.goodwill_max = self.configuration.plan.disputes.goodwill_max
        writer.facts.is_gone = partial(self.house.sessions.has_left, table=plan.id, now=self.clock.now)
        writer.facts.protection = protection_of(self.configuration)
        if writer.ignored_snapshot:
            text = "a snapshot of the table was changed and is not used; its entries are replayed instead"
            self.alerts.raise_alert("journal", text, plan.id)
        feed = feed_of(writer, self._store, found.game, facts, epoch, self.clock.now)
        feed.ticket_of = tickets_by_staff(self._key, plan.id)
        table = RunningTable(
            writer, self._committer, plan, self.configuration.wheels[plan.id], feed, self.alerts, self.clock
        )
        table.is_recorded = lambda id: bool(self._store.seqs_of(plan.id, [id]))
        table.report_from = self.configuration.plan.money.report_from
        table.variance_from = self.configuration.plan.float.variance_from
        return table

    def _needs_allowance(self, table: TableId, seat: SeatId, at: Millis, enrolled: Millis | None) -> bool:
        """Return whether another terminal at a seat needs two persons first, because the seat has money."""
        found = self.tables.get(table)
        return found is not None and needs_allowance(found.table.state.seats.get(seat), at, enrolled)

    def _open_cage(self) -> RunningCage | None:
        raise_alert = self.alerts.raise_alert
        return cage_of(self.configuration, self._store, self._key, self.clock, self._committer, self.house, raise_alert)

    # Start and stop

    async def start(self) -> None:
        """Record the start and the hash of the software, then open the tables and begin dealing."""
        before = await asyncio.to_thread(last_start, self._store)
        found = await asyncio.to_thread(self_check)
        try:
            await self.house.start(__version__, found.software, self.clock.now())
            if before is None or before.configuration != self.configuration.hash:
                was, now = before.configuration if before else "", encode(self.configuration.plan).decode()
                await self.house.note(SettingChanged("house.toml", was, now), self.clock.now())
        except JournalUnavailable as unavailable:
            raise CannotOpen(str(unavailable)) from unavailable
        await self._notary.start(self.clock.now())
        if self.cage is not None:
            await begin_cage(self.cage, self.configuration)
        checks = SoftwareCheck(self.alerts, self.on_self_check, self.clock)
        checks.record(found)
        checks.compare_with_last_start(before)
        log("started", version=__version__, tables=len(self.tables), software=found.software)
        for table in self.running:
            try:
                await table.begin(unstaffed=self.configuration.guests is not Guests.NOBODY)
            except JournalDamaged as damaged:
                table.queue.fail(damaged)
        self.run_in_background(self.alerts.run(self.running), "alerts")
        self.run_in_background(checks.daily(), "self-check")
        self.run_in_background(JournalCheck(self.journal, self.alerts).daily(), "journal check")
        self.run_in_background(self._sweep(), "sessions")
        if self.clock_watch is not None:
            self.run_in_background(self.clock_watch.run(), "clock")
        for table in self.running:
            self.run_in_background(table.run(), f"dealer of {table.id}")

    async def sign_now(self) -> None:
        """Sign the newest entries, so that a capsule can prove where they come from."""
        await self._notary.sign_now()

    async def _sweep(self) -> None:
        """Lock idle consoles and end expired sessions, once a second."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            with suppress(JournalUnavailable):
                await self.house.sessions.sweep(self.clock.now())

    def run_in_background(self, work: Coroutine[object, object, None], name: str) -> None:
        """Run a coroutine as a task until the house is closed. Its exception is logged."""
        task = asyncio.create_task(work, name=name)
        task.add_done_callback(log_failure)
        self._tasks.append(task)

    async def finish_rounds(self, grace_seconds: float) -> None:
        """Open no new rounds, and wait up to ``grace_seconds`` for the rounds in progress."""
        for table in self.running:
            table.stop()
        over = [asyncio.create_task(table.round_over()) for table in self.running]
        if over:
            _, pending = await asyncio.wait(over, timeout=grace_seconds)
            for task in pending:
                task.cancel()

    async def close(self, why: str) -> list[UnfinishedRound]:
        """Stop dealing, write everything that is pending and close the journal.

        Rounds still in progress are referred, and returned.
        """
        for table in self.running:
            table.stop()
        others = [task for task in self._tasks if task.get_name() != "alerts"]
        await _cancel(others)
        for table in self.running:
            await _with_timeout(table.queue.wait_until_idle())
        if self.cage is not None:
            await _with_timeout(self.cage.wait_until_idle())
        left = await self._refer_unfinished()
        await _with_timeout(self.alerts.wait_until_recorded())
        await _cancel(self._tasks)
        try:
            await self.house.note(HouseStopped(why), self.clock.now())
        except JournalUnavailable:
            log("could not record the stop of the house in the journal", logging.ERROR)
        self._committer.close()
        await self._notary.close()
        self._store.close()
        log("stopped", why=why)
        return left

    async def _refer_unfinished(self) -> list[UnfinishedRound]:
        """Record the planned stop at every table with an unfinished round, which is referred. Return these rounds."""
        left: list[UnfinishedRound] = []
        for table in self.running:
            try:
                async with asyncio.timeout(_WRITE_TIMEOUT_SECONDS):
                    number = await table.refer_unfinished()
            except TimeoutError:
                log("timed out referring the unfinished round", logging.ERROR, table=table.id)
                continue
            if number is not None:
                clause = table.game.rulebook.authority.decides.clause
                log("the house stops; the round waits for a decision", logging.WARNING, table=table.id, round=number)
                left.append(UnfinishedRound(table.id, number, clause, table.is_unattended))
        return left


async def _with_timeout(work: Coroutine[object, object, None]) -> None:
    try:
        async with asyncio.timeout(_WRITE_TIMEOUT_SECONDS):
            await work
    except TimeoutError:
        log("timed out waiting for pending writes", logging.ERROR)


async def _cancel(tasks: "list[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
