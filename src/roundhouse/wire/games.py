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
from roundhouse.table.names import Phase


class _Info(Struct, frozen=True):
    pass


class GameRow(_Info, frozen=True):
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


class Games(_Info, frozen=True):
    games: tuple[GameRow, ...]


class WheelInfo(_Info, frozen=True):
    spun: Spun
    order: tuple[Pocket, ...]
    """Every segment of the rim, clockwise."""
    pockets: tuple[Pocket, ...]
    """Every outcome once, in the canonical order."""
    colours: dict[Pocket, Colour]
    segments: dict[Pocket, int]
    clause: Clause


class IrregularityInfo(_Info, frozen=True):
    id: IrregularityId
    clause: Clause
    words: str
    """What the clause demands, in the rulebook's words."""
    effect: Effect
    until: Until
    declared_by: tuple[StaffPosition, ...]
    """Who may declare it, those above them included where the rulebook says so."""
    voids: bool
    by_people: bool
    """Whether people report it, and not the system alone."""
    observable: bool
    """Whether it can be reported with what was seen of a spin."""


class TerminalInfo(_Info, frozen=True):
    id: TerminalId
    name: str
    layout: LayoutId
    clause: Clause
    series: tuple[PackageId, ...]
    neighbours: NeighboursOffer | None
    finales: FinalesOffer | None


class GameInfo(_Info, frozen=True):
    id: GameId
    title: str
    operator: str
    version: str
    effective: str
    hash: str
    wheel: WheelInfo
    spin: SpinRule
    betting: Betting
    courses: tuple[tuple[Phase, ...], ...]
    """The phases of a round in their order, the usual course first."""
    settlement: SettlementRule
    irregularities: tuple[IrregularityInfo, ...]
    authority: Authority
    common_layout: bool
    """Whether all seats bet with chips on one layout, so that everybody sees every chip."""
    layouts: tuple[LayoutId, ...]
    terminals: tuple[TerminalInfo, ...]
    inferred: tuple[Inferred, ...]
    clauses: dict[Clause, str]


class Area(_Info, frozen=True):
    x0: int
    y0: int
    x1: int
    y1: int


class Spot(_Info, frozen=True):
    x: int
    y: int


class CellInfo(_Info, frozen=True):
    pocket: Pocket
    colour: Colour | None
    area: Area


class BoxInfo(_Info, frozen=True):
    position: PositionId
    label: str
    colour: Colour | None
    area: Area


class PositionInfo(_Info, frozen=True):
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


class LayoutInfo(_Info, frozen=True):
    id: LayoutId
    clause: Clause
    area: Area
    cells: tuple[CellInfo, ...]
    boxes: tuple[BoxInfo, ...]
    positions: tuple[PositionInfo, ...]


class Positions(_Info, frozen=True):
    positions: tuple[PositionInfo, ...]


class PieceInfo(_Info, frozen=True):
    position: PositionId
    pieces: int


class PackageInfo(_Info, frozen=True):
    id: PackageId
    name: str
    group: str
    """``series``, ``neighbours`` or ``finales``."""
    clause: Clause
    total: int
    pieces: tuple[PieceInfo, ...]


class Packages(_Info, frozen=True):
    terminal: TerminalId
    layout: LayoutId
    packages: tuple[PackageInfo, ...]


class OddsInfo(_Info, frozen=True):
    """Exact fractions, written as such: ``1/19``."""

    id: str
    staked: int
    win: str
    edge: str
    variance: str
    returns: dict[Pocket, int]
    """Pieces that come back for each outcome, stakes included."""


class OddsOfAll(_Info, frozen=True):
    odds: tuple[OddsInfo, ...]
