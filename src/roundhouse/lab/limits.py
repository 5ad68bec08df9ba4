"""Table limits: the least and the most that may stand on one position. A house sets them; no rulebook does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import MAX_STAKE_CENTS, BetType, Cents, PositionId, type_of
from roundhouse.rules.settlement import Bet

_ONE: Final = Cents(1)


class OutsideLimits(Mistake):
    """A stake that this table does not take."""


@dataclass(frozen=True, slots=True)
class Limits:
    least: Cents = _ONE
    most: Cents = MAX_STAKE_CENTS
    by_type: Mapping[BetType, Cents] = field(default_factory=dict)
    """The most on each position of a type, where it differs."""

    def __post_init__(self) -> None:
        for most in (self.most, *self.by_type.values()):
            if not 0 < self.least <= most <= MAX_STAKE_CENTS:
                raise OutsideLimits(
                    f"a table's limits run from 1 to {MAX_STAKE_CENTS} cents, the least first; "
                    f"{self.least} to {most} do not"
                )

    def most_on(self, position: PositionId) -> Cents:
        return self.by_type.get(type_of(position), self.most)

    def admit(self, bet: Bet) -> None:
        most = self.most_on(bet.position)
        if not self.least <= bet.stake <= most:
            side = f"over the limit of {most}" if bet.stake > most else f"below the minimum of {self.least}"
            raise OutsideLimits(f"{bet.stake} cents on {bet.position} is {side} cents")
