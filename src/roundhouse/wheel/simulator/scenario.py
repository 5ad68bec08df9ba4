"""What can go wrong in a game, and how a wheel on the line shows it: the irregularities and the wheel's own faults.

Much of what a rulebook calls irregular a wheel cannot see (a foreign object, a person's hand): then the line
shows a game like any other, and only a Dealer can say so.

What really happened in a simulated game, for tests and displays. The line does not carry it.

A game staged: the outcome is drawn, the scenario is known, and the motion is fitted to both.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final

from msgspec import UNSET, Struct

from roundhouse.rules.errors import UserError
from roundhouse.rules.judge import (
    BALL_DROPPED,
    MEASURED,
    SAME_DIRECTION,
    TOO_FEW_REVOLUTIONS,
    Direction,
    Spin,
    reportable_irregularities,
)
from roundhouse.rules.names import IrregularityId, Segment
from roundhouse.rules.rulebook import Rulebook, Spun
from roundhouse.rules.wheel import Wheel
from roundhouse.wheel.protocol import Code, Flag, GameNumber, opposite
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.money_wheel import Turn, pushed, turn_to
from roundhouse.wheel.simulator.motion import TURN, Rotor, Run, fitted


class NoSuchIrregularity(UserError):
    """A word for something that cannot go wrong with this wheel."""


class Fault(StrEnum):
    """Of the machine itself."""

    LAUNCH_FAILED = "launch_failed"
    SENSOR_FAILED = "sensor_failed"
    POWER_CUT = "power_cut"


class Leaves(Enum):
    """How the ball leaves the rim."""

    NUMBER = auto()
    FALLS_BACK = auto()
    CLOSES = auto()
    GOES_DARK = auto()


@dataclass(frozen=True, slots=True)
class Scenario:
    word: IrregularityId | Fault | None
    leaves: Leaves = Leaves.NUMBER
    rim_flags: Flag = Flag.NONE
    """From the first status with the ball in the rim."""
    last_flags: Flag = Flag.NONE
    """From the moment at which it goes wrong."""
    with_rotor: bool = False
    weak: bool = False
    """Too few revolutions."""
    failed_launches: int = 0
    rotor_stops: bool = False
    rotor_stands: bool = False
    on_pin: bool = False


REGULAR: Final = Scenario(None)

_BALL: Final = {
    SAME_DIRECTION: Scenario(SAME_DIRECTION, Leaves.FALLS_BACK, rim_flags=Flag.WITH_ROTOR, with_rotor=True),
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("ball_dropped"): Scenario(IrregularityId("ball_dropped"), failed_launches=1),
    IrregularityId("ball_did_not_drop"): Scenario(IrregularityId("ball_did_not_drop"), Leaves.FALLS_BACK),
    IrregularityId("ball_left_wheel"): Scenario(
        IrregularityId("ball_left_wheel"), Leaves.FALLS_BACK, last_flags=Flag.BALL_GONE
    ),
    IrregularityId("wheel_stopped"): Scenario(
        IrregularityId("wheel_stopped"), Leaves.CLOSES, last_flags=Flag.FAILURE, rotor_stops=True
    ),
    IrregularityId("wheel_not_rotating"): Scenario(
        IrregularityId("wheel_not_rotating"), Leaves.CLOSES, rim_flags=Flag.FAILURE, rotor_stands=True
    ),
    Fault.LAUNCH_FAILED: Scenario(Fault.LAUNCH_FAILED, failed_launches=2),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, Leaves.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, Leaves.GOES_DARK),
}
_WHEEL: Final = {
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("clapper_on_pin"): Scenario(IrregularityId("clapper_on_pin"), Leaves.FALLS_BACK, on_pin=True),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, Leaves.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, Leaves.GOES_DARK),
}


def scenarios(rulebook: Rulebook) -> dict[str, Scenario]:
    """Everything that can go wrong under this rulebook, by its word. Unseen by the wheel is what has no row above."""
    shown = _BALL if rulebook.wheel.spun is Spun.BALL else _WHEEL
    words = reportable_irregularities(rulebook) | (MEASURED & rulebook.irregularities.keys())
    return {word: shown.get(word, Scenario(word)) for word in sorted(words)} | {
        fault.value: shown[fault] for fault in Fault if fault in shown
    }


def scenario(rulebook: Rulebook, word: str) -> Scenario:
    known = scenarios(rulebook)
    if word not in known:
        raise NoSuchIrregularity(f"'{word}' cannot go wrong here; known are {', '.join(known)}")
    return known[word]


class Played(Struct, frozen=True):
    """One launch: what went wrong, which number the wheel established, and what a perfect observer saw."""

    game: GameNumber
    wrong: str | None
    established: Code | None
    spin: Spin


class Frame(Struct, frozen=True, omit_defaults=True):
    """Where everything was at one moment of a spin, in radians clockwise and seconds from the launch."""

    game: GameNumber
    seconds: float
    rotor: float
    """The wheel with the numbers."""
    ball: float | None = None
    radius: float | None = None
    """Of the ball from the centre: 1 is the rim."""
    clapper: float | None = None
    """How far the pins bend it."""


FRAMES_A_SECOND: Final = 30
_FASTEST, _SLOWEST, _WEAK = 2.2 * TURN, 1.8 * TURN, 0.95 * TURN


@dataclass(frozen=True, slots=True)
class Staged:
    segment: Segment
    spin: Spin
    one_revolution_after: float
    slowed_after: float
    rests_after: float
    angle_after: float
    rpm: Callable[[float], float]
    frames: Callable[[GameNumber], Iterator[Frame]]


def stage_ball(
    rulebook: Rulebook,
    wheel: Wheel,
    chance: Chance,
    segment: Segment,
    angle: float,
    direction: Direction,
    plan: Scenario,
    vary: bool,
) -> Staged:
    sign = 1 if direction is Direction.CLOCKWISE else -1
    rotor = Rotor(angle)
    speed = 0.0 if plan.rotor_stands else sign * chance.between(14.0, 18.0) / 60 * TURN
    rotor.to(speed, 1.0)
    rotor.to(speed, 3.0)
    rotor.to(speed * (chance.between(0.9, 1.1) if vary else 1.0), 2.0)
    rotor.to(rotor.speed(rotor.until), 120.0)
    ball_sign = sign if plan.with_rotor else -sign
    bare = Run(rotor, 1.5, ball_sign, 0.0, chance.between(2.5, 4.5), chance.whole(3, 7), chance.between(0.1, 0.4))
    middle = _WEAK if plan.weak else chance.between(_SLOWEST, _FASTEST)
    spread = 0.35 if plan.weak else 0.1
    run = fitted(bare, segment, len(wheel.order), middle * (1 - spread), middle * (1 + spread))

    def frames(game: GameNumber) -> Iterator[Frame]:
        for i in range(int(run.rests_after * FRAMES_A_SECOND) + 2):
            seconds = min(i / FRAMES_A_SECOND, run.rests_after)
            at, radius = run.place(seconds)
            yield Frame(game, round(seconds, 4), rotor.angle(run.launched_at + seconds), at, radius)

    return Staged(
        segment,
        _ball_spin(rulebook, wheel, segment, direction, plan, run),
        run.one_revolution_after,
        run.slowed_after,
        run.rests_after,
        rotor.angle(run.launched_at + run.rests_after) % TURN,
        lambda seconds: abs(rotor.speed(run.launched_at + seconds)) / TURN * 60,
        frames,
    )


def stage_turn(
    rulebook: Rulebook, chance: Chance, segment: Segment, angle: float, direction: Direction, plan: Scenario
) -> Staged:
    sign = 1 if direction is Direction.CLOCKWISE else -1
    segments = len(rulebook.wheel.order.split())
    off = 0.5 if plan.on_pin else chance.between(-0.4, 0.4)
    turn = turn_to(segment, off, segments, angle, sign, rulebook.spin.least_revolutions + chance.between(0.1, 1.5))
    if plan.weak:
        turn = _weaker(turn, rulebook)

    def frames(game: GameNumber) -> Iterator[Frame]:
        for i in range(int(turn.rests_after * FRAMES_A_SECOND) + 2):
            seconds = min(i / FRAMES_A_SECOND, turn.rests_after)
            at, clapper = turn.place(seconds)
            yield Frame(game, round(seconds, 4), at, clapper=clapper)

    rest = UNSET if plan.on_pin or plan.leaves is not Leaves.NUMBER else segment
    return Staged(
        segment,
        Spin(wheel=direction, revolutions=turn.revolutions, rest=rest, seen=_words(plan)),
        turn.one_revolution_after,
        turn.slowed_after,
        turn.rests_after,
        turn.place(turn.rests_after)[0] % TURN,
        lambda seconds: turn.speed(seconds) / TURN * 60,
        frames,
    )


def _weaker(turn: Turn, rulebook: Rulebook) -> Turn:
    """The same segment, whole turns short of what the rules ask for."""
    way = turn.way
    while way >= rulebook.spin.least_revolutions * TURN:
        way -= TURN
    return pushed(turn.segments, turn.start, turn.sign, way)


def _ball_spin(
    rulebook: Rulebook, wheel: Wheel, segment: Segment, direction: Direction, plan: Scenario, run: Run
) -> Spin:
    ball = direction if plan.with_rotor else opposite(direction)
    return Spin(
        ball=None if plan.word == BALL_DROPPED else ball,
        wheel=None if plan.rotor_stands else direction,
        revolutions=0 if plan.word == BALL_DROPPED else run.revolutions,
        rest=wheel.at(segment) if plan.leaves is Leaves.NUMBER else UNSET,
        seen=_words(plan),
    )


def _words(plan: Scenario) -> tuple[IrregularityId, ...]:
    """What somebody has to see, because no measurement shows it."""
    word = plan.word
    return () if word is None or isinstance(word, Fault) or word in MEASURED else (word,)
