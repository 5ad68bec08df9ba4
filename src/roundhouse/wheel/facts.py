"""What the wheel was seen to do, as facts in the past tense, each told once and at once.

Facts are what the line showed. Whether a spin was valid is not here: that is the judge's word.
"""

from dataclasses import dataclass
from enum import StrEnum

from roundhouse.rules.judge import Direction
from roundhouse.wheel.protocol import Code, Flag, GameNumber, Said


class Ending(StrEnum):
    """How the wheel left a game."""

    NUMBER = "number"
    NEXT_GAME = "next_game"
    COUNTER_JUMPED = "counter_jumped"
    FELL_BACK = "fell_back"
    CLOSED = "closed"
    LINE_ENDED = "line_ended"


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
    """The first sign of a number: enough to show, not yet enough to settle by."""

    game: GameNumber
    code: Code


@dataclass(frozen=True, slots=True)
class NumberEstablished:
    """What was heard is evidence enough: this is the wheel's reading."""

    game: GameNumber
    code: Code


@dataclass(frozen=True, slots=True)
class FlagsRaised:
    game: GameNumber
    flags: Flag


@dataclass(frozen=True, slots=True)
class RotorStoodStill:
    """The speed was shown as nought while the ball was in the rim."""

    game: GameNumber


@dataclass(frozen=True, slots=True)
class TableClosed:
    game: GameNumber


@dataclass(frozen=True, slots=True)
class GamesMissed:
    """The counter went on by more than one, or back: what lay between was not heard."""

    after: GameNumber
    before: GameNumber


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    line: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    said: Said


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A whole game of the wheel, from what the line showed of it."""

    game: GameNumber
    ending: Ending
    number: Code | None
    """The number that the wheel established, if what was heard is evidence enough."""
    doubt: str
    """Why a number that was shown is not established; empty where there is no such thing."""
    launched: bool
    """The ball was seen in the rim."""
    slowed: bool
    launch_flags: Flag
    """Raised while this ball was in the rim, and trusted."""
    last_flags: Flag
    """Standing when the ball left the rim without a number."""
    flags: Flag
    """All that were raised since the game, or its last launch, began."""
    rotor: Direction
    rotor_decirpm: int
    """At the first status with the ball in the rim; nought where none was seen."""
    statuses: int
    """How many were heard of the game: at two a second, how long it took."""
    shown_after: Code | None
    """A new last number that the wheel showed when it had gone on to the next game."""

    @property
    def began(self) -> bool:
        """A ball in the rim, a number, or a warning: something happened that a table has to account for."""
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
