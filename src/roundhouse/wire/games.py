"""A game on the wire: everything that a terminal needs to draw it and to preview bets, and no rule to apply.

Coordinates are whole numbers, in eighths of the rulebook's unit of drawing, y downwards.
"""

from msgspec import Struct

from roundhouse.rules.names import (
    BetType,
    Clause,
    Colour,
    GameId,
    IrregularityId,
    LayoutId,
    PackageId,
    Pocket,
    PositionId,
    StaffPosition,
    TerminalId,
)
from roundhouse.rules.rulebook import (
    Authority,
    Betting,
    Effect,
    FinalesOffer,
    Inferred,
    NeighboursOffer,
    SettlementRule,
    SpinRule,
    Spun,
    Until,
)


class _Sheet(Struct, frozen=True):
    pass


class GameLine(_Sheet, frozen=True):
    """A game in the list of those that this house plays."""

    id: GameId
    title: str
    operator: str
    version: str
    effective: str
    hash: str
    """SHA-256 of the rulebook file: also a name of the game wherever its id is one."""
    layouts: tuple[LayoutId, ...]
    terminals: tuple[TerminalId, ...]


class Games(_Sheet, frozen=True):
    games: tuple[GameLine, ...]


class WheelSheet(_Sheet, frozen=True):
    spun: Spun
    order: tuple[Pocket, ...]
    """Every segment of the rim, clockwise."""
    pockets: tuple[Pocket, ...]
    """Every outcome once, in the canonical order."""
    colours: dict[Pocket, Colour]
    segments: dict[Pocket, int]
    clause: Clause


class IrregularitySheet(_Sheet, frozen=True):
    id: IrregularityId
    clause: Clause
    words: str
    """What the clause demands, in the rulebook's words."""
    effect: Effect
    until: Until
    declared_by: tuple[StaffPosition, ...]
    """Who may declare it, those above them included where the rulebook says so."""
    voids: bool


class TerminalSheet(_Sheet, frozen=True):
    id: TerminalId
    name: str
    layout: LayoutId
    clause: Clause
    series: tuple[PackageId, ...]
    neighbours: NeighboursOffer | None
    finales: FinalesOffer | None


class GameSheet(_Sheet, frozen=True):
    id: GameId
    title: str
    operator: str
    version: str
    effective: str
    hash: str
    wheel: WheelSheet
    spin: SpinRule
    betting: Betting
    settlement: SettlementRule
    irregularities: tuple[IrregularitySheet, ...]
    authority: Authority
    common_layout: bool
    """Whether all seats bet with chips on one layout, so that everybody sees every chip."""
    layouts: tuple[LayoutId, ...]
    terminals: tuple[TerminalSheet, ...]
    inferred: tuple[Inferred, ...]
    clauses: dict[Clause, str]


class Area(_Sheet, frozen=True):
    x0: int
    y0: int
    x1: int
    y1: int


class Spot(_Sheet, frozen=True):
    x: int
    y: int


class CellSheet(_Sheet, frozen=True):
    pocket: Pocket
    colour: Colour | None
    area: Area


class BoxSheet(_Sheet, frozen=True):
    position: PositionId
    label: str
    colour: Colour | None
    area: Area


class PositionSheet(_Sheet, frozen=True):
    id: PositionId
    type: BetType
    covers: tuple[Pocket, ...]
    at: Spot
    """Where a chip stands."""
    hit: Area
    """What is touched to bet on it. Areas that come later in the list lie above those before."""
    pays: int
    """To 1: a winning bet gets its stake back and so many times that."""
    clause: Clause
    row: Clause
    """The row of the pay table that prices it."""
    described: tuple[Clause, ...]


class LayoutSheet(_Sheet, frozen=True):
    id: LayoutId
    clause: Clause
    area: Area
    cells: tuple[CellSheet, ...]
    boxes: tuple[BoxSheet, ...]
    positions: tuple[PositionSheet, ...]


class Positions(_Sheet, frozen=True):
    positions: tuple[PositionSheet, ...]


class PieceSheet(_Sheet, frozen=True):
    position: PositionId
    pieces: int


class PackageSheet(_Sheet, frozen=True):
    id: PackageId
    name: str
    group: str
    """``series``, ``neighbours`` or ``finales``."""
    clause: Clause
    total: int
    pieces: tuple[PieceSheet, ...]


class Packages(_Sheet, frozen=True):
    terminal: TerminalId
    layout: LayoutId
    packages: tuple[PackageSheet, ...]


class OddsSheet(_Sheet, frozen=True):
    """Exact fractions, written as such: ``1/19``."""

    id: str
    staked: int
    win: str
    edge: str
    variance: str
    returns: dict[Pocket, int]
    """Pieces that come back for each outcome, stakes included."""


class OddsOfAll(_Sheet, frozen=True):
    odds: tuple[OddsSheet, ...]
