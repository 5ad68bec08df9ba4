"""The automatic dealer: from where the table stands and what the wheel has told, what to do next, or how long to wait.

It has no right that a Dealer has not: whatever it asks, the table decides by the rulebook. It uses no clock and no
line, and it is never shown a stake. Whatever it awaits of a wheel it awaits for a time, and then people deal.
"""

from collections.abc import Callable
from typing import assert_never

from msgspec import UNSET

from roundhouse.dealer.preparation import missing, preparing
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
    """One table's dealer. It remembers nothing: all that it goes by is given to ``next``."""

    def __init__(self, rulebook: Rulebook, codes: Codes, settings: Pace) -> None:
        self._rulebook, self._codes, self._settings = rulebook, codes, settings
        moment = rulebook.betting.closes.moment
        self._closes_first = moment is Moment.BEFORE_SPIN or (
            moment is Moment.OPERATORS_CHOICE and not settings.closes_while_spinning
        )
        # Whatever the moment of closing, the ball is launched when the table says so and not before.
        self.mode = mode_for(rulebook) | Mode.WAIT_FOR_START

    def next(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step:
        """``since`` is when the table came to where it stands. Only asked while the table is in automatic mode."""
        match view.phase:
            case Phase.STOPPED | Phase.CLOSED:
                return Finish() if view.last else Wait()
            case Phase.SPINNING_BETS_OPEN | Phase.SPINNING if (read := self._read_off(view, sight)) is not None:
                # What the wheel has established counts, whatever became of the wheel since.
                return read
        if sight.fault:
            return self._take_over(view, sight.fault)
        match view.phase:
            case Phase.IDLE:
                return self._idle(view, sight, since, now)
            case Phase.BETS_OPEN:
                return self._bets_open(view, sight, since, now)
            case Phase.BETS_CLOSED:
                return self._start(view, sight, since, now, bets_closed=True)
            case Phase.SPINNING_BETS_OPEN | Phase.SPINNING:
                return self._spinning(view, sight, since, now)
            case Phase.AT_REST:
                return self._register(view, sight)
            case Phase.REGISTERED:
                return self._confirm(view, sight, since, now)
            case Phase.REFERRED:
                return Finish() if view.last else Wait(why="a matter was referred, and waits for a decision")
        assert_never(view.phase)

    # the phases, in the order of a round

    def _idle(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step:
        if view.last:
            return Finish()
        if (step := self._prepare(view, sight, since, now)) is not None:
            return step
        if sight.outstanding:
            return self._await_wheel(view, sight, since, now, "the wheel has not ended a game that the table has ended")
        if now < since + self._settings.pause_seconds:
            return Wait(since + self._settings.pause_seconds, "the pause between two rounds")
        return _ask(view, c.OpenBets)

    def _bets_open(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step:
        closes = since + self._settings.betting_seconds
        if now < closes and sight.ball is None:
            # A wheel that is not ready is made so meanwhile.
            step = self._prepare(view, sight, closes, now)
            return step if isinstance(step, SendCommands | CommandWheel) else self._count_down(closes, now)
        if self._closes_first:
            return _ask(view, c.CloseBets)
        return self._start(view, sight, closes, now, bets_closed=False)

    def _count_down(self, closes: float, now: float) -> Wait:
        left = closes - now
        steps = [step for step in self._settings.countdown if step <= self._settings.betting_seconds]
        shown = [step for step in steps if step >= left]
        later = [closes - step for step in steps if step < left]
        return Wait(min(later, default=closes), "bets are open", min(shown, default=None), closes)

    def _start(self, view: TableSummary, sight: WheelState, since: float, now: float, bets_closed: bool) -> Step:
        if sight.ball is not None:
            return _ask(view, c.StartSpin)
        if (step := self._prepare(view, sight, since, now)) is not None:
            return step
        impatient = now >= since + self._settings.wheel_timeout_seconds
        if sight.asked is not None or now < sight.again_at or sight.rolling or impatient:
            why = sight.unanswered or "the wheel has not started a game"
            return self._await_wheel(view, sight, since, now, why, sight.again_at)
        return CommandWheel(StartGame(), bets_closed)

    def _read_off(self, view: TableSummary, sight: WheelState) -> Step | None:
        """What the wheel's reading of this round's ball asks for; nothing while there is none."""
        ball = sight.ball
        if ball is None:
            return None
        if ball.ended is not None:
            return self._by_the_wheel(view, ball)
        if ball.number in self._codes.segment_of and ball.rotor is not None and not ball.warned:
            assert ball.number is not None
            return self._rest(view, ball, ball.number, ball.rotor)
        return None

    def _spinning(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step:
        if sight.ball is not None and sight.ball.slowed and view.phase is Phase.SPINNING_BETS_OPEN:
            return _ask(view, c.CloseBets)
        why = "the wheel shows no ball" if sight.ball is None else "the wheel has not ended its game"
        return self._await_wheel(view, sight, since, now, f"{why}: what does it show?")

    def _by_the_wheel(self, view: TableSummary, ball: Ball) -> Step:
        """The wheel's game is over: an outcome, an irregularity for the table to judge, or a question."""
        ended = ball.ended
        assert ended is not None
        match result(ended, self._rulebook, self._codes):
            case OutcomeReading(outcome=outcome):
                return self._rest_at(view, outcome, spin_of(ended, self._rulebook, self._codes), ball)
            case VoidReading():
                spin = spin_of(ended, self._rulebook, self._codes)
                assert spin is not None, "what the judge called void it has seen"
                return SendCommands((_observed(_id(view, 0), spin),))
            case UnresolvedReading():
                asked = "; ".join(questions(ended, self._rulebook, self._codes))
                return self._take_over(view, f"the wheel cannot tell: {asked}")
            case None:
                return self._take_over(view, "the wheel left its game without a ball: what does it show?")

    def _rest(self, view: TableSummary, ball: Ball, number: Code, rotor: Direction) -> Step:
        """A number that stands is put on record at once: from there on it survives whatever happens."""
        way = UNSET if self._codes.wheel.spun is Spun.WHEEL else opposite(rotor)
        spin = Spin(ball=way, wheel=rotor, revolutions=self._rulebook.spin.least_revolutions)
        return self._rest_at(view, self._codes.wheel.at(self._codes.segment_of[number]), spin, ball)

    def _rest_at(self, view: TableSummary, outcome: Pocket, spin: Spin | None, ball: Ball) -> Step:
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
                _observed(_id(view, 0), spin),
                c.BallAtRest(id=_id(view, 1), by=_BY, outcome=outcome, read_by=ReadBy.WHEEL),
                c.RegisterResult(id=_id(view, 2), by=_BY, outcome=outcome),
            )
        )

    def _register(self, view: TableSummary, sight: WheelState) -> Step:
        """Only after people have dealt: the outcome is theirs, unless the wheel read another."""
        assert view.rested is not None, "a ball at rest has an outcome"
        read = self._reads(sight)
        if read is not None and read != view.rested:
            return self._take_over(view, f"the wheel reads {read}, and the console has {view.rested}")
        return SendCommands((c.RegisterResult(id=_id(view, 0), by=_BY, outcome=view.rested),))

    def _confirm(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step:
        if view.held:
            why = f"the wheel reads {view.rested}, and the console has {view.registered}: somebody must say which"
            return Finish() if view.last else Wait(why=why)
        if sight.ball is not None and sight.ball.ended is None:
            return self._await_wheel(view, sight, since, now, "the wheel has not ended its game")
        if not view.resolved and sight.ball is not None:
            read = self._reads(sight)
            if read is None and view.read_by is ReadBy.WHEEL:
                return self._take_over(view, f"the wheel does not stand by its reading of {view.rested}")
            if read is not None and read != view.registered:
                return self._take_over(view, f"the wheel reads {read}, and the console has {view.registered}")
        if now < since + self._settings.look_seconds:
            return Wait(since + self._settings.look_seconds, "the result waits to be confirmed")
        return _ask(view, c.ConfirmResult)

    # what they share

    def _reads(self, sight: WheelState) -> Pocket | None:
        """The outcome that the wheel reads in the game of this round, if it has come to one."""
        if sight.ball is None or sight.ball.ended is None:
            return None
        read = result(sight.ball.ended, self._rulebook, self._codes)
        return read.outcome if isinstance(read, OutcomeReading) else None

    def _prepare(self, view: TableSummary, sight: WheelState, since: float, now: float) -> Step | None:
        """Nothing when the wheel waits for the table's word."""
        match preparing(sight, self.mode, now):
            case None:
                return None
            case CommandWheel() as tell if now < since + self._settings.wheel_timeout_seconds:
                return tell
            case CommandWheel():
                return self._take_over(view, missing(sight))
            case Wait(until, why):
                return self._await_wheel(view, sight, since, now, why, until)
            case str() as why:
                return self._take_over(view, why)

    def _await_wheel(
        self, view: TableSummary, sight: WheelState, since: float, now: float, why: str, until: float | None = None
    ) -> Step:
        """Patience ends, at once with a wheel that cannot be heard: then people deal."""
        ends = since + self._settings.wheel_timeout_seconds
        if sight.unreachable or now >= ends:
            return self._take_over(view, sight.unreachable or why)
        return Wait(ends if until is None or until <= now else min(ends, until), why)

    def _take_over(self, view: TableSummary, reason: str) -> SendCommands:
        return SendCommands((c.TakeOver(id=_id(view, 0), by=_BY, reason=reason),))


_BY = StaffPosition.DEALER


def _id(view: TableSummary, place: int) -> RequestId:
    """Unique for ever: the table's version counts every request, also over restarts."""
    return RequestId(f"{DEALER_ID_PREFIX}{view.version}:{place}")


def _ask(view: TableSummary, make: Callable[..., c.AnyCommand]) -> SendCommands:
    return SendCommands((make(id=_id(view, 0), by=_BY),))


def _observed(id: RequestId, spin: Spin) -> c.ObserveSpin:
    return c.ObserveSpin(id=id, by=_BY, revolutions=spin.revolutions, ball=spin.ball, wheel=spin.wheel, seen=spin.seen)
