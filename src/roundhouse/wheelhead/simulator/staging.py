"""A game staged: the outcome is drawn, the scenario is known, and the motion is fitted to both."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from roundhouse.rules.judge import MEASURED, NOT_SPUN, Direction, Spin
from roundhouse.rules.names import IrregularityId, Segment
from roundhouse.rules.rulebook import Rulebook
from roundhouse.rules.wheel import Wheel
from roundhouse.wheelhead.line import GameNumber, opposite
from roundhouse.wheelhead.simulator.ball import Run, fitted
from roundhouse.wheelhead.simulator.chance import Chance
from roundhouse.wheelhead.simulator.money_wheel import Turn, pushed, turn_to
from roundhouse.wheelhead.simulator.played import Frame
from roundhouse.wheelhead.simulator.rotor import TURN, Rotor
from roundhouse.wheelhead.simulator.scenario import Fault, Leaves, Scenario

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
        ball=None if plan.word == NOT_SPUN else ball,
        wheel=None if plan.rotor_stands else direction,
        revolutions=0 if plan.word == NOT_SPUN else run.revolutions,
        rest=wheel.at(segment) if plan.leaves is Leaves.NUMBER else UNSET,
        seen=_words(plan),
    )


def _words(plan: Scenario) -> tuple[IrregularityId, ...]:
    """What somebody has to see, because no measurement shows it."""
    word = plan.word
    return () if word is None or isinstance(word, Fault) or word in MEASURED else (word,)
