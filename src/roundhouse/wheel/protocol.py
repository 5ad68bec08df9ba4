"""Parses and formats single lines of the SlingShot 2 protocol.

A line that arrived cut, doubled or spliced is discarded as a whole. The next status follows half a second later.
"""

import re
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final, NewType

from roundhouse.rules.judge import Direction

GameNumber = NewType("GameNumber", str)
"""The wheel's game counter: three digits. It wraps after 999 and may restart after a power failure."""

Code = NewType("Code", str)
"""The wheel's code for the place where the ball rests, always two characters: ``27``, `` 6``, ``00``."""

BLANK: Final = Code("  ")
"""Code in a status before the first winning number."""

STATUS_SECONDS: Final = 0.5
"""Interval of the automatic statuses."""


class State(IntEnum):
    """State of the wheel, as numbered in a status."""

    STARTED = 1
    PLACE_YOUR_BETS = 2
    BALL_IN_RIM = 3
    NO_MORE_BETS = 4
    WINNING_NUMBER = 5
    CLOSED = 6


class Flag(IntFlag):
    """The wheel's warnings. A status contains their sum."""

    NONE = 0
    BALL_GONE = 1
    """The ball was removed, or the sensors do not detect it."""
    WITH_ROTOR = 2
    """The ball travels in the direction of the rotor."""
    FAILURE = 4
    """A sensor, the motor or the encoder failed."""
    LAUNCH_FAILED = 8
    """The wheel declares the launch void and launches the ball again."""


WARNINGS: Final = {
    Flag.BALL_GONE: "the ball was removed, or the sensors do not detect it",
    Flag.WITH_ROTOR: "the ball travels in the direction of the rotor",
    Flag.FAILURE: "a sensor, the motor or the encoder failed",
    Flag.LAUNCH_FAILED: "a launch failed, and the wheel launches the ball again",
}
"""Message for each warning."""


@dataclass(frozen=True, slots=True)
class Status:
    """A status line, sent twice a second."""

    state: State
    game: GameNumber
    shown: Code
    """The last winning number. Until this game has a number, it is the number of an earlier game."""
    flags: Flag
    rotor_decirpm: int
    """Rotor speed in tenths of a revolution per minute."""
    rotor: Direction


@dataclass(frozen=True, slots=True)
class WinningNumber:
    """A line with only a code, sent once when the wheel establishes a number."""

    code: Code


@dataclass(frozen=True, slots=True)
class ControlLine:
    """A command, its echo or its answer: ``*P 1``, ``*P OK``, ``*o BUSY``, ``*T d 15``."""

    command: str
    """The letter of the command."""
    argument: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    line: bytes


ParsedLine = Status | WinningNumber | ControlLine | Unreadable

_STATUS: Final = re.compile(rb"\*X;([1-6]);([0-9]{3});([ -:<-~]{2});([0-9A-Fa-f]);([0-9]{3});([01])")
_NUMBER: Final = re.compile(rb"[ -)+-:<-~][!-:<-~]")
_CONTROL: Final = re.compile(rb"\*([A-WYZa-z])(?: ([ -~]{0,120}))?")
_STATES: Final = {b"%d" % state: state for state in State}
_FLAGS: Final = {b"%X" % flags: Flag(flags) for flags in range(16)} | {
    b"%x" % flags: Flag(flags) for flags in range(16)
}
_ROTOR: Final = {b"0": Direction.CLOCKWISE, b"1": Direction.ANTICLOCKWISE}


def read(line: bytes) -> ParsedLine:
    """Parse one line without its line ending.

    >>> read(b"*X;5;013; 6;0;177;1").shown
    ' 6'
    >>> read(b" 6")
    WinningNumber(code=' 6')
    >>> read(b"*P OK")
    ControlLine(command='P', argument='OK')
    >>> read(b"*X;4;14*X;*X;4;146; 9;0;158;0")
    Unreadable(line=b'*X;4;14*X;*X;4;146; 9;0;158;0')
    >>> read(b"6")
    Unreadable(line=b'6')
    """
    if status := _STATUS.fullmatch(line):
        state, game, shown, flags, speed, rotor = status.groups()
        return Status(
            _STATES[state],
            GameNumber(game.decode()),
            Code(shown.decode()),
            _FLAGS[flags],
            int(speed),
            _ROTOR[rotor],
        )
    if _NUMBER.fullmatch(line):
        return WinningNumber(Code(line.decode()))
    if control := _CONTROL.fullmatch(line):
        return ControlLine(control[1].decode(), (control[2] or b"").decode())
    return Unreadable(line)


def encode_status(status: Status) -> bytes:
    """Format a status as the wheel sends it. The inverse of ``read``."""
    rotor = 0 if status.rotor is Direction.CLOCKWISE else 1
    return b"*X;%d;%s;%s;%X;%03d;%d" % (
        status.state,
        status.game.encode(),
        status.shown.encode(),
        status.flags,
        status.rotor_decirpm,
        rotor,
    )


def opposite(direction: Direction) -> Direction:
    return Direction.ANTICLOCKWISE if direction is Direction.CLOCKWISE else Direction.CLOCKWISE


def follows(game: GameNumber, after: GameNumber) -> bool:
    """Return whether this is the next number of the counter, which wraps after 999.

    >>> follows(GameNumber("013"), GameNumber("012")), follows(GameNumber("000"), GameNumber("999"))
    (True, True)
    """
    return int(game) == (int(after) + 1) % 1000


def parts(flags: Flag) -> tuple[int, ...]:
    """Split a sum of warnings into its numbers.

    >>> parts(Flag(3))
    (1, 2)
    """
    return tuple(flag.value for flag in Flag(flags))
