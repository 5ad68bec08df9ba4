"""Follows a wheel line by line and yields facts: a state machine with constant memory, independent of the rulebook.

A game lasts from its first status until the counter changes, the ball leaves the rim without a number, or the wheel is
closed. If a single status shows an earlier state of the game, it is treated as misread, because a real return to that
state lasts seconds.
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
from roundhouse.wheel.protocol import (
    Code,
    ControlLine,
    Flag,
    GameNumber,
    ParsedLine,
    State,
    Status,
    Unreadable,
    follows,
)
from roundhouse.wheel.protocol import WinningNumber as NumberAlone


@dataclass(slots=True)
class GameInProgress:
    """State of the game in progress. Only the follower changes it."""

    number: GameNumber
    before: Code | None
    """Last number of the earlier games; None if it was not received."""
    rotor: Direction
    opened_in: State
    statuses: int = 0
    in_rim: int = 0
    """Number of statuses with the ball in the rim."""
    slowed: bool = False
    back: int = 0
    """Number of statuses without a ball and without a number since the ball left the rim."""
    state: State = State.PLACE_YOUR_BETS
    launch_flags: Flag = Flag.NONE
    last_flags: Flag = Flag.NONE
    flags: Flag = Flag.NONE
    standing_flags: Flag = Flag.NONE
    rotor_decirpm: int = 0
    stood_still: bool = False
    established: bool = False
    long_silence: bool = False
    repeated_number: Code | None = None
    """Number of the previous game, if it had the same counter value. It is ignored until a ball is in the rim again."""
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def nearly_over(self) -> bool:
        """Whether the ball was about to drop at the last status, and no long silence followed."""
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


def waits_for_bets(status: Status) -> bool:
    """Return whether the wheel waits, so that the number it shows belongs to an earlier game."""
    return status.state in (State.STARTED, State.PLACE_YOUR_BETS, State.CLOSED)


def trusted_flags(flags: Flag) -> Flag:
    """Return the warnings, or no warnings if a sensor has failed, because it makes the others unreliable."""
    return Flag.NONE if flags & Flag.FAILURE else flags


_IN_RIM = (State.BALL_IN_RIM, State.NO_MORE_BETS)
LONG_SILENCE_SECONDS: Final = 60.0
"""Longest silence after which the next counter value is taken for the next game. A restart and a game take longer."""
_CONFIRMING_STATUSES: Final = 2
"""Number of consecutive statuses that confirm an unlikely step."""


class Follower:
    """Derives facts from the lines of one wheel. Number lines with a code that is not in ``codes`` are ignored."""

    def __init__(self, codes: Collection[Code]) -> None:
        self._codes = codes
        self._game: GameInProgress | None = None
        self._unconfirmed: Status | None = None
        self._previous: GameNumber | None = None

    def receive(self, line: ParsedLine) -> Iterator[Fact]:
        match line:
            case Status():
                yield from self._status(line)
            case NumberAlone(code) if code in self._codes:
                yield from self._number_alone(code)
            case NumberAlone(code):
                yield NotUnderstood(code.encode())
            case ControlLine():
                yield Answered(line)
            case Unreadable(text):
                yield NotUnderstood(text)

    def silence(self, seconds: float) -> None:
        """Record a silence of this length. During a long silence the wheel may have been restarted."""
        if self._game is not None and seconds > LONG_SILENCE_SECONDS:
            self._game.long_silence = True

    def end(self) -> Iterator[Fact]:
        """Finish the game in progress, because no more lines follow."""
        if unconfirmed := self._unconfirmed:
            yield from self._change(unconfirmed, confirmed=False)
            yield from self._step(unconfirmed)
        yield from self._finish(Ending.LINE_ENDED)

    def _status(self, status: Status) -> Iterator[Fact]:
        game = self._game
        if game is None:
            yield from self._begin(status, before=None)
        elif status.game != game.number:
            if self._unconfirmed is not None and self._unconfirmed.game == status.game:
                first = self._unconfirmed
                if first.state is State.WINNING_NUMBER and waits_for_bets(status):
                    # A wheel does not wait for bets after a game's number: the first status was spliced from two lines.
                    first = status
                yield from self._change(first, confirmed=first.shown == status.shown)
                if first is not status:
                    yield from self._step(first)
            elif follows(status.game, game.number) and game.evidence.first == status.shown and waits_for_bets(status):
                yield from self._change(status, confirmed=True)
            else:
                # A status spliced from two lines can contain a wrong game number: wait for a second status.
                self._unconfirmed = status
                return
        self._unconfirmed = None
        yield from self._step(status)

    def _change(self, status: Status, confirmed: bool) -> Iterator[Fact]:
        """End the current game and begin the game of this status, which has another counter value."""
        game = self._game
        assert game is not None
        following = follows(status.game, game.number)
        before = game.evidence.first or game.before
        if status.state is State.WINNING_NUMBER:
            # The status shows the new game's number, which is no evidence for the old game. The number line before it
            # also belongs to the new game.
            game.evidence.alone = None
        elif following and (confirmed or game.evidence.alone == status.shown):
            game.evidence.after = status.shown
            game.evidence.remembered = game.nearly_over and confirmed and status.shown in self._codes
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
        game, self._game, self._unconfirmed = self._game, None, None
        if game is None:
            return
        known, self._previous = self._previous, game.number
        # The first status of a game can be spliced from two games, so a ball in that status alone does not count.
        spliced = game.in_rim == 1 and game.opened_in in _IN_RIM and ending is Ending.FELL_BACK and known is not None
        yield game.ended(ending, launched=game.in_rim > 0 and not spliced)

    def _number_alone(self, code: Code) -> Iterator[Fact]:
        game = self._game
        if game is None or self._unconfirmed is not None or game.state not in (*_IN_RIM, State.WINNING_NUMBER):
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
                # The wheel already shows the number, so the ball cannot be in the rim: the state was misread.
                return
            if game.evidence.statuses.total() >= _CONFIRMING_STATUSES:
                yield from self._restart(Ending.NUMBER, status)
                yield from self._step(status)
                return
            game.evidence.withdraw()
        game.back, game.last_flags = 0, Flag.NONE
        if not game.in_rim:
            # A new launch: warnings of earlier failed launches do not apply to it.
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
        game.launch_flags |= trusted_flags(status.flags)
        game.last_flags = status.flags
        game.flags |= status.flags
        yield from self._note(game, status)

    def _winning_number(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        if status.shown == game.repeated_number and not game.in_rim:
            return
        game.evidence.add(status)
        game.launch_flags |= trusted_flags(status.flags) & Flag.WITH_ROTOR
        # After the number, a missing ball is normal: it was removed for the next launch.
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
            if game.back >= _CONFIRMING_STATUSES:
                yield from self._restart(Ending.CLOSED if closed else Ending.FELL_BACK, status)
        elif closed:
            yield from self._note(game, status)
        else:
            game.rotor = status.rotor
            # A warning that is still active from an earlier game or launch does not belong to this game.
            game.flags |= status.flags & ~game.standing_flags
            yield from self._note(game, status)

    def _left_number(self, game: GameInProgress, status: Status, closed: bool) -> Iterator[Fact]:
        """Handle a status without ball or number after a number, although the game counter has not changed."""
        if game.evidence.weak(bool(game.in_rim), game.before):
            game.evidence.withdraw()
            return
        if status.shown != game.before:
            game.evidence.after = status.shown
        yield from self._restart(Ending.CLOSED if closed else Ending.FELL_BACK, status)

    def _restart(self, ending: Ending, status: Status) -> Iterator[Fact]:
        """End the game and begin another with the same counter value."""
        ended = self._game
        yield from self._finish(ending)
        yield from self._begin(status, None, status.flags)
        if ended is not None and self._game is not None:
            number, _ = ended.evidence.weigh(bool(ended.in_rim), ended.before)
            self._game.repeated_number = number or ended.repeated_number

    def _note(self, game: GameInProgress, status: Status) -> Iterator[Fact]:
        game.state = status.state
        game.statuses += status.state is not State.CLOSED
        if raised := status.flags & ~game.standing_flags:
            yield FlagsRaised(game.number, raised)
            if Flag.LAUNCH_FAILED in raised:
                yield LaunchFailed(game.number)
        game.standing_flags = status.flags
