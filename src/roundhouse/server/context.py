"""What the routes and sockets of one running house share: its floor, its people, its settings, its counters."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

from roundhouse.floor.table import Floor
from roundhouse.house.house import House
from roundhouse.journal.files import size_of, wal_of
from roundhouse.journal.store import JournalUnavailable
from roundhouse.logs import log
from roundhouse.people.events import RequestRefused
from roundhouse.rules.game import Game
from roundhouse.server.auth import Caller, StaffCaller, identify
from roundhouse.server.limits import AddressBuckets, RefusalRecorder, Who, rate_limit_key
from roundhouse.server.metrics import Metrics
from roundhouse.server.settings import Settings
from roundhouse.table.names import Millis
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
    """That of the running house."""
    ticks: Callable[[], float] = time.monotonic
    self_check: SelfCheck | None = None
    """Set by whoever looks at the software itself, at start and every day."""
    response_cache: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Answers that follow from a rulebook alone, by its hash and what they are."""
    rulebook_cache: dict[str, Game] = field(default_factory=dict)
    """Of past rounds, by their hashes."""

    def __post_init__(self) -> None:
        settings = self.settings
        self._asking = AddressBuckets(settings.asking, settings.addresses)
        self._knocking = AddressBuckets(settings.knocking, settings.addresses)
        self._slow = asyncio.Semaphore(settings.slow_answers)
        self._aside = asyncio.Semaphore(settings.slow_answers)
        self._passwords = asyncio.Semaphore(settings.passwords_at_once)
        self._refused = RefusalRecorder()
        self.house.hashing.run = self.hash_password

    def throttle(self, address: str, cost: int, knocks: bool) -> float:
        """How many seconds an address has to wait before it may ask; mostly none."""
        now, address = self.ticks(), rate_limit_key(address)
        return self._asking.take(address, now, cost) or (self._knocking.take(address, now) if knocks else 0.0)

    def caller(self, headers: Mapping[str, str]) -> Caller:
        return identify(self.house, headers, self.settings.tls, self.clock())

    def touch(self, caller: StaffCaller) -> None:
        self.house.sessions.touch(caller.session, self.clock())

    async def note_refusal(self, what: str, word: str, caller: Caller, address: str) -> None:
        """In the house's own chain. Many alike become one entry. Whether it can be recorded or not, it is refused."""
        due = self._refused.due(what, word, caller, address, self.ticks())
        if due is not None:
            await self._record(*due)

    async def flush_refusals(self) -> None:
        """What was counted and not recorded yet. For a house that stops, before its journal is closed."""
        for event, who in self._refused.rest():
            await self._record(event, who)

    async def _record(self, event: RequestRefused, who: Who) -> None:
        try:
            await self.house.note(event, self.clock(), who)
        except JournalUnavailable:
            log("refusal_not_recorded", logging.ERROR, of=event.what, word=event.refusal)

    def games(self) -> list[Game]:
        """Every rulebook in play, once."""
        return list({table.game.hash: table.game for table in self.floor.tables.values()}.values())

    async def run_in_thread(self, function: Callable[Args, Found], *args: Args.args, **kwargs: Args.kwargs) -> Found:
        """In a thread, and not many of them at a time: nobody at a table waits for it."""
        async with self._slow:
            return await asyncio.to_thread(function, *args, **kwargs)

    async def hash_password(self, function: Callable[[], Found]) -> Found:
        """Hash a password in a thread. Argon2 is slow and needs much memory, so that few run at a time."""
        async with self._passwords:
            return await asyncio.to_thread(function)

    def job_slot(self) -> asyncio.Semaphore:
        """For what takes a process and perhaps minutes: who looks up a round does not wait for those."""
        return self._aside

    def journal_bytes(self) -> int:
        journal = self.floor.journal
        return size_of(journal) + size_of(wal_of(journal))

    def journal_writable(self) -> bool:
        """As far as can be seen without writing: there, ours to write, and room left for it."""
        journal: Path = self.floor.journal
        try:
            room = os.statvfs(journal.parent)
        except OSError:
            return False
        return (
            os.access(journal, os.W_OK)
            and os.access(journal.parent, os.W_OK)
            and room.f_bavail * room.f_frsize > MIN_FREE_BYTES
        )


MIN_FREE_BYTES = 16 * 1024 * 1024
"""With less room than this on the disk, the house is not well."""
