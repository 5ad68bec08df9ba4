"""A rulebook file, as types: what may differ between games, and nothing else.

These types say what a file *holds*; whether it is *sound* is for ``loading`` and ``checks``. Lists of
pockets and positions are written as one line of words (``'0 00 32 15'``), the way a layout is read aloud.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from roundhouse.rules.names import (
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


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file: every key is known, and none may be changed once read."""


class Spun(StrEnum):
    """What is spun: a ball against a turning wheel, or the wheel itself under a clapper."""

    BALL = "ball"
    WHEEL = "wheel"


class WheelPlan(_Section, frozen=True):
    spun: Spun
    pockets: str
    """Every outcome once, in the canonical order in which ids and tables name them."""
    order: str
    """Every segment of the rim, clockwise."""
    clause: Clause
    segments: dict[Pocket, int] | None = None
    """How many segments each symbol has, where the document states it: a check on the order."""
    colours: dict[Colour, str] = {}


class SpinRule(_Section, frozen=True):
    """What makes a spin valid."""

    least_revolutions: int
    clause: Clause
    result: Clause
    """The clause by which the place of rest is the outcome."""
    against_the_wheel: bool = False


class Box(_Section, frozen=True):
    """A box beside the numbers, and what it covers: one of a run of numbers, a colour, or one pocket."""

    label: str
    run: tuple[int, int] | None = None
    step: int = 1
    colour: Colour | None = None
    pocket: Pocket | None = None


class PayRow(_Section, frozen=True):
    row: str
    bets: tuple[str, ...]
    """Types of bet, or single positions where one type has many prices (the Money Wheel)."""
    numbers: int
    """How many segments of the wheel such a bet covers, as the row says: a check on the geometry."""
    pays: int


class PayTable(_Section, frozen=True):
    clause: Clause
    rows: tuple[PayRow, ...]


class LayoutPlan(_Section, frozen=True):
    clause: Clause
    square: tuple[int, int]
    """Width and height of one square of the picture, in units of drawing."""
    picture: str
    bets: dict[str, tuple[Clause, ...]]
    """Each type of bet (or single position) that is offered, with the clauses that describe it."""
    pay_table: PayTable
    top_line: str | None = None
    """The pockets of the Top Line where the document defines more than those that touch."""


class Effect(StrEnum):
    """What an irregularity does to the round."""

    VOID_ROUND = "void_round"
    VOID_AFFECTED_ROUNDS = "void_affected_rounds"
    CONCLUDE_ROUND = "conclude_round"
    CONTINUE_ROUND = "continue_round"
    SETTLE_REGISTERED_BETS = "settle_registered_bets"
    RETURN_UNREGISTERED_BETS = "return_unregistered_bets"
    NOT_PARTICIPATED = "not_participated"
    SETTLE_BY_WHEEL = "settle_by_wheel"
    LATER_ROUNDS_STAND = "later_rounds_stand"
    WHEEL_PREVAILS = "wheel_prevails"
    REFER = "refer"

    @property
    def voids(self) -> bool:
        return self in (Effect.VOID_ROUND, Effect.VOID_AFFECTED_ROUNDS)


class Until(StrEnum):
    """The last moment at which an irregularity can still be declared."""

    REST = "rest"
    SETTLEMENT = "settlement"
    ANY_TIME = "any_time"


class Irregularity(_Section, frozen=True):
    clause: Clause
    effect: Effect
    until: Until = Until.SETTLEMENT
    declared_by: tuple[StaffPosition, ...] | None = None
    """Who may declare it; without it, those whom ``authority.declares`` names."""


class Moment(StrEnum):
    """When bets close."""

    BEFORE_SPIN = "before_spin"
    WHILE_SPINNING = "while_spinning"
    OPERATORS_CHOICE = "operators_choice"


class AnnouncedBy(StrEnum):
    DEALER = "dealer"
    TERMINAL = "terminal"


class Announcement(_Section, frozen=True):
    phrases: tuple[str, ...]
    clause: Clause


class Closing(_Section, frozen=True):
    phrases: tuple[str, ...]
    clause: Clause
    moment: Moment
    moment_clause: Clause


class LateEffect(StrEnum):
    REFUSED = "refused"
    STAKE_STANDS = "stake_stands"


class Late(_Section, frozen=True):
    effect: LateEffect
    clause: Clause


class Betting(_Section, frozen=True):
    announced_by: AnnouncedBy
    opens: Announcement
    closes: Closing
    late_bet: Late
    late_withdrawal: Late
    limits: Clause | None = None
    """The clause on the least and the most of a bet, where the rules speak of them."""


class SettlementRule(_Section, frozen=True):
    loses: Clause
    """The clause by which a bet that does not contain the outcome is lost."""
    void_returns: Clause
    loses_to: dict[Pocket, Clause] = {}
    """Outcomes that have a clause of their own for that: the zeros."""


class Decision(_Section, frozen=True):
    """Who decides what the rules do not cover."""

    position: StaffPosition
    clause: Clause
    or_above: bool = False
    interpretation: bool = False


class Authority(_Section, frozen=True):
    ladder: tuple[StaffPosition, ...]
    """Offices from the lowest to the highest."""
    declares: tuple[StaffPosition, ...]
    decides: Decision
    acting: Clause | None = None
    """The clause that lets a person assigned to a position act in it."""
    higher_may_act: Clause | None = None
    """The clause that lets the holder of a higher office act; without one, nobody does so by rank."""
    titles: dict[StaffPosition, str] = {}


class NeighboursOffer(_Section, frozen=True):
    each_side: tuple[int, ...]
    clause: Clause


class FinalesOffer(_Section, frozen=True):
    digits: tuple[int, ...]
    clause: Clause


class Series(_Section, frozen=True):
    id: PackageId
    name: str
    clause: Clause
    total: int
    pieces: dict[str, str]
    """How many pieces each → the positions that get so many."""


class TerminalPlan(_Section, frozen=True):
    id: TerminalId
    name: str
    layout: LayoutId
    clause: Clause
    series: tuple[Series, ...] = ()
    neighbours: NeighboursOffer | None = None
    finales: FinalesOffer | None = None


class Grade(StrEnum):
    """How far a stated fact is from the document's words."""

    GEOMETRY = "geometry"
    RECONSTRUCTION = "reconstruction"


class Inferred(_Section, frozen=True):
    at: str
    grade: Grade
    why: str


class Rulebook(_Section, frozen=True):
    id: GameId
    title: str
    operator: str
    version: str
    effective: datetime
    wheel: WheelPlan
    spin: SpinRule
    boxes: dict[PositionId, Box]
    layouts: dict[LayoutId, LayoutPlan]
    terminals: tuple[TerminalPlan, ...]
    betting: Betting
    settlement: SettlementRule
    irregularities: dict[IrregularityId, Irregularity]
    """In the document's order, which is the order in which a verdict names their clauses."""
    authority: Authority
    inferred: tuple[Inferred, ...] = ()
    clauses: dict[Clause, str] = field(default_factory=dict)
