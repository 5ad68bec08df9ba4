"""A game: a valid rulebook with the wheel, layouts and terminals derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass

from roundhouse.rules.layout import Layout
from roundhouse.rules.names import Clause, GameId, LayoutId, PositionId, TerminalId
from roundhouse.rules.packages import Terminal
from roundhouse.rules.rulebook import Rulebook
from roundhouse.rules.settlement import Prices
from roundhouse.rules.wheel import Wheel


@dataclass(frozen=True)
class Game:
    rulebook: Rulebook
    hash: str
    """SHA-256 of the rulebook file in hexadecimal, as ``sha256sum`` prints it."""
    wheel: Wheel
    layouts: Mapping[LayoutId, Layout]
    terminals: Mapping[TerminalId, Terminal]

    @property
    def id(self) -> GameId:
        return self.rulebook.id

    def prices(self, layout: LayoutId) -> Prices:
        return Prices(self.layouts[layout], self.rulebook.settlement)

    def pay_row(self, layout: LayoutId, position: PositionId) -> Clause:
        """Return the pay table row that prices a position, as a clause such as ``4.1 / Split Bet``."""
        table, known = self.rulebook.layouts[layout].pay_table, self.layouts[layout].by_id[position]
        row = next((row for row in table.rows if position in row.bets or known.type in row.bets), None)
        return Clause(f"{table.clause} / {row.row}") if row else known.clause
