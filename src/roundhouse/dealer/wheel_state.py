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

Followed = f.BallInRim | f.BallSlowed | f.NumberEstablished | f.FlagsRaised | f.RotorStoodStill | f.GameEnded


def follow(ball: Ball | None, fact: Followed, adopt: bool) -> Ball | None:
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
            return replace(ball, ended=fact) if _its_end(ball, fact) else ball
    assert_never(fact)


def _in_rim(ball: Ball, game: GameNumber) -> bool:
    return ball.rotor is not None and ball.game == game


def _its_end(ball: Ball, ended: f.GameEnded) -> bool:
    """The end of an earlier game can come late: it had a ball that was seen before this one, or another number."""
    return ended.began and ball.game == ended.game and (ball.rotor is not None or not ended.launched)


RETRY_SECONDS = 1.0
"""Between a command that the wheel would not obey and the same command again."""
SLOW_RETRY_SECONDS = 5.0
"""The same for what takes the wheel a while: to open, or to close when its game is over."""
UNASKED = "the wheel launched a ball that the table did not ask for"
BROKEN = "a sensor, the motor or the encoder of the wheel failed"
_WORDS = {OpenWheel: "to open", CloseWheel: "to close", SetMode: "for its mode", StartGame: "to start a game"}
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
    last: State | None = None
    flags: Flag = Flag.NONE
    game: GameNumber | None = None
    """The counter, as the last status has it."""
    prepared: Prepared = Prepared.NO
    asked: WheelCommand | None = None
    """A command that the wheel has not answered yet."""
    again_at: float = 0.0
    """Until when not to repeat a command that the wheel would not obey yet."""
    unanswered: str = ""
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
    def rolling(self) -> bool:
        """Whosever it is, a ball is in the wheel, or its number still stands."""
        return self.state in _ROLLING

    @property
    def outstanding(self) -> bool:
        """The wheel still owes the end of a game."""
        return self.rolling or (self.ball is not None and self.ball.ended is None)


def start_round(sight: WheelState) -> WheelState:
    """Bets have opened: what an earlier ball did, or does still, is not this round's."""
    late = isinstance(sight.asked, StartGame)
    return replace(sight, ball=None, start_unconfirmed=False, start_outdated=late, ball_expected=sight.rolling)


def reset_after_hand_back(sight: WheelState) -> WheelState:
    """People handed the table back: the wheel is made ready anew, and what failed before is theirs to have seen to."""
    stray = sight.rolling and (sight.ball is None or sight.ball.ended is not None)
    return replace(
        sight, fault="", prepared=Prepared.NO, again_at=0.0, unanswered="", start_unconfirmed=False, ball_expected=stray
    )


def observe(sight: WheelState, event: Event, adopt: bool = False) -> WheelState:
    """``adopt``: a ball that the dealer did not ask for is this round's, because people spin."""
    match event:
        case Status():
            return _stands(sight, event)
        case Connected():
            return replace(_unseen(sight), connected=True, unreachable="", prepared=Prepared.NO)
        case Disconnected(why):
            return _lost(sight, f"the wheel is gone: {why}")
        case Finished():
            return _lost(sight, "the recording is at its end")
        case Silent(seconds):
            why = f"the wheel has been silent for {seconds:.0f} s"
            return _failing(replace(_unseen(sight), unreachable=why, prepared=Prepared.NO), why)
        case (
            f.BallInRim()
            | f.BallSlowed()
            | f.NumberEstablished()
            | f.FlagsRaised()
            | f.RotorStoodStill()
            | f.GameEnded()
        ):
            asked = sight.start_unconfirmed or (isinstance(sight.asked, StartGame) and not sight.start_outdated)
            ball = follow(sight.ball, event, asked or (adopt and not sight.ball_expected))
            over = ball is not None and ball.ended is not None and ball != sight.ball
            return replace(sight, ball=ball, ball_expected=sight.ball_expected or over)
        case (
            f.PlaceYourBets()
            | f.LaunchFailed()
            | f.NumberShown()
            | f.TableClosed()
            | f.GamesMissed()
            | f.NotUnderstood()
            | f.Answered()
        ):
            return sight
    assert_never(event)


