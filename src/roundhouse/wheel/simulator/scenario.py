"""Scenarios of simulated games: irregularities and faults, what the wheel reports of them, and the staged motion.

A wheel cannot detect some irregularities, such as a foreign object. It then reports a regular game, and only a Dealer
can declare the irregularity.
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
    """An irregularity or fault that is unknown or impossible with this wheel."""


class Fault(StrEnum):
    """Faults of the machine, which are not irregularities of a rulebook."""

    LAUNCH_FAILED = "launch_failed"
    SENSOR_FAILED = "sensor_failed"
    POWER_CUT = "power_cut"


class SpinEnd(Enum):
    """How a simulated game ends."""

    NUMBER = auto()
    FALLS_BACK = auto()
    """The wheel returns to *place your bets* without a number."""
    CLOSES = auto()
    POWER_LOST = auto()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of game: regular, or with an irregularity or fault."""

    cause: IrregularityId | Fault | None
    """The irregularity or fault of the game; None for a regular game."""
    end: SpinEnd = SpinEnd.NUMBER
    rim_flags: Flag = Flag.NONE
    """Warnings from the first status with the ball in the rim."""
    last_flags: Flag = Flag.NONE
    """Warnings from the time of the fault."""
    with_rotor: bool = False
    weak: bool = False
    """The ball or wheel makes too few revolutions."""
    failed_launches: int = 0
    rotor_stops: bool = False
    """The rotor stops during the game."""
    rotor_stands: bool = False
    """The rotor stands still during the whole game."""
    on_pin: bool = False
    """The clapper of a Money Wheel rests on a pin."""


REGULAR: Final = Scenario(None)

_BALL: Final = {
    SAME_DIRECTION: Scenario(SAME_DIRECTION, SpinEnd.FALLS_BACK, rim_flags=Flag.WITH_ROTOR, with_rotor=True),
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("ball_dropped"): Scenario(IrregularityId("ball_dropped"), failed_launches=1),
    IrregularityId("ball_did_not_drop"): Scenario(IrregularityId("ball_did_not_drop"), SpinEnd.FALLS_BACK),
    IrregularityId("ball_left_wheel"): Scenario(
        IrregularityId("ball_left_wheel"), SpinEnd.FALLS_BACK, last_flags=Flag.BALL_GONE
    ),
    IrregularityId("wheel_stopped"): Scenario(
        IrregularityId("wheel_stopped"), SpinEnd.CLOSES, last_flags=Flag.FAILURE, rotor_stops=True
    ),
    IrregularityId("wheel_not_rotating"): Scenario(
        IrregularityId("wheel_not_rotating"), SpinEnd.CLOSES, rim_flags=Flag.FAILURE, rotor_stands=True
    ),
    Fault.LAUNCH_FAILED: Scenario(Fault.LAUNCH_FAILED, failed_launches=2),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, SpinEnd.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, SpinEnd.POWER_LOST),
}
_WHEEL: Final = {
    TOO_FEW_REVOLUTIONS: Scenario(TOO_FEW_REVOLUTIONS, weak=True),
    IrregularityId("clapper_on_pin"): Scenario(IrregularityId("clapper_on_pin"), SpinEnd.FALLS_BACK, on_pin=True),
    Fault.SENSOR_FAILED: Scenario(Fault.SENSOR_FAILED, SpinEnd.CLOSES, last_flags=Flag.FAILURE),
    Fault.POWER_CUT: Scenario(Fault.POWER_CUT, SpinEnd.POWER_LOST),
}


def scenarios(rulebook: Rulebook) -> dict[str, Scenario]:
    """List all irregularities and faults by name. For those that a wheel cannot detect, it reports a regular game."""
    detected = _BALL if rulebook.wheel.spun is Spun.BALL else _WHEEL
    causes = reportable_irregularities(rulebook) | (MEASURED & rulebook.irregularities.keys())
    return {cause: detected.get(cause, Scenario(cause)) for cause in sorted(causes)} | {
        fault.value: detected[fault] for fault in Fault if fault in detected
    }


def scenario(rulebook: Rulebook, cause: str) -> Scenario:
    known = scenarios(rulebook)
    if cause not in known:
        raise NoSuchIrregularity(f"no irregularity or fault '{cause}' with this wheel; use one of {', '.join(known)}")
    return known[cause]


