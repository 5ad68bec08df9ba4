"""The game in progress, as far as it has been heard. Only the follower changes it; others get a ``GameEnded``.

Follows a wheel line by line and tells what it did: an incremental state machine of constant memory.

It knows no rulebook. A game of the wheel lasts from its first status until the counter goes on, the ball leaves
the rim without a number, or the table is closed. A step back that only one status shows is taken for a misread
line and not believed: a wheel needs seconds for it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from roundhouse.rules.judge import Direction
from roundhouse.wheel.evidence import Evidence
from roundhouse.wheel.facts import (
    Answered,
    BallInRim,
    BallSlowed,
    Ending,
    Fact,
    FlagsRaised,
    GameEnded,
    GamesMissed,
    LaunchFailed,
    NotUnderstood,
    NumberEstablished,
    NumberShown,
    PlaceYourBets,
    RotorStoodStill,
    TableClosed,
)
from roundhouse.wheel.protocol import Code, Flag, GameNumber, Heard, Said, State, Status, Unreadable, follows
from roundhouse.wheel.protocol import WinningNumber as NumberAlone


@dataclass(slots=True)
class GameInProgress:
    """What has been heard of the game in progress."""

    number: GameNumber
    before: Code | None
    """The last number on the line before this game could have one of its own, if that was heard."""
    rotor: Direction
    opened_in: State
    statuses: int = 0
    in_rim: int = 0
    """How many statuses showed the ball in the rim."""
    slowed: bool = False
    back: int = 0
    """How many have shown it gone since, without a number."""
    state: State = State.PLACE_YOUR_BETS
    launch_flags: Flag = Flag.NONE
    last_flags: Flag = Flag.NONE
    flags: Flag = Flag.NONE
    standing_flags: Flag = Flag.NONE
    rotor_decirpm: int = 0
    stood_still: bool = False
    established: bool = False
    long_silence: bool = False
    told: Code | None = None
    """The number that a game with the same counter has just had: without a ball it is no other game's."""
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def nearly_over(self) -> bool:
        """The ball was about to drop when the line was last heard, and not too long ago."""
        return self.state is State.NO_MORE_BETS and not self.back and not self.long_silence

    def ended(self, ending: Ending, launched: bool) -> GameEnded:
        number, doubt = self.evidence.weigh(launched, self.before)
        return GameEnded(
            self.number,
            Ending.NUMBER if number is not None else ending,
            number,
            doubt,
            launched,
            self.slowed,
            self.launch_flags,
            self.last_flags,
            self.flags,
            self.rotor,
            self.rotor_decirpm,
            self.statuses,
            self.evidence.after if self.evidence.after != self.before else None,
        )


def settled(status: Status) -> bool:
    """The wheel shows its last number while it waits: it has left the game to which that belongs."""
    return status.state in (State.STARTED, State.PLACE_YOUR_BETS, State.CLOSED)


def trusted(flags: Flag) -> Flag:
    """While a sensor has failed, what the other warnings say is not believed."""
    return Flag.NONE if flags & Flag.FAILURE else flags


_IN_RIM = (State.BALL_IN_RIM, State.NO_MORE_BETS)
LONG_SILENCE_SECONDS: Final = 60.0
"""Shorter than a restart and a whole game: until then, the next number of the counter is the next game."""
_BELIEVED: Final = 2
"""So many statuses in a row make an unlikely step believable."""