def command_answered(
    sight: WheelState, command: WheelCommand, answer: Reply | NotYet | NoAnswer, now: float
) -> WheelState:
    """What the wheel said to a command. Without a word from it, it may or may not have obeyed."""
    late, sight = (
        sight.start_outdated,
        replace(sight, asked=None, start_outdated=False, unanswered="", again_at=now + RETRY_SECONDS),
    )
    match command, answer:
        case StartGame(), _ if late:
            return sight
        case StartGame(), Reply.DONE:
            return replace(
                sight,
                ball=sight.ball or replace(START_ACCEPTED, game=sight.game),
                start_unconfirmed=False,
                again_at=0.0,
            )
        case _, NotYet(clause, why):
            return _failing(sight, f"{why} ({clause})")
        case _, NoAnswer(why):
            owed = sight.start_unconfirmed or isinstance(command, StartGame)
            return replace(
                sight, unanswered=f"the wheel was asked {_WORDS[type(command)]}: {why}", start_unconfirmed=owed
            )
        case SetMode(), Reply.DONE:
            # From here on only what it shows with its new mode counts.
            return replace(_unseen(sight), prepared=Prepared.MODE_SET)
        case SetMode(), Reply.BUSY:
            return replace(sight, prepared=Prepared.CLOSING)
        case ((OpenWheel() | CloseWheel()), Reply()):
            return replace(sight, again_at=now + SLOW_RETRY_SECONDS)
        case _, Reply():
            return sight


def _stands(sight: WheelState, status: Status) -> WheelState:
    believed = status.state if status.state is sight.last else sight.state
    # What the wheel would not do as it stood before, it may do now.
    again_at = sight.again_at if believed is sight.state else 0.0
    sight = replace(sight, state=believed, last=status.state, flags=status.flags, game=status.game, again_at=again_at)
    sight = replace(sight, unreachable="")
    if believed is None:
        return sight
    sight = replace(sight, ball_expected=sight.ball_expected and sight.rolling)
    match sight.prepared:
        case Prepared.YES:
            return _watch(sight)
        case Prepared.MODE_SET if _waits(sight):
            # It has no game, whatever was heard of one.
            ball = sight.ball if sight.ball is not None and sight.ball.ended is not None else None
            return replace(sight, prepared=Prepared.YES, ball=ball)
        case _:
            return sight


def _waits(sight: WheelState) -> bool:
    """Open, whole and without a ball, by the last status and by the one before it."""
    open_and_empty = (State.STARTED, State.PLACE_YOUR_BETS)
    return sight.state in open_and_empty and sight.last in open_and_empty and Flag.FAILURE not in sight.flags


def _watch(sight: WheelState) -> WheelState:
    """A wheel that was ready: what it may not do until people have looked."""
    if sight.ball is not None and sight.ball.ended is None:
        # Its game tells, when it ends, what came of it.
        return sight
    if sight.rolling and not sight.ball_expected:
        return _failing(sight, UNASKED)
    if Flag.FAILURE in sight.flags and not sight.rolling:
        return _failing(sight, BROKEN)
    if sight.state is State.CLOSED:
        return _failing(sight, "the wheel was closed, or lost its power")
    return sight


def _unseen(sight: WheelState) -> WheelState:
    """How the wheel stands is not known until it has said so again."""
    return replace(sight, state=None, last=None, flags=Flag.NONE)


def _failing(sight: WheelState, why: str) -> WheelState:
    """The first reason is the one to tell; those after it mostly follow from it."""
    return sight if sight.fault else replace(sight, fault=why)


def _lost(sight: WheelState, why: str) -> WheelState:
    return replace(_failing(_unseen(sight), why), connected=False, unreachable=why, prepared=Prepared.NO)
