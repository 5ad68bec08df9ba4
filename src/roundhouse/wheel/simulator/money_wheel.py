"""A Money Wheel: spun by hand, slowed by its bearing and by the clapper on its pins, at rest under the clapper.

Revolutions count from the last symbol that the clapper showed. As with the ball, the segment is drawn first and
the push is fitted to it.
"""

from dataclasses import dataclass
from math import exp, log, pi

from roundhouse.rules.names import Segment
from roundhouse.wheel.simulator.motion import TURN

PINS = 0.22
"""What the clapper takes, in radians a second each second: every pin the same."""
BEARING = 0.16
"""What the bearing takes, a share of the speed each second."""
SLOWED = 0.35 * TURN
_DEFLECTION = pi / 7


@dataclass(frozen=True, slots=True)
class Turn:
    """One spin. Times are seconds from the push."""

    segments: int
    start: float
    """Angle of the wheel at rest under the clapper, before it is spun."""
    sign: int
    """+1: the wheel turns clockwise."""
    way: float
    """How far it turns in all, in radians."""
    push: float
    """The speed that takes it exactly that far."""

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
            low, high = (low, middle) if _way(self.push, middle) > TURN else (middle, high)
        return high

    @property
    def revolutions(self) -> float:
        return self.way / TURN

    def speed(self, seconds: float) -> float:
        if seconds >= self.rests_after:
            return 0.0
        return (self.push + PINS / BEARING) * exp(-BEARING * seconds) - PINS / BEARING

    def place(self, seconds: float) -> tuple[float, float]:
        """Angle of the wheel, and how far the pins bend the clapper."""
        turned = _way(self.push, min(max(seconds, 0.0), self.rests_after))
        angle = self.start + self.sign * turned
        # A pin stands on each border; it lifts the clapper while it passes and lets go at once.
        across = (angle / (TURN / self.segments) + 0.5) % 1.0
        near = max(0.0, 1 - 4 * (1 - across if self.sign > 0 else across))
        return angle, self.sign * near * _DEFLECTION

    def under_clapper(self) -> float:
        """In segments, from the middle of the first: a whole number is the middle of a segment, a half is a pin."""
        angle, _ = self.place(self.rests_after)
        # The wheel turning clockwise brings earlier segments under the clapper.
        return (-angle / (TURN / self.segments)) % self.segments


def turn_to(segment: Segment, off: float, segments: int, start: float, sign: int, least: float) -> Turn:
    """The turn that ends so far off the middle of this segment, after at least so many revolutions."""
    width = TURN / segments
    end = -(segment + off) * width
    way = (sign * (end - start)) % TURN
    while way < least * TURN:
        way += TURN
    return pushed(segments, start, sign, way)


def pushed(segments: int, start: float, sign: int, way: float) -> Turn:
    """The turn that goes exactly this way."""
    low, high = 0.0, 200.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if _way(middle, _rest_after(middle)) > way else (middle, high)
    return Turn(segments, start, sign, way, (low + high) / 2)


def _rest_after(push: float) -> float:
    return log(1 + push * BEARING / PINS) / BEARING


def _way(push: float, seconds: float) -> float:
    return (push + PINS / BEARING) * (1 - exp(-BEARING * seconds)) / BEARING - PINS / BEARING * seconds
