"""Objects that the routes and sockets of a server share: floor, house, settings, metrics, caches and limits."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

from roundhouse.floor.access import Floor
from roundhouse.house.house import House
from roundhouse.journal.files import size_of, wal_of
from roundhouse.journal.store import CommitTimes, JournalUnavailable
from roundhouse.logs import log
from roundhouse.people.events import RequestRefused
from roundhouse.people.names import TerminalNumber
from roundhouse.rules.game import Game
from roundhouse.server.auth import Caller, StaffCaller, identify
from roundhouse.server.limits import AddressBuckets, EntryBudget, RefusalRecorder, Requester, TooBusy, rate_limit_key
from roundhouse.server.metrics import Metrics
from roundhouse.server.settings import Settings
from roundhouse.table.names import Millis
from roundhouse.wire.messages import StopNotice
from roundhouse.wire.operations import SelfCheck

Args = ParamSpec("Args")
Found = TypeVar("Found")


@dataclass
class ServerContext:
    floor: Floor
    house: House
    settings: Settings
    metrics: Metrics = field(default_factory=Metrics)
    clock: Callable[[], Millis] = field(kw_only=True)
    """Wall clock of the running house, in milliseconds."""
    ticks: Callable[[], float] = time.monotonic
    """Monotonic clock for rate limits, in seconds."""
    commit_times: CommitTimes = field(default_factory=CommitTimes)
    """Durations of the journal's commits, filled by the store."""
    stop_notice: StopNotice | None = None
    """The planned stop that is under way, or None."""
    clock_ahead: Callable[[], int] = lambda: 0
    """Returns how far the system clock is ahead of the house's clock in milliseconds; 0 while they agree."""
    certificate_ends: Callable[[], Millis | None] = lambda: None
    """Returns when the TLS certificate expires; None without TLS."""
    last_backup: Callable[[], Millis | None] = lambda: None
    """Returns when the last scheduled backup ended; None if there was none since the start."""
    self_check: SelfCheck | None = None
    """Result of the last self-check, which runs at start and every day. None before the first."""
    response_cache: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Cached response bodies that depend only on a rulebook, by the rulebook's hash and a key."""
    rulebook_cache: dict[str, Game] = field(default_factory=dict)
    """Rulebooks of past rounds, by hash."""

    def __post_init__(self) -> None:
        settings = self.settings
        self._request_buckets = AddressBuckets(settings.requests, settings.addresses)
        self._login_buckets = AddressBuckets(settings.log_ins, settings.addresses)
        self._thread_slots = asyncio.Semaphore(settings.slow_requests)
        self._job_slots = asyncio.Semaphore(settings.slow_requests)
        self._known_passwords = asyncio.Semaphore(settings.concurrent_passwords)
        self._other_passwords = asyncio.Semaphore(settings.concurrent_passwords)
        self._waiting_passwords = 0
        self._refusals = RefusalRecorder()
        self._began = self.ticks()
        self.entry_budgets: dict[TerminalNumber, EntryBudget] = {}
        self.house.hashing.run = self.hash_password

    def entry_budget(self, terminal: TerminalNumber) -> EntryBudget:
        """Return the budget of a terminal. Budgets of terminals that are not enrolled any more are dropped."""
        enrolled = self.house.writer.state.terminals
        self.entry_budgets = {number: one for number, one in self.entry_budgets.items() if number in enrolled}
        return self.entry_budgets.setdefault(terminal, EntryBudget(self.settings.entries, self.ticks()))

    def throttle(self, address: str, cost: int, counts_as_login: bool) -> float:
        """Charge a request to its address. Return the seconds that the client must wait, or 0 if it may proceed."""
        now, address = self.ticks(), rate_limit_key(address)
        wait = self._request_buckets.take(address, now, cost)
        return wait or (self._login_buckets.take(address, now) if counts_as_login else 0.0)

    def caller(self, headers: Mapping[str, str]) -> Caller:
        return identify(self.house, headers, self.settings.tls, self.clock())

    def touch(self, caller: StaffCaller) -> None:
        self.house.sessions.touch(caller.session, self.clock())

    async def note_refusal(self, operation: str, code: str, caller: Caller, address: str) -> None:
        """Record a refusal in the house's chain. Repeated refusals become one entry with a count.

        If the journal is unavailable, the failure is only logged.
        """
        due = self._refusals.count(operation, code, caller, address, self.ticks())
        if due is not None:
            await self._record(*due)

    async def flush_refusals(self) -> None:
        """Record the refusals that are counted but not recorded. Called at shutdown, before the journal is closed."""
        for event, requester in self._refusals.drain(self.ticks()):
            await self._record(event, requester)

    async def _record(self, event: RequestRefused, requester: Requester) -> None:
        try:
            await self.house.note(event, self.clock(), requester)
        except JournalUnavailable:
            log("refusal_not_recorded", logging.ERROR, operation=event.what, code=event.refusal)

    def games(self) -> list[Game]:
        """List the games of all tables, each rulebook once."""
        return list({table.game.hash: table.game for table in self.floor.tables.values()}.values())

    async def run_in_thread(self, function: Callable[Args, Found], *args: Args.args, **kwargs: Args.kwargs) -> Found:
        """Run a slow function in a thread, so that it does not delay a table. Waits until a thread is free."""
        async with self._thread_slots:
            return await asyncio.to_thread(function, *args, **kwargs)

    async def hash_password(self, function: Callable[[], Found], /, known: bool) -> Found:
        """Hash a password in a thread. The number of concurrent hashes is limited, because Argon2 needs much memory.

        Requests of sessions and of known addresses do not wait for the others. Raises ``TooBusy`` if too many of the
        others wait.
        """
        if known:
            async with self._known_passwords:
                return await asyncio.to_thread(function)
        if self._waiting_passwords >= self.settings.waiting_passwords:
            raise TooBusy
        self._waiting_passwords += 1
        try:
            async with self._other_passwords:
                return await asyncio.to_thread(function)
        finally:
            self._waiting_passwords -= 1

    def job_slot(self) -> asyncio.Semaphore:
        """Return the semaphore for jobs in worker processes.

        Jobs may take minutes. They have their own limit, so that lookups in threads do not wait for them.
        """
        return self._job_slots

    def uptime_seconds(self) -> float:
        return self.ticks() - self._began

    def disk_free_bytes(self) -> int:
        """Return the free space on the disk of the journal; 0 if it cannot be read."""
        try:
            disk = os.statvfs(self.floor.journal.parent)
        except OSError:
            return 0
        return disk.f_bavail * disk.f_frsize

    def journal_bytes(self) -> int:
        journal = self.floor.journal
        return size_of(journal) + size_of(wal_of(journal))

    def journal_writable(self) -> bool:
        """Check without writing: the journal exists, its permissions allow writing, and the disk has free space."""
        journal: Path = self.floor.journal
        return (
            os.access(journal, os.W_OK)
            and os.access(journal.parent, os.W_OK)
            and self.disk_free_bytes() > MIN_FREE_BYTES
        )


MIN_FREE_BYTES = 16 * 1024 * 1024
"""``/healthz`` fails when less disk space than this is free."""
