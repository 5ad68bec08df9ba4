"""Settlement: what each bet gets back for an outcome, in whole cents, and the clause it follows from.

The pay table is unrolled once per layout, so that settling is one look-up a bet. A position that the layout
does not have is our own bug here: bets are checked where they are made.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from roundhouse.rules.layout import Layout
from roundhouse.rules.mistakes import Mistake
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, Clause, Pocket, PositionId, number_of
from roundhouse.rules.rulebook import SettlementRule


class Bet(Struct, frozen=True, gc=False):
    position: PositionId
    stake: Cents


class SettledBet(Struct, frozen=True, gc=False):
    bet: Bet
    returned: Cents
    """Stake and winnings of a bet that won; nothing of one that lost."""
    clause: Clause


class Settlement(Struct, frozen=True):
    outcome: Pocket
    bets: list[SettledBet]

    @property
    def staked(self) -> Cents:
        return Cents(sum(settled.bet.stake for settled in self.bets))

    @property
    def returned(self) -> Cents:
        return Cents(sum(settled.returned for settled in self.bets))


class NoSuchBet(Mistake):
    """A bet that cannot be made on this layout, in words for the person who made it."""


class Prices:
    """What every position of a layout returns for every outcome: (times the stake, clause)."""

    def __init__(self, layout: Layout, rule: SettlementRule) -> None:
        self.layout = layout
        self._of: Mapping[Pocket, Mapping[PositionId, tuple[int, Clause]]] = {
            outcome: self._unroll(outcome, rule) for outcome in layout.wheel.pockets
        }

    def _unroll(self, outcome: Pocket, rule: SettlementRule) -> Mapping[PositionId, tuple[int, Clause]]:
        lost = (0, number_of(rule.loses_to.get(outcome, rule.loses)))
        return {
            position.id: (position.pays + 1, number_of(position.clause)) if outcome in position.covers else lost
            for position in self.layout.positions
        }

    def times(self, outcome: Pocket, position: PositionId) -> int:
        return self._of[outcome][position][0]

    def settle(self, outcome: Pocket, bets: Iterable[Bet]) -> Settlement:
        prices = self._of[outcome]
        return Settlement(
            outcome,
            [SettledBet(bet, bet.stake * (price := prices[bet.position])[0], price[1]) for bet in bets],  # type: ignore[arg-type]
        )


def make_bet(layout: Layout, position: PositionId, stake: Cents) -> Bet:
    """A bet that this layout takes. There is one name for a position and no alias."""
    if position not in layout.by_id:
        raise NoSuchBet(f"layout {layout.id} has no position '{position}'{_canonical_hint(layout, position)}")
    if not 0 < stake <= MAX_STAKE_CENTS:
        raise NoSuchBet(f"a stake is 1 to {MAX_STAKE_CENTS} cents, not {stake}")
    return Bet(position, stake)


def _canonical_hint(layout: Layout, position: PositionId) -> str:
    """The canonical name, where the numbers are right but their order or spelling is not."""
    kind, _, numbers = position.partition(":")
    asked = sorted(number.lstrip("0") or number for number in numbers.split("-"))
    for known in layout.positions:
        spelled = sorted(pocket.lstrip("0") or pocket for pocket in known.covers)
        if numbers and known.type == kind and known.id.partition(":")[2] and asked == spelled:
            return f"; its one name for this is '{known.id}'"
    return ""
