"""The types of a rulebook file. ``loading`` and ``checks`` verify its content.

Lists of pockets and positions are one string, separated by spaces (``'0 00 32 15'``).
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
    """A TOML table of the rulebook file. Unknown keys are an error."""


class Spun(StrEnum):
    """The part that is spun: a ball against a turning wheel, or the wheel itself under a clapper."""

    BALL = "ball"
    WHEEL = "wheel"


class WheelPlan(_Section, frozen=True):
    spun: Spun
    pockets: str
    """Every outcome once. This order is used in position ids and in tables."""
    order: str
    """The pocket of every segment of the rim, clockwise."""
    clause: Clause
    segments: dict[Pocket, int] | None = None
    """Number of segments of each symbol, if the document states it. Used to check ``order``."""
    colours: dict[Colour, str] = {}


class SpinRule(_Section, frozen=True):
    """Conditions for a valid spin."""

    least_revolutions: int
    """Smallest number of completed revolutions of a valid spin."""
    clause: Clause
    result: Clause
    """Clause by which the pocket or symbol at rest is the outcome."""
    against_the_wheel: bool = False
    """Whether the ball must be spun against the direction of the wheel."""


class Box(_Section, frozen=True):
    """A box beside the numbers. It covers a run of numbers, a colour, or one pocket."""

    label: str
    run: tuple[int, int] | None = None
    step: int = 1
    colour: Colour | None = None
    pocket: Pocket | None = None


class PayRow(_Section, frozen=True):
    row: str
    bets: tuple[str, ...]
    """Bet types, or single positions where one type has several prices (the Money Wheel)."""
    numbers: int
    """Number of segments that such a bet covers, as the row states it. Used to check the geometry."""
    pays: int


class PayTable(_Section, frozen=True):
    clause: Clause
    rows: tuple[PayRow, ...]


class LayoutPlan(_Section, frozen=True):
    clause: Clause
    square: tuple[int, int]
    """Width and height of one square of the picture, in drawing units."""
    picture: str
    bets: dict[str, tuple[Clause, ...]]
    """Bet types (or single positions) offered, each with the clauses that describe it."""
    pay_table: PayTable
    top_line: str | None = None
    """Pockets of the Top Line, if the document includes more than those whose cells touch."""


class Effect(StrEnum):
    """Effect of an irregularity on the round."""

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
    """Staff positions that may declare the irregularity. Default: those in ``authority.declares``."""


class Moment(StrEnum):
    """The moment at which bets close."""

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
    """Clause on minimum and maximum bets, if the document has one."""


class ChipsRule(_Section, frozen=True):
    """A game that is played with chips on a shared layout."""

    clause: Clause
    """Clause by which bets are made with cash chips and colour chips."""
    colour_clause: Clause
    """Clause on colour chips, which have no value until they are issued to a Player."""
    colours: tuple[str, ...]
    """Colours of the sets at one table. Each is issued to one Player at a time."""


class SettlementRule(_Section, frozen=True):
    loses: Clause
    """Clause by which a bet that does not cover the outcome loses."""
    void_returns: Clause
    """Clause by which a void round returns all stakes."""
    loses_to: dict[Pocket, Clause] = {}
    """Outcomes with their own clause on losing bets, such as the zeros."""


class Decision(_Section, frozen=True):
    """The staff position that decides matters that the rules do not cover."""

    position: StaffPosition
    clause: Clause
    or_above: bool = False
    interpretation: bool = False


class Authority(_Section, frozen=True):
    ladder: tuple[StaffPosition, ...]
    """Staff positions, from the lowest to the highest."""
    declares: tuple[StaffPosition, ...]
    """Staff positions that may declare an irregularity without ``declared_by``."""
    decides: Decision
    acting: Clause | None = None
    """Clause that lets a person be appointed to act in a position. If ``higher_may_act`` is ``None``, refusals of
    commands from other positions cite this clause."""
    higher_may_act: Clause | None = None
    """Clause that lets people in higher positions act in lower ones. ``None``: they may not."""
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
    """Positions of the package, by the number of pieces that lie on each of them."""


class TerminalPlan(_Section, frozen=True):
    id: TerminalId
    name: str
    layout: LayoutId
    clause: Clause
    series: tuple[Series, ...] = ()
    neighbours: NeighboursOffer | None = None
    finales: FinalesOffer | None = None


class Grade(StrEnum):
    """Source of a value that the rule document does not state."""

    GEOMETRY = "geometry"
    RECONSTRUCTION = "reconstruction"


class Inferred(_Section, frozen=True):
    """A value of the rulebook that the document does not state, and why it was chosen."""

    at: str
    """Path of the value, such as ``wheel.order``."""
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
    """Irregularities in the order of the rule document. A verdict cites their clauses in this order."""
    authority: Authority
    chips: ChipsRule | None = None
    """``None`` if Players bet with credits at terminals of their own."""
    inferred: tuple[Inferred, ...] = ()
    clauses: dict[Clause, str] = field(default_factory=dict)
