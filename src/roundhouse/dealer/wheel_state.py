"""The ball of one round, from the wheel's word that it will start it to the end of the wheel's game.

A round has one ball. Once its game has ended, no later one takes its place, whatever the wheel does by itself.

What the automatic dealer knows of its wheel: how it stands now, the ball of this round, whether it can be relied on.

How the wheel stands is taken from what it repeats twice a second, never added up from what it once did: whatever
was missed, a second later it is known again. This knows no table and decides nothing.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from roundhouse.rules.judge import Direction
from roundhouse.wheel import facts as f
from roundhouse.wheel.commands import CloseWheel, NotYet, OpenWheel, Reply, SetMode, StartGame, WheelCommand
from roundhouse.wheel.driver import Connected, Disconnected, Event, Finished, NoAnswer, Silent
from roundhouse.wheel.protocol import Code, Flag, GameNumber, State, Status


@dataclass(frozen=True, slots=True)
class Ball:
    game: GameNumber | None = None
    rotor: Direction | None = None
    """Which way the rotor turned with the ball in the rim; nothing before that."""
    slowed: bool = False
    number: Code | None = None
    """What the wheel established."""
    warned: Flag = Flag.NONE
    """Warnings while this ball was in the rim."""
    stood_still: bool = False
    """The rotor was shown at a standstill meanwhile."""
    ended: f.GameEnded | None = None


START_ACCEPTED = Ball()
"""The wheel has said that it starts the game."""

BallFact = f.BallInRim | f.BallSlowed | f.NumberEstablished | f.FlagsRaised | f.RotorStoodStill | f.GameEnded


def follow(ball: Ball | None, fact: BallFact, adopt: bool) -> Ball | None:
    """``adopt``: a ball that nobody asked the wheel for is this round's, because people launched it."""
    if ball is None:
        return Ball(fact.game, fact.rotor) if adopt and isinstance(fact, f.BallInRim) else None
    if ball.ended is not None:
        return ball
    match fact:
        case f.BallInRim(game, rotor):
            return Ball(game, rotor)
        case f.BallSlowed(game):
            return replace(ball, slowed=True) if _in_rim(ball, game) else ball
        case f.NumberEstablished(game, code):
            return replace(ball, number=code) if _in_rim(ball, game) else ball
        case f.FlagsRaised(game, flags):
            return replace(ball, warned=ball.warned | flags) if _in_rim(ball, game) else ball
        case f.RotorStoodStill(game):
            return replace(ball, stood_still=True) if _in_rim(ball, game) else ball
        case f.GameEnded():
            return replace(ball, ended=fact) if _ends_game_of(ball, fact) else ball
    assert_never(fact)


def _in_rim(ball: Ball, game: GameNumber) -> bool:
    return ball.rotor is not None and ball.game == game


def _ends_game_of(ball: Ball, ended: f.GameEnded) -> bool:
    """The end of an earlier game can come late: it had a ball that was seen before this one, or another number."""
    return ended.began and ball.game == ended.game and (ball.rotor is not None or not ended.launched)


RETRY_SECONDS = 1.0
"""Between a command that the wheel would not obey and the same command again."""
SLOW_RETRY_SECONDS = 5.0
"""The same for what takes the wheel a while: to open, or to close when its game is over."""
UNREQUESTED_LAUNCH = "the wheel launched a ball that the table did not ask for"
BROKEN = "a sensor, the motor or the encoder of the wheel failed"
_COMMAND_TEXT = {OpenWheel: "to open", CloseWheel: "to close", SetMode: "for its mode", StartGame: "to start a game"}
_ROLLING = (State.BALL_IN_RIM, State.NO_MORE_BETS, State.WINNING_NUMBER)


class Prepared(Enum):
    """How far the wheel has been made ready for this table since people last relied on it."""

    NO = auto()
    CLOSING = auto()
    """It takes no mode while it plays, and has been or is to be told to close."""
    MODE_SET = auto()
    YES = auto()
    """In the right mode and seen open, whole and without a ball: it waits for the table's word."""


