"""Settlement: what each bet gets back for an outcome, in whole cents, and the clause it follows from.

The pay table is unrolled once per layout, so that settling is one look-up a bet. A position that the layout
does not have is our own bug here: bets are checked where they are made.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from roundhouse.rules.errors import UserError
from roundhouse.rules.layout import Layout, canonical_name
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


class NoSuchBet(UserError):
    """A bet that cannot be made on this layout, in words for the person who made it."""


class Settlement(Struct, frozen=True):
    """What a slip of bets gets back. The clauses are looked up when somebody asks for them."""

    outcome: Pocket
    slip: Sequence[Bet]
    amounts: list[Cents]
    """What each bet gets back, in the order of the slip."""
    prices: "Prices"

    @property
    def staked(self) -> Cents:
        return Cents(sum(bet.stake for bet in self.slip))

    @property
    def returned(self) -> Cents:
        return Cents(sum(self.amounts))

    @property
    def bets(self) -> list[SettledBet]:
        """Each bet with what it gets back and the clause it follows from."""
        clauses = self.prices.all_clauses(self.outcome)
        return [SettledBet(bet, amount, clauses[bet.position]) for bet, amount in zip(self.slip, self.amounts)]


class Prices:
    """What every position of a layout returns for every outcome, in times its stake."""

    def __init__(self, layout: Layout, rule: SettlementRule) -> None:
        self.layout = layout
        self._rule = rule
        self._clauses: dict[Pocket, Mapping[PositionId, Clause]] = {}
        self._times: Mapping[Pocket, Mapping[PositionId, int]] = {
            outcome: {
                position.id: position.pays + 1 if outcome in position.covers else 0 for position in layout.positions
            }
            for outcome in layout.wheel.pockets
        }

    def times(self, outcome: Pocket, position: PositionId) -> int:
        return self._times[outcome][position]

    def all_times(self, outcome: Pocket) -> Mapping[PositionId, int]:
        """For one outcome, what every position returns in times its stake: the pay table as one look-up."""
        return self._times[outcome]

    def all_clauses(self, outcome: Pocket) -> Mapping[PositionId, Clause]:
        """A bet wins by the pay table; it loses by the clause for that outcome, or by the general one."""
        if (found := self._clauses.get(outcome)) is None:
            lost = number_of(self._rule.loses_to.get(outcome, self._rule.loses))
            found = self._clauses[outcome] = {
                position.id: number_of(position.clause) if outcome in position.covers else lost
                for position in self.layout.positions
            }
        return found

    def clause(self, outcome: Pocket, position: PositionId) -> Clause:
        return self.all_clauses(outcome)[position]

    def settle(self, outcome: Pocket, bets: Sequence[Bet]) -> Settlement:
        times = self._times[outcome]
        amounts = [bet.stake * times[bet.position] for bet in bets]
        return Settlement(outcome, bets, amounts, self)  # type: ignore[arg-type]


def make_bet(layout: Layout, position: PositionId, stake: Cents) -> Bet:
    """A bet that this layout takes. There is one name for a position and no alias."""
    if position not in layout.by_id:
        known = canonical_name(layout, position)
        hint = f"its one name for this is '{known}'" if known else "'roundhouse positions' lists them"
        raise NoSuchBet(f"layout {layout.id} has no position '{position}'; {hint}")
    if not 0 < stake <= MAX_STAKE_CENTS:
        raise NoSuchBet(f"a stake is 1 to {MAX_STAKE_CENTS} cents, not {stake}")
    return Bet(position, stake)
