"""Settles whole NumPy arrays of bets, for simulation and audit.

Results equal those of ``settlement`` to the cent. Positions and outcomes are given by index, not by name.
No other module of ``rules`` imports NumPy.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from roundhouse.rules.names import MAX_STAKE_CENTS, Pocket, PositionId
from roundhouse.rules.settlement import Prices

Cents = NDArray[np.int64]
Numbers = NDArray[np.intp]


class ArrayPrices:
    """Prices of a layout as a matrix: one row per outcome, one column per position."""

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
        """Return the cents that each bet returns. ``outcomes`` holds one outcome for all bets, or one per bet."""
        if stakes.dtype != np.int64:
            raise TypeError(f"stakes must be whole cents in int64, not {stakes.dtype}")
        if stakes.size and not (int(stakes.min()) > 0 and int(stakes.max()) <= MAX_STAKE_CENTS):
            raise ValueError(f"every stake must be 1 to {MAX_STAKE_CENTS} cents")
        if min(outcomes.min(initial=0), positions.min(initial=0)) < 0:
            raise IndexError("an index of an outcome or position is negative; indexes start at 0")
        # NumPy raises IndexError for an index that is too large, but counts a negative one from the end.
        returned: Cents = self._times[outcomes, positions]
        returned *= stakes
        return returned