@dataclass(frozen=True, slots=True)
class WheelState:
    connected: bool = False
    unreachable: str = ""
    """Why the wheel cannot be heard; empty while it can, and before anybody has tried."""
    state: State | None = None
    """What two statuses in a row have shown; one alone may be misread."""
    last_state: State | None = None
    flags: Flag = Flag.NONE
    game: GameNumber | None = None
    """The counter, as the last status has it."""
    prepared: Prepared = Prepared.NO
    unanswered_command: WheelCommand | None = None
    """A command that the wheel has not answered yet."""
    retry_at: float = 0.0
    """Until when not to repeat a command that the wheel would not obey yet."""
    no_answer: str = ""
    """What came of the last command instead of an answer."""
    start_unconfirmed: bool = False
    """The wheel was asked to start this round's game, and its answer was not heard: it may have obeyed."""
    start_outdated: bool = False
    """The start that the wheel has not answered yet was asked for a round that is over: its ball is nobody's."""
    ball: Ball | None = None
    """The game that the wheel plays for this round."""
    ball_expected: bool = False
    """Somebody knows of the ball in the wheel that is not this round's, or not any more: it may roll to its end."""
    fault: str = ""
    """Why the wheel cannot be relied on, since it was ready; empty while it can."""

    @property
    def has_ball(self) -> bool:
        """Whosever it is, a ball is in the wheel, or its number still stands."""
        return self.state in _ROLLING

    @property
    def game_unfinished(self) -> bool:
        """The wheel still owes the end of a game."""
        return self.has_ball or (self.ball is not None and self.ball.ended is None)


def start_round(wheel: WheelState) -> WheelState:
    """Bets have opened: what an earlier ball did, or does still, is not this round's."""
    late = isinstance(wheel.unanswered_command, StartGame)
    return replace(wheel, ball=None, start_unconfirmed=False, start_outdated=late, ball_expected=wheel.has_ball)


def reset_after_hand_back(wheel: WheelState) -> WheelState:
    """People handed the table back: the wheel is made ready anew, and what failed before is theirs to have seen to."""
    stray = wheel.has_ball and (wheel.ball is None or wheel.ball.ended is not None)
    return replace(
        wheel, fault="", prepared=Prepared.NO, retry_at=0.0, no_answer="", start_unconfirmed=False, ball_expected=stray
    )


def observe(wheel: WheelState, event: Event, adopt: bool = False) -> WheelState:
    """``adopt``: a ball that the dealer did not ask for is this round's, because people spin."""
    match event:
        case Status():
            return _with_status(wheel, event)
        case Connected():
            return replace(_without_status(wheel), connected=True, unreachable="", prepared=Prepared.NO)
        case Disconnected(why):
            return _disconnected(wheel, f"the wheel is gone: {why}")
        case Finished():
            return _disconnected(wheel, "the recording is at its end")
        case Silent(seconds):
            why = f"the wheel has been silent for {seconds:.0f} s"
            return _with_fault(replace(_without_status(wheel), unreachable=why, prepared=Prepared.NO), why)
        case (
            f.BallInRim()
            | f.BallSlowed()
            | f.NumberEstablished()
            | f.FlagsRaised()
            | f.RotorStoodStill()
            | f.GameEnded()
        ):
            asked = wheel.start_unconfirmed or (
                isinstance(wheel.unanswered_command, StartGame) and not wheel.start_outdated
            )
            ball = follow(wheel.ball, event, asked or (adopt and not wheel.ball_expected))
            over = ball is not None and ball.ended is not None and ball != wheel.ball
            return replace(wheel, ball=ball, ball_expected=wheel.ball_expected or over)
        case (
            f.PlaceYourBets()
            | f.LaunchFailed()
            | f.NumberShown()
            | f.TableClosed()
            | f.GamesMissed()
            | f.NotUnderstood()
            | f.Answered()
        ):
            return wheel
    assert_never(event)


