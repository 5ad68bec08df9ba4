"""The automatic dealer: from where the table stands and what the wheel has told, what to do next, or how long to wait.

It has no right that a Dealer has not: whatever it asks, the table decides by the rulebook. It uses no clock and no
line, and it is never shown a stake.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from msgspec import UNSET, Struct

from roundhouse.floor.sight import Prepared, Sight
from roundhouse.rules.judge import Direction, Spin
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.rules.rulebook import Moment, Rulebook, Spun
from roundhouse.table import commands as c
from roundhouse.table.names import Phase, ReadBy, RequestId, RoundNumber
from roundhouse.table.state import Memory
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.commands import CloseWheel, Mode, OpenWheel, SetMode, StartGame, WheelCommand, mode_for
from roundhouse.wheelhead.line import Code, opposite
from roundhouse.wheelhead.spins import OutcomeRead, UnresolvedRead, VoidRead, questions, result, spin_of


class Settings(Struct, frozen=True):
    """The pace of the table, in seconds."""

    betting_seconds: float = 20.0
    countdown: tuple[int, ...] = (10, 5, 4, 3, 2, 1)
    """What displays show before bets close."""
    look_seconds: float = 2.0
    """Between the registered result and its confirmation: for people who saw something else."""
    pause_seconds: float = 4.0
    closes_while_spinning: bool = False
    """Where the rulebook leaves the moment to the operator."""
    patience_seconds: float = 120.0
    """For whatever is awaited of the wheel: to connect, to start, to finish a game."""


@dataclass(frozen=True, slots=True)
class View:
    """Where the table stands, as far as a dealer has to know it."""

    phase: Phase
    round: RoundNumber
    rested: Pocket | None = None
    held: bool = False
    version: int = 0


def view_of(memory: Memory, version: int) -> View:
    return View(memory.phase, memory.round, memory.rested, memory.held, version)


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests to the table, together."""

    requests: tuple[c.AnyCommand, ...]


@dataclass(frozen=True, slots=True)
class Tell:
    """A command to the wheel, and the one thing that it may know of the bets: whether they have closed."""

    command: WheelCommand
    bets_closed: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """For the wheel, for people, or for an instant."""

    until: float | None = None
    countdown: int | None = None


Step = Ask | Tell | Wait


