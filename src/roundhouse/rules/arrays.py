"""Settlement of whole arrays of bets at once, equal to ``settlement`` to the cent.

For simulation and audit. Bets arrive as numbers of positions and outcomes instead of their names; whoever
has names keeps them. NumPy is loaded with this module and by nothing else in the rules.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from roundhouse.rules.names import MAX_STAKE_CENTS, Pocket, PositionId
from roundhouse.rules.settlement import Prices

Cents = NDArray[np.int64]
Numbers = NDArray[np.intp]


class ArrayPrices:
    """The prices of a layout as one table of numbers: a row an outcome, a column a position."""

    def __init__(self, prices: Prices) -> None:
        layout = prices.layout
        self.positions = tuple(position.id for position in layout.positions)
        self.outcomes = layout.wheel.pockets
        self._number_of_position = {id: i for i, id in enumerate(self.positions)}
        self._number_of_outcome = {pocket: i for i, pocket in enumerate(self.outcomes)}
        self._times = np.array(
            [[prices.times(outcome, id) for id in self.positions] for outcome in self.outcomes], dtype=np.int64
        )

    def position_numbers(self, ids: Iterable[PositionId]) -> Numbers:
        return np.array([self._number_of_position[id] for id in ids], dtype=np.intp)

    def outcome_numbers(self, outcomes: Iterable[Pocket]) -> Numbers:
        return np.array([self._number_of_outcome[outcome] for outcome in outcomes], dtype=np.intp)

    def settle(self, outcomes: Numbers, positions: Numbers, stakes: Cents) -> Cents:
        """What each bet gets back, in cents. One outcome for all bets, or one for each."""
        if stakes.dtype != np.int64:
            raise TypeError(f"stakes are whole cents in int64, not {stakes.dtype}")
        if stakes.size and not (int(stakes.min()) > 0 and int(stakes.max()) <= MAX_STAKE_CENTS):
            raise ValueError(f"every stake is 1 to {MAX_STAKE_CENTS} cents")
        if min(outcomes.min(initial=0), positions.min(initial=0)) < 0:
            raise IndexError("outcomes and positions are numbered from 0")
        # A number beyond the table raises IndexError by itself; a negative one would have wrapped around.
        returned: Cents = self._times[outcomes, positions]
        returned *= stakes
        return returned
