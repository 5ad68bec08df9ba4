"""Motion of a Money Wheel, slowed by its bearing and by the clapper on its pins.

Revolutions count from the last symbol under the clapper. As with the ball, the segment is drawn first and the initial
speed is fitted to it.
"""

from dataclasses import dataclass
from math import exp, log, pi

from roundhouse.rules.names import Segment
from roundhouse.wheel.simulator.motion import TURN

PINS = 0.22
"""Mean deceleration by the clapper on the pins, in radians per second squared."""
BEARING = 0.16
"""Deceleration by the bearing per speed, in 1 / second."""
SLOWED = 0.35 * TURN
_DEFLECTION = pi / 7


@dataclass(frozen=True, slots=True)
class Turn:
    """The motion of one spin. Times are seconds from the push."""

    segments: int
    start: float
    """Angle of the wheel before the spin."""
    sign: int
    """+1 if the wheel turns clockwise, else -1."""
    distance: float
    """Total angle of the turn in radians."""
    push: float
    """Initial speed in radians per second."""

    @property
    def rests_after(self) -> float:
        return _rest_after(self.push)

    @property
    def slowed_after(self) -> float:
        push = max(self.push, SLOWED)
        return log((push + PINS / BEARING) / (SLOWED + PINS / BEARING)) / BEARING

    @property
    def one_revolution_after(self) -> float:
        low, high = 0.0, self.rests_after
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if _distance(self.push, middle) > TURN else (middle, high)
        return high

    @property
    def revolutions(self) -> float:
        return self.distance / TURN

    def speed(self, seconds: float) -> float:
        if seconds >= self.rests_after:
            return 0.0
        return (self.push + PINS / BEARING) * exp(-BEARING * seconds) - PINS / BEARING

    def place(self, seconds: float) -> tuple[float, float]:
        """Compute the angle of the wheel and the deflection of the clapper."""
        turned = _distance(self.push, min(max(seconds, 0.0), self.rests_after))
        angle = self.start + self.sign * turned
        # There is a pin between two segments. It deflects the clapper as it approaches and releases it suddenly.
        across = (angle / (TURN / self.segments) + 0.5) % 1.0
        near = max(0.0, 1 - 4 * (1 - across if self.sign > 0 else across))
        return angle, self.sign * near * _DEFLECTION

    def under_clapper(self) -> float:
        """Compute the place under the clapper in segments: n is the middle of segment n, and n + 0.5 is a pin."""
        angle, _ = self.place(self.rests_after)
        # The wheel turning clockwise brings earlier segments under the clapper.
        return (-angle / (TURN / self.segments)) % self.segments


def turn_to(segment: Segment, off: float, segments: int, start: float, sign: int, least: float) -> Turn:
    """Create a turn that ends ``off`` segments from the middle of a segment, after at least ``least`` revolutions."""
    width = TURN / segments
    end = -(segment + off) * width
    distance = (sign * (end - start)) % TURN
    while distance < least * TURN:
        distance += TURN
    return pushed(segments, start, sign, distance)


def pushed(segments: int, start: float, sign: int, distance: float) -> Turn:
    """Create a turn of exactly this distance, in radians."""
    low, high = 0.0, 200.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if _distance(middle, _rest_after(middle)) > distance else (middle, high)
    return Turn(segments, start, sign, distance, (low + high) / 2)


def _rest_after(push: float) -> float:
    return log(1 + push * BEARING / PINS) / BEARING


def _distance(push: float, seconds: float) -> float:
    return (push + PINS / BEARING) * (1 - exp(-BEARING * seconds)) / BEARING - PINS / BEARING * seconds
