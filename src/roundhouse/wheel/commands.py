"""Commands to the wheel, their replies, and the condition for starting the next game (spin).

This module formats commands and interprets replies; the driver sends and receives them. A command counts as done only
after the wheel has confirmed it.
"""

from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import Final, assert_never

from roundhouse.rules.names import Clause
from roundhouse.rules.rulebook import Moment, Rulebook
from roundhouse.wheel.protocol import ControlLine

REPLY_TIMEOUT_SECONDS: Final = 2.0
"""A command without a reply within this time has failed."""


class Mode(IntFlag):
    """Options of the command ``*o``. Their sum is the wheel's mode."""

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
    """A game is running. Send the command again when it has ended."""


def wire(command: WheelCommand) -> bytes:
    """Encode a command for the wheel.

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


def reply(command: WheelCommand, line: ControlLine) -> Reply | None:
    """Interpret a line as the reply to a command; None if it belongs to another command or is the echo.

    >>> confirmed, echo = ControlLine("P", "OK"), ControlLine("P", "1")
    >>> reply(OpenWheel(), confirmed), reply(OpenWheel(), echo), reply(StartGame(), confirmed)
    (<Reply.DONE: 'done'>, None, None)
    """
    letter = wire(command)[1:2].decode()
    if line.command != letter:
        return None
    match line.argument, command:
        case "OK", _:
            return Reply.DONE
        case "NO", _:
            return Reply.REFUSED
        case "BUSY", _:
            return Reply.BUSY
        case argument, SetMode(mode) if argument == str(int(mode)):
            return Reply.DONE
        case _:
            return None


@dataclass(frozen=True, slots=True)
class NotYet:
    """Result of a refused start: the rules do not allow the spin to start now."""

    clause: Clause
    why: str


def may_start(rulebook: Rulebook, bets_closed: bool) -> NotYet | None:
    """Return why the next game may not start, or None if it may. Some rulebooks require closed bets."""
    closes = rulebook.betting.closes
    match closes.moment:
        case Moment.BEFORE_SPIN if not bets_closed:
            return NotYet(closes.moment_clause, "bets are still open, and must close before the spin")
        case Moment.BEFORE_SPIN | Moment.WHILE_SPINNING | Moment.OPERATORS_CHOICE:
            return None
    assert_never(closes.moment)


def mode_for(rulebook: Rulebook) -> Mode:
    """Return the mode of a table's wheel. If bets close before the spin, the wheel waits for ``StartGame``."""
    mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS
    if rulebook.betting.closes.moment is Moment.BEFORE_SPIN:
        mode |= Mode.WAIT_FOR_START
    return mode
