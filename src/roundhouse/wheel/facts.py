"""Facts about what the wheel did, derived from its lines. Each is reported once, without delay.

Facts do not state whether a spin was valid; ``rules.judge`` decides that.
"""

from dataclasses import dataclass
from enum import StrEnum

from roundhouse.rules.judge import Direction
from roundhouse.wheel.protocol import Code, ControlLine, Flag, GameNumber


class Ending(StrEnum):
    """How a game of the wheel ended."""

    NUMBER = "number"
    NEXT_GAME = "next_game"
    COUNTER_JUMPED = "counter_jumped"
    FELL_BACK = "fell_back"
    """The wheel returned to *place your bets* without a number."""
    CLOSED = "closed"
    LINE_ENDED = "line_ended"
    """The recording or the connection ended."""


@dataclass(frozen=True, slots=True)
class PlaceYourBets:
    game: GameNumber


@dataclass(frozen=True, slots=True)
class LaunchFailed:
    game: GameNumber


@dataclass(frozen=True, slots=True)
class BallInRim:
    game: GameNumber
    rotor: Direction


@dataclass(frozen=True, slots=True)
class BallSlowed:
    game: GameNumber


@dataclass(frozen=True, slots=True)
class NumberShown:
    """The first evidence of a number: enough to display it, but not to settle bets."""

    game: GameNumber
    code: Code


@dataclass(frozen=True, slots=True)
class NumberEstablished:
    """The evidence for a number is sufficient, so that bets can be settled by it."""

    game: GameNumber
    code: Code


@dataclass(frozen=True, slots=True)
class FlagsRaised:
    game: GameNumber
    flags: Flag


@dataclass(frozen=True, slots=True)
class RotorStoodStill:
    """A status showed speed 0 while the ball was in the rim."""

    game: GameNumber


@dataclass(frozen=True, slots=True)
class TableClosed:
    game: GameNumber


@dataclass(frozen=True, slots=True)
class GamesMissed:
    """The game counter jumped. The games between ``after`` and ``before`` were not received."""

    after: GameNumber
    before: GameNumber


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    line: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    """The wheel echoed or answered a command."""

    line: ControlLine


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A whole game of the wheel, as received."""

    game: GameNumber
    ending: Ending
    number: Code | None
    """The established number; None if the evidence is insufficient."""
    doubt: str
    """Reason why a number that was shown is not established; empty if no number was shown or it is established."""
    launched: bool
    """Whether the ball was seen in the rim."""
    slowed: bool
    launch_flags: Flag
    """Warnings while the ball was in the rim, without those that a sensor failure makes unreliable."""
    last_flags: Flag
    """Warnings that were active when the ball left the rim without a number."""
    flags: Flag
    """All warnings since the game or its last launch began."""
    rotor: Direction
    rotor_decirpm: int
    """Rotor speed in the first status with the ball in the rim, in tenths of a revolution per minute; 0 if unknown."""
    statuses: int
    """Statuses received in the game, two per second."""
    shown_after: Code | None
    """Last number that the wheel showed after this game; None if it had shown the same number before."""

    @property
    def began(self) -> bool:
        """Whether there was a ball in the rim, a number or a warning, so that a table needs a reading."""
        return self.launched or self.number is not None or bool(self.doubt) or bool(self.flags)


Fact = (
    PlaceYourBets
    | LaunchFailed
    | BallInRim
    | BallSlowed
    | NumberShown
    | NumberEstablished
    | FlagsRaised
    | RotorStoodStill
    | TableClosed
    | GamesMissed
    | NotUnderstood
    | Answered
    | GameEnded
)
