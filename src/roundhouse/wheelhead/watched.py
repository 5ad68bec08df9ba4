"""The game in progress, as far as it has been heard. Only the follower changes it; others get a ``GameEnded``."""

from dataclasses import dataclass, field

from roundhouse.rules.judge import Direction
from roundhouse.wheelhead.evidence import Evidence
from roundhouse.wheelhead.facts import Ending, GameEnded
from roundhouse.wheelhead.line import Code, Flag, GameNumber, State, Status


@dataclass(slots=True)
class Watched:
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