def command_answered(
    wheel: WheelState, command: WheelCommand, answer: Reply | NotYet | NoAnswer, now: float
) -> WheelState:
    """What the wheel said to a command. Without a word from it, it may or may not have obeyed."""
    late, wheel = (
        wheel.start_outdated,
        replace(wheel, unanswered_command=None, start_outdated=False, no_answer="", retry_at=now + RETRY_SECONDS),
    )
    match command, answer:
        case StartGame(), _ if late:
            return wheel
        case StartGame(), Reply.DONE:
            return replace(
                wheel,
                ball=wheel.ball or replace(START_ACCEPTED, game=wheel.game),
                start_unconfirmed=False,
                retry_at=0.0,
            )
        case _, NotYet(clause, why):
            return _with_fault(wheel, f"{why} ({clause})")
        case _, NoAnswer(why):
            owed = wheel.start_unconfirmed or isinstance(command, StartGame)
            return replace(
                wheel, no_answer=f"the wheel was asked {_COMMAND_TEXT[type(command)]}: {why}", start_unconfirmed=owed
            )
        case SetMode(), Reply.DONE:
            # From here on only what it shows with its new mode counts.
            return replace(_without_status(wheel), prepared=Prepared.MODE_SET)
        case SetMode(), Reply.BUSY:
            return replace(wheel, prepared=Prepared.CLOSING)
        case ((OpenWheel() | CloseWheel()), Reply()):
            return replace(wheel, retry_at=now + SLOW_RETRY_SECONDS)
        case _, Reply():
            return wheel


def _with_status(wheel: WheelState, status: Status) -> WheelState:
    believed = status.state if status.state is wheel.last_state else wheel.state
    # What the wheel would not do as it stood before, it may do now.
    retry_at = wheel.retry_at if believed is wheel.state else 0.0
    wheel = replace(
        wheel, state=believed, last_state=status.state, flags=status.flags, game=status.game, retry_at=retry_at
    )
    wheel = replace(wheel, unreachable="")
    if believed is None:
        return wheel
    wheel = replace(wheel, ball_expected=wheel.ball_expected and wheel.has_ball)
    match wheel.prepared:
        case Prepared.YES:
            return _check_ready_wheel(wheel)
        case Prepared.MODE_SET if _is_ready(wheel):
            # It has no game, whatever was heard of one.
            ball = wheel.ball if wheel.ball is not None and wheel.ball.ended is not None else None
            return replace(wheel, prepared=Prepared.YES, ball=ball)
        case _:
            return wheel


def _is_ready(wheel: WheelState) -> bool:
    """Open, whole and without a ball, by the last status and by the one before it."""
    open_and_empty = (State.STARTED, State.PLACE_YOUR_BETS)
    return wheel.state in open_and_empty and wheel.last_state in open_and_empty and Flag.FAILURE not in wheel.flags


def _check_ready_wheel(wheel: WheelState) -> WheelState:
    """A wheel that was ready: what it may not do until people have looked."""
    if wheel.ball is not None and wheel.ball.ended is None:
        # Its game tells, when it ends, what came of it.
        return wheel
    if wheel.has_ball and not wheel.ball_expected:
        return _with_fault(wheel, UNREQUESTED_LAUNCH)
    if Flag.FAILURE in wheel.flags and not wheel.has_ball:
        return _with_fault(wheel, BROKEN)
    if wheel.state is State.CLOSED:
        return _with_fault(wheel, "the wheel was closed, or lost its power")
    return wheel


def _without_status(wheel: WheelState) -> WheelState:
    """How the wheel stands is not known until it has said so again."""
    return replace(wheel, state=None, last_state=None, flags=Flag.NONE)


def _with_fault(wheel: WheelState, why: str) -> WheelState:
    """The first reason is the one to tell; those after it mostly follow from it."""
    return wheel if wheel.fault else replace(wheel, fault=why)


def _disconnected(wheel: WheelState, why: str) -> WheelState:
    return replace(_with_fault(_without_status(wheel), why), connected=False, unreachable=why, prepared=Prepared.NO)