class Dealer:
    """One table's dealer. It remembers nothing: all that it goes by is given to ``next``."""

    def __init__(self, rulebook: Rulebook, codes: Codes, settings: Settings) -> None:
        self._rulebook, self._codes, self._settings = rulebook, codes, settings
        moment = rulebook.betting.closes.moment
        self._closes_first = moment is Moment.BEFORE_SPIN or (
            moment is Moment.OPERATORS_CHOICE and not settings.closes_while_spinning
        )
        # Whatever the moment of closing, the ball is launched when the table says so and not before.
        self.mode = mode_for(rulebook) | Mode.WAIT_FOR_START

    def next(self, view: View, sight: Sight, since: float, now: float) -> Step:
        """``since`` is when the table came to where it stands. Only asked while the table is in automatic mode."""
        if view.phase in (Phase.STOPPED, Phase.CLOSED):
            return Wait()
        if sight.failed:
            return self._take_over(view, sight.failed)
        if view.phase is Phase.REFERRED or view.held:
            return Wait()
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
        assert_never(view.phase)

    # the phases, in the order of a round

    def _idle(self, view: View, sight: Sight, since: float, now: float) -> Step:
        if (preparing := self._prepare(view, sight, since, now)) is not None:
            return preparing
        if sight.spinning:
            return self._await_wheel(view, since, now, "the wheel does not end a game that the table has ended")
        if now < since + self._settings.pause_seconds:
            return Wait(since + self._settings.pause_seconds)
        return _ask(view, c.OpenBets)

    def _bets_open(self, view: View, sight: Sight, since: float, now: float) -> Step:
        if sight.spinning and not sight.started and not sight.foreign:
            return self._take_over(view, "the wheel launched a ball that the table did not ask for")
        closes = since + self._settings.betting_seconds
        if now < closes and not sight.started:
            return self._count_down(closes, now)
        if self._closes_first:
            return _ask(view, c.CloseBets)
        return self._start(view, sight, closes, now, bets_closed=False)

    def _count_down(self, closes: float, now: float) -> Wait:
        left = closes - now
        shown = [step for step in self._settings.countdown if step >= left]
        later = [closes - step for step in self._settings.countdown if step < left]
        return Wait(min(later, default=closes), min(shown, default=None))

    def _start(self, view: View, sight: Sight, since: float, now: float, bets_closed: bool) -> Step:
        if sight.started:
            return _ask(view, c.StartSpin)
        if sight.asked is not None:
            return Wait()
        if sight.spinning and not sight.foreign:
            return self._take_over(view, "the wheel launched a ball that the table did not ask for")
        if (preparing := self._prepare(view, sight, since, now)) is not None:
            return preparing
        if now < sight.again_at or sight.foreign:
            return self._await_wheel(view, since, now, "the wheel does not start a game", sight.again_at)
        return Tell(StartGame(), bets_closed)

    def _spinning(self, view: View, sight: Sight, since: float, now: float) -> Step:
        if not sight.foreign:
            if sight.ended is not None:
                return self._by_the_wheel(view, sight)
            number, rotor = sight.number, sight.rotor
            if number is not None and number in self._codes.segment_of and rotor is not None and not sight.warned:
                return self._rest(view, number, rotor)
            if sight.slowed and view.phase is Phase.SPINNING_BETS_OPEN:
                return _ask(view, c.CloseBets)
        return self._await_wheel(view, since, now, "the wheel has not ended its game")

    def _by_the_wheel(self, view: View, sight: Sight) -> Step:
        """The wheel's game is over: an outcome, an irregularity for the table to judge, or a question."""
        assert sight.ended is not None
        match result(sight.ended, self._rulebook, self._codes):
            case OutcomeRead(outcome=outcome):
                return self._rest_at(view, outcome, spin_of(sight.ended, self._rulebook, self._codes))
            case VoidRead():
                spin = spin_of(sight.ended, self._rulebook, self._codes)
                assert spin is not None, "what the judge called void it has seen"
                return Ask((_observed(_id(view, 0), spin),))
            case UnresolvedRead():
                asked = "; ".join(questions(sight.ended, self._rulebook, self._codes))
                return self._take_over(view, f"the wheel cannot tell: {asked}")
            case None:
                return self._take_over(view, "the wheel left its game without a ball")

    def _rest(self, view: View, number: Code, rotor: Direction) -> Step:
        """A number that stands is put on record at once: from there on it survives whatever happens."""
        ball = UNSET if self._codes.wheel.spun is Spun.WHEEL else opposite(rotor)
        spin = Spin(ball=ball, wheel=rotor, revolutions=self._rulebook.spin.least_revolutions)
        return self._rest_at(view, self._codes.wheel.at(self._codes.segment_of[number]), spin)

    def _rest_at(self, view: View, outcome: Pocket, spin: Spin | None) -> Step:
        if view.phase is Phase.SPINNING_BETS_OPEN:
            return self._refer(view, f"the wheel reads {outcome}, and bets were still open when it came to rest")
        assert spin is not None, "an outcome was read off a spin"
        return Ask(
            (
                _observed(_id(view, 0), spin),
                c.BallAtRest(id=_id(view, 1), by=_BY, outcome=outcome, read_by=ReadBy.WHEEL),
                c.RegisterResult(id=_id(view, 2), by=_BY, outcome=outcome),
            )
        )

    def _register(self, view: View, sight: Sight) -> Step:
        """Only after people have dealt: the outcome is theirs, unless the wheel read another."""
        assert view.rested is not None, "a ball at rest has an outcome"
        read = self._read(sight)
        if read is not None and read != view.rested:
            return self._take_over(view, f"the wheel reads {read}, and the console has {view.rested}")
        return Ask((c.RegisterResult(id=_id(view, 0), by=_BY, outcome=view.rested),))

    def _confirm(self, view: View, sight: Sight, since: float, now: float) -> Step:
        if sight.spinning and not sight.foreign:
            return self._await_wheel(view, since, now, "the wheel has not ended its game")
        if sight.ended is not None and self._read(sight) is None:
            return self._take_over(view, f"the wheel does not stand by its reading of {view.rested}")
        if now < since + self._settings.look_seconds:
            return Wait(since + self._settings.look_seconds)
        return _ask(view, c.ConfirmResult)

    # what they share

    def _read(self, sight: Sight) -> Pocket | None:
        """The outcome that the wheel reads in the game of this round, if it has come to one."""
        if sight.foreign or sight.ended is None:
            return None
        read = result(sight.ended, self._rulebook, self._codes)
        return read.outcome if isinstance(read, OutcomeRead) else None

    def _prepare(self, view: View, sight: Sight, since: float, now: float) -> Step | None:
        """Closed, in the right mode, and open: then the wheel waits for the table's word. Nothing when it does."""
        if sight.prepared is Prepared.YES:
            return None
        if not sight.connected:
            return self._await_wheel(view, since, now, sight.why_gone)
        if sight.asked is not None:
            return Wait()
        if now < sight.again_at:
            return self._await_wheel(view, since, now, "the wheel does not come to its end", sight.again_at)
        match sight.prepared:
            case Prepared.NO:
                return Tell(SetMode(self.mode), False)
            case Prepared.CLOSING:
                return Tell(CloseWheel(), False)
            case Prepared.MODE_SET:
                return Tell(OpenWheel(), False)

    def _await_wheel(self, view: View, since: float, now: float, why: str, until: float | None = None) -> Step:
        """Patience ends: then people deal."""
        ends = since + self._settings.patience_seconds
        if now >= ends:
            return self._take_over(view, why)
        return Wait(ends if until is None or until <= now else min(ends, until))

    def _take_over(self, view: View, reason: str) -> Ask:
        return Ask((c.TakeOver(id=_id(view, 0), by=_BY, reason=reason),))

    def _refer(self, view: View, question: str) -> Ask:
        return Ask((c.Refer(id=_id(view, 0), by=_BY, round=view.round, question=question),))


_BY = StaffPosition.DEALER


def _id(view: View, place: int) -> RequestId:
    """Unique for ever: the table's version counts every request, also over restarts."""
    return RequestId(f"auto:{view.version}:{place}")


def _ask(view: View, make: Callable[..., c.AnyCommand]) -> Ask:
    return Ask((make(id=_id(view, 0), by=_BY),))


def _observed(id: RequestId, spin: Spin) -> c.ObserveSpin:
    return c.ObserveSpin(id=id, by=_BY, revolutions=spin.revolutions, ball=spin.ball, wheel=spin.wheel, seen=spin.seen)
