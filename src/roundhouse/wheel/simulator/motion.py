"""The rotor: a speed that changes in straight lines over time, and the angle that follows from it.

The ball: launched into the rim, slowed by friction, dropped, bounced, at rest in the pocket that was drawn.

Friction is a constant and a share that grows with the square of the speed, which has a closed form. The launch
speed is the one unknown, and it is chosen so that the ball comes to rest in the drawn pocket: the motion
follows the outcome, never the other way round.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import atan, cos, log, pi, sin, sqrt, tan

from roundhouse.rules.names import Segment

TURN = 2 * pi


@dataclass(slots=True)
class Rotor:
    """Signed: positive is clockwise. Speeds in radians a second."""

    angle_at_start: float = 0.0
    _knots: list[tuple[float, float, float]] = field(default_factory=lambda: [(0.0, 0.0, 0.0)])
    """Time, speed, angle turned since the start."""

    def to(self, speed: float, within: float) -> None:
        """From where it stands now, reach this speed within so many seconds."""
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
"""Radians a second, each second."""
DRAG = 0.012
"""The same, for each squared radian a second."""
SLOWED = 1.3 * TURN
"""Below this speed the wheel calls no more bets."""
DROPS = 0.6 * TURN
RIM, POCKET = 1.0, 0.62
"""Distance from the centre, the rim being one."""
_K = sqrt(ROLLING * DRAG)


@dataclass(frozen=True, slots=True)
class Run:
    """One ball from launch to rest. Times are seconds from the launch."""

    rotor: Rotor
    launched_at: float
    """On the rotor's clock."""
    sign: int
    """+1: the ball runs clockwise."""
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
        """Around the track, until it left the rim."""
        return _travelled(self.launch_speed, self.drops_after) / TURN

    @property
    def one_revolution_after(self) -> float:
        low, high = 0.0, self.drops_after
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if _travelled(self.launch_speed, middle) > TURN else (middle, high)
        return high

    def place(self, seconds: float) -> tuple[float, float]:
        """Angle and distance from the centre."""
        if seconds <= self.drops_after:
            return self.sign * _travelled(self.launch_speed, max(seconds, 0.0)), RIM
        u = min(1.0, (seconds - self.drops_after) / self.falling_seconds)
        bounce = self.hop * u * (1 - u) ** 2 * sin(TURN * self.hops * u)
        at = self.launched_at + seconds
        radius = POCKET + (RIM - POCKET) * (1 - u) ** 2 * abs(cos(pi * self.hops * u))
        return self.rotor.angle(at) + self._on_rotor(u) + bounce, radius

    def rest_on_rotor(self) -> float:
        """Where the ball lies, measured on the rotor from its first pocket."""
        return self._on_rotor(1.0)

    def _on_rotor(self, u: float) -> float:
        dropped = self.launched_at + self.drops_after
        angle = self.sign * _travelled(self.launch_speed, self.drops_after) - self.rotor.angle(dropped)
        # It leaves the rim with the speed that it has, and loses it on the rotor until it lies still.
        speed = self.sign * _speed_after(self.launch_speed, self.drops_after) - self.rotor.speed(dropped)
        return angle + speed * self.falling_seconds / 3 * (1 - (1 - u) ** 3)


def fitted(run: Run, segment: Segment, segments: int, low: float, high: float) -> Run:
    """The run whose launch speed, between these two, brings the ball to rest in the middle of this segment."""
    width = TURN / segments

    def missed(speed: float) -> float:
        return run.sign * (_with(run, speed).rest_on_rotor() - segment * width)

    # Of all whole turns that lead to the segment, the one in the middle of what these speeds can do.
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
    """Read back from the motion: the segment that holds the ball."""
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
