"""A table that runs by itself: its keeper, one wheel, the automatic dealer, and people who are served meanwhile.

One loop owns all of it, so that nothing happens to the table between a look at it and a request. What the wheel
hears of the table goes through the driver: its commands, and whether bets have closed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from msgspec import UNSET, Struct, UnsetType

from roundhouse.floor.dealer import Ask, Dealer, Step, Tell, Wait, view_of
from roundhouse.floor.keeper import Keeper
from roundhouse.floor.sight import Sight, answered, hear, new_round, trusted_again
from roundhouse.journal.entry import Answer
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, HandBack, TakeOver
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import Phase, RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wheelhead.driver import Driver

_JOURNAL_AGAIN_SECONDS = 1.0


class AutoLine(Struct, frozen=True, kw_only=True):
    """What the automatic dealer caused, or what displays have to show meanwhile."""

    auto: bool = True
    version: int
    events: list[AnyEvent]
    countdown: int | UnsetType = UNSET


class Running:
    """``write`` is told of whatever the automatic dealer causes; ``speed`` makes its clock run faster."""

    def __init__(
        self,
        keeper: Keeper,
        driver: Driver,
        dealer: Dealer,
        write: Callable[[AutoLine], None],
        automatic: bool = True,
        speed: float = 1.0,
    ) -> None:
        self._keeper, self._driver, self._dealer = keeper, driver, dealer
        self._write, self._speed = write, speed
        self._sight = Sight()
        self._begin = automatic
        self._dealing = False
        self._key: object = None
        self._since = 0.0
        self._round = keeper.table.memory.round
        self._shown: int | None = None
        self._wake = asyncio.Event()
        self._told: set[asyncio.Task[None]] = set()

    def serve(self, requests: Sequence[AnyCommand]) -> list[Answer]:
        """People's requests, answered like those of any table."""
        answers = self._keeper.handle(requests)
        self._noticed()
        self._wake.set()
        return answers

    async def run(self, batches: AsyncIterator[Callable[[], None]]) -> None:
        """Until the batches of people's requests end; each of them is one call."""
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._deal())]
        people = asyncio.create_task(self._people(batches))
        try:
            await asyncio.wait([people, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in (people, *tasks):
                if task.done():
                    task.result()
        finally:
            for task in (people, *tasks, *self._told):
                task.cancel()
            await asyncio.gather(people, *tasks, *self._told, return_exceptions=True)

    async def _people(self, batches: AsyncIterator[Callable[[], None]]) -> None:
        async for serve in batches:
            serve()

    async def _listen(self) -> None:
        async with aclosing(self._driver.events()) as events:
            async for event in events:
                self._sight = hear(self._sight, event)
                self._wake.set()
        # A recording has ended; the table goes on in manual mode.
        await asyncio.Event().wait()

    async def _deal(self) -> None:
        while True:
            self._wake.clear()
            match self._next():
                case Ask(requests):
                    if not self._ask(requests):
                        await asyncio.sleep(_JOURNAL_AGAIN_SECONDS)
                case Tell() as tell:
                    self._tell(tell)
                case Wait(until, countdown):
                    self._show(countdown)
                    await self._until(until)

    def _next(self) -> Step:
        memory, version = self._keeper.table.memory, self._keeper.version
        if not memory.automatic:
            self._dealing = False
            if self._begin and not memory.mode_reason and memory.phase is not Phase.STOPPED:
                id = RequestId(f"auto:{version}:0")
                return Ask((HandBack(id=id, by=StaffPosition.DEALER),))
            return Wait()
        if not self._dealing and memory.phase is not Phase.CLOSED:
            self._sight = trusted_again(self._sight)
        self._dealing = memory.phase is not Phase.CLOSED
        self._noticed()
        return self._dealer.next(view_of(memory, version), self._sight, self._since, self._now())

    def _noticed(self) -> None:
        """The table may have moved: since when it stands where it does, and whose the ball in the rim is."""
        memory = self._keeper.table.memory
        key = (memory.phase, memory.round, memory.registered, memory.automatic)
        if key != self._key:
            self._key, self._since = key, self._now()
        if memory.round != self._round:
            self._round, self._sight = memory.round, new_round(self._sight)

    def _ask(self, requests: tuple[AnyCommand, ...]) -> bool:
        """Whether the journal could be written; a request that the table refuses ends the dealing."""
        answers = self._keeper.handle(requests)
        if answers[0].refusal is Refusal.JOURNAL_UNAVAILABLE:
            return False
        events = [event for answer in answers for event in answer.events or []]
        if events:
            self._write(AutoLine(version=self._keeper.version, events=events))
        for request, answer in zip(requests, answers, strict=True):
            if not answer.ok and not isinstance(request, TakeOver | HandBack) and not self._sight.failed:
                why = f"the table refused a request of the automatic dealer: {answer.refusal}"
                self._sight = replace(self._sight, failed=why)
        self._begin = False
        self._noticed()
        return True

    def _tell(self, tell: Tell) -> None:
        self._sight = replace(self._sight, asked=tell.command)

        async def ask() -> None:
            answer = await self._driver.command(tell.command, tell.bets_closed)
            self._sight = answered(self._sight, tell.command, answer, self._now())
            self._wake.set()

        task = asyncio.create_task(ask())
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    def _show(self, countdown: int | None) -> None:
        if countdown != self._shown:
            self._shown = countdown
            if countdown is not None:
                self._write(AutoLine(version=self._keeper.version, events=[], countdown=countdown))

    async def _until(self, until: float | None) -> None:
        seconds = None if until is None else max(0.0, until - self._now()) / self._speed
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    def _now(self) -> float:
        return asyncio.get_running_loop().time() * self._speed
