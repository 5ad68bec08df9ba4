"""What really happened in a simulated game, for tests and displays. The line does not carry it."""

from msgspec import Struct

from roundhouse.rules.judge import Spin
from roundhouse.wheelhead.line import Code, GameNumber


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
