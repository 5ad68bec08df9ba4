"""The automatic dealer: chooses its next step from the phase of the table and the state of the wheel.

It has the rights of a Dealer: the table decides its commands by the rulebook. It never sees a stake. Each wait for the
wheel has a timeout, after which the table enters manual mode.
"""

from collections.abc import Callable
from typing import assert_never

from msgspec import UNSET

from roundhouse.dealer.preparation import not_ready_reason, preparation_step
from roundhouse.dealer.steps import CommandWheel, Finish, Pace, SendCommands, Step, TableSummary, Wait
from roundhouse.dealer.wheel_state import Ball, WheelState
from roundhouse.rules.judge import Direction, Spin
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.rules.rulebook import Moment, Rulebook, Spun
from roundhouse.table import commands as c
from roundhouse.table.names import DEALER_ID_PREFIX, Phase, ReadBy, RequestId
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode, StartGame, mode_for
from roundhouse.wheel.protocol import Code, opposite
from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading, questions, result, spin_of


class Dealer:
    """The dealer of one table. The dealer is stateless: ``next`` receives the states of the table and the wheel."""

    def __init__(self, rulebook: Rulebook, codes: Codes, pace: Pace) -> None:
        self._rulebook, self._codes, self._pace = rulebook, codes, pace
        moment = rulebook.betting.closes.moment
        self._closes_first = moment is Moment.BEFORE_SPIN or (
            moment is Moment.OPERATORS_CHOICE and not pace.closes_while_spinning
        )
        # In every game the wheel must wait for the table's start command before it launches the ball.
        self.mode = mode_for(rulebook) | Mode.WAIT_FOR_START

    def next(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        """Choose the next step of a table in automatic mode. ``since`` is the time when the current phase began."""
        match view.phase:
            case Phase.STOPPED | Phase.CLOSED:
                return Finish() if view.stopping else Wait()
            case Phase.SPINNING_BETS_OPEN | Phase.SPINNING if (read := self._step_for_reading(view, wheel)) is not None:
                # Checked before the wheel's faults, because an established number counts even if the wheel fails later.
                return read
        if wheel.fault:
            return self._take_over(view, wheel.fault)
        match view.phase:
            case Phase.IDLE:
                return self._idle(view, wheel, since, now)
            case Phase.BETS_OPEN:
                return self._bets_open(view, wheel, since, now)
            case Phase.BETS_CLOSED:
                return self._start(view, wheel, since, now, bets_closed=True)
            case Phase.SPINNING_BETS_OPEN | Phase.SPINNING:
                return self._spinning(view, wheel, since, now)
            case Phase.AT_REST:
                return self._register(view, wheel)
            case Phase.REGISTERED:
                return self._confirm(view, wheel, since, now)
            case Phase.REFERRED:
                return Finish() if view.stopping else Wait(why="a referred matter waits for a decision")
        assert_never(view.phase)

    # The phases, in the order of a round

    def _idle(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if view.stopping:
            return Finish()
        if (step := self._prepare(view, wheel, since, now)) is not None:
            return step
        if wheel.game_unfinished:
            return self._await_wheel(view, wheel, since, now, "the wheel has not ended the game of the last round")
        if now < since + self._pace.pause_seconds:
            return Wait(since + self._pace.pause_seconds, "the pause between two rounds")
        return _send(view, c.OpenBets)

    def _bets_open(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        closes = since + self._pace.betting_seconds
        if now < closes and wheel.ball is None:
            # If the wheel is not ready, prepare it while bets are open.
            step = self._prepare(view, wheel, closes, now)
            return step if isinstance(step, SendCommands | CommandWheel) else self._count_down(closes, now)
        if self._closes_first:
            return _send(view, c.CloseBets)
        return self._start(view, wheel, closes, now, bets_closed=False)

    def _count_down(self, closes: float, now: float) -> Wait:
        left = closes - now
        steps = [step for step in self._pace.countdown if step <= self._pace.betting_seconds]
        reached = [step for step in steps if step >= left]
        later = [closes - step for step in steps if step < left]
        return Wait(min(later, default=closes), "bets are open", min(reached, default=None), closes)

    def _start(self, view: TableSummary, wheel: WheelState, since: float, now: float, bets_closed: bool) -> Step:
        if wheel.ball is not None:
            return _send(view, c.StartSpin)
        if (step := self._prepare(view, wheel, since, now)) is not None:
            return step
        timed_out = now >= since + self._pace.wheel_timeout_seconds
        if wheel.unanswered_command is not None or now < wheel.retry_at or wheel.has_ball or timed_out:
            why = wheel.no_answer or "the wheel has not started a game"
            return self._await_wheel(view, wheel, since, now, why, wheel.retry_at)
        return CommandWheel(StartGame(), bets_closed)

    def _step_for_reading(self, view: TableSummary, wheel: WheelState) -> Step | None:
        """Return the step for the wheel's reading of this round's ball, or ``None`` if there is no reading yet."""
        ball = wheel.ball
        if ball is None:
            return None
        if ball.ended is not None:
            return self._step_for_ended_game(view, ball)
        if ball.number in self._codes.segment_of and ball.rotor is not None and not ball.warned:
            assert ball.number is not None
            return self._register_number(view, ball, ball.number, ball.rotor)
        return None

    def _spinning(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if wheel.ball is not None and wheel.ball.slowed and view.phase is Phase.SPINNING_BETS_OPEN:
            return _send(view, c.CloseBets)
        why = "the wheel shows no ball" if wheel.ball is None else "the wheel has not ended its game"
        return self._await_wheel(view, wheel, since, now, f"{why}: check the result at the wheel")

    def _step_for_ended_game(self, view: TableSummary, ball: Ball) -> Step:
        """Return the step after the wheel's game: register the outcome, report an irregular spin, or ask people."""
        ended = ball.ended
        assert ended is not None
        match result(ended, self._rulebook, self._codes):
            case OutcomeReading(outcome=outcome):
                return self._register_outcome(view, outcome, spin_of(ended, self._rulebook, self._codes), ball)
            case VoidReading():
                spin = spin_of(ended, self._rulebook, self._codes)
                assert spin is not None, "a void reading has a spin"
                return SendCommands((_observe_spin(_id(view, 0), spin),))
            case UnresolvedReading():
                unknown = "; ".join(questions(ended, self._rulebook, self._codes))
                return self._take_over(view, f"the wheel has no certain result: {unknown}")
            case None:
                return self._take_over(view, "the wheel ended its game without a ball: check the result at the wheel")

    def _register_number(self, view: TableSummary, ball: Ball, number: Code, rotor: Direction) -> Step:
        """Register an established number at once, so that a later failure of the wheel cannot lose it."""
        way = UNSET if self._codes.wheel.spun is Spun.WHEEL else opposite(rotor)
        spin = Spin(ball=way, wheel=rotor, revolutions=self._rulebook.spin.least_revolutions)
        return self._register_outcome(view, self._codes.wheel.at(self._codes.segment_of[number]), spin, ball)

    def _register_outcome(self, view: TableSummary, outcome: Pocket, spin: Spin | None, ball: Ball) -> Step:
        if ball.stood_still and self._codes.wheel.spun is Spun.BALL:
            # Ask before the ball is recorded as at rest. Afterwards a stopped wheel can no longer be declared.
            question = f"the wheel reads {outcome}, but its rotor was reported at a standstill: did it stop?"
            return self._take_over(view, question)
        if view.phase is Phase.SPINNING_BETS_OPEN:
            question = f"the wheel reads {outcome}, but bets were still open when the ball came to rest"
            return SendCommands((c.Refer(id=_id(view, 0), by=_BY, round=view.round, question=question),))
        assert spin is not None, "an outcome was read off a spin"
        return SendCommands(
            (
                _observe_spin(_id(view, 0), spin),
                c.BallAtRest(id=_id(view, 1), by=_BY, outcome=outcome, read_by=ReadBy.WHEEL),
                c.RegisterResult(id=_id(view, 2), by=_BY, outcome=outcome),
            )
        )

    def _register(self, view: TableSummary, wheel: WheelState) -> Step:
        """Register the outcome that people recorded in manual mode, unless the wheel read a different outcome."""
        assert view.wheel_outcome is not None, "a ball at rest has an outcome"
        read = self._outcome_read(wheel)
        if read is not None and read != view.wheel_outcome:
            return self._take_over(view, f"the wheel reads {read}, but the console has {view.wheel_outcome}")
        return SendCommands((c.RegisterResult(id=_id(view, 0), by=_BY, outcome=view.wheel_outcome),))

    def _confirm(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if view.readings_disagree:
            wheels, consoles = view.wheel_outcome, view.registered_outcome
            why = f"the wheel reads {wheels}, but the console has {consoles}: correct the result"
            return Finish() if view.stopping else Wait(why=why)
        if wheel.ball is not None and wheel.ball.ended is None:
            return self._await_wheel(view, wheel, since, now, "the wheel has not ended its game")
        if not view.resolved and wheel.ball is not None:
            read = self._outcome_read(wheel)
            if read is None and view.read_by is ReadBy.WHEEL:
                return self._take_over(view, f"the wheel withdrew its reading of {view.wheel_outcome}")
            if read is not None and read != view.registered_outcome:
                return self._take_over(view, f"the wheel reads {read}, but the console has {view.registered_outcome}")
        if now < since + self._pace.look_seconds:
            return Wait(since + self._pace.look_seconds, "the result waits to be confirmed")
        return _send(view, c.ConfirmResult)

    # Steps that several phases use

    def _outcome_read(self, wheel: WheelState) -> Pocket | None:
        """Return the outcome that the wheel read in the ended game of this round, or ``None``."""
        if wheel.ball is None or wheel.ball.ended is None:
            return None
        read = result(wheel.ball.ended, self._rulebook, self._codes)
        return read.outcome if isinstance(read, OutcomeReading) else None

    def _prepare(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step | None:
        """Return the step that prepares the wheel, or ``None`` if it is ready for a start command."""
        match preparation_step(wheel, self.mode, now):
            case None:
                return None
            case CommandWheel() as step if now < since + self._pace.wheel_timeout_seconds:
                return step
            case CommandWheel():
                return self._take_over(view, not_ready_reason(wheel))
            case Wait(until, why):
                return self._await_wheel(view, wheel, since, now, why, until)
            case str() as why:
                return self._take_over(view, why)

    def _await_wheel(
        self, view: TableSummary, wheel: WheelState, since: float, now: float, why: str, until: float | None = None
    ) -> Step:
        """Wait for the wheel. After the timeout, or if the wheel is unreachable, the table enters manual mode."""
        ends = since + self._pace.wheel_timeout_seconds
        if wheel.unreachable or now >= ends:
            return self._take_over(view, wheel.unreachable or why)
        return Wait(ends if until is None or until <= now else min(ends, until), why)

    def _take_over(self, view: TableSummary, reason: str) -> SendCommands:
        return SendCommands((c.TakeOver(id=_id(view, 0), by=_BY, reason=reason),))


_BY = StaffPosition.DEALER


def _id(view: TableSummary, place: int) -> RequestId:
    """Create a unique request id. The table's version increases with every command and survives restarts."""
    return RequestId(f"{DEALER_ID_PREFIX}{view.version}:{place}")


def _send(view: TableSummary, make: Callable[..., c.AnyCommand]) -> SendCommands:
    return SendCommands((make(id=_id(view, 0), by=_BY),))


def _observe_spin(id: RequestId, spin: Spin) -> c.ObserveSpin:
    return c.ObserveSpin(id=id, by=_BY, revolutions=spin.revolutions, ball=spin.ball, wheel=spin.wheel, seen=spin.seen)
