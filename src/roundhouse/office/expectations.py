"""Theoretical win: what the house expects of the bets that were placed, compared with what it won of them.

A round counts once, by its final result, in the period in which it ended. Void bets do not count.
"""

from enum import IntEnum
from fractions import Fraction
from math import isqrt

from msgspec import Struct

from roundhouse.office.kinds import bets_of_seats
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.names import BetType, type_of
from roundhouse.rules.theory import NO_BETS, PlacedBets, Theory, theory_of
from roundhouse.table.names import RoundNumber, SeatId


class Band(IntEnum):
    """The narrowest band around the theoretical win that contains the actual win, in standard deviations."""

    ONE_SIGMA = 1
    TWO_SIGMA = 2
    THREE_SIGMA = 3
    OUTSIDE = 4


class Compared(Struct):
    """Theoretical and actual win of the same bets. Amounts are in cents."""

    rounds: int = 0
    win: int = 0
    """Actual win, by the final results."""
    theory: Theory = NO_BETS

    def add(self, other: "Compared") -> None:
        self.rounds += other.rounds
        self.win += other.win
        self.theory = self.theory + other.theory

    @property
    def z(self) -> str | None:
        """Distance of the actual from the theoretical win in standard deviations, to two decimals. None if it is 0/0.

        >>> Compared(1, 300, Theory(100, Fraction(0), Fraction(10_000))).z
        '3.00'
        """
        if not self.theory.variance:
            return None
        distance = self.win - self.theory.win
        hundredths = round_root(distance**2 / self.theory.variance * 10_000)
        sign = "-" if distance < 0 and hundredths else ""
        return f"{sign}{hundredths // 100}.{hundredths % 100:02d}"

    @property
    def band(self) -> Band | None:
        if not self.theory.variance:
            return None
        square = (self.win - self.theory.win) ** 2 / self.theory.variance
        return next((Band(sigmas) for sigmas in (1, 2, 3) if square <= sigmas**2), Band.OUTSIDE)

    @property
    def sigma(self) -> int:
        """Standard deviation of the win, rounded to a cent."""
        return round_root(self.theory.variance)


def round_root(square: Fraction) -> int:
    """Return the square root of a fraction, rounded to the nearest whole number. A tie rounds up.

    >>> [round_root(Fraction(n, 4)) for n in (0, 1, 9, 8)]
    [0, 1, 2, 1]
    """
    return (isqrt(4 * square.numerator // square.denominator) + 1) // 2


class RoundTheory:
    """The bets of one round that count, with their theory."""

    def __init__(self, rounds: TableRounds, number: RoundNumber) -> None:
        self._rounds, self._number = rounds, number
        self._record = rounds.record(number)
        slips = self._record.slips if self._record is not None else {}
        outcomes = {seat: self._record.outcome_of(seat) for seat in slips} if self._record is not None else {}
        self._outcomes = {seat: outcome for seat, outcome in outcomes.items() if outcome is not None}

    def whole(self) -> Compared:
        """Compare all bets of the round together."""
        return self._compare(tuple(self._outcomes), None)

    def by_seat(self) -> dict[SeatId, Compared]:
        return {seat: self._compare((seat,), None) for seat in self._outcomes}

    def by_kind(self) -> dict[BetType, Compared]:
        assert self._record is not None or not self._outcomes
        slips = [self._record.slips[seat] for seat in self._outcomes] if self._record is not None else []
        kinds = {type_of(position) for slip in slips for position in slip}
        return {kind: self._compare(tuple(self._outcomes), kind) for kind in sorted(kinds)}

    def _compare(self, seats: tuple[SeatId, ...], kind: BetType | None) -> Compared:
        if self._record is None or not seats:
            return Compared()
        game, slips, won = self._rounds.game(self._number), list[PlacedBets](), 0
        for seat in seats:
            layout = self._rounds.layout(seat, game)
            slip = self._record.slips[seat]
            slips.append((layout, {at: cents for at, cents in slip.items() if kind in (None, type_of(at))}))
        outcomes = {seat: self._outcomes[seat] for seat in seats}
        for own, cents, back in bets_of_seats(self._rounds, self._number, self._record, dict(outcomes)):
            if kind in (None, own) and back is not None:
                won += cents - back
        return Compared(1, won, theory_of(slips, game.wheel))
