"""The rotor: a speed that changes in straight lines over time, and the angle that follows from it."""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import pi

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
