"""The wheel as the automatic dealer knows it: its current status, the ball of this round, and its faults.

The wheel sends its status twice a second, so the next message replaces a lost one. A round has one ball: after its game
has ended, a later ball does not replace it.
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
    """The ball of one round, from the accepted start command to the end of the wheel's game."""

    game: GameNumber | None = None
    rotor: Direction | None = None
    """Direction of the rotor while the ball was in the rim; ``None`` before that."""
    slowed: bool = False
    number: Code | None = None
    """The winning number that the wheel read; ``None`` before that."""
    warned: Flag = Flag.NONE
    """Warnings raised while this ball was in the rim."""
    stood_still: bool = False
    """Whether the rotor was reported at a standstill during this game."""
    ended: f.GameEnded | None = None

    @property
    def on_line(self) -> bool:
        """Whether the line has reported the ball: in the rim, or by its number."""
        return self.rotor is not None or (self.ended is not None and self.ended.number is not None)


START_ACCEPTED = Ball()
"""The ball after the wheel has accepted the start command and before the ball is in the rim."""

BallFact = f.BallInRim | f.BallSlowed | f.NumberEstablished | f.FlagsRaised | f.RotorStoodStill | f.GameEnded


def follow(ball: Ball | None, fact: BallFact, adopt: bool) -> Ball | None:
    """Apply a fact to the ball of this round. With ``adopt``, a new ball in the rim becomes this round's ball."""
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
    """Check whether ``ended`` ends this ball's game. The end of an earlier game may arrive late."""
    return ended.began and ball.game == ended.game and (ball.rotor is not None or not ended.launched)


RETRY_SECONDS = 1.0
"""Pause before a refused command is repeated."""
SLOW_RETRY_SECONDS = 5.0
"""Pause before a command to open or close the wheel is repeated. These commands take longer."""
UNREQUESTED_LAUNCH = "the wheel launched a ball without a command of the table"
BROKEN = "a sensor, the motor or the encoder of the wheel failed"
_COMMAND_TEXT = {OpenWheel: "to open", CloseWheel: "to close", SetMode: "to set its mode", StartGame: "to start a game"}
_ROLLING = (State.BALL_IN_RIM, State.NO_MORE_BETS, State.WINNING_NUMBER)


class Prepared(Enum):
    """Progress of the wheel's preparation, which starts when it is connected or the table is handed back."""

    NO = auto()
    CLOSING = auto()
    """The wheel must be closed before its mode is set, because it accepts no mode during a game."""
    MODE_SET = auto()
    YES = auto()
    """In the right mode, open, without a fault and without a ball: ready for a start command."""


@dataclass(frozen=True, slots=True)
class WheelState:
    """All that the dealer knows about the wheel. Immutable: each event produces a new state."""

    connected: bool = False
    unreachable: str = ""
    """Why no messages arrive from the wheel. Empty while messages arrive, and before the first connection."""
    state: State | None = None
    """The state that two consecutive status messages agreed on, because a single one may be misread."""
    last_state: State | None = None
    """The state in the last status message."""
    flags: Flag = Flag.NONE
    game: GameNumber | None = None
    """The game counter in the last status message."""
    prepared: Prepared = Prepared.NO
    unanswered_command: WheelCommand | None = None
    """The last command, while the wheel has not answered it."""
    retry_at: float = 0.0
    """Do not repeat a refused command before this time."""
    no_answer: str = ""
    """Error message if the last command got no answer; else empty."""
    start_unconfirmed: bool = False
    """Whether this round's start command got no answer. If so, the wheel may have started the game."""
    start_outdated: bool = False
    """Whether the unanswered start command is of an earlier round. If so, its ball does not count."""
    ball: Ball | None = None
    """The ball of this round; ``None`` before the start is accepted."""
    ball_expected: bool = False
    """Whether the ball in the wheel is left from an ended game or an earlier round. Such a ball is not reported as a
    launch without a command."""
    fault: str = ""
    """Why the wheel cannot be used until a person hands the table back; empty if it can."""

    @property
    def has_ball(self) -> bool:
        """Whether a ball is in the wheel, or the wheel still shows the ball's number."""
        return self.state in _ROLLING

    @property
    def game_unfinished(self) -> bool:
        """Whether the wheel has a game that has not ended."""
        return self.has_ball or (self.ball is not None and self.ball.ended is None)


def start_round(wheel: WheelState) -> WheelState:
    """Start a round. A ball of an earlier round does not count in the new round."""
    outdated = isinstance(wheel.unanswered_command, StartGame)
    return replace(wheel, ball=None, start_unconfirmed=False, start_outdated=outdated, ball_expected=wheel.has_ball)


