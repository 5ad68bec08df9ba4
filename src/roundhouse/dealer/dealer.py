"""The automatic dealer: from where the table stands and what the wheel has told, what to do next, or how long to wait.

It has no right that a Dealer has not: whatever it asks, the table decides by the rulebook. It uses no clock and no
line, and it is never shown a stake. Whatever it awaits of a wheel it awaits for a time, and then people deal.
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
from roundhouse.table.names import DEALERS_IDS, Phase, ReadBy, RequestId
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode, StartGame, mode_for
from roundhouse.wheel.protocol import Code, opposite
from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading, questions, result, spin_of


class Dealer:
    """One table's dealer. It remembers nothing: all that it goes by is given to ``next``."""

    def __init__(self, rulebook: Rulebook, codes: Codes, pace: Pace) -> None:
        self._rulebook, self._codes, self._pace = rulebook, codes, pace
        moment = rulebook.betting.closes.moment
        self._closes_first = moment is Moment.BEFORE_SPIN or (
            moment is Moment.OPERATORS_CHOICE and not pace.closes_while_spinning
        )
        # Whatever the moment of closing, the ball is launched when the table says so and not before.
        self.mode = mode_for(rulebook) | Mode.WAIT_FOR_START

    def next(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        """``since`` is when the table came to where it stands. Only asked while the table is in automatic mode."""
        match view.phase:
            case Phase.STOPPED | Phase.CLOSED:
                return Finish() if view.stopping else Wait()
            case Phase.SPINNING_BETS_OPEN | Phase.SPINNING if (read := self._step_for_reading(view, wheel)) is not None:
                # What the wheel has established counts, whatever became of the wheel since.
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
                return Finish() if view.stopping else Wait(why="a matter was referred, and waits for a decision")
        assert_never(view.phase)

    # the phases, in the order of a round

    def _idle(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if view.stopping:
            return Finish()
        if (step := self._prepare(view, wheel, since, now)) is not None:
            return step
        if wheel.game_unfinished:
            return self._await_wheel(view, wheel, since, now, "the wheel has not ended a game that the table has ended")
        if now < since + self._pace.pause_seconds:
            return Wait(since + self._pace.pause_seconds, "the pause between two rounds")
        return _send(view, c.OpenBets)

    def _bets_open(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        closes = since + self._pace.betting_seconds
        if now < closes and wheel.ball is None:
            # A wheel that is not ready is made so meanwhile.
            step = self._prepare(view, wheel, closes, now)
            return step if isinstance(step, SendCommands | CommandWheel) else self._count_down(closes, now)
        if self._closes_first:
            return _send(view, c.CloseBets)
        return self._start(view, wheel, closes, now, bets_closed=False)

    def _count_down(self, closes: float, now: float) -> Wait:
        left = closes - now
        steps = [step for step in self._pace.countdown if step <= self._pace.betting_seconds]
        shown = [step for step in steps if step >= left]
        later = [closes - step for step in steps if step < left]
        return Wait(min(later, default=closes), "bets are open", min(shown, default=None), closes)

    def _start(self, view: TableSummary, wheel: WheelState, since: float, now: float, bets_closed: bool) -> Step:
        if wheel.ball is not None:
            return _send(view, c.StartSpin)
        if (step := self._prepare(view, wheel, since, now)) is not None:
            return step
        impatient = now >= since + self._pace.wheel_timeout_seconds
        if wheel.unanswered_command is not None or now < wheel.retry_at or wheel.has_ball or impatient:
            why = wheel.no_answer or "the wheel has not started a game"
            return self._await_wheel(view, wheel, since, now, why, wheel.retry_at)
        return CommandWheel(StartGame(), bets_closed)

    def _step_for_reading(self, view: TableSummary, wheel: WheelState) -> Step | None:
        """What the wheel's reading of this round's ball asks for; nothing while there is none."""
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
        return self._await_wheel(view, wheel, since, now, f"{why}: what does it show?")

    def _step_for_ended_game(self, view: TableSummary, ball: Ball) -> Step:
        """The wheel's game is over: an outcome, an irregularity for the table to judge, or a question."""
        ended = ball.ended
        assert ended is not None
        match result(ended, self._rulebook, self._codes):
            case OutcomeReading(outcome=outcome):
                return self._register_outcome(view, outcome, spin_of(ended, self._rulebook, self._codes), ball)
            case VoidReading():
                spin = spin_of(ended, self._rulebook, self._codes)
                assert spin is not None, "what the judge called void it has seen"
                return SendCommands((_observe_spin(_id(view, 0), spin),))
            case UnresolvedReading():
                asked = "; ".join(questions(ended, self._rulebook, self._codes))
                return self._take_over(view, f"the wheel cannot tell: {asked}")
            case None:
                return self._take_over(view, "the wheel left its game without a ball: what does it show?")

    def _register_number(self, view: TableSummary, ball: Ball, number: Code, rotor: Direction) -> Step:
        """A number that stands is put on record at once: from there on it survives whatever happens."""
        way = UNSET if self._codes.wheel.spun is Spun.WHEEL else opposite(rotor)
        spin = Spin(ball=way, wheel=rotor, revolutions=self._rulebook.spin.least_revolutions)
        return self._register_outcome(view, self._codes.wheel.at(self._codes.segment_of[number]), spin, ball)

    def _register_outcome(self, view: TableSummary, outcome: Pocket, spin: Spin | None, ball: Ball) -> Step:
        if ball.stood_still and self._codes.wheel.spun is Spun.BALL:
            # Once the ball is on record as at rest, a wheel that stopped could not be declared any more.
            question = f"the wheel reads {outcome}, and its rotor was shown at a standstill: did it stop?"
            return self._take_over(view, question)
        if view.phase is Phase.SPINNING_BETS_OPEN:
            question = f"the wheel reads {outcome}, and bets were still open when it came to rest"
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
        """Only after people have dealt: the outcome is theirs, unless the wheel read another."""
        assert view.wheel_outcome is not None, "a ball at rest has an outcome"
        read = self._outcome_read(wheel)
        if read is not None and read != view.wheel_outcome:
            return self._take_over(view, f"the wheel reads {read}, and the console has {view.wheel_outcome}")
        return SendCommands((c.RegisterResult(id=_id(view, 0), by=_BY, outcome=view.wheel_outcome),))

    def _confirm(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step:
        if view.readings_disagree:
            why = f"the wheel reads {view.wheel_outcome}, and the console has {view.registered_outcome}: somebody must say which"
            return Finish() if view.stopping else Wait(why=why)
        if wheel.ball is not None and wheel.ball.ended is None:
            return self._await_wheel(view, wheel, since, now, "the wheel has not ended its game")
        if not view.resolved and wheel.ball is not None:
            read = self._outcome_read(wheel)
            if read is None and view.read_by is ReadBy.WHEEL:
                return self._take_over(view, f"the wheel does not stand by its reading of {view.wheel_outcome}")
            if read is not None and read != view.registered_outcome:
                return self._take_over(view, f"the wheel reads {read}, and the console has {view.registered_outcome}")
        if now < since + self._pace.look_seconds:
            return Wait(since + self._pace.look_seconds, "the result waits to be confirmed")
        return _send(view, c.ConfirmResult)

    # what they share

    def _outcome_read(self, wheel: WheelState) -> Pocket | None:
        """The outcome that the wheel reads in the game of this round, if it has come to one."""
        if wheel.ball is None or wheel.ball.ended is None:
            return None
        read = result(wheel.ball.ended, self._rulebook, self._codes)
        return read.outcome if isinstance(read, OutcomeReading) else None

    def _prepare(self, view: TableSummary, wheel: WheelState, since: float, now: float) -> Step | None:
        """Nothing when the wheel waits for the table's word."""
        match preparation_step(wheel, self.mode, now):
            case None:
                return None
            case CommandWheel() as tell if now < since + self._pace.wheel_timeout_seconds:
                return tell
            case CommandWheel():
                return self._take_over(view, not_ready_reason(wheel))
            case Wait(until, why):
                return self._await_wheel(view, wheel, since, now, why, until)
            case str() as why:
                return self._take_over(view, why)

    def _await_wheel(
        self, view: TableSummary, wheel: WheelState, since: float, now: float, why: str, until: float | None = None
    ) -> Step:
        """Patience ends, at once with a wheel that cannot be heard: then people deal."""
        ends = since + self._pace.wheel_timeout_seconds
        if wheel.unreachable or now >= ends:
            return self._take_over(view, wheel.unreachable or why)
        return Wait(ends if until is None or until <= now else min(ends, until), why)

    def _take_over(self, view: TableSummary, reason: str) -> SendCommands:
        return SendCommands((c.TakeOver(id=_id(view, 0), by=_BY, reason=reason),))


_BY = StaffPosition.DEALER


def _id(view: TableSummary, place: int) -> RequestId:
    """Unique for ever: the table's version counts every request, also over restarts."""
    return RequestId(f"{DEALERS_IDS}{view.version}:{place}")


def _send(view: TableSummary, make: Callable[..., c.AnyCommand]) -> SendCommands:
    return SendCommands((make(id=_id(view, 0), by=_BY),))


def _observe_spin(id: RequestId, spin: Spin) -> c.ObserveSpin:
    return c.ObserveSpin(id=id, by=_BY, revolutions=spin.revolutions, ball=spin.ball, wheel=spin.wheel, seen=spin.seen)
