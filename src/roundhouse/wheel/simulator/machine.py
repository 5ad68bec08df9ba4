"""The simulated wheel as a state machine that yields its lines for each half second and executes commands.

The machine reads no clock. The caller decides how fast its time passes.
"""

from collections.abc import Callable, Iterator
from typing import Final

from roundhouse.rules.judge import Direction
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.protocol import (
    BLANK,
    STATUS_SECONDS,
    Code,
    ControlLine,
    Flag,
    GameNumber,
    State,
    Status,
    encode_status,
    opposite,
    read,
)
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.scenario import (
    REGULAR,
    Frame,
    Played,
    Scenario,
    SpinEnd,
    StagedSpin,
    stage_ball,
    stage_turn,
)

_COUNTER_LIMIT: Final = 1000

Ticks = Iterator[tuple[bytes, ...]]


class Machine:
    """A simulated wheel.

    ``next_scenario`` returns the scenario of each game. The callback ``played`` receives each launch, and ``frame``
    receives each frame of its motion.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        codes: Codes,
        chance: Chance,
        next_scenario: Callable[[], Scenario] = lambda: REGULAR,
        mode: Mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS,
        played: Callable[[Played], None] = lambda _: None,
        frame: Callable[[Frame], None] | None = None,
        first_game: int = 1,
    ) -> None:
        self._rulebook, self._codes, self._chance = rulebook, codes, chance
        self._next_scenario, self._played, self._frame = next_scenario, played, frame
        self._mode = mode
        self._number = first_game % _COUNTER_LIMIT
        self._last_number = BLANK
        self._state = State.CLOSED
        self._rotor = Direction.CLOCKWISE
        self._angle = 0.0
        self._open = self._started = False
        self._powered = True

    @property
    def game(self) -> GameNumber:
        return GameNumber(f"{self._number:03d}")

    def obey(self, line: bytes) -> tuple[bytes, ...]:
        """Execute a command and return the answer. Other lines, and a wheel without power, give no answer."""
        match read(line):
            case _ if not self._powered:
                return ()
            case ControlLine("P", "1"):
                accepted, self._open = not self._open, True
                return (b"*P OK" if accepted else b"*P NO",)
            case ControlLine("P", "0"):
                accepted, self._open = self._open, False
                return (b"*P OK" if accepted else b"*P NO",)
            case ControlLine("u", "1"):
                waits = (
                    self._state is State.PLACE_YOUR_BETS
                    and bool(self._mode & Mode.WAIT_FOR_START)
                    and not self._started
                )
                self._started = self._started or waits
                return (b"*u OK" if waits else b"*u NO",)
            case ControlLine("o", mode) if mode.isdecimal():
                if self._state is not State.CLOSED:
                    return (b"*o BUSY",)
                self._mode = Mode(int(mode))
                return (b"*o %d" % self._mode,)
            case ControlLine("T", name):
                return (b"*T %s %d" % (name.lower().encode(), len(self._codes.code_of)),)
            case ControlLine("V" | "S" as letter):
                return (b"*%s V1 simulated wheel" % letter.encode(),)
            case _:
                return ()

    def run(self) -> Ticks:
        """Yield the lines of each half second without end: closed until opened, then one game after another."""
        while True:
            while not self._open:
                yield from self._status(State.CLOSED, 0.0)
            for _ in range(self._chance.whole(6, 18)):
                yield from self._status(State.STARTED, 15.5)
            while self._open:
                yield from self._game()

    def _game(self) -> Ticks:
        plan = self._next_scenario()
        yield from self._betting()
        if not self._open:
            return
        for _ in range(plan.failed_launches):
            yield from self._failed_launch()
        if self._mode & Mode.REVERSE_EACH_GAME and self._rulebook.wheel.spun is Spun.BALL:
            self._rotor = opposite(self._rotor)
        staged = self._stage(plan)
        yield from self._launch(staged, plan)

    def _stage(self, plan: Scenario) -> StagedSpin:
        segment = self._chance.segment(self._codes.wheel)
        if self._rulebook.wheel.spun is Spun.WHEEL:
            return stage_turn(self._rulebook, self._chance, segment, self._angle, self._rotor, plan)
        vary = bool(self._mode & Mode.VARY_SPEED)
        return stage_ball(
            self._rulebook, self._codes.wheel, self._chance, segment, self._angle, self._rotor, plan, vary
        )

    def _betting(self) -> Ticks:
        speed = 0.0 if self._rulebook.wheel.spun is Spun.WHEEL else self._chance.between(14.0, 18.0)
        self._started = False
        for _ in range(self._chance.whole(3, 12)):
            yield from self._status(State.PLACE_YOUR_BETS, speed)
        while self._mode & Mode.WAIT_FOR_START and not self._started and self._open:
            yield from self._status(State.PLACE_YOUR_BETS, speed)
        while speed > 0 and (self._mode & Mode.REVERSE_EACH_GAME or not self._open):
            speed -= self._chance.between(2.2, 3.2)
            yield from self._status(State.PLACE_YOUR_BETS, max(0.0, speed))

    def _failed_launch(self) -> Ticks:
        """Report a launch without a whole revolution. The wheel launches again with the same game number."""
        for _ in range(self._chance.whole(8, 20)):
            yield from self._status(State.PLACE_YOUR_BETS, 15.0, Flag.LAUNCH_FAILED)
        for _ in range(self._chance.whole(2, 6)):
            yield from self._status(State.PLACE_YOUR_BETS, 15.0)

    def _launch(self, staged: StagedSpin, plan: Scenario) -> Ticks:
        code = self._codes.code_of[staged.segment] if plan.end is SpinEnd.NUMBER else None
        self._played(Played(self.game, plan.cause, code, staged.spin))
        self._show(staged)
        state = State.PLACE_YOUR_BETS
        ticks = max(4, round(staged.rests_after / STATUS_SECONDS)) + (30 if plan.end is not SpinEnd.NUMBER else 0)
        wrong_from = self._chance.whole(ticks // 2, ticks - 2)
        for tick in range(1, ticks + 1):
            seconds = tick * STATUS_SECONDS
            if seconds >= staged.slowed_after and state is State.BALL_IN_RIM:
                state = State.NO_MORE_BETS
            elif seconds >= staged.one_revolution_after and state is State.PLACE_YOUR_BETS:
                state = State.BALL_IN_RIM
            late = tick >= wrong_from
            if late and plan.end is SpinEnd.POWER_LOST:
                yield from self._dark()
                return
            flags = plan.rim_flags if state is not State.PLACE_YOUR_BETS else Flag.NONE
            if late and state is not State.PLACE_YOUR_BETS:
                flags |= plan.last_flags
            still = plan.rotor_stands or (plan.rotor_stops and late)
            yield from self._status(state, 0.0 if still else staged.rpm(seconds), flags)
        self._angle = staged.angle_after
        if code is not None:
            yield from self._establish(code)
        elif plan.end is SpinEnd.CLOSES:
            yield from self._close(plan)
        else:
            for _ in range(self._chance.whole(4, 12)):
                yield from self._status(State.PLACE_YOUR_BETS, 15.0, plan.last_flags)

    def _establish(self, code: Code) -> Ticks:
        self._last_number = code
        first, *_ = self._status(State.WINNING_NUMBER, 15.0)
        yield (code.encode(), *first)
        for _ in range(self._chance.whole(1, 3) + (6 if self._mode & Mode.PAUSE_AFTER_NUMBER else 0)):
            yield from self._status(State.WINNING_NUMBER, 15.0)
        self._number = (self._number + 1) % _COUNTER_LIMIT

    def _close(self, plan: Scenario) -> Ticks:
        """Close for some seconds after a fault. The simulator then opens again without a command."""
        for _ in range(self._chance.whole(4, 20)):
            yield from self._status(State.CLOSED, 0.0, plan.last_flags | plan.rim_flags)

    def _dark(self) -> Ticks:
        """Send no lines while power is lost. Afterwards the game counter restarts or continues."""
        self._powered = False
        for _ in range(self._chance.whole(10, 60)):
            yield ()
        self._powered = True
        if self._chance.happens(0.5):
            self._number, self._last_number = 1, BLANK
        for _ in range(self._chance.whole(3, 10)):
            yield from self._status(State.CLOSED, 0.0)

    def _show(self, staged: StagedSpin) -> None:
        if self._frame is not None:
            for frame in staged.frames(self.game):
                self._frame(frame)

    def _status(self, state: State, rpm: float, flags: Flag = Flag.NONE) -> Ticks:
        self._state = state
        speed = round(rpm * 10)
        if speed > 20:
            speed += self._chance.whole(-2, 2)
        status = Status(state, self.game, self._last_number, flags, min(speed, 999), self._rotor)
        yield (encode_status(status),) if self._mode & Mode.AUTOMATIC_STATUS else ()
