"""The automatic dealer: chooses its next step from the phase of the table and the state of the wheel.

It acts as an automatic dealer, never as a person, and reports only what the wheel's line measured. The table decides
its commands by the rulebook. It never sees a stake. Each wait for the wheel has a timeout, after which the table enters
manual mode.
"""

from collections.abc import Callable
from typing import assert_never

from roundhouse.dealer.attended import AttendedWheel
from roundhouse.dealer.line import LineReading, ball_at_rest, line_reading, observe_spin
from roundhouse.dealer.preparation import not_ready_reason, preparation_step
from roundhouse.dealer.steps import CommandWheel, Finish, Pace, SendCommands, Step, TableSummary, Wait
from roundhouse.dealer.wheel_state import Ball, WheelState
from roundhouse.rules.names import StaffPosition
from roundhouse.rules.rulebook import Moment, Rulebook, Spun
from roundhouse.table import commands as c
from roundhouse.table.names import DEALER_ID_PREFIX, Phase, RequestId, Ruling
from roundhouse.table.round import WITHOUT_OUTCOME, question_of_early_rest
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode, StartGame, mode_for
from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading, measured_spin, questions, result


class Dealer:
    """The dealer of one table. The dealer is stateless: ``next`` receives the states of the table and the wheel."""

    def __init__(self, rulebook: Rulebook, codes: Codes, pace: Pace, simulated: bool = False) -> None:
        self._rulebook, self._codes, self.pace = rulebook, codes, pace
        self._simulated = simulated
        """Whether the wheel is a simulation in this process. Its ball does not survive the process."""
        moment = rulebook.betting.closes.moment
        self._closes_first = moment is Moment.BEFORE_SPIN or (
            moment is Moment.OPERATORS_CHOICE and not pace.closes_while_spinning
        )
        # In every game the wheel must wait for the table's start command before it launches the ball.
        self.mode = mode_for(rulebook) | Mode.WAIT_FOR_START
        self.attended = AttendedWheel(rulebook, codes, self.mode)

    def next(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        """Choose the next step of a table in automatic mode. ``since`` is the time when the current phase began."""
        match view.phase:
            case Phase.STOPPED | Phase.CLOSED:
                return Finish() if view.stopping else Wait()
            case _ if not view.is_play_money:
                return self._take_over(view, "with real money a person deals")
            case Phase.INTERRUPTED:
                return self._interrupted(view, wheel)
            case Phase.REFERRED if (decision := self._decide(view)) is not None:
                return decision
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
        if now < since + self.pace.pause_seconds:
            return Wait(since + self.pace.pause_seconds, "the pause between two rounds")
        return _send(view, c.OpenBets)

    def _bets_open(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        closes = since + self.pace.betting_seconds
        if now < closes and wheel.ball is None:
            # If the wheel is not ready, prepare it while bets are open.
            step = self._prepare(view, wheel, closes, now)
            return step if isinstance(step, SendCommands | CommandWheel) else self._count_down(closes, now)
        if self._closes_first:
            return _send(view, c.CloseBets)
        return self._start(view, wheel, closes, now, bets_closed=False)

    def _count_down(self, closes: float, now: float) -> Wait:
        left = closes - now
        steps = [step for step in self.pace.countdown if step <= self.pace.betting_seconds]
        reached = [step for step in steps if step >= left]
        later = [closes - step for step in steps if step < left]
        return Wait(min(later, default=closes), "bets are open", min(reached, default=None), closes)

    def _start(self, view: TableSummary, wheel: WheelState, since: float, now: float, bets_closed: bool) -> Step:
        if wheel.ball is not None:
            return _send(view, c.StartSpin)
        if (step := self._prepare(view, wheel, since, now)) is not None:
            return step
        timed_out = now >= since + self.pace.wheel_timeout_seconds
        if wheel.unanswered_command is not None or now < wheel.retry_at or wheel.has_ball or timed_out:
            why = wheel.no_answer or "the wheel has not started a game"
            return self._await_wheel(view, wheel, since, now, why, wheel.retry_at)
        return CommandWheel(StartGame(), bets_closed)

    def _step_for_reading(self, view: TableSummary, wheel: WheelState) -> Step | None:
        """Return the step for the wheel's reading of this round's ball, or ``None`` if there is no reading yet."""
        ball = wheel.ball
        if ball is None:
            return None
        if (read := line_reading(ball, self._rulebook, self._codes)) is not None:
            return self._record(view, read, ball)
        return self._step_without_outcome(view, ball) if ball.ended is not None else None

    def _spinning(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if wheel.ball is not None and wheel.ball.slowed and view.phase is Phase.SPINNING_BETS_OPEN:
            return _send(view, c.CloseBets)
        why = "the wheel shows no ball" if wheel.ball is None else "the wheel has not ended its game"
        return self._await_wheel(view, wheel, since, now, f"{why}: check the result at the wheel")

    def _step_without_outcome(self, view: TableSummary, ball: Ball) -> Step:
        """Return the step after a game without an outcome: report an irregular spin, or ask people."""
        ended = ball.ended
        assert ended is not None
        match result(ended, self._rulebook, self._codes):
            case OutcomeReading():
                raise AssertionError("a game with an outcome has a reading")
            case VoidReading():
                spin = measured_spin(ended, self._rulebook)
                if spin.launch_failed and spin.ball is None and not spin.seen:
                    least = self._rulebook.spin.least_revolutions
                    question = f"the wheel reports a failed launch: did the ball complete {least} revolutions?"
                    return self._take_over(view, question)
                return SendCommands((observe_spin(_id(view, 0), _BY, spin, self._rulebook),))
            case UnresolvedReading():
                unknown = "; ".join(questions(ended, self._rulebook, self._codes))
                return self._take_over(view, f"the wheel has no certain result: {unknown}")
            case None:
                return self._take_over(view, "the wheel ended its game without a ball: check the result at the wheel")

    def _record(self, view: TableSummary, read: LineReading, ball: Ball) -> Step:
        """Record an established number at once, so that a later failure of the wheel cannot lose it."""
        if ball.stood_still and self._codes.wheel.spun is Spun.BALL:
            # The reason is public, and the Dealer is to read the wheel independently, so it has no number.
            question = "the wheel read a number, but its rotor was reported at a standstill: did it stop?"
            return self._take_over(view, question)
        observed = observe_spin(_id(view, 0), _BY, read.spin, self._rulebook)
        rested = ball_at_rest(_id(view, 1), _BY, read)
        if view.phase is Phase.SPINNING_BETS_OPEN:
            # The table closes bets and refers the round.
            return SendCommands((observed, rested))
        return SendCommands((observed, rested, c.RegisterResult(id=_id(view, 2), by=_BY, outcome=read.outcome)))

    def _register(self, view: TableSummary, wheel: WheelState) -> Step:
        """Register the outcome that is on record. Record the wheel's reading first if it is not."""
        if (step := self._step_for_evidence(view, wheel)) is not None:
            return step
        assert view.wheel_outcome is not None, "a ball at rest has an outcome"
        return SendCommands((c.RegisterResult(id=_id(view, 0), by=_BY, outcome=view.wheel_outcome),))

    def _confirm(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if (step := self._step_for_evidence(view, wheel)) is not None:
            return step
        if wheel.ball is not None and wheel.ball.ended is None:
            return self._await_wheel(view, wheel, since, now, "the wheel has not ended its game")
        if not view.resolved and wheel.ball is not None and view.wheel_has_read:
            read = line_reading(wheel.ball, self._rulebook, self._codes)
            if read is None:
                return self._take_over(view, "the wheel withdrew its reading")
            if read.outcome != view.wheel_outcome:
                return self._take_over(view, "the wheel reads another number than before")
        if now < since + self.pace.look_seconds:
            return Wait(since + self.pace.look_seconds, "the result waits to be confirmed")
        return _send(view, c.ConfirmResult)

    def _step_for_evidence(self, view: TableSummary, wheel: WheelState) -> Step | None:
        """Return a wait if the evidence differs, or the step that records the wheel's reading; else ``None``."""
        if view.readings_disagree:
            why = "the readings and the registered result differ: correct the result"
        elif view.reports_differ:
            why = "the reports of the spin differ: refer the round"
        elif (read := line_reading(wheel.ball, self._rulebook, self._codes)) is None or view.wheel_has_read:
            return None
        else:
            return SendCommands((ball_at_rest(_id(view, 0), _BY, read),))
        return Finish() if view.stopping else Wait(why=why)

    # After a restart

    def _interrupted(self, view: TableSummary, wheel: WheelState) -> Step:
        """Answer what the wheel shows. Only the ball of a simulated wheel is certainly gone."""
        if (read := line_reading(wheel.ball, self._rulebook, self._codes)) is not None:
            return SendCommands((ball_at_rest(_id(view, 0), _BY, read),))
        if self._simulated:
            return SendCommands((c.Declare(id=_id(view, 0), by=_BY, irregularity=WITHOUT_OUTCOME),))
        return Finish() if view.stopping else Wait(why="the round was interrupted: what does the wheel show?")

    def _decide(self, view: TableSummary) -> Step | None:
        """Decide what the house itself referred, if the wheel is simulated. Everything else is for people."""
        if not self._simulated or view.stopping or not view.referred_by_house:
            return None
        outcome = view.wheel_outcome
        if view.server_stopped and outcome is not None:
            ruling, reason = Ruling.STAND, f"The outcome {outcome} was on record."
        elif view.server_stopped and view.referred_before_spin:
            ruling, reason = Ruling.STAND, "The server stopped before the spin. The round goes on."
        elif view.server_stopped:
            ruling, reason = Ruling.VOID, "The server stopped during the round. The simulated wheel shows no outcome."
        elif outcome is not None:
            # A fast simulation can end its game before a busy server has closed bets.
            ruling, reason = Ruling.VOID, question_of_early_rest(outcome)
        else:
            return None
        return SendCommands((c.Decide(id=_id(view, 0), by=_BY, ruling=ruling, reason=reason, round=view.round),))

    # Steps that several phases use

    def _prepare(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step | None:
        """Return the step that prepares the wheel, or ``None`` if it is ready for a start command."""
        match preparation_step(wheel, self.mode, now):
            case None:
                return None
            case CommandWheel() as step if now < since + self.pace.wheel_timeout_seconds:
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
        ends = since + self.pace.wheel_timeout_seconds
        if wheel.unreachable or now >= ends:
            return self._take_over(view, wheel.unreachable or why)
        return Wait(ends if until is None or until <= now else min(ends, until), why)

    def _take_over(self, view: TableSummary, reason: str) -> SendCommands:
        return SendCommands((c.TakeOver(id=_id(view, 0), by=_BY, reason=reason),))


_BY = StaffPosition.AUTOMATIC_DEALER


def _id(view: TableSummary, place: int) -> RequestId:
    """Create a unique request id. The table's version increases with every command and survives restarts."""
    return RequestId(f"{DEALER_ID_PREFIX}{view.version}:{place}")


def _send(view: TableSummary, make: Callable[..., c.AnyCommand]) -> SendCommands:
    return SendCommands((make(id=_id(view, 0), by=_BY),))