class Played(Struct, frozen=True):
    """The true course of one simulated launch, for tests and displays. The wheel does not send it."""

    game: GameNumber
    wrong: str | None
    """The irregularity or fault; None for a regular game."""
    established: Code | None
    """The number that the wheel established."""
    spin: Spin
    """The spin as a perfect observer would see it."""


class Frame(Struct, frozen=True, omit_defaults=True):
    """Positions at one moment of a spin. Angles are radians clockwise, times are seconds from the launch."""

    game: GameNumber
    seconds: float
    rotor: float
    """Angle of the wheel with the numbers."""
    ball: float | None = None
    """Angle of the ball; None on a Money Wheel."""
    radius: float | None = None
    """Distance of the ball from the centre; 1 is the rim."""
    clapper: float | None = None
    """Deflection of the clapper by the pins; None without a clapper."""


FRAMES_PER_SECOND: Final = 30
_FASTEST, _SLOWEST, _WEAK = 2.2 * TURN, 1.8 * TURN, 0.95 * TURN


@dataclass(frozen=True, slots=True)
class StagedSpin:
    """A spin with a drawn segment and the motion that leads to it. Times are seconds from the launch."""

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
) -> StagedSpin:
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
        for i in range(int(run.rests_after * FRAMES_PER_SECOND) + 2):
            seconds = min(i / FRAMES_PER_SECOND, run.rests_after)
            at, radius = run.place(seconds)
            yield Frame(game, round(seconds, 4), rotor.angle(run.launched_at + seconds), at, radius)

    return StagedSpin(
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
) -> StagedSpin:
    sign = 1 if direction is Direction.CLOCKWISE else -1
    segments = len(rulebook.wheel.order.split())
    off = 0.5 if plan.on_pin else chance.between(-0.4, 0.4)
    turn = turn_to(segment, off, segments, angle, sign, rulebook.spin.least_revolutions + chance.between(0.1, 1.5))
    if plan.weak:
        turn = _weaker(turn, rulebook)

    def frames(game: GameNumber) -> Iterator[Frame]:
        for i in range(int(turn.rests_after * FRAMES_PER_SECOND) + 2):
            seconds = min(i / FRAMES_PER_SECOND, turn.rests_after)
            at, clapper = turn.place(seconds)
            yield Frame(game, round(seconds, 4), at, clapper=clapper)

    rest = UNSET if plan.on_pin or plan.end is not SpinEnd.NUMBER else segment
    return StagedSpin(
        segment,
        Spin(wheel=direction, revolutions=turn.revolutions, rest=rest, seen=_visible_causes(plan)),
        turn.one_revolution_after,
        turn.slowed_after,
        turn.rests_after,
        turn.place(turn.rests_after)[0] % TURN,
        lambda seconds: turn.speed(seconds) / TURN * 60,
        frames,
    )


def _weaker(turn: Turn, rulebook: Rulebook) -> Turn:
    """Shorten a turn by whole revolutions until it has fewer than the rules require. It ends at the same segment."""
    distance = turn.distance
    while distance >= rulebook.spin.least_revolutions * TURN:
        distance -= TURN
    return pushed(turn.segments, turn.start, turn.sign, distance)


def _ball_spin(
    rulebook: Rulebook, wheel: Wheel, segment: Segment, direction: Direction, plan: Scenario, run: Run
) -> Spin:
    ball = direction if plan.with_rotor else opposite(direction)
    return Spin(
        ball=None if plan.cause == BALL_DROPPED else ball,
        wheel=None if plan.rotor_stands else direction,
        revolutions=0 if plan.cause == BALL_DROPPED else run.revolutions,
        rest=wheel.at(segment) if plan.end is SpinEnd.NUMBER else UNSET,
        seen=_visible_causes(plan),
    )


def _visible_causes(plan: Scenario) -> tuple[IrregularityId, ...]:
    """List the irregularity that a person must report, because no measurement shows it. Empty if there is none."""
    cause = plan.cause
    return () if cause is None or isinstance(cause, Fault) or cause in MEASURED else (cause,)
