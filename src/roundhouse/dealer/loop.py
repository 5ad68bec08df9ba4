"""What a running table has to tell whoever listens: what happened, what the clock says, how its wheel stands.

News is for showing. What counts is in the journal before it is told here, and nothing is decided by it.

The bulletin of a running table: each piece of news told when it changes, and not again while it stays the same.

A table that runs by itself: its keeper, one wheel, the automatic dealer, and people who are served meanwhile.

One loop owns all of it, so that nothing happens to the table between a look at it and a request. Many tables run in
one loop. What the wheel hears of the table goes through the driver: its commands, and whether bets have closed.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from msgspec import Struct

from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.steps import CommandWheel, Finish, SendCommands, Step, Wait, summary_of
from roundhouse.dealer.wheel_state import (
    Prepared,
    WheelState,
    command_answered,
    observe,
    reset_after_hand_back,
    start_round,
)
from roundhouse.floor.keeper import Keeper
from roundhouse.journal.entry import Answer
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, HandBack, TakeOver
from roundhouse.table.events import AnyEvent
from roundhouse.table.names import DEALERS_IDS, Phase, RequestId, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.wheel.driver import Driver, Event
from roundhouse.wheel.protocol import Code, GameNumber, State, Status, parts


class Happened(Struct, frozen=True, tag="happened"):
    """Events that are durable. ``version`` counts the table's entries without a gap: who misses one asks again."""

    version: int
    events: list[AnyEvent]
    by_dealer: bool
    """Caused by the automatic dealer, not by a request that was answered to somebody."""


class BetsCloseAt(Struct, frozen=True, tag="closing"):
    """Bets close in so many seconds, counted from now; ``countdown`` is what displays show."""

    round: RoundNumber
    seconds: float
    countdown: int | None


class DealerWaiting(Struct, frozen=True, tag="awaiting"):
    """What the automatic dealer waits for, in words; empty while people deal."""

    why: str


class WheelStatus(Struct, frozen=True, tag="wheel_stands"):
    """How the wheel stands: told when anything but its speed changes."""

    state: State
    game: GameNumber
    shown: Code
    """The last winning number, in the wheel's code."""
    flags: tuple[int, ...]
    rotor: Direction
    rotor_decirpm: int


class WheelReliability(Struct, frozen=True, tag="wheel_reliable"):
    """Whether the table can rely on its wheel. ``alert`` stays until the wheel is back, or the table is handed back."""

    connected: bool
    ready: bool
    alert: str


Notice = Happened | BetsCloseAt | DealerWaiting | WheelStatus | WheelReliability


class NoticePublisher:
    def __init__(self, publish: Callable[[Notice], None]) -> None:
        self._publish = publish
        self._status: Status | None = None
        self._reliable: WheelReliability | None = None
        self._why = ""
        self._closing: object = None

    def happened(self, answers: Sequence[Answer], version: int, by_dealer: bool) -> None:
        if events := [event for answer in answers for event in answer.events or []]:
            self._publish(Happened(version, events, by_dealer))

    def waiting(self, wait: Wait, round: RoundNumber, now: float, speed: float) -> None:
        """How the dealer waits. Seconds are told as the listener's clock counts them."""
        if wait.why != self._why:
            self._why = wait.why
            self._publish(DealerWaiting(wait.why))
        closing = (round, wait.closes, wait.countdown)
        if wait.closes is not None and closing != self._closing:
            self._publish(BetsCloseAt(round, (wait.closes - now) / speed, wait.countdown))
        self._closing = closing

    def wheel(self, event: Event) -> None:
        if not isinstance(event, Status):
            return
        last, self._status = self._status, event
        if last is None or _but_for_speed(last) != _but_for_speed(event):
            flags = parts(event.flags)
            self._publish(WheelStatus(event.state, event.game, event.shown, flags, event.rotor, event.rotor_decirpm))

    def reliable(self, sight: WheelState) -> None:
        alert = sight.fault or sight.unreachable
        found = WheelReliability(sight.connected, sight.prepared is Prepared.YES and not alert, alert)
        if found != self._reliable:
            self._reliable = found
            self._publish(found)


def _but_for_speed(status: Status) -> object:
    return status.state, status.game, status.shown, status.flags, status.rotor


_RETRY_SECONDS = 1.0
"""Between a request that the journal or the table would not take and the next one: a loop that asks never spins."""
_SPINNING = (Phase.SPINNING, Phase.SPINNING_BETS_OPEN)


