"""Counts of a wheel's games for the tests of its health. The size does not grow with the number of games."""

from collections import Counter
from dataclasses import dataclass, field

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Segment
from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.facts import Fact, FlagsRaised, GameEnded, GamesMissed, LaunchFailed, NotUnderstood
from roundhouse.wheel.protocol import STATUS_SECONDS, GameNumber, parts
from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading, result

SECTORS = 4
"""Number of equal parts of the rim in the test of speed bands."""


@dataclass(slots=True)
class Record:
    """Counts of one wheel's games."""

    rulebook: Rulebook
    codes: Codes
    counts: Counter[Segment] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)
    """Steps around the rim, in segments, from one outcome to the next."""
    sector_by_speed: Counter[tuple[int, int]] = field(default_factory=Counter)
    """(rotor speed at the launch in tenths of a revolution per minute, quarter of the rim with the outcome)."""
    half_seconds: Counter[int] = field(default_factory=Counter)
    """Durations of games with a number, in half seconds."""
    turned_about: int = 0
    """Games in which the rotor turned in the other direction than in the game before."""
    kept_direction: int = 0
    voids: int = 0
    unresolved: int = 0
    launches_failed: int = 0
    not_understood: int = 0
    missed: int = 0
    flags: Counter[int] = field(default_factory=Counter)
    _last: tuple[GameNumber, Segment, Direction] | None = None
    _before: Segment | None = None

    @property
    def segments(self) -> int:
        return len(self.codes.wheel.order)

    @property
    def spins(self) -> int:
        return self.counts.total()

    def take(self, fact: Fact) -> None:
        match fact:
            case GameEnded():
                self._game(fact)
            case LaunchFailed():
                self.launches_failed += 1
            case GamesMissed():
                self.missed += 1
                self._last = None
            case NotUnderstood():
                self.not_understood += 1
            case FlagsRaised(flags=flags):
                self.flags.update(parts(flags))
            case _:
                pass

    def result(self, segment: Segment | None) -> None:
        """Count a game of which only the outcome is known. None is a void game."""
        if segment is None:
            self.voids += 1
        else:
            self.counts[segment] += 1
            if self._before is not None:
                self.steps[(segment - self._before) % self.segments] += 1
        self._before = segment

    def _game(self, ended: GameEnded) -> None:
        match result(ended, self.rulebook, self.codes):
            case OutcomeReading():
                assert ended.number is not None
                self._spin(ended, self.codes.segment_of[ended.number])
            case VoidReading():
                self.voids += 1
                self._last = None
            case UnresolvedReading():
                self.unresolved += 1
                self._last = None
            case None:
                pass

    def _spin(self, ended: GameEnded, segment: Segment) -> None:
        self.counts[segment] += 1
        self.half_seconds[ended.statuses] += 1
        if ended.rotor_decirpm:
            self.sector_by_speed[ended.rotor_decirpm, segment * SECTORS // self.segments] += 1
        if self._last is not None:
            _, before, rotor = self._last
            self.steps[(segment - before) % self.segments] += 1
            if rotor is ended.rotor:
                self.kept_direction += 1
            else:
                self.turned_about += 1
        self._last = ended.game, segment, ended.rotor

    def seconds_quantile(self, share: float) -> float:
        reached, wanted = 0, share * self.half_seconds.total()
        for ticks in sorted(self.half_seconds):
            reached += self.half_seconds[ticks]
            if reached >= wanted:
                return ticks * STATUS_SECONDS
        return 0.0
