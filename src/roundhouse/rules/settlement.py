"""Settlement: the amount that each bet returns for an outcome, in whole cents, and its clause.

The amounts are tabulated once per layout, so that settling takes one look-up per bet. ``make_bet`` checks the
position of a bet. If an unknown position is settled, that is a bug and raises ``KeyError``.
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
    """Stake and winnings if the bet won, 0 if it lost."""
    clause: Clause


class NoSuchBet(UserError):
    """A bet names an unknown position of its layout, or its stake is out of range."""


class Settlement(Struct, frozen=True):
    """The result of settling a slip (a list of bets). Clauses are looked up when ``bets`` is read."""

    outcome: Pocket
    slip: Sequence[Bet]
    amounts: list[Cents]
    """Amount that each bet returns, in the order of the slip."""
    prices: "Prices"

    @property
    def staked(self) -> Cents:
        return Cents(sum(bet.stake for bet in self.slip))

    @property
    def returned(self) -> Cents:
        return Cents(sum(self.amounts))

    @property
    def bets(self) -> list[SettledBet]:
        """Each bet with the amount that it returns and the clause that determines the amount."""
        clauses = self.prices.all_clauses(self.outcome)
        return [SettledBet(bet, amount, clauses[bet.position]) for bet, amount in zip(self.slip, self.amounts)]


class Prices:
    """Returns of every position of a layout for every outcome, as multiples of the stake."""

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
        """Return the multiple of the stake that each position returns for one outcome."""
        return self._times[outcome]

    def all_clauses(self, outcome: Pocket) -> Mapping[PositionId, Clause]:
        """Return the clause that settles each position for one outcome.

        For a winning bet this is the clause of the pay table. For a losing bet it is the outcome's own clause if the
        rulebook has one, else the general clause on losing bets.
        """
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
    """Create a bet after checking its position and stake. Only the canonical position id is accepted."""
    if position not in layout.by_id:
        known = canonical_name(layout, position)
        hint = f"did you mean '{known}'?" if known else "'roundhouse game positions' lists them"
        raise NoSuchBet(f"layout {layout.id} has no position '{position}'; {hint}")
    if not 0 < stake <= MAX_STAKE_CENTS:
        raise NoSuchBet(f"a stake must be 1 to {MAX_STAKE_CENTS} cents, not {stake}")
    return Bet(position, stake)
