"""The ball of one round, from the wheel's word that it will start it to the end of the wheel's game.

A round has one ball. Once its game has ended, no later one takes its place, whatever the wheel does by itself.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from roundhouse.rules.judge import Direction
from roundhouse.wheelhead import facts as f
from roundhouse.wheelhead.line import Code, Flag, GameNumber


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


AGREED = Ball()
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
