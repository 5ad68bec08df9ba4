"""Columns of a report whose figures are made of rounds, and what one round contributes to each."""

from enum import StrEnum
from typing import Final

from roundhouse.office.figures import Figures


class Column(StrEnum):
    ROUNDS = "rounds"
    HANDLE = "handle"
    PAID = "paid"
    WIN = "win"
    VOIDS = "voids"
    CORRECTIONS = "corrections"
    SHORTFALL = "shortfall"
    LATE_BETS = "late_bets"
    PLAYED = "played"
    PLAYED_HANDLE = "played_handle"
    PLAYED_WIN = "played_win"
    ADJUSTMENTS = "adjustments"
    ADJUSTED_HANDLE = "adjusted_handle"
    ADJUSTED = "adjusted"
    THEORY_ROUNDS = "theory_rounds"
    THEORY_HANDLE = "theory_handle"
    THEORY_WIN = "theory_win"
    THEORETICAL_WIN = "theoretical_win"
    VARIANCE = "variance"

    @property
    def is_theory(self) -> bool:
        return self in _THEORY

    @property
    def is_money(self) -> bool:
        return self not in _COUNTS

    def is_in(self, figures: Figures) -> bool:
        """Return whether a round with these figures belongs to the column, even if it contributes 0 cents."""
        if self in (Column.PLAYED, Column.PLAYED_HANDLE, Column.PLAYED_WIN):
            return figures.played != 0
        if self in (Column.ADJUSTMENTS, Column.ADJUSTED_HANDLE, Column.ADJUSTED):
            return figures.adjustments != 0
        if self in (Column.ROUNDS, Column.HANDLE, Column.PAID, Column.WIN):
            return figures.played != 0 or figures.adjustments != 0
        return self.of(figures) != 0

    def of(self, figures: Figures) -> int:
        assert not self.is_theory
        amount: int = getattr(figures, self.value)
        return amount


_THEORY: Final = frozenset(
    {Column.THEORY_ROUNDS, Column.THEORY_HANDLE, Column.THEORY_WIN, Column.THEORETICAL_WIN, Column.VARIANCE}
)
_COUNTS: Final = frozenset(
    {
        Column.ROUNDS,
        Column.VOIDS,
        Column.CORRECTIONS,
        Column.LATE_BETS,
        Column.PLAYED,
        Column.ADJUSTMENTS,
        Column.THEORY_ROUNDS,
    }
)
