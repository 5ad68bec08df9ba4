"""Types that describe a game: everything that a terminal needs to draw it and to preview bets.

Coordinates are integers in eighths of the rulebook's drawing unit; y increases downwards.
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
    ChipsRule,
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
    """A row in the list of games."""

    id: GameId
    title: str
    operator: str
    version: str
    effective: str
    hash: str
    """SHA-256 of the rulebook file. Routes accept it in place of the game's id."""
    layouts: tuple[LayoutId, ...]
    terminals: tuple[TerminalId, ...]


class Games(_Info, frozen=True):
    games: tuple[GameRow, ...]


class WheelInfo(_Info, frozen=True):
    spun: Spun
    order: tuple[Pocket, ...]
    """The pocket of each segment of the rim, clockwise."""
    pockets: tuple[Pocket, ...]
    """Each possible outcome once, in the rulebook's order."""
    colours: dict[Pocket, Colour]
    segments: dict[Pocket, int]
    clause: Clause


class IrregularityInfo(_Info, frozen=True):
    id: IrregularityId
    clause: Clause
    words: str
    """Text of the clause, as in the rulebook."""
    effect: Effect
    until: Until
    declared_by: tuple[StaffPosition, ...]
    """Positions that may declare the irregularity. Includes higher positions if the rulebook allows that."""
    voids: bool
    by_people: bool
    """True if a person may report the irregularity; false if only the system reports it."""
    observable: bool
    """Whether a report of the irregularity may include an observation of the spin."""


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
    """Possible sequences of phases in a round. The usual sequence is first."""
    settlement: SettlementRule
    chips: ChipsRule | None
    """The rule on cash chips and colour chips. None if the game is not played with chips."""
    irregularities: tuple[IrregularityInfo, ...]
    authority: Authority
    common_layout: bool
    """Whether all seats share one layout. On a shared layout every client sees the chips of every seat."""
    layouts: tuple[LayoutId, ...]
    terminals: tuple[TerminalInfo, ...]
    inferred: tuple[Inferred, ...]
    clauses: dict[Clause, str]
    clause_order: tuple[Clause, ...]
    """The keys of ``clauses`` in the document's order. JavaScript puts keys such as ``7`` first in an object."""
    readings: dict[Clause, tuple[str, ...]]
    """Text that the rulebook adds beyond the words of a clause. Inferred values without a clause are not included."""


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
    """Centre of a chip on this position."""
    hit: Area
    """Touch area. Where areas overlap, the position that is later in the list is on top."""
    pays: int
    """Odds to 1. A winning bet returns the stake plus this many times the stake."""
    clause: Clause
    row: Clause
    """Clause of the pay table row that sets ``pays``."""
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
    """Group of packages: ``series``, ``neighbours`` or ``finales``."""
    clause: Clause
    total: int
    pieces: tuple[PieceInfo, ...]


class Packages(_Info, frozen=True):
    terminal: TerminalId
    layout: LayoutId
    packages: tuple[PackageInfo, ...]


class OddsInfo(_Info, frozen=True):
    """Exact odds of one position or package. Fractions are strings such as ``1/19``."""

    id: str
    staked: int
    win: str
    edge: str
    variance: str
    returns: dict[Pocket, int]
    """Pieces returned for each outcome, including the stake."""


class OddsOfAll(_Info, frozen=True):
    odds: tuple[OddsInfo, ...]
