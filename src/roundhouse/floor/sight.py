"""What the automatic dealer knows of its wheel: the game it plays, what was asked of it, whether it can be relied on.

Told by the driver's events and the wheel's answers, and by nothing else. It knows no table and decides nothing.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from roundhouse.rules.judge import Direction
from roundhouse.wheelhead import facts as f
from roundhouse.wheelhead.commands import CloseWheel, NotYet, OpenWheel, Reply, SetMode, StartGame, WheelCommand
from roundhouse.wheelhead.driver import Event, NoAnswer
from roundhouse.wheelhead.line import Code, Flag, GameNumber
from roundhouse.wheelhead.listening import Connected, Disconnected, Finished, Silent

_WORDS = {OpenWheel: "to open", CloseWheel: "to close", SetMode: "for its mode", StartGame: "to start a game"}


class Prepared(Enum):
    """How far the wheel has been made ready for this table."""

    NO = auto()
    CLOSING = auto()
    MODE_SET = auto()
    YES = auto()


@dataclass(frozen=True, slots=True)
class Sight:
    connected: bool = False
    why_gone: str = "the wheel was never heard"
    prepared: Prepared = Prepared.NO
    asked: WheelCommand | None = None
    """A command that the wheel has not answered yet."""
    again_at: float = 0.0
    """Until when not to repeat a command that the wheel would not obey yet."""
    started: bool = False
    """The wheel has agreed to start the game of this round."""
    game: GameNumber | None = None
    rotor: Direction | None = None
    """Which way the rotor turned with the ball in the rim; nothing before that."""
    slowed: bool = False
    number: Code | None = None
    """What the wheel established."""
    warned: Flag = Flag.NONE
    """Warnings while this ball was in the rim."""
    ended: f.GameEnded | None = None
    foreign: bool = False
    """The ball in the rim was launched for a round that is over."""
    failed: str = ""
    """Why the wheel cannot be relied on; empty while it can."""

    @property
    def spinning(self) -> bool:
        return self.rotor is not None and self.ended is None


def new_round(sight: Sight) -> Sight:
    """Bets have opened: what an earlier ball did is not this round's."""
    return replace(sight, foreign=True, started=False) if sight.spinning else _without_game(sight)


def trusted_again(sight: Sight) -> Sight:
    """People handed the table back: the wheel is made ready anew, and what failed before is theirs to have seen to."""
    ended = None if sight.failed else sight.ended
    failed = sight.why_gone if sight.failed and not sight.connected else ""
    return replace(sight, failed=failed, prepared=Prepared.NO, again_at=0.0, ended=ended)


def hear(sight: Sight, event: Event) -> Sight:
    match event:
        case Connected():
            return replace(sight, connected=True)
        case Disconnected(why):
            return _lost(sight, f"the wheel is gone: {why}")
        case Finished():
            return _lost(sight, "the recording is at its end")
        case Silent(seconds):
            return _failing(sight, f"the wheel has been silent for {seconds:.0f} s")
        case f.BallInRim(game, rotor):
            fresh = replace(_without_game(sight), started=sight.started, foreign=sight.foreign and sight.spinning)
            return replace(fresh, game=game, rotor=rotor)
        case f.BallSlowed(game):
            return replace(sight, slowed=True) if game == sight.game else sight
        case f.NumberEstablished(game, code):
            return replace(sight, number=code) if game == sight.game and sight.spinning else sight
        case f.FlagsRaised(_, flags):
            return _warned(sight, flags)
        case f.TableClosed():
            return _closed(sight)
        case f.GameEnded():
            return _ended(sight, event)
        case (
            f.PlaceYourBets()
            | f.LaunchFailed()
            | f.NumberShown()
            | f.RotorStoodStill()
            | f.GamesMissed()
            | f.NotUnderstood()
            | f.Answered()
        ):
            return sight
    assert_never(event)


def answered(sight: Sight, command: WheelCommand, answer: Reply | NotYet | NoAnswer, now: float) -> Sight:
    """What the wheel said to a command. No word from it is a failure: it may or may not have obeyed."""
    sight = replace(sight, asked=None)
    match command, answer:
        case _, NoAnswer(why):
            return _failing(sight, f"the wheel was asked {_WORDS[type(command)]}: {why}")
        case _, NotYet(clause, why):
            return _failing(sight, f"{why} ({clause})")
        case StartGame(), Reply.DONE:
            return replace(_without_game(sight), started=True)
        case SetMode(), Reply.DONE:
            return replace(sight, prepared=Prepared.MODE_SET)
        case SetMode(), Reply.BUSY:
            return replace(sight, prepared=Prepared.CLOSING)
        case OpenWheel(), Reply.DONE | Reply.REFUSED:
            # Refused means that it is open: a wheel that closed by itself opens by itself.
            return replace(sight, prepared=Prepared.YES)
        case CloseWheel(), Reply.DONE | Reply.REFUSED:
            return replace(sight, prepared=Prepared.NO, again_at=now + 1)
        case _, Reply():
            return replace(sight, again_at=now + 1)


def _without_game(sight: Sight) -> Sight:
    return replace(
        sight,
        started=False,
        game=None,
        rotor=None,
        slowed=False,
        number=None,
        warned=Flag.NONE,
        ended=None,
        foreign=False,
    )


def _failing(sight: Sight, why: str) -> Sight:
    """The first reason is the one to tell; those after it mostly follow from it."""
    return sight if sight.failed else replace(sight, failed=why)


def _lost(sight: Sight, why: str) -> Sight:
    return replace(_failing(sight, why), connected=False, why_gone=why, prepared=Prepared.NO)


def _warned(sight: Sight, flags: Flag) -> Sight:
    if sight.spinning:
        return replace(sight, warned=sight.warned | flags)
    if Flag.FAILURE in flags:
        return _failing(sight, "a sensor, the motor or the encoder of the wheel failed")
    return sight


def _closed(sight: Sight) -> Sight:
    if sight.prepared is Prepared.YES and not sight.spinning:
        return _failing(replace(sight, prepared=Prepared.NO), "the wheel was closed")
    return sight


def _ended(sight: Sight, ended: f.GameEnded) -> Sight:
    if not ended.began:
        return sight
    if sight.foreign:
        return _without_game(sight)
    if ended.launched and not sight.spinning:
        # The end of a game whose ball was seen before the last start: it came late, and is not this round's.
        return sight
    return replace(sight, ended=ended)
