"""Motion of a roulette wheel: the rotor, with a piecewise linear speed, and the ball from launch to rest.

The ball's deceleration is a constant plus a term in the square of the speed, which has a closed-form solution. The
launch speed is chosen so that the ball comes to rest in the pocket that was drawn: the motion follows the outcome.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import atan, cos, log, pi, sin, sqrt, tan

from roundhouse.rules.names import Segment

TURN = 2 * pi


@dataclass(slots=True)
class Rotor:
    """The rotor's speed and angle over time. Positive is clockwise; speeds are radians per second."""

    angle_at_start: float = 0.0
    _knots: list[tuple[float, float, float]] = field(default_factory=lambda: [(0.0, 0.0, 0.0)])
    """(time, speed, angle turned since the start)."""

    def to(self, speed: float, within: float) -> None:
        """Change the speed linearly to ``speed`` over the next ``within`` seconds."""
        time, before, angle = self._knots[-1]
        self._knots.append((time + within, speed, angle + (before + speed) / 2 * within))

    @property
    def until(self) -> float:
        return self._knots[-1][0]

    def speed(self, time: float) -> float:
        here, there = self._around(time)
        if there is None or there[0] == here[0]:
            return here[1]
        return here[1] + (there[1] - here[1]) * (time - here[0]) / (there[0] - here[0])

    def angle(self, time: float) -> float:
        here, _ = self._around(time)
        return self.angle_at_start + here[2] + (here[1] + self.speed(time)) / 2 * (time - here[0])

    def _around(self, time: float) -> tuple[tuple[float, float, float], tuple[float, float, float] | None]:
        i = bisect_right(self._knots, time, key=lambda knot: knot[0]) - 1
        here = self._knots[max(i, 0)]
        return here, self._knots[i + 1] if 0 <= i < len(self._knots) - 1 else None


ROLLING = 0.35
"""Constant deceleration of the ball, in radians per second squared."""
DRAG = 0.012
"""Deceleration per squared speed, in 1 / radian."""
SLOWED = 1.3 * TURN
"""Below this speed the wheel signals *no more bets*."""
DROPS = 0.6 * TURN
"""Speed at which the ball leaves the rim."""
RIM, POCKET = 1.0, 0.62
"""Distances from the centre, relative to the rim."""
_K = sqrt(ROLLING * DRAG)


@dataclass(frozen=True, slots=True)
class Run:
    """The motion of one ball from launch to rest. Times are seconds from the launch."""

    rotor: Rotor
    launched_at: float
    """Launch time on the rotor's time scale."""
    sign: int
    """+1 if the ball moves clockwise, else -1."""
    launch_speed: float
    falling_seconds: float
    hops: int
    hop: float

    @property
    def slowed_after(self) -> float:
        return max(0.0, _seconds_to(self.launch_speed, SLOWED))

    @property
    def drops_after(self) -> float:
        return max(0.0, _seconds_to(self.launch_speed, min(DROPS, self.launch_speed)))

    @property
    def rests_after(self) -> float:
        return self.drops_after + self.falling_seconds

    @property
    def revolutions(self) -> float:
        """Number of revolutions that the ball makes in the rim."""
        return _travelled(self.launch_speed, self.drops_after) / TURN

    @property
    def one_revolution_after(self) -> float:
        low, high = 0.0, self.drops_after
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if _travelled(self.launch_speed, middle) > TURN else (middle, high)
        return high

    def place(self, seconds: float) -> tuple[float, float]:
        """Compute the ball's angle and its distance from the centre."""
        if seconds <= self.drops_after:
            return self.sign * _travelled(self.launch_speed, max(seconds, 0.0)), RIM
        u = min(1.0, (seconds - self.drops_after) / self.falling_seconds)
        bounce = self.hop * u * (1 - u) ** 2 * sin(TURN * self.hops * u)
        at = self.launched_at + seconds
        radius = POCKET + (RIM - POCKET) * (1 - u) ** 2 * abs(cos(pi * self.hops * u))
        return self.rotor.angle(at) + self._on_rotor(u) + bounce, radius

    def rest_on_rotor(self) -> float:
        """Compute the ball's final angle relative to the first pocket."""
        return self._on_rotor(1.0)

    def _on_rotor(self, u: float) -> float:
        dropped = self.launched_at + self.drops_after
        angle = self.sign * _travelled(self.launch_speed, self.drops_after) - self.rotor.angle(dropped)
        # The ball leaves the rim with its current speed and loses it on the rotor until it rests.
        speed = self.sign * _speed_after(self.launch_speed, self.drops_after) - self.rotor.speed(dropped)
        return angle + speed * self.falling_seconds / 3 * (1 - (1 - u) ** 3)


def fitted(run: Run, segment: Segment, segments: int, low: float, high: float) -> Run:
    """Find the launch speed between ``low`` and ``high`` that brings the ball to rest in the middle of a segment."""
    width = TURN / segments

    def missed(speed: float) -> float:
        return run.sign * (_with(run, speed).rest_on_rotor() - segment * width)

    # Choose the number of whole turns in the middle of the range that these speeds can reach.
    least, most = missed(low), missed(high)
    wanted = round((least + most) / 2 / TURN) * TURN
    assert least <= wanted <= most, "the speeds must span a turn"
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if missed(middle) > wanted else (middle, high)
    return _with(run, (low + high) / 2)


def _with(run: Run, speed: float) -> Run:
    return Run(run.rotor, run.launched_at, run.sign, speed, run.falling_seconds, run.hops, run.hop)


def segment_under(run: Run, segments: int) -> Segment:
    """Compute the segment in which the ball rests from its motion."""
    return Segment(round(run.rest_on_rotor() / (TURN / segments)) % segments)


def _phase(speed: float) -> float:
    return atan(speed * sqrt(DRAG / ROLLING))


def _seconds_to(launch: float, speed: float) -> float:
    return (_phase(launch) - _phase(speed)) / _K


def _speed_after(launch: float, seconds: float) -> float:
    return sqrt(ROLLING / DRAG) * tan(max(0.0, _phase(launch) - _K * seconds))


def _travelled(launch: float, seconds: float) -> float:
    phase = _phase(launch)
    return log(cos(max(0.0, phase - _K * seconds)) / cos(phase)) / DRAG