class DealerLoop:
    """``publish`` hears all news and ``heard`` all that the wheel does; neither may wait or raise. ``speed`` makes the
    dealer's clock run faster.

    ``run`` it in a task of its own. Cancelled, it leaves a round in the middle, which recovery ends by the rules when
    the table is opened again; ``stop`` lets the round in progress be dealt to its end first.
    """

    def __init__(
        self,
        keeper: Keeper,
        driver: Driver,
        dealer: Dealer,
        publish: Callable[[Notice], None] = lambda _: None,
        automatic: bool = True,
        speed: float = 1.0,
        heard: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._keeper, self._driver, self._dealer = keeper, driver, dealer
        self._bulletin, self._speed = NoticePublisher(publish), speed
        self._heard = heard
        self._sight = WheelState()
        self._begin = automatic
        self._dealing = False
        self.stopping = False
        self._key: object = None
        self._since = 0.0
        self._round = keeper.table.state.round
        self._wake = asyncio.Event()
        self._told: set[asyncio.Task[None]] = set()
        self._bug: BaseException | None = None

    def serve(self, requests: Sequence[AnyCommand]) -> list[Answer]:
        """People's requests, answered like those of any table."""
        answers = self._keeper.handle(requests)
        self._bulletin.happened(answers, self._keeper.version, by_dealer=False)
        self._noticed()
        self._wake.set()
        return answers

    def look(self) -> None:
        """Somebody else has asked the table: it may have moved."""
        self._noticed()
        self._wake.set()

    def stop(self) -> None:
        """No more rounds: ``run`` returns when the one in progress is over, or when it waits for people."""
        self.stopping = True
        self._wake.set()

    async def run(self) -> None:
        listening, dealing = asyncio.create_task(self._listen()), asyncio.create_task(self._deal())
        try:
            await asyncio.wait([listening, dealing], return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, dealing):
                if task.done():
                    task.result()
        except Exception as bug:
            self._ask((self._take_over(f"the automatic dealer failed: {type(bug).__name__}: {bug}"),))
            raise
        finally:
            tasks = (listening, dealing, *self._told)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self) -> None:
        async with aclosing(self._driver.events()) as events:
            async for event in events:
                self._see(observe(self._sight, event, self._people_spin()))
                self._bulletin.wheel(event)
                self._heard(event)
        # A recording has ended; the table goes on in manual mode.
        await asyncio.Event().wait()

    def _people_spin(self) -> bool:
        """A ball that the dealer did not ask for belongs to a spin that people have started, or are about to."""
        if not self._keeper.on_course():
            return False
        state = self._keeper.table.state
        return state.phase in _SPINNING or (state.phase is Phase.BETS_CLOSED and not state.automatic)

    def _see(self, sight: WheelState) -> None:
        if sight != self._sight:
            self._sight = sight
            self._wake.set()
        self._bulletin.reliable(self._sight)

    async def _deal(self) -> None:
        while True:
            self._wake.clear()
            if self._bug is not None:
                raise self._bug
            if not self._keeper.on_course():
                # What the journal did not take has not happened, whatever the state says meanwhile.
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            match self._next():
                case SendCommands(requests):
                    if not self._ask(requests):
                        await asyncio.sleep(_RETRY_SECONDS)
                case CommandWheel() as tell:
                    self._tell(tell)
                case Wait() as wait:
                    self._bulletin.waiting(wait, self._round, self._now(), self._speed)
                    await self._until(wait.until)
                case Finish():
                    return

    def _next(self) -> Step:
        state, version = self._keeper.table.state, self._keeper.version
        if not state.automatic:
            self._dealing = False
            if self.stopping:
                return Finish()
            if self._begin and not state.mode_reason and state.phase is not Phase.STOPPED:
                return SendCommands((HandBack(id=self._id(), by=StaffPosition.DEALER),))
            return Wait()
        if not self._dealing and state.phase is not Phase.CLOSED:
            self._see(reset_after_hand_back(self._sight))
        self._dealing = state.phase is not Phase.CLOSED
        self._noticed()
        view = summary_of(state, version, self.stopping)
        return self._dealer.next(view, self._sight, self._since, self._now())

    def _noticed(self) -> None:
        """The table may have moved: since when it stands where it does, and whose the ball in the rim is."""
        if not self._keeper.on_course():
            return
        state = self._keeper.table.state
        key = (state.phase, state.round, state.registered_outcome, state.automatic)
        if key != self._key:
            self._key, self._since = key, self._now()
        if state.round != self._round:
            self._round = state.round
            self._see(start_round(self._sight))

    def _ask(self, requests: tuple[AnyCommand, ...]) -> bool:
        """Whether all of it was done; a request that the table refuses ends the dealing."""
        answers = self._keeper.handle(requests)
        if answers[0].refusal is Refusal.JOURNAL_UNAVAILABLE:
            return False
        self._bulletin.happened(answers, self._keeper.version, by_dealer=True)
        for request, answer in zip(requests, answers, strict=True):
            if not answer.ok and not isinstance(request, TakeOver | HandBack) and not self._sight.fault:
                why = f"the table refused a request of the automatic dealer: {answer.refusal}"
                self._see(replace(self._sight, fault=why))
        self._begin = False
        self._noticed()
        return all(answer.ok for answer in answers)

    def _tell(self, tell: CommandWheel) -> None:
        self._see(replace(self._sight, asked=tell.command))

        async def ask() -> None:
            answer = await self._driver.command(tell.command, tell.bets_closed)
            self._see(command_answered(self._sight, tell.command, answer, self._now()))

        task = asyncio.create_task(ask())
        self._told.add(task)
        task.add_done_callback(self._was_told)

    def _was_told(self, task: "asyncio.Task[None]") -> None:
        """A bug on the way to the wheel is one of the dealer's: it must not wait for an answer that never comes."""
        self._told.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            self._bug = bug
            self._wake.set()

    async def _until(self, until: float | None) -> None:
        seconds = None if until is None else max(0.0, until - self._now()) / self._speed
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    def _take_over(self, reason: str) -> TakeOver:
        return TakeOver(id=self._id(), by=StaffPosition.DEALER, reason=reason)

    def _id(self) -> RequestId:
        return RequestId(f"{DEALERS_IDS}{self._keeper.version}:0")

    def _now(self) -> float:
        return asyncio.get_running_loop().time() * self._speed
