"""Drives the automatic dealer: reads the committed table and the wheel, sends the dealer's commands, publishes notices.

Notices tell displays what the clock and the wheel do. Nothing is decided by them. A command carries the version of
the table that it is based on, so that the table refuses it if it has moved on in the meantime.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

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
from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, HandBack, TakeOver
from roundhouse.table.names import DEALER_ID_PREFIX, Phase, RequestId, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import TableState
from roundhouse.wheel.driver import Driver, Event
from roundhouse.wheel.protocol import Code, GameNumber, State, Status, parts


class DealtTable(Protocol):
    """The table that the dealer works at, as its journal has it."""

    @property
    def state(self) -> TableState:
        """The committed state, to be read only."""

    @property
    def version(self) -> Seq:
        """The last committed entry."""

    @property
    def moved_at(self) -> Seq:
        """The last committed entry that changed more than one seat's own affairs."""

    async def send(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        """Send commands; they are refused if the table moved after ``expects``."""


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


Notice = BetsCloseAt | DealerWaiting | WheelStatus | WheelReliability


class NoticePublisher:
    def __init__(self, publish: Callable[[Notice], None]) -> None:
        self._publish = publish
        self._status: Status | None = None
        self._reliable: WheelReliability | None = None
        self._why = ""
        self._closing: object = None

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
    """``publish`` receives all notices and ``heard`` all events of the wheel; neither may wait or raise. ``speed``
    makes the dealer's clock run faster.

    ``run`` it in a task of its own. Cancelled, it leaves a round in the middle, which recovery ends by the rules when
    the table is opened again; ``stop`` lets the round in progress be dealt to its end first.
    """

    def __init__(
        self,
        table: DealtTable,
        driver: Driver,
        dealer: Dealer,
        publish: Callable[[Notice], None] = lambda _: None,
        automatic: bool = True,
        speed: float = 1.0,
        heard: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._table, self._driver, self._dealer = table, driver, dealer
        self._bulletin, self._speed = NoticePublisher(publish), speed
        self._heard = heard
        self._sight = WheelState()
        self._begin = automatic
        self._dealing = False
        self.stopping = False
        self._key: object = None
        self._since = 0.0
        self._round = table.state.round
        self._wake = asyncio.Event()
        self._told: set[asyncio.Task[None]] = set()
        self._bug: BaseException | None = None

    def look(self) -> None:
        """Look at the table again: something was committed."""
        self._noticed()
        self._wake.set()

    def stop(self) -> None:
        """Open no more rounds: ``run`` returns when the one in progress is over, or when it waits for people."""
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
            reason = f"the automatic dealer failed: {type(bug).__name__}: {bug}"
            await self._table.send(TakeOver(id=self._id(), by=StaffPosition.DEALER, reason=reason))
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
        """Whether a ball that the dealer did not ask for belongs to a spin that people started or are about to."""
        state = self._table.state
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
            match self._next():
                case SendCommands(requests):
                    if not await self._ask(requests):
                        await asyncio.sleep(_RETRY_SECONDS)
                case CommandWheel() as tell:
                    self._tell(tell)
                case Wait() as wait:
                    self._bulletin.waiting(wait, self._round, self._now(), self._speed)
                    await self._until(wait.until)
                case Finish():
                    return

    def _next(self) -> Step:
        state, version = self._table.state, self._table.version
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
        """Note since when the table is where it is, and to which round the ball in the rim belongs."""
        state = self._table.state
        key = (state.phase, state.round, state.registered_outcome, state.automatic)
        if key != self._key:
            self._key, self._since = key, self._now()
        if state.round != self._round:
            self._round = state.round
            self._see(start_round(self._sight))

    async def _ask(self, requests: tuple[AnyCommand, ...]) -> bool:
        """Send commands based on the table as it is now. Returns whether to go on without a pause.

        A command that the table refuses for another reason than that it has moved on ends the dealing.
        """
        answers = await self._table.send(*requests, expects=self._table.moved_at)
        first = answers[0].refusal
        if first is Refusal.STATE_HAS_CHANGED:
            return True
        if first is Refusal.JOURNAL_UNAVAILABLE:
            return False
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

    def _id(self) -> RequestId:
        return RequestId(f"{DEALER_ID_PREFIX}{self._table.version}:0")

    def _now(self) -> float:
        return asyncio.get_running_loop().time() * self._speed
