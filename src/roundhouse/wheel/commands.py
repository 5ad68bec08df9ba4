"""What can be said to the wheel, what it answers, and when a rulebook lets the next game start.

A command is believed to have worked only when the wheel said so. Nothing here writes to a line: it gives the
bytes and judges the answer.
"""

from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import Final, assert_never

from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import Moment, Rulebook
from roundhouse.wheel.protocol import Said

REPLY_TIMEOUT_SECONDS: Final = 2.0
"""After so long without an answer a command has failed."""


class Mode(IntFlag):
    """The options of ``*o``; their sum is the wheel's mode."""

    REVERSE_EACH_GAME = 1
    WAIT_FOR_START = 2
    VARY_SPEED = 4
    AUTOMATIC_STATUS = 128
    REPORT_ERRORS = 256
    PAUSE_AFTER_NUMBER = 1024


@dataclass(frozen=True, slots=True)
class OpenWheel:
    pass


@dataclass(frozen=True, slots=True)
class CloseWheel:
    pass


@dataclass(frozen=True, slots=True)
class StartGame:
    pass


@dataclass(frozen=True, slots=True)
class SetMode:
    mode: Mode


WheelCommand = OpenWheel | CloseWheel | StartGame | SetMode


class Reply(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    BUSY = "busy"
    """A game is running; ask again when it is over."""


def wire(command: WheelCommand) -> bytes:
    """
    >>> wire(SetMode(Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS))
    b'*o 129\\r\\n'
    """
    match command:
        case OpenWheel():
            return b"*P 1\r\n"
        case CloseWheel():
            return b"*P 0\r\n"
        case StartGame():
            return b"*u 1\r\n"
        case SetMode(mode):
            return b"*o %d\r\n" % mode
    assert_never(command)


def reply(command: WheelCommand, said: Said) -> Reply | None:
    """What this line answers to the command; nothing when it answers something else, or is the command's echo.

    >>> reply(OpenWheel(), Said("P", "OK")), reply(OpenWheel(), Said("P", "1")), reply(StartGame(), Said("P", "OK"))
    (<Reply.DONE: 'done'>, None, None)
    """
    word = wire(command)[1:2].decode()
    if said.word != word:
        return None
    match said.rest, command:
        case "OK", _:
            return Reply.DONE
        case "NO", _:
            return Reply.REFUSED
        case "BUSY", _:
            return Reply.BUSY
        case rest, SetMode(mode) if rest == str(int(mode)):
            return Reply.DONE
        case _:
            return None


@dataclass(frozen=True, slots=True)
class NotYet:
    """The rules do not let the ball be spun now."""

    clause: Clause
    why: str


def may_start(rulebook: Rulebook, bets_closed: bool) -> NotYet | None:
    """Nothing when the next game may start; where bets close before the spin, only after they have closed."""
    closes = rulebook.betting.closes
    match closes.moment:
        case Moment.BEFORE_SPIN if not bets_closed:
            return NotYet(closes.moment_clause, "bets are still open, and must close before the spin")
        case Moment.BEFORE_SPIN | Moment.WHILE_SPINNING | Moment.OPERATORS_CHOICE:
            return None
    assert_never(closes.moment)


def mode_for(rulebook: Rulebook) -> Mode:
    """The mode in which a table runs its wheel: where bets close before the spin, the wheel must wait for the word."""
    mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS
    if rulebook.betting.closes.moment is Moment.BEFORE_SPIN:
        mode |= Mode.WAIT_FOR_START
    return mode
