"""Runs the automatic dealer: reads the table and the wheel, sends the dealer's commands and publishes notices.

Notices inform displays about the clock and the wheel; they decide nothing. Each command carries the ``moved_at`` of
the table that it is based on. The table refuses the command if a later entry affects more than one seat.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from msgspec import Struct

from roundhouse.dealer.dealer import Dealer
from roundhouse.dealer.steps import CommandWheel, Finish, Pace, SendCommands, Step, Wait, summary_of
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
from roundhouse.table.commands import AnyCommand, BallAtRest, HandBack, TakeOver
from roundhouse.table.names import DEALER_ID_PREFIX, Phase, RequestId, RoundNumber
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import TableState
from roundhouse.wheel.driver import Driver, Event
from roundhouse.wheel.protocol import Code, GameNumber, State, Status, parts


class DealtTable(Protocol):
    """The committed state of the dealer's table, and its command queue."""

    @property
    def state(self) -> TableState:
        """The committed state. Callers must not change it."""

    @property
    def version(self) -> Seq:
        """Number of the last committed entry."""

    @property
    def moved_at(self) -> Seq:
        """Number of the last committed entry that affects more than one seat."""

    async def send(self, *commands: AnyCommand, expects: Seq | None = None) -> list[Answer]:
        """Send commands as one group. They are refused if ``moved_at`` differs from ``expects``."""

    def note_ball(self, round: RoundNumber, rolls: bool) -> None:
        """Note the last round in which the wheel's line saw a ball, and whether its game goes on.

        The round is 0 if the line has seen no ball yet.
        """


class BetsCloseAt(Struct, frozen=True, tag="closing"):
    """Bets close in ``seconds`` from now. ``countdown`` is the number that displays show."""

    round: RoundNumber
    seconds: float
    countdown: int | None


class DealerWaiting(Struct, frozen=True, tag="awaiting"):
    """The event or time that the automatic dealer waits for; empty in manual mode."""

    why: str


class WheelStatus(Struct, frozen=True, tag="wheel_stands"):
    """The status of the wheel. Published when any field except the speed changes."""

    state: State
    game: GameNumber
    shown: Code
    """The last winning number, as the wheel's code."""
    flags: tuple[int, ...]
    rotor: Direction
    rotor_decirpm: int


class WheelReliability(Struct, frozen=True, tag="wheel_reliable"):
    """Whether the dealer can use the wheel. ``alert`` is the wheel's fault, or why it is unreachable; else empty."""

    connected: bool
    ready: bool
    alert: str
    silent: bool = False
    """Whether the connection exists but no messages arrive."""


Notice = BetsCloseAt | DealerWaiting | WheelStatus | WheelReliability


class NoticePublisher:
    """Publishes a notice when its content differs from the last one."""

    def __init__(self, publish: Callable[[Notice], None]) -> None:
        self._publish = publish
        self._status: Status | None = None
        self._reliable: WheelReliability | None = None
        self._why = ""
        self._closing: object = None

    def publish_wait(self, wait: Wait, round: RoundNumber, now: float, speed: float) -> None:
        """Publish what the dealer waits for and when bets close, in seconds of real time."""
        if wait.why != self._why:
            self._why = wait.why
            self._publish(DealerWaiting(wait.why))
        closing = (round, wait.closes, wait.countdown)
        if wait.closes is not None and closing != self._closing:
            self._publish(BetsCloseAt(round, (wait.closes - now) / speed, wait.countdown))
        self._closing = closing

    def publish_wheel(self, event: Event) -> None:
        if not isinstance(event, Status):
            return
        last, self._status = self._status, event
        if last is None or _without_speed(last) != _without_speed(event):
            flags = parts(event.flags)
            self._publish(WheelStatus(event.state, event.game, event.shown, flags, event.rotor, event.rotor_decirpm))

    def publish_reliability(self, wheel: WheelState) -> None:
        alert = wheel.fault or wheel.unreachable
        silent = wheel.connected and bool(wheel.unreachable)
        found = WheelReliability(wheel.connected, wheel.prepared is Prepared.YES and not alert, alert, silent)
        if found != self._reliable:
            self._reliable = found
            self._publish(found)