def reset_after_hand_back(wheel: WheelState) -> WheelState:
    """Clear the fault and prepare the wheel again. The person who hands the table back has checked the wheel."""
    stray = wheel.has_ball and (wheel.ball is None or wheel.ball.ended is not None)
    return replace(
        wheel, fault="", prepared=Prepared.NO, retry_at=0.0, no_answer="", start_unconfirmed=False, ball_expected=stray
    )


def observe(wheel: WheelState, event: Event, adopt: bool = False) -> WheelState:
    """Apply an event of the wheel. With ``adopt``, an unrequested ball counts for this round: people spin the wheel."""
    match event:
        case Status():
            return _with_status(wheel, event)
        case Connected():
            return replace(_without_status(wheel), connected=True, unreachable="", prepared=Prepared.NO)
        case Disconnected(why):
            return _disconnected(wheel, f"connection to the wheel lost: {why}")
        case Finished():
            return _disconnected(wheel, "the recording has ended")
        case Silent(seconds):
            why = f"no message from the wheel for {seconds:.0f} s"
            return _with_fault(replace(_without_status(wheel), unreachable=why, prepared=Prepared.NO), why)
        case (
            f.BallInRim()
            | f.BallSlowed()
            | f.NumberEstablished()
            | f.FlagsRaised()
            | f.RotorStoodStill()
            | f.GameEnded()
        ):
            requested = wheel.start_unconfirmed or (
                isinstance(wheel.unanswered_command, StartGame) and not wheel.start_outdated
            )
            ball = follow(wheel.ball, event, requested or (adopt and not wheel.ball_expected))
            ended = ball is not None and ball.ended is not None and ball != wheel.ball
            return replace(wheel, ball=ball, ball_expected=wheel.ball_expected or ended)
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
    """Apply the wheel's answer to a command. After ``NoAnswer`` the wheel may or may not have obeyed."""
    outdated, wheel = (
        wheel.start_outdated,
        replace(wheel, unanswered_command=None, start_outdated=False, no_answer="", retry_at=now + RETRY_SECONDS),
    )
    match command, answer:
        case StartGame(), _ if outdated:
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
            unconfirmed = wheel.start_unconfirmed or isinstance(command, StartGame)
            no_answer = f"could not command the wheel {_COMMAND_TEXT[type(command)]}: {why}"
            return replace(wheel, no_answer=no_answer, start_unconfirmed=unconfirmed)
        case SetMode(), Reply.DONE:
            # Discard the status, because its messages are older than the new mode.
            return replace(_without_status(wheel), prepared=Prepared.MODE_SET)
        case SetMode(), Reply.BUSY:
            return replace(wheel, prepared=Prepared.CLOSING)
        case ((OpenWheel() | CloseWheel()), Reply()):
            return replace(wheel, retry_at=now + SLOW_RETRY_SECONDS)
        case _, Reply():
            return wheel


def _with_status(wheel: WheelState, status: Status) -> WheelState:
    believed = status.state if status.state is wheel.last_state else wheel.state
    # In a new state the wheel may obey a command that it refused before.
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
            # The wheel is empty, so an unfinished ball no longer exists.
            ball = wheel.ball if wheel.ball is not None and wheel.ball.ended is not None else None
            return replace(wheel, prepared=Prepared.YES, ball=ball)
        case _:
            return wheel


def _is_ready(wheel: WheelState) -> bool:
    """Check whether the last status messages show an open wheel without a fault and without a ball."""
    open_and_empty = (State.STARTED, State.PLACE_YOUR_BETS)
    return wheel.state in open_and_empty and wheel.last_state in open_and_empty and Flag.FAILURE not in wheel.flags


def _check_ready_wheel(wheel: WheelState) -> WheelState:
    """Set a fault if a prepared wheel launched an unrequested ball, failed or closed."""
    if wheel.ball is not None and wheel.ball.ended is None:
        # This round's game is in progress. Its end will report the result or a question.
        return wheel
    if wheel.has_ball and not wheel.ball_expected:
        return _with_fault(wheel, UNREQUESTED_LAUNCH)
    if Flag.FAILURE in wheel.flags and not wheel.has_ball:
        return _with_fault(wheel, BROKEN)
    if wheel.state is State.CLOSED:
        return _with_fault(wheel, "the wheel was closed, or lost its power")
    return wheel


def _without_status(wheel: WheelState) -> WheelState:
    """Discard the status until the wheel sends it again."""
    return replace(wheel, state=None, last_state=None, flags=Flag.NONE)


def _with_fault(wheel: WheelState, why: str) -> WheelState:
    """Set the fault, unless there is one already. Later faults are usually consequences of the first."""
    return wheel if wheel.fault else replace(wheel, fault=why)


def _disconnected(wheel: WheelState, why: str) -> WheelState:
    return replace(_with_fault(_without_status(wheel), why), connected=False, unreachable=why, prepared=Prepared.NO)