class Follower:
    """``codes`` are those that this wheel may write; any other pair of characters is noise."""

    def __init__(self, codes: Collection[Code]) -> None:
        self._codes = codes
        self._game: GameInProgress | None = None
        self._stray: Status | None = None
        self._previous: GameNumber | None = None

    def hear(self, heard: Heard) -> Iterator[Fact]:
        match heard:
            case Status():
                yield from self._status(heard)
            case NumberAlone(code) if code in self._codes:
                yield from self._number_alone(code)
            case NumberAlone(code):
                yield NotUnderstood(code.encode())
            case Said():
                yield Answered(heard)
            case Unreadable(line):
                yield NotUnderstood(line)

    def silence(self, seconds: float) -> None:
        """Nothing was heard for so long, where somebody has a clock. In that time a wheel may have been restarted."""
        if self._game is not None and seconds > LONG_SILENCE_SECONDS:
            self._game.long_silence = True

    def end(self) -> Iterator[Fact]:
        """The line is over: nothing more will be heard of the game in progress."""
        if stray := self._stray:
            yield from self._change(stray, believed=False)
            yield from self._step(stray)
        yield from self._finish(Ending.LINE_ENDED)

    def _status(self, status: Status) -> Iterator[Fact]:
        game = self._game
        if game is None:
            yield from self._begin(status, before=None)
        elif status.game != game.number:
            if self._stray is not None and self._stray.game == status.game:
                held = self._stray
                if held.state is State.WINNING_NUMBER and settled(status):
                    # No game waits for bets after its number: the first was halves of two lines.
                    held = status
                yield from self._change(held, believed=held.shown == status.shown)
                if held is not status:
                    yield from self._step(held)
            elif follows(status.game, game.number) and game.evidence.first == status.shown and settled(status):
                yield from self._change(status, believed=True)
            else:
                # Half of one line and half of another can name a game that is not there: wait for a second.
                self._stray = status
                return
        self._stray = None
        yield from self._step(status)

    def _change(self, status: Status, believed: bool) -> Iterator[Fact]:
        """The counter shows another game."""
        game = self._game
        assert game is not None
        following = follows(status.game, game.number)
        before = game.evidence.first or game.before
        if status.state is State.WINNING_NUMBER:
            # That number is the new game's own: it confirms nothing, and the line alone before it was not ours.
            game.evidence.alone = None
        elif following and (believed or game.evidence.alone == status.shown):
            game.evidence.after = status.shown
            game.evidence.remembered = game.nearly_over and believed and status.shown in self._codes
        yield from self._finish(Ending.NEXT_GAME if following else Ending.COUNTER_JUMPED)
        if not following:
            yield GamesMissed(game.number, status.game)
        yield from self._begin(status, before if following else None, game.standing_flags)

    def _begin(self, status: Status, before: Code | None, standing: Flag = Flag.NONE) -> Iterator[Fact]:
        if status.state is not State.WINNING_NUMBER:
            before = status.shown
        self._game = GameInProgress(status.game, before, status.rotor, status.state, standing_flags=standing)
        if status.state in (State.STARTED, State.PLACE_YOUR_BETS):
            yield PlaceYourBets(status.game)

    def _finish(self, ending: Ending) -> Iterator[Fact]:
        game, self._game, self._stray = self._game, None, None
        if game is None:
            return
        known, self._previous = self._previous, game.number
        # A lone status at the head of a game can be spliced from two games; the ball must be seen twice then.
        spliced = game.in_rim == 1 and game.opened_in in _IN_RIM and ending is Ending.FELL_BACK and known is not None
        yield game.ended(ending, launched=game.in_rim > 0 and not spliced)

    def _number_alone(self, code: Code) -> Iterator[Fact]:
        game = self._game
        if game is None or self._stray is not None or game.state not in (*_IN_RIM, State.WINNING_NUMBER):
            return
        if game.evidence.empty:
            yield NumberShown(game.number, code)
        if game.evidence.alone is None:
            game.evidence.alone = code
        yield from self._established(game)

    def _step(self, status: Status) -> Iterator[Fact]:
        game = self._game
        assert game is not None
        if status.state in _IN_RIM:
            yield from self._in_rim(game, status)
        elif status.state is State.WINNING_NUMBER:
            yield from self._winning_number(game, status)
        else:
            yield from self._without_ball(game, status)

    def _in_rim(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        if not game.evidence.empty:
            if status.shown == game.evidence.first != game.before:
                # The number stands already, so the ball cannot be in the rim: the state is misread.
                return
            if game.evidence.statuses.total() >= _BELIEVED:
                yield from self._anew(Ending.NUMBER, status)
                yield from self._step(status)
                return
            game.evidence.withdraw()
        game.back, game.last_flags = 0, Flag.NONE
        if not game.in_rim:
            # A new launch: the warnings of those that failed before it are not its own.
            game.flags = Flag.NONE
            game.rotor_decirpm = status.rotor_decirpm
            yield BallInRim(game.number, status.rotor)
        game.in_rim += 1
        game.rotor = status.rotor
        if status.state is State.NO_MORE_BETS and not game.slowed:
            game.slowed = True
            yield BallSlowed(game.number)
        if status.rotor_decirpm == 0 and not game.stood_still:
            game.stood_still = True
            yield RotorStoodStill(game.number)
        game.launch_flags |= trusted(status.flags)
        game.last_flags = status.flags
        game.flags |= status.flags
        yield from self._note(game, status)

    def _winning_number(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        if status.shown == game.told and not game.in_rim:
            return
        game.evidence.add(status)
        game.launch_flags |= trusted(status.flags) & Flag.WITH_ROTOR
        # A ball that is gone once its number stands has been taken out for the next launch.
        game.flags |= status.flags & ~Flag.BALL_GONE
        yield from self._established(game)
        yield from self._note(game, status)

    def _established(self, game: GameInProgress) -> Iterator[Fact]:
        if not game.established:
            number, _ = game.evidence.weigh(bool(game.in_rim), game.before)
            if number is not None:
                game.established = True
                yield NumberEstablished(game.number, number)

    def _without_ball(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        closed = status.state is State.CLOSED
        if closed and game.state is not State.CLOSED:
            yield TableClosed(game.number)
        if not game.evidence.empty:
            yield from self._left_number(game, status, closed)
        elif game.in_rim or (closed and game.flags):
            game.back += 1
            game.last_flags |= status.flags
            game.flags |= status.flags
            yield from self._note(game, status)
            if game.back >= _BELIEVED:
                yield from self._anew(Ending.CLOSED if closed else Ending.FELL_BACK, status)
        elif closed:
            yield from self._note(game, status)
        else:
            game.rotor = status.rotor
            # A warning that stands from an earlier game or launch is not this one's.
            game.flags |= status.flags & ~game.standing_flags
            yield from self._note(game, status)

    def _left_number(self, game: GameInProgress, status: Status, closed: bool) -> Iterator[Fact]:
        """The counter stands still although a number was shown."""
        if game.evidence.weak(bool(game.in_rim), game.before):
            game.evidence.withdraw()
            return
        if status.shown != game.before:
            game.evidence.after = status.shown
        yield from self._anew(Ending.CLOSED if closed else Ending.FELL_BACK, status)

    def _anew(self, ending: Ending, status: Status) -> Iterator[Fact]:
        """The game is over, yet its counter stands: what comes is another game of the same number."""
        ended = self._game
        yield from self._finish(ending)
        yield from self._begin(status, None, status.flags)
        if ended is not None and self._game is not None:
            number, _ = ended.evidence.weigh(bool(ended.in_rim), ended.before)
            self._game.told = number or ended.told

    def _note(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        game.state = status.state
        game.statuses += status.state is not State.CLOSED
        if raised := status.flags & ~game.standing_flags:
            yield FlagsRaised(game.number, raised)
            if Flag.LAUNCH_FAILED in raised:
                yield LaunchFailed(game.number)
        game.standing_flags = status.flags