def _without_speed(status: Status) -> object:
    return status.state, status.game, status.shown, status.flags, status.rotor


_RETRY_SECONDS = 1.0
"""Pause after a command that the journal or the table refused, so that the loop does not spin."""
_SPINNING = (Phase.SPINNING, Phase.SPINNING_BETS_OPEN)
_UNSPUN = (Phase.IDLE, Phase.BETS_OPEN, Phase.BETS_CLOSED)


class DealerLoop:
    """The dealer's task. ``publish`` receives all notices, ``on_wheel_event`` all events of the wheel.

    Neither function may block or raise. The dealer's clock runs ``speed`` times faster than real time. ``stop`` ends
    the task after the round in progress. If the task is cancelled instead, the round stays unfinished, and recovery
    ends it by the rulebook when the table is opened again.
    """

    def __init__(
        self,
        table: DealtTable,
        driver: Driver,
        dealer: Dealer,
        publish: Callable[[Notice], None] = lambda _: None,
        automatic: bool = True,
        speed: float = 1.0,
        on_wheel_event: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._table, self._driver, self._dealer = table, driver, dealer
        self._notices, self._speed = NoticePublisher(publish), speed
        self._on_wheel_event = on_wheel_event
        self._wheel = WheelState()
        self._hand_back_at_start = automatic
        self._dealing = False
        self.stopping = False
        self._key: object = None
        self._since = 0.0
        self._round = table.state.round
        self._unread_round: RoundNumber | None = None
        """Round in which the table refused the wheel's reading."""
        self._spin_since: float | None = None
        """When the spin of this round began; ``None`` before it, and if it began before this process."""
        self._sees_spin = table.state.phase in _UNSPUN
        table.note_ball(RoundNumber(0), rolls=False)
        self._wake = asyncio.Event()
        self._wheel_tasks: set[asyncio.Task[None]] = set()
        self._bug: BaseException | None = None

    def table_changed(self) -> None:
        """Notify the dealer that an entry was committed."""
        self._note_phase()
        self._wake.set()

    def set_pace(self, pace: Pace) -> None:
        """Set the pace. Call this between two rounds."""
        self._dealer.pace = pace
        self._wake.set()

    def stop(self) -> None:
        """Stop opening rounds. ``run`` returns when the round in progress has ended or waits for a person."""
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
            # ``_id`` is not used here, because a command with that id may be in the queue.
            id = RequestId(f"{DEALER_ID_PREFIX}{self._table.version}:fault")
            await self._table.send(TakeOver(id=id, by=StaffPosition.AUTOMATIC_DEALER, reason=reason))
            raise
        finally:
            tasks = (listening, dealing, *self._wheel_tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self) -> None:
        async with aclosing(self._driver.events()) as events:
            async for event in events:
                self._set_wheel(observe(self._wheel, event, self._adopts_ball()))
                self._notices.publish_wheel(event)
                self._on_wheel_event(event)
        # The events end only with a recording. The table continues in manual mode, so this task must not end.
        await asyncio.Event().wait()

    def _adopts_ball(self) -> bool:
        """Check whether an unrequested ball belongs to a spin that has begun, or that people are about to start."""
        state = self._table.state
        if state.phase in (Phase.INTERRUPTED, Phase.REFERRED):
            # The wheel launches only by command, so a ball that still rolls after a restart is this round's.
            return (state.before_referral or state.before_interruption) in _SPINNING
        return state.phase in _SPINNING or (state.phase is Phase.BETS_CLOSED and not state.automatic)

    def _set_wheel(self, wheel: WheelState) -> None:
        if wheel != self._wheel:
            self._wheel = wheel
            if wheel.ball is not None and wheel.ball.on_line:
                rolls = wheel.ball.ended is None and not wheel.unreachable
                self._table.note_ball(self._round, rolls)
            self._wake.set()
        self._notices.publish_reliability(self._wheel)

    async def _deal(self) -> None:
        while True:
            self._wake.clear()
            if self._bug is not None:
                raise self._bug
            match self._next():
                case SendCommands(commands):
                    if not await self._send(commands):
                        await asyncio.sleep(_RETRY_SECONDS)
                case CommandWheel() as step:
                    self._command_wheel(step)
                case Wait() as wait:
                    self._notices.publish_wait(wait, self._round, self._now(), self._speed)
                    await self._sleep_until(wait.until)
                case Finish():
                    return

    def _next(self) -> Step:
        state, version = self._table.state, self._table.version
        if not state.automatic:
            self._dealing = False
            begins = self._hand_back_at_start and not state.mode_reason and not self.stopping
            if begins and state.phase is not Phase.STOPPED:
                return SendCommands((HandBack(id=self._id(), by=StaffPosition.AUTOMATIC_DEALER),))
            return self._next_attended(state, version)
        if not self._dealing and state.phase is not Phase.CLOSED:
            self._set_wheel(reset_after_hand_back(self._wheel))
        self._dealing = state.phase is not Phase.CLOSED
        self._note_phase()
        view = summary_of(state, version, self.stopping)
        return self._dealer.next(view, self._wheel, self._since, self._now())

    def _next_attended(self, state: TableState, version: Seq) -> Step:
        """Return the next step for the wheel while people deal."""
        self._note_phase()
        view = summary_of(state, version, self.stopping)
        if state.round == self._unread_round:
            view = replace(view, wheel_has_read=True)
        return self._dealer.attended.next(view, self._wheel, self._spin_since, self._now())

    def _note_phase(self) -> None:
        """Store the time if the phase has changed. If the round has changed, start a new round in the wheel's state."""
        state = self._table.state
        key = (state.phase, state.round, state.registered_outcome, state.automatic)
        if key != self._key:
            self._key, self._since = key, self._now()
        if state.round != self._round:
            self._round, self._spin_since = state.round, None
            self._set_wheel(start_round(self._wheel))
            if not state.automatic and self._wheel.fault:
                # The people who opened bets have checked the wheel.
                self._set_wheel(reset_after_hand_back(self._wheel))
        if state.phase in _UNSPUN:
            self._sees_spin = True
        elif state.phase in _SPINNING and self._sees_spin and self._spin_since is None:
            self._spin_since = self._now()

    async def _send(self, commands: tuple[AnyCommand, ...]) -> bool:
        """Send commands that are based on the current table. Return whether to continue without a pause.

        If the table refuses a command because of its rules, the dealer sets a fault, which leads to manual mode.
        """
        answers = await self._table.send(*commands, expects=self._table.moved_at)
        first = answers[0].refusal
        if first is Refusal.STATE_HAS_CHANGED:
            return True
        if first is Refusal.JOURNAL_UNAVAILABLE:
            return False
        for command, answer in zip(commands, answers, strict=True):
            if not answer.ok and not isinstance(command, TakeOver | HandBack) and not self._wheel.fault:
                why = f"the table refused a command of the automatic dealer: {answer.refusal}"
                self._set_wheel(replace(self._wheel, fault=why))
        if any(isinstance(command, BallAtRest) and not answer.ok for command, answer in zip(commands, answers)):
            self._unread_round = self._round
        self._hand_back_at_start = False
        self._note_phase()
        return all(answer.ok for answer in answers)

    def _command_wheel(self, step: CommandWheel) -> None:
        self._set_wheel(replace(self._wheel, unanswered_command=step.command))

        async def ask() -> None:
            answer = await self._driver.command(step.command, step.bets_closed)
            self._set_wheel(command_answered(self._wheel, step.command, answer, self._now()))

        task = asyncio.create_task(ask())
        self._wheel_tasks.add(task)
        task.add_done_callback(self._wheel_task_done)

    def _wheel_task_done(self, task: "asyncio.Task[None]") -> None:
        """Pass an exception of the task to ``_deal``, which would otherwise wait for an answer that never arrives."""
        self._wheel_tasks.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            self._bug = bug
            self._wake.set()

    async def _sleep_until(self, until: float | None) -> None:
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
